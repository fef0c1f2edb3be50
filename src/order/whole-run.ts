import type { Span } from '../diagnostics/source.js';
import type { Contents } from '../follow/memory-image.js';
import type { Scope } from '../program/placement.js';
import type { Observable, ResolvedExpectation } from '../program/program.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { Encounter } from './encounters.js';

/** A thread of a launch, and what it does. */
export interface PlaceInLaunch {
  readonly launch: string;
  readonly cta: number;
  readonly tid: number;
  readonly span: Span;
  /** It is the lane that elect.sync takes: any of its warp, such as this. */
  readonly isElected: boolean;
  /** The run has that in memory of open contents. */
  readonly given?: Contents | undefined;
  /** A load that finds one element of a vector new and another one old there. */
  readonly torn?: Span | undefined;
  /** What of that which PTX leaves to the hardware is so in the run. */
  readonly chosen?: readonly string[];
  /** The test asks about other threads of the launch. */
  readonly isUnasked?: boolean;
}

/** How the order of two threads comes about: each kind of edge is tested under a model before it is used. */
export type OrderEdge =
  | ('cta-barrier' | 'warp-barrier' | 'cluster-barrier' | 'grid-start' | 'grid-wait' | 'group-wait')
  /** A release fence before triggers of its CTA, for the start of a dependent grid. */
  | 'grid-trigger'
  /** Values that lanes exchange, where that is taken to order memory. */
  | 'warp-exchange'
  /** Arrivals at an mbarrier, and a wait for them; with fences beside; a fence of the async proxy. */
  | ('mbarrier' | 'fence' | 'proxy-fence' | 'proxy-acquire')
  /** A fence of what a thread has initialized, before a barrier of the cluster to which it comes relaxed. */
  | 'init-fence'
  /** The same of any fence that releases, for all of the cluster. */
  | 'cluster-fence'
  /** The same across the CTAs of a cluster; copies into the memory of another one. */
  | ('mbarrier-cluster' | 'bulk-cluster')
  /** What is written for who waits for it, by the scopes of release and acquire patterns. */
  | `poll-${Scope}`
  /** What tells that copies are complete: of cp.async an mbarrier; of bulk ones also groups, and the end of a grid. */
  | 'matrix-group'
  /** What CTAs do to shared memory of one of them through the async proxy, without a fence of that. */
  | 'async-owner'
  /** tcgen05: pairs that are issued in order; what tells that others are complete; what is not asynchronous. */
  | ('tensor-accumulators' | 'tensor-operands' | 'tensor-transfers')
  | ('tensor-wait' | 'tensor-commit' | 'tensor-acquire' | 'tensor-allocation')
  /** The same of pairs of CTAs; a fence of the async proxy in the one that does not issue what it is for. */
  | ('tensor-pair' | 'pair-fence')
  | ('group-mbarrier' | 'bulk-mbarrier' | 'bulk-group' | 'grid-bulk')
  /** The end of a grid, for what is read through the read-only path. */
  | 'grid-read-only';

/** Whether the test asks about a thread. */
export const isAsked = ({ isUnasked }: PlaceInLaunch): boolean => isUnasked !== true;

/** Two accesses to a common byte, one of them a write, that nothing orders. */
export interface OpenConflict {
  /** `strong`: they are morally strong, and no race; `proxies`: other proxies, or other names of the memory. */
  readonly kind: 'race' | 'strong' | 'proxies';
  readonly threads: readonly [PlaceInLaunch, PlaceInLaunch];
  /** The run itself has it: nothing there could order the two but what is known to. */
  readonly isCertain: boolean;
  /** Both write the same value there in every execution; undefined: that is not looked at. */
  readonly isSameValue: boolean | undefined;
  /** One of them is made in some executions only, as far as the run says. */
  readonly isPossible: boolean;
  /** Some of the bytes of one are no bytes of the other. */
  readonly isPartial: boolean;
  /** One of them is of a copy, and the other may come while that is in flight. */
  readonly isInFlight: boolean;
  /** They are to tensor memory. */
  readonly isOfTensors: boolean;
  /** The run itself modifies the source of a copy in flight, or reads its destination (PTX ISA 9.7.10.28.1). */
  readonly isTooEarly: boolean;
  /** One reads memory that begins without a value, and in another execution may come first and not race. */
  readonly isUninitialized: boolean;
  /** Were it not for their proxies they might be in order: no fence is between, or one that need not count. */
  readonly forProxies: 'no fence' | 'another fence' | undefined;
  /** They are ordered, but for their proxies: which of a generic access and the asynchronous one that comes later. */
  readonly acrossProxies: 'store then read' | 'load then write' | 'other' | undefined;
  /** How many pairs of threads have it. */
  readonly pairs: number;
  /** It would not be so if what lanes exchange ordered their memory. */
  readonly isByLetter?: boolean;
  /** Of one that the run has: where it comes about. */
  readonly encounter: Encounter | undefined;
}

