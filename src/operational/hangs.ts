import {
  BOOLEANS,
  liveAmong,
  mayStopLater,
  type Promises,
  promisedTo,
  promisesIn,
} from '../program/forward-progress.js';
import type { Undecided } from '../program/undecided.js';
import type { Exploration } from './explore.js';
import { isForEver, stopOf } from './for-ever.js';
import { isKept } from './kept-runs.js';
import { loopsForEver } from './looping.js';
import { enabledIn, isOptional } from './machine.js';
import type { MachineContext } from './machine-context.js';
import type { State } from './state.js';
import { type ExploreOptions, type Hang, NOBODY, walkStates } from './walk-states.js';

/** A run to where threads never end, or why there may be one. */
export interface Hangs {
  readonly found: Hang | undefined;
  readonly open: Undecided | undefined;
}

/** More units of threads that may never begin are not told apart: each set of them is a case. */
const MOST_UNITS = 12;
const TOO_MANY: Undecided = {
  kind: 'machine',
  what: `more than ${MOST_UNITS} threads, or groups of them, of which nothing promises that they begin`,
};

/** Whether threads never end: by what was explored, where all go on that can, or by what is promised to them. */
export function hangsOf(explored: Exploration, options: ExploreOptions): Hangs {
  const { context, deadlock, incomplete } = explored;
  const promises = promisesIn(context.structure.program);
  const waiting = promises.length === 0 ? { found: deadlock, open: incomplete } : halting(explored, promises, options);
  if (waiting.found !== undefined || waiting.open?.kind !== 'bound') return waiting;
  return loopsForEver(context, promises, options);
}

/**
 * The same where threads may stop for good: some of those that are not promised to begin are absent; and where one that
 * has begun may stop as well, any may do so that is not promised to go on then.
 */
function halting({ context, incomplete }: Exploration, promises: Promises, options: ExploreOptions): Hangs {
  const cases = absentSets(context, promises);
  if (cases === undefined) return { found: undefined, open: TOO_MANY };
  const everyOrder = mayStopLater(promises);
  let found: Hang | undefined;
  let open: Undecided | undefined = incomplete;
  for (const absent of cases) {
    const walked = walkStates(context, { ...options, everyOrder, absent }, (run, steps) => {
      const isLast = steps.length === 0;
      const halted = isLast || everyOrder ? haltedIn(run.state, absent, promises) : undefined;
      if (halted !== undefined && (everyOrder || [...halted].every((thread) => absent.has(thread))))
        found = { ...run, halted, again: NOBODY, cycle: 0 };
      return found === undefined;
    });
    if (found !== undefined) return { found, open: undefined };
    if (walked.incomplete !== undefined) open = walked.incomplete;
  }
  return { found, open };
}

/** The threads that stop for good, where the others wait for ever; undefined where that is not so. */
function haltedIn(state: State, absent: ReadonlySet<number>, promises: Promises): ReadonlySet<number> | undefined {
  const { structure } = state.context;
  if (state.hasLeftMemory || !isKept(state)) return undefined;
  const going = enabledIn(state).filter((event) => !isOptional(state, event));
  // What is under way by itself comes to its end.
  if (going.some(({ tags }) => tags.has('ASY'))) return undefined;
  const stops = structure.threads.map((_, thread) => {
    const hasMore =
      going.some((event) => event.thread === thread) || state.view(thread).ready.some(({ id }) => !state.isDone(id));
    return absent.has(thread) || hasMore ? undefined : stopOf(state, thread);
  });
  if (stops.some((stop) => stop?.kind === 'trapped')) return undefined;
  const over = stops.flatMap((stop, thread) => (stop?.kind === 'ended' ? [thread] : []));
  const standing = stops.flatMap((stop, thread) => (stop === undefined || !isForEver(state, thread) ? [thread] : []));
  const promisedBy = (ended: readonly number[]): readonly boolean[] =>
    promisedTo(
      promises,
      stops.length,
      BOOLEANS,
      (thread) => !absent.has(thread),
      (thread) => ended.includes(thread),
    );
  const stopping = (ended: readonly number[]): ReadonlySet<number> | undefined => {
    const halted = new Set([...standing, ...over.filter((thread) => !ended.includes(thread))]);
    const promised = promisedBy(ended);
    if ([...halted].some((thread) => promised[thread] === true) || ended.length === stops.length) return undefined;
    // As long as threads can go on, some thread does.
    const goesRound = liveAmong(promises, stops.length).every(
      (own) =>
        !own.some((thread) => halted.has(thread)) ||
        own.some((thread) => stops[thread]?.kind === 'spins' && !halted.has(thread)),
    );
    return goesRound ? halted : undefined;
  };
  return stopping(over) ?? (mayStopLater(promises) ? stopping(leastEnded(state, over, promisedBy)) : undefined);
}

/**
 * The threads that have to end, of those that have nothing more to do but by themselves: the others may stop before
 * their last instruction, since nothing promises that they go on as long as these have not ended.
 */
function leastEnded(
  state: State,
  over: readonly number[],
  promisedBy: (ended: readonly number[]) => readonly boolean[],
): readonly number[] {
  const { structure } = state.context;
  const endsByItself = (thread: number): boolean => {
    const nodes = [...state.context.registersAt(state, thread).keys()];
    return nodes.length > 0 && structure.eventsOf(thread, Math.max(...nodes)).length === 0;
  };
  let ended = over.filter((thread) => !endsByItself(thread));
  for (;;) {
    const promised = promisedBy(ended);
    const more = over.filter((thread) => !ended.includes(thread) && promised[thread] === true);
    if (more.length === 0) return ended;
    ended = [...ended, ...more];
  }
}

/** The sets of threads that may never begin: none, and those of which nothing promises it while the others go on. */
function absentSets({ structure }: MachineContext, promises: Promises): readonly ReadonlySet<number>[] | undefined {
  const all = structure.threads.map((_, thread) => thread);
  const [first, ...others] = promises;
  const units =
    first !== undefined && others.length === 0 ? first.lists.flat() : all.map((thread): readonly number[] => [thread]);
  if (units.length > MOST_UNITS) return undefined;
  const sets = Array.from(
    { length: 2 ** units.length },
    (_, bits) => new Set(units.flatMap((unit, i) => ((bits >> i) & 1 ? unit : []))),
  );
  // The fewer have ended, the less is promised.
  const mayBe = (absent: ReadonlySet<number>): boolean => {
    const promised = promisedTo(
      promises,
      all.length,
      BOOLEANS,
      (thread) => !absent.has(thread),
      () => false,
    );
    return [...absent].every((thread) => promised[thread] === false);
  };
  return sets.filter((absent) => absent.size < all.length && mayBe(absent));
}
