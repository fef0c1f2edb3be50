import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import { LARGEST_CLUSTER, type Placement } from '../program/placement.js';
import type { LevelName, ThreadSyntax } from '../syntax/litmus-ast.js';
import { shownThreadName } from '../syntax/thread-name.js';

const WARP_SIZE = 32;
/** Of a CTA, cluster, warp or GPU: %ctaid has 32 bits, and so have the dimensions of a grid (PTX ISA, %nctaid). */
const LARGEST_NUMBER = 2 ** 31 - 1;

/** Where each thread runs, with the defaults of docs/format.md. */
export function buildPlacements(threads: readonly ThreadSyntax[]): {
  readonly placements: readonly Placement[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const refuse = (span: Span, message: string, hint?: string): void =>
    void diagnostics.push(error('L0204', span, message, hint));
  const clusterOfCta = new Map<string, string>();
  const names = new Set<string>();
  const places = threads.map((thread, index): Place => {
    const { name, span } = thread;
    if (names.has(name)) refuse(span, `thread ${shownThreadName(name)} is defined twice`);
    names.add(name);
    const place = placeOf(thread, index, refuse);
    const { cta, cluster } = place;
    if ((clusterOfCta.get(cta) ?? cluster) !== cluster)
      refuse(
        span,
        `${cta} is placed in two clusters`,
        'give every thread of a CTA the same cluster, or none of them one',
      );
    clusterOfCta.set(cta, cluster);
    return place;
  });
  const clusters = [...new Set(places.map(({ cluster }) => cluster))];
  const placements = places.map((place, index): Placement => {
    const { cluster, cta, warp, laneNumber, ...rest } = place;
    const { span, launched } = threads[index] as ThreadSyntax;
    const ranks = ranksOf(places.filter((other) => other.cluster === cluster));
    const warps = [...new Set(places.filter((other) => other.cta === cta).map((other) => other.warp))];
    const lanes = places.filter((other) => other.warp === warp).length;
    const earlier = places.slice(0, index).filter((other) => other.warp === warp);
    const lane = launched === undefined ? (laneNumber ?? earlier.length) : launched.tid % WARP_SIZE;
    if (ranks.length > LARGEST_CLUSTER) refuse(span, `a cluster has at most ${LARGEST_CLUSTER} CTAs`);
    if (laneNumber !== undefined && earlier.some((other) => other.laneNumber === lane))
      refuse(span, `lane ${lane} of the warp is placed twice`);
    return {
      ...{ ...rest, cluster, cta, warp, thread: index },
      clusterIndex: clusters.indexOf(cluster),
      rank: launched?.rank ?? ranks.indexOf(cta),
      clusterSize: launched?.clusterSize ?? ranks.length,
      warpIndex: warps.indexOf(warp),
      ...{ lane, lanes, warpLanes: launched?.warpLanes ?? lanes, firstLane: 0 },
      othersAreAlike: launched?.othersAreAlike === true,
    };
  });
  const firstLane = ({ warp }: Placement): number =>
    Math.min(...placements.filter((other) => other.warp === warp).map(({ lane }) => lane));
  return { placements: placements.map((one) => ({ ...one, firstLane: firstLane(one) })), diagnostics };
}

type Refuse = (span: Span, message: string, hint?: string) => void;

/** Where a thread says that it is. */
function placeOf({ levels, span }: ThreadSyntax, index: number, refuse: Refuse): Place {
  const numbers = new Map<LevelName, number>();
  for (const { level, number, span: at } of levels) {
    if (number > LARGEST_NUMBER)
      refuse(at, `${level} ${number} is too large`, `a grid has at most ${LARGEST_NUMBER + 1} of each`);
    if (numbers.has(level)) refuse(at, `${level} is given twice`);
    numbers.set(level, number);
  }
  if (numbers.has('host')) return onHost(levels, index, refuse);
  const gpu = numbers.get('gpu') ?? 0;
  const grid = numbers.get('grid') ?? 0;
  // CTAs and clusters are numbered in each grid anew.
  const within = `${grid === 0 ? '' : `grid ${grid}, `}gpu ${gpu}`;
  // A thread without a cta is in a CTA of its own.
  const ctaNumber = numbers.get('cta') ?? index;
  const cta = numbers.has('cta') ? `${within}, cta ${ctaNumber}` : `${within}, cta of thread ${index}`;
  const cluster = numbers.has('cluster') ? `${within}, cluster ${numbers.get('cluster')}` : `cluster of ${cta}`;
  const warpNumber = numbers.get('warp');
  const warp = warpNumber === undefined ? `warp of thread ${index}` : `${cta}, warp ${warpNumber}`;
  const laneNumber = numbers.get('lane');
  if (laneNumber !== undefined && warpNumber === undefined)
    refuse(span, 'a lane is one of a warp', 'write warp N, lane M');
  if (laneNumber !== undefined && laneNumber >= WARP_SIZE)
    refuse(span, `a warp has ${WARP_SIZE} lanes; there is no lane ${laneNumber}`);
  return { gpu, grid, cluster, cta, ctaNumber, warp, warpNumber, laneNumber };
}

/** A thread of the CPU is in no GPU, and in no CTA with another. */
function onHost(levels: ThreadSyntax['levels'], index: number, refuse: Refuse): Place {
  for (const { level, span } of levels) if (level !== 'host') refuse(span, `a thread of the host is in no ${level}`);
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
