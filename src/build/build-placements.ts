import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { LARGEST_CLUSTER, type Placement } from '../program/placement.js';
import type { LevelName, ThreadSyntax } from '../syntax/litmus-ast.js';
import { shownThreadName } from '../syntax/thread-name.js';

/** Of a CTA, cluster, warp or GPU: %ctaid has 32 bits, and so have the dimensions of a grid (PTX ISA, %nctaid). */
const WARP_SIZE = 32;
const LARGEST_NUMBER = 2 ** 31 - 1;

/** Where each thread runs, with the defaults of docs/format.md. */
export function buildPlacements(threads: readonly ThreadSyntax[]): {
  readonly placements: readonly Placement[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const clusterOfCta = new Map<string, string>();
  const names = new Set<string>();
  const places = threads.map((thread, index): Place => {
    if (names.has(thread.name))
      diagnostics.push(error('L0204', thread.span, `thread ${shownThreadName(thread.name)} is defined twice`));
    names.add(thread.name);
    const numbers = new Map<LevelName, number>();
    for (const { level, number, span } of thread.levels) {
      if (number > LARGEST_NUMBER)
        diagnostics.push(
          error('L0204', span, `${level} ${number} is too large`, `a grid has at most ${LARGEST_NUMBER + 1} of each`),
        );
      if (numbers.has(level)) diagnostics.push(error('L0204', span, `${level} is given twice`));
      numbers.set(level, number);
    }
    if (numbers.has('host')) return onHost(thread, index, diagnostics);
    const gpu = numbers.get('gpu') ?? 0;
    const grid = numbers.get('grid') ?? 0;
    // CTAs and clusters are numbered in each grid anew.
    const within = `${grid === 0 ? '' : `grid ${grid}, `}gpu ${gpu}`;
    // A thread without a cta is in a CTA of its own.
    const ctaNumber = numbers.get('cta') ?? index;
    const cta = numbers.has('cta') ? `${within}, cta ${ctaNumber}` : `${within}, cta of thread ${index}`;
    const cluster = numbers.has('cluster') ? `${within}, cluster ${numbers.get('cluster')}` : `cluster of ${cta}`;
    const earlier = clusterOfCta.get(cta);
    if (earlier !== undefined && earlier !== cluster) {
      diagnostics.push(
        error(
          'L0204',
          thread.span,
          `${cta} is placed in two clusters`,
          'give every thread of a CTA the same cluster, or none of them one',
        ),
      );
    }
    clusterOfCta.set(cta, cluster);
    const warp = numbers.has('warp') ? `${cta}, warp ${numbers.get('warp')}` : `warp of thread ${index}`;
    const laneNumber = numbers.get('lane');
    if (laneNumber !== undefined && !numbers.has('warp'))
      diagnostics.push(error('L0204', thread.span, 'a lane is one of a warp', 'write warp N, lane M'));
    if (laneNumber !== undefined && laneNumber >= WARP_SIZE)
      diagnostics.push(error('L0204', thread.span, `a warp has ${WARP_SIZE} lanes; there is no lane ${laneNumber}`));
    return { gpu, grid, cluster, cta, ctaNumber, warp, warpNumber: numbers.get('warp'), laneNumber };
  });
  const clusters = [...new Set(places.map(({ cluster }) => cluster))];
  const placements = places.map((place, index): Placement => {
    const { cluster, cta, warp } = place;
    const ranks = ranksOf(places.filter((other) => other.cluster === cluster));
    const warps = [...new Set(places.filter((other) => other.cta === cta).map((other) => other.warp))];
    const thread = threads[index];
    const lane =
      thread?.launched === undefined
        ? (place.laneNumber ?? places.slice(0, index).filter((other) => other.warp === warp).length)
        : thread.launched.tid % WARP_SIZE;
    const span = thread?.span;
    if (ranks.length > LARGEST_CLUSTER && span !== undefined)
      diagnostics.push(error('L0204', span, `a cluster has at most ${LARGEST_CLUSTER} CTAs`));
    const taken = places.slice(0, index).some((other) => other.warp === warp && other.laneNumber === lane);
    if (taken && place.laneNumber !== undefined && span !== undefined)
      diagnostics.push(error('L0204', span, `lane ${lane} of the warp is placed twice`));
    const { laneNumber: _, ...rest } = place;
    return {
      ...rest,
      thread: index,
      clusterIndex: clusters.indexOf(cluster),
      rank: thread?.launched?.rank ?? ranks.indexOf(cta),
      clusterSize: thread?.launched?.clusterSize ?? ranks.length,
      warpIndex: warps.indexOf(warp),
      lane,
      lanes: places.filter((other) => other.warp === warp).length,
      warpLanes: thread?.launched?.warpLanes ?? places.filter((other) => other.warp === warp).length,
      firstLane: 0,
    };
  });
  const firstLane = ({ warp }: Placement): number =>
    Math.min(...placements.filter((other) => other.warp === warp).map(({ lane }) => lane));
  return { placements: placements.map((one) => ({ ...one, firstLane: firstLane(one) })), diagnostics };
}

/** A thread of the CPU is in no GPU, and in no CTA with another. */
function onHost({ levels }: ThreadSyntax, index: number, diagnostics: Diagnostic[]): Place {
  for (const { level, span } of levels)
    if (level !== 'host') diagnostics.push(error('L0204', span, `a thread of the host is in no ${level}`));
  const own = `host thread ${index}`;
  return { gpu: undefined, grid: 0, cluster: own, cta: own, ctaNumber: index, warp: own, ...NO_WARP };
}

const NO_WARP = { warpNumber: undefined, laneNumber: undefined };

type Place = { readonly laneNumber: number | undefined } & Pick<
  Placement,
  'gpu' | 'grid' | 'cluster' | 'cta' | 'ctaNumber' | 'warp' | 'warpNumber'
>;

/** The CTAs of a cluster that appear in the test, by their number: the place in this list is the rank. */
function ranksOf(places: readonly { readonly cta: string; readonly ctaNumber: number }[]): readonly string[] {
  const numbers = new Map(places.map(({ cta, ctaNumber }) => [cta, ctaNumber]));
  return [...numbers].sort(([, a], [, b]) => a - b).map(([cta]) => cta);
}