/** What a thread does wrong by itself: a rule of undefined behavior, a trap, or that it waits for ever. */
export interface WholeFinding {
  readonly rule: UndefinedRule | 'trap' | 'deadlock';
  readonly thread: PlaceInLaunch;
  /** What it may come after. */
  readonly behind: PlaceInLaunch | undefined;
  /** It would not be so if what lanes exchange ordered their memory. */
  readonly isByLetter?: boolean;
}

/** A thread waits for what one of another cluster does, or of another CTA without one. */
export interface GroupWait {
  readonly waiter: PlaceInLaunch;
  readonly other: PlaceInLaunch;
  /** Whenever it waits, that cluster has made a step. */
  readonly isStarted: boolean;
  /** That cluster has a lower id, grid by grid. */
  readonly isLower: boolean;
  /** Both are of one cooperative grid. */
  readonly isTogether: boolean;
}

/** A thread does something in the shared memory of a CTA of its cluster that is not known to have started. */
export interface UnstartedCta {
  readonly thread: PlaceInLaunch;
  readonly cta: number;
}

/** Whom threads wait for. */
export interface GroupWaits {
  readonly pairs: readonly GroupWait[];
  /** They wait for turns besides, in locks: for threads that have made a step, whatever ids these have. */
  readonly hasTurns: boolean;
}

/** What a run shows that breaks nothing, and a reader should know. */
export type RunRemark =
  /** Threads hand data to each other by relaxed accesses alone. */
  | { readonly kind: 'relaxed'; readonly places: readonly Span[] }
  /** No thread of a launch comes to some instructions. */
  | { readonly kind: 'unreached'; readonly launch: string; readonly places: readonly Span[] }
  /** A launch is one CTA, and the code asks which it is. */
  | { readonly kind: 'one-cta'; readonly launch: string }
  /** The time of some waits would run out in a trap, and is taken not to. */
  | { readonly kind: 'timeout'; readonly launch: string; readonly places: readonly Span[] }
  /** Asynchronous operations that may still read the shared memory of a CTA that has ended. */
  | { readonly kind: 'in-flight'; readonly places: readonly Span[] }
  /** No byte that is written is accessed by two threads. */
  | { readonly kind: 'unshared' };

/** What one run of all threads of the launches of a test says. */
export interface WholeRun {
  readonly threads: number;
  readonly accesses: number;
  /** It is one of runs in which threads make no round of a queue, or up to so many, and which say all. */
  readonly rounds?: number;
  /** Why a few rounds of a queue do not stand for all: what one run with so many does, or where two are unlike. */
  readonly unlikeRounds?: UnlikeRounds;
  /** Kinds of edges that order what is ordered. */
  readonly edges: ReadonlySet<OrderEdge>;
  /** The run itself has them. */
  readonly findings: readonly WholeFinding[];
  /** Those of rules of registers (isOfRegisters), in spite of which it is followed to its end. */
  readonly registerFindings: readonly WholeFinding[];
  readonly conflicts: readonly OpenConflict[];
  /** What conflicts besides where the edge `async-owner` orders nothing. */
  readonly byOwner: readonly OpenConflict[];
  /** By instruction: a read of memory that nothing has written, by the run itself. */
  readonly uninitialized: readonly PlaceInLaunch[];
  /** There are other such reads, of bytes with conflicts, which are not known to race themselves. */
  readonly mayBeUninitialized: boolean;
  readonly remarks: readonly RunRemark[];
  readonly waits: GroupWaits;
  /** By instruction the first of them. */
  readonly unstarted: readonly UnstartedCta[];
  /** Every thread does what it does here in every execution, whatever is in the bytes that have conflicts. */
  readonly isSettled: boolean;
  /** Why this run says nothing of others, besides: where it was not followed, or what is not forced. */
  readonly open: { readonly span: Span; readonly what: string } | undefined;
  /** Where it is open which lanes are active: all this holds where those are that come there together. */
  readonly activeTogether: readonly Span[];
  /** Some thread could come to a trap: the code has one. */
  readonly hasTraps: boolean;
  /** Lanes exchange values, which is not taken to order their memory. */
  readonly exchanges: boolean;
  /** Why nobody has confirmed the order. */
  readonly unconfirmed: string | undefined;
  /** The final states, one of each case: every execution has one of them, and each is one of some execution. */
  readonly states: readonly FinalState[];
  /** How single runs end that are executions, whatever others are like: each is followed when it is asked for. */
  readonly ends: () => Iterable<RunEnd>;
}

