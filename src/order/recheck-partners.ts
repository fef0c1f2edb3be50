import type { Halt } from '../follow/halts.js';
import type { FollowedThread, MbarrierSteps, Step, Synchronization, Trace } from '../follow/trace.js';
import { goingOf } from '../follow/ways-of-thread.js';
import { append } from '../program/group-by.js';
import type { Chains as AllChains } from './recheck-chains.js';
import type { FoundWays } from './recheck-ways.js';

/** What is asked of chains. */
export type Leading = Pick<AllChains, 'leads' | 'leadsToAll'>;

/** The same, and by thread, whom its fences of what it has initialized lead to. */
interface LeadingFromInits extends Leading {
  /** What orders data, too. */
  readonly ordering: Leading;
  readonly fences: ReadonlyMap<number, readonly { readonly at: number; readonly waiters: readonly Step[] }[]>;
}

type Instance = Extract<Synchronization, { readonly barrier: string }>;

/** A barrier that may be complete with other arrivals than those of the run. */
export function firstDoubtfulBarrier(
  { synchronizations, incomplete, threads }: Trace,
  chains: Leading,
  ways: FoundWays,
): string | undefined {
  /** Whoever goes a way, the thread that does. */
  const rootOf = ({ thread }: Step): FollowedThread | undefined => {
    const own = threads[thread];
    return own && goingOf(threads, own);
  };
  /** The last instance of each that all have, and those on ways behind it. */
  const last = new Map<string, Pick<Instance, 'arrivals' | 'waiters'>[]>();
  const left = incomplete.map((one) => ({ kind: 'cta-barrier' as const, ...one, waiters: [] }));
  for (const one of [...synchronizations, ...left]) {
    if ((one.kind === 'warp-barrier' || one.kind === 'warp-exchange') && !ways.areTogether(one.arrivals))
      return `ways part at ${one.barrier}`;
    if (one.kind !== 'cta-barrier') continue;
    if (!ways.areTogether(one.arrivals)) return `ways part at ${one.barrier}`;
    const all = last.get(one.barrier) ?? [];
    for (const before of all) {
      const released = new Map(before.waiters.map(({ thread, position }) => [thread, position]));
      const leads = (waiter: Step | undefined, step: Step): boolean =>
        waiter !== undefined && chains.leads({ kind: 'step', ...waiter }, step);
      // Mostly each comes behind itself.
      const byRoot = new Map(before.waiters.map((waiter) => [rootOf(waiter), waiter]));
      const isReleased = (step: Step): boolean =>
        (released.get(step.thread) ?? Infinity) <= step.position ||
        leads(byRoot.get(rootOf(step)), step) ||
        before.waiters.some((waiter) => leads(waiter, step));
      if (!ways.areNeverBoth(before.arrivals, one.arrivals) && !one.arrivals.every(isReleased))
        return `an arrival at ${one.barrier} may come to the instance before`;
    }
    last.set(one.barrier, ways.areOnWays(one.arrivals) ? [...all, one] : [one]);
  }
  return undefined;
}

/** What warps of a CTA do each with the other CTA of their pair, and may come to in another order. */
export function firstDoubtfulPairStep({ synchronizations, threads }: Trace, chains: Leading): string | undefined {
  const last = new Map<number | undefined, readonly Step[]>();
  for (const one of synchronizations) {
    if (one.kind !== 'pair-step') continue;
    const ctaId = threads[one.steps[0]?.thread ?? -1]?.ctaId;
    const before = last.get(ctaId) ?? [];
    last.set(ctaId, one.steps);
    const isLater = (step: Step): boolean => before.length === 0 || before.some((of) => isBehind(of, step, chains));
    if (!one.steps.every(isLater)) return 'a warp may come to what the other CTA of its pair does before another warp';
  }
  return undefined;
}

