import { positionOf, type Span } from '../../diagnostics/source.js';
import { volume } from '../../kernel/grid.js';
import type { Scope } from '../../program/placement.js';
import { type Choice, FENCES, fenceChoice, gap, INIT_FENCE, PROXY_FENCE, type Site, type Spot } from '../sites.js';
import { type KernelCode, type KernelInstruction, originOf, type Standing, standingOf } from './kernel-code.js';

/** A place between instructions of a kernel, in all copies of it. */
export interface KernelPlace extends Standing {
  readonly spots: Site['spots'];
}

/** What only computes, or leads elsewhere: nothing is put before it. */
const INWARD: ReadonlySet<string> = new Set(['compute', 'open', 'require', 'branch', 'trap']);

const isOutward = ({ operations }: KernelInstruction): boolean => operations.some(({ kind }) => !INWARD.has(kind));

const LABEL = /^[ \t]*[\w$%]+:[ \t]*\n(?:[ \t]*(?:\/\/|\.loc\b)[^\n]*\n|[ \t]*\n)*[ \t]*(?=[@a-z])/gm;

/** Before a branch, which lanes may take apart, and behind it. */
const BRANCH = /^[ \t]*(?=@!?[%$\w]+[ \t]+bra)/gm;
const BEHIND_BRANCH =
  /^[ \t]*@!?[%$\w]+[ \t]+bra[^\n]*\n(?:[ \t]*(?:\/\/|\.loc\b)[^\n]*\n|[ \t]*\n)*[ \t]*(?=[@a-z])/gm;

const BLOCK_ENDS = [LABEL, BRANCH, BEHIND_BRANCH];

/** The places where something can be put: before what threads do to memory, but for the first, and around branches. */
export function placesIn({ instructions }: KernelCode): readonly KernelPlace[] {
  const outward = instructions.filter(isOutward);
  const first = outward[0]?.spans[0].start ?? 0;
  const before = outward
    .filter(({ spans: [{ start }] }) => start > first)
    .map((one): KernelPlace => ({ spots: spotsBefore(one), ...standingOf(one.standings) }));
  const all = [...before, ...turns(instructions, new Set(before.flatMap(({ spots }) => spots.map(startOf))))];
  // What a compiler says no line of is nobody's to change, where it says one of others.
  const ofLines = all.filter(({ spots: [{ span }] }) => span.source.compiledFrom?.(span.start) !== undefined);
  return (ofLines.length > 0 ? ofLines : all).sort(({ spots: [a] }, { spots: [b] }) => startOf(a) - startOf(b));
}

const startOf = ({ span }: Spot): number => span.start;

/**
 * Around the instructions that lanes may go past: before branches, and behind labels, where they come together again.
 * What stands there is done by all that come to the branch.
 */
function turns(instructions: readonly KernelInstruction[], known: ReadonlySet<number>): readonly KernelPlace[] {
  const found = new Map<string, { readonly spots: Spot[]; readonly standings: Standing[] }>();
  for (const { source } of new Map(instructions.map(({ spans: [span] }) => [span.source.path, span])).values()) {
    const starts = instructions
      .filter(({ spans: [span] }) => span.source.path === source.path)
      .flatMap(({ spans, standings }) => spans.map(({ start }, i) => ({ start, standing: standings[i] })))
      .sort(byStart);
    const [from, to] = [starts[0]?.start ?? 0, starts.at(-1)?.start ?? 0];
    const ends = BLOCK_ENDS.flatMap((end, kind) => [...source.text.matchAll(end)].map((match) => ({ match, kind })));
    for (const { match, kind } of ends) {
      const { 0: before, index } = match;
      const at = index + before.length;
      const standing = starts.find(({ start }) => start >= at)?.standing;
      if (at <= from || at > to || known.has(at) || standing === undefined) continue;
      const here = { source, start: at, end: at };
      // A loop is entered and gone round at the same line.
      const key = `${source.path} ${originOf(here)} ${standing.depth} ${kind}`;
      const one = found.get(key) ?? { spots: [], standings: [] };
      found.set(key, one);
      one.standings.push(standing);
      one.spots.push({ span: here, instruction: here });
    }
  }
  return [...found.values()].flatMap(({ spots: [spot, ...copies], standings }) =>
    spot === undefined ? [] : [{ ...standingOf(standings), spots: [spot, ...copies] as const }],
  );
}