export type UnlikeRounds = string | Pick<WholeRun, 'open' | 'findings' | 'conflicts' | 'uninitialized' | 'unstarted'>;

/** The end of a run of all threads. */
export interface RunEnd {
  readonly state: FinalState;
  /** Loads that find one element of a vector new and another one old there. */
  readonly torn: readonly Span[];
}

/** The value of what is observed in a final state; undefined where it is open. */
export type FinalState = (observable: Observable) => bigint | undefined;

/** What is asked for at the end, by its name, in each final state; undefined where a value is open. */
export function statesOf(
  { states }: WholeRun,
  observed: readonly Observable[],
): readonly ReadonlyMap<string, bigint>[] | undefined {
  const all = new Map<string, ReadonlyMap<string, bigint>>();
  for (const state of states) {
    const values = observed.map((one) => [one.name, state(one)] as const);
    if (values.some(([, value]) => value === undefined)) return undefined;
    all.set(values.join(), new Map(values as (readonly [string, bigint])[]));
  }
  return [...all.values()];
}

/** Whether accesses with a conflict may be what PTX leaves undefined (PTX ISA 8.7.2, 9.7.10.28.1). */
const mayBeUndefined = ({ kind, isPartial, isInFlight }: OpenConflict): boolean =>
  kind === 'proxies' || isPartial || isInFlight;

/**
 * Whether what an expectation speaks of, and the run does not do, may happen in some execution, where all are like the
 * run but for conflicts.
 */
export function mayHappen(
  finding: ResolvedExpectation['finding'],
  {
    conflicts,
    mayBeUninitialized,
    registerFindings,
  }: Pick<WholeRun, 'conflicts' | 'mayBeUninitialized' | 'registerFindings'>,
): boolean {
  if (finding === 'race') return conflicts.some(({ kind }) => kind !== 'strong');
  if (finding === 'uninitialized') return mayBeUninitialized || conflicts.some((one) => one.isUninitialized);
  return finding === 'undefined' && (registerFindings.length > 0 || conflicts.some(mayBeUndefined));
}

/** What a thread does wrong, where it does not just wait for ever: what others do besides is not known then. */
export const isFault = ({ rule }: WholeFinding): boolean => rule !== 'deadlock';

/**
 * Every execution has the accesses and the end of this run, and its values but for those of bytes with conflicts. Where
 * threads wait for ever, and nothing is open, they do in each.
 */
export const isLikeEvery = ({
  open,
  conflicts,
  findings,
  isSettled,
}: Pick<WholeRun, 'open' | 'conflicts' | 'findings' | 'isSettled'>): boolean =>
  open === undefined && !findings.some(isFault) && (conflicts.length === 0 || isSettled);

/** Accesses conflict that nothing orders, and not both are strong. */
export const hasRaces = ({ conflicts }: Pick<WholeRun, 'conflicts'>): boolean =>
  conflicts.some(({ kind }) => kind !== 'strong');

/** Every execution has the accesses, the values and the end of this run. */
export const isEveryRun = ({
  open,
  conflicts,
  findings,
  registerFindings,
}: Pick<WholeRun, 'open' | 'conflicts' | 'findings' | 'registerFindings'>): boolean =>
  open === undefined && conflicts.length === 0 && findings.length + registerFindings.length === 0;