/** An object, as what is done to it counts. */
interface Counted {
  readonly id: number;
  /** What must be before all else: its init. */
  readonly init: Step | undefined;
  /** Its inval. */
  end?: Step;
  readonly first: number;
  phase: number;
  /** How far its counts may go. */
  most: number;
  pending: number;
  bytes: number;
  /** The pending count that a phase begins with. */
  expected: number;
  /** What is done to it in the phase at hand; what of that must not be the last; its arrivals. */
  done: Step[];
  raising: Step[];
  arriving: Step[];
  /** Those that have found the phase before complete. */
  waits: Step[];
  /** What was done in the phase before, and whether that is all: what is asynchronous is done later. */
  before: readonly Step[];
  isBeforeAll: boolean;
  isAsync: boolean;
}

/** Something done to an mbarrier that may come to another phase than in the run. */
export function firstDoubtfulPhase(
  { synchronizations, objects, halts }: Trace,
  leading: Leading,
  ordering: Leading,
): string | undefined {
  const fences = new Map<number, { at: number; waiters: readonly Step[] }[]>();
  for (const one of synchronizations)
    if (one.kind === 'init-fence')
      for (const { thread, position: at } of one.fences) append(fences, thread, { at, waiters: one.waiters });
  const chains = { leads: leading.leads, leadsToAll: leading.leadsToAll, ordering, fences };
  const lists = { done: [], raising: [], arriving: [], waits: [], before: [] };
  const none = { ...lists, isBeforeAll: false, isAsync: false, bytes: 0 };
  const counted = new Map<number, Counted>();
  for (const { id, declared } of objects)
    if (declared !== undefined)
      counted.set(id, {
        id,
        init: undefined,
        first: 0,
        phase: 0,
        pending: declared,
        expected: declared,
        most: declared,
        ...none,
      });
  for (const one of synchronizations) {
    if (one.kind !== 'mbarrier') continue;
    const object = counted.get(one.object);
    if (one.step === 'init') {
      const { object: id, phase, pending, steps } = one;
      const isFree = object === undefined || steps.every((step) => isBehind(object.end, step, chains));
      if (!isFree || steps.length > 1) return 'an mbarrier that may be initialized while it is in use';
      counted.set(id, { id, init: steps[0], first: phase, phase, pending, expected: pending, most: pending, ...none });
      continue;
    }
    const wrong = object === undefined ? 'an mbarrier that is not initialized' : take(object, one, chains);
    if (wrong !== undefined) return wrong;
  }
  for (const object of counted.values())
    if (!isShort(object, chains)) return 'a phase that is not complete at the end, and may be in another execution';
  const isDue = ({ awaited, step }: Halt): boolean => {
    const object = awaited?.kind === 'phase' ? counted.get(awaited.object) : undefined;
    return object === undefined || isComplete(object, object.phase - 1, [step], chains);
  };
  return halts.every(isDue) ? undefined : 'a thread that waits for ever may find another phase complete';
}

/** Arrivals are missing, or bytes that are expected before all have arrived. */
const isShort = (object: Counted, chains: Leading): boolean =>
  Number.isNaN(object.phase) || object.pending > 0 || (object.bytes > 0 && areCountedFirst(object, chains));

/** Whether what a phase is to count besides arrivals comes before one of these. */
function areCountedFirst({ raising, arriving }: Counted, chains: Leading): boolean {
  return raising.every((step) => arriving.some((other) => isBehind(step, other, chains)));
}

function take(object: Counted, one: MbarrierSteps, chains: LeadingFromInits): string | undefined {
  const isWait = one.step === 'wait';
  const isOwn = one.phase === (isWait ? object.phase - 1 : object.phase);
  if (!isOwn && !(one.isTry && one.phase === object.phase)) return 'an mbarrier in another phase';
  if (!isComplete(object, one.phase - 1, one.steps, chains) && !isBehindAll(object, one, chains))
    return 'something may be done to an mbarrier in an earlier phase';
  // A wait for the same phase comes behind a try, if that does not find it complete itself.
  if (one.isTry) return undefined;
  if (isWait) {
    object.waits = [...object.waits, ...one.steps];
    return undefined;
  }
  const steps = one.steps.length;
  object.pending += steps * one.pending;
  object.bytes += steps * one.bytes;
  object.expected += steps * one.expected;
  object.most += steps * (Math.max(one.pending, 0) + Math.max(one.bytes, 0));
  if (object.most >= 2 ** 20) return 'an mbarrier whose counts may go too far';
  if (one.step === 'inval') return isOver(object, one, chains);
  if (one.step === 'complete_tx' && one.bytes === 0) return 'a copy of no bytes';
  object.done = [...object.done, ...one.steps];
  object.isAsync ||= one.isAsync;
  if (one.step === 'arrive') object.arriving = [...object.arriving, ...one.steps];
  if (one.noComplete || one.step === 'expect_tx' || one.step === 'increment')
    object.raising = [...object.raising, ...one.steps];
  return one.completes ? completed(object, chains) : undefined;
}