const byStart = (a: { readonly start: number }, b: { readonly start: number }): number => a.start - b.start;

/** Before an instruction, and its guard. */
function spotsBefore({ spans: [first, ...copies] }: KernelInstruction): Site['spots'] {
  const spot = ({ source, start }: Span): Spot => {
    const { lineText, column } = positionOf(source, start);
    const guard = /@!?[%\w$]+[ \t]*$/.exec(lineText.slice(0, column - 1))?.[0].length ?? 0;
    const here = { source, start: start - guard, end: start - guard };
    return { span: here, instruction: here };
  };
  return [spot(first), ...copies.map(spot)];
}

/** A place where one of some instructions can be put. */
export const gapAt = ({ spots }: KernelPlace, choices: readonly Choice[]): Site => gap([], spots, choices);

/** A kind of barrier that may be put somewhere. */
export interface KernelBarrier {
  readonly text: string;
  /** The same threads must come there together: the code must say so. */
  readonly isForAll: boolean;
}

/** Barriers for whole warps, CTAs and clusters, those of fewer threads first. */
export function barriersFor({ planned }: KernelCode): readonly KernelBarrier[] {
  const most = (of: (one: (typeof planned)[number]) => number): number => Math.max(0, ...planned.map(of));
  const inCta = most(({ launch }) => volume(launch.shape.block));
  const inCluster = most(({ launch }) => volume(launch.shape.cluster));
  return [
    ...(inCta > 1
      ? [
          { text: 'bar.warp.sync 0xffffffff;', isForAll: false },
          { text: 'bar.sync 0;', isForAll: true },
        ]
      : []),
    ...(inCluster > 1 ? [{ text: 'barrier.cluster.arrive; barrier.cluster.wait;', isForAll: true }] : []),
  ];
}

/** The scopes that fences and accesses of the kernels may need: what one CTA does alone may be done by more. */
export function scopesFor({ planned }: KernelCode): readonly Scope[] {
  const isCluster = planned.some(({ launch }) => volume(launch.shape.cluster) > 1);
  const gpus = new Set(planned.map(({ launch }) => launch.gpu));
  return ['cta', ...(isCluster ? (['cluster'] as const) : []), 'gpu', ...(gpus.size > 1 ? (['sys'] as const) : [])];
}

/** The fences that may be put into one place: of each group one. */
export function fencesFor(code: KernelCode): readonly (readonly Choice[])[] {
  const operations = code.instructions.flatMap((one) => one.operations);
  const has = (is: (operation: (typeof operations)[number]) => boolean): boolean => operations.some(is);
  const fences = FENCES.flatMap((strength) => scopesFor(code).map((scope) => fenceChoice(strength, scope)));
  const initializes = has((one) => one.kind === 'mbarrier' && one.action === 'init');
  const isAsynchronous = has(({ kind }) => kind === 'async');
  return [[...(initializes ? [INIT_FENCE] : []), ...fences], ...(isAsynchronous ? [[PROXY_FENCE]] : [])];
}

/** What waits for the copies of groups, the cheapest first: of each family that the kernels have. */
export function waitsFor({ instructions }: KernelCode): readonly (readonly Choice[])[] {
  const families = new Set(
    instructions
      .flatMap((one) => one.operations)
      .flatMap((one) => (one.kind === 'async' && one.completion.kind === 'group' ? one.completion.family : [])),
  );
  const texts = [...(families.has('cp.async') ? [COPY_WAITS] : []), ...(families.has('bulk') ? [BULK_WAITS] : [])];
  return texts.map((of) =>
    of.map((text, i): Choice => ({ strength: 'acq_rel', scope: undefined, text, cost: WAIT + i })),
  );
}

const COPY_WAITS = ['cp.async.wait_all;'];
const BULK_WAITS = [
  'cp.async.bulk.wait_group.read 0;',
  'cp.async.bulk.wait_group 0;',
  'cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;',
  'cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;',
];
/** A wait costs more than a fence of one CTA: it takes as long as the copies do. */
const WAIT = 400;