function completed(object: Counted, chains: Leading): string | undefined {
  if (object.pending !== 0 || object.bytes !== 0) return 'an mbarrier that is complete with another count';
  const isBefore =
    (others: readonly Step[]) =>
    (step: Step): boolean =>
      others.some((other) => isBehind(step, other, chains));
  if (!areCountedFirst(object, chains)) return 'a phase that may be complete before what it is to count';
  if (!object.waits.every(isBefore(object.done))) return 'a wait that may miss the phase that it waits for';
  const before = { before: object.done, isBeforeAll: !object.isAsync, isAsync: false };
  const nothing = { done: [], raising: [], arriving: [], waits: [], ...before };
  Object.assign(object, { ...nothing, phase: object.phase + 1, pending: object.expected, most: object.expected });
  return undefined;
}

function isOver(object: Counted, { steps }: MbarrierSteps, chains: LeadingFromInits): string | undefined {
  const isBefore = (step: Step): boolean => steps.some((other) => isBehind(step, other, chains));
  const isOrdered = (step: Step): boolean => steps.some((other) => isBehind(step, other, chains.ordering));
  const isDone = object.done.length === 0 || (!object.isAsync && object.done.every(isOrdered));
  const isRight = isDone && object.waits.every(isBefore);
  Object.assign(object, { phase: Number.NaN, end: steps[0] });
  return isRight ? undefined : 'an mbarrier that may be invalidated before something else is done to it';
}

/** Whether a step of another thread, or a later one of this, comes after a step. */
const isBehind = (step: Step | undefined, other: Step, chains: Leading): boolean =>
  step !== undefined &&
  (other.thread === step.thread
    ? other.position > step.position
    : chains.leads({ kind: 'step', thread: step.thread, position: step.position + 1 }, other));

const isAtOrBehind = (one: Step, { position }: Step): boolean => one.position <= position;

/**
 * Whether an inval comes behind all that the phase before counts: then that is complete. An arrival must come behind a
 * wait for it, besides (9.7.15.16.4).
 */
function isBehindAll(
  { before, isBeforeAll, phase, first }: Counted,
  { step, steps, phase: own }: MbarrierSteps,
  { ordering }: LeadingFromInits,
): boolean {
  if (step !== 'inval' || own !== phase || phase <= first || !isBeforeAll) return false;
  return steps.every((to) => before.every((one) => isBehind(one, to, ordering)));
}

/** Whether a phase is complete before all of some steps, by waits that have found it so; before the first, its init. */
function isComplete(
  { id, first, init }: Counted,
  phase: number,
  steps: readonly Step[],
  chains: LeadingFromInits,
): boolean {
  if (phase >= first) return chains.leadsToAll({ kind: 'phase', object: id, phase, launch: -1 }, steps);
  const others = steps.filter(({ thread, position }) => thread !== init?.thread || position <= init.position);
  if (init === undefined || others.length === 0) return true;
  const behind = { thread: init.thread, position: init.position + 1 };
  // A fence of what its thread has initialized covers that alone, and leads to who waits at the barrier (9.7.15.4).
  const waiters = (chains.fences.get(init.thread) ?? []).flatMap((one) => (one.at > init.position ? one.waiters : []));
  const rest = others.filter((step) => !waiters.some((one) => one.thread === step.thread && isAtOrBehind(one, step)));
  if (rest.length === 0 || chains.leadsToAll({ kind: 'step', ...behind }, rest)) return true;
  return rest.every((step) => [behind, ...waiters].some((waiter) => chains.leads({ kind: 'step', ...waiter }, step)));
}
