import type { ProgramEvent } from '../events/program-event.js';
import { type Deadline, exceeded, type Undecided } from '../program/undecided.js';
import { initialStates, type Step } from './machine.js';
import type { MachineContext } from './machine-context.js';
import { allSteps, nextSteps, overtakes } from './reduction.js';
import { NOTHING_FORGOTTEN, type State } from './state.js';

/** A run: the states that the machine went through, the last first. */
export interface Run {
  readonly state: State;
  /** The operation that led here. */
  readonly event: number | undefined;
  readonly before: Run | undefined;
  /** How hard it is to follow: how often another thread took over, or an operation went ahead of an earlier one. */
  readonly disorder: number;
  /** In operations. */
  readonly length: number;
}

export const beginning = (state: State): Run => ({
  state,
  event: undefined,
  before: undefined,
  disorder: 0,
  length: 0,
});

/** A run to where some threads never end. */
export interface Hang extends Run {
  /** Threads that stop for good, since nothing promises that they go on. */
  readonly halted: ReadonlySet<number>;
  /** Threads that go round loops that write, for ever, and how many of the last operations they execute in a round. */
  readonly again: ReadonlySet<number>;
  readonly cycle: number;
}
/** No thread. */
export const NOBODY: ReadonlySet<number> = new Set();

export interface ExploreOptions {
  /**
   * Also all orders of steps that make no difference, and states that only the past tells apart: to check that these
   * are left out rightly.
   */
  readonly everyOrder?: boolean;
  /** Threads that never make a step. */
  readonly absent?: ReadonlySet<number>;
  readonly mostStates: number;
  readonly deadline: Deadline;
}

const CHECK_EVERY = 64;

/** Shorter, or as short and easier to follow. */
export const isBetter = (run: Run, than: Run | undefined): boolean =>
  than === undefined || run.length < than.length || (run.length === than.length && run.disorder < than.disorder);

/**
 * Goes through all states of the machine, the nearest first, by a shortest run to each, and of those one that is easy
 * to follow; until a visit says that it has seen enough. How many, and why there may be more.
 */
export function walkStates(
  context: MachineContext,
  options: ExploreOptions,
  visit: (run: Run, steps: readonly Step[]) => boolean,
): { readonly states: number; readonly incomplete: Undecided | undefined } {
  const seen = new Set<string>();
  let level: ReadonlyMap<string, Run> = new Map(initialStates(context).map((state, i) => [`${i}`, beginning(state)]));
  for (let explored = 0; level.size > 0; ) {
    const next = new Map<string, Run>();
    for (const run of level.values()) {
      explored += 1;
      if (seen.size > options.mostStates)
        return { states: seen.size, incomplete: { kind: 'states', most: options.mostStates, what: 'states' } };
      const incomplete = explored % CHECK_EVERY === 0 ? exceeded(options.deadline) : undefined;
      if (incomplete !== undefined) return { states: seen.size, incomplete };
      const steps = stepsIn(run.state, options);
      if (!visit(run, steps)) return { states: seen.size, incomplete: undefined };
      for (const { event, states } of steps)
        for (const state of states) reach(run, event, state, { seen, next, everyOrder: options.everyOrder === true });
    }
    level = next;
  }
  return { states: seen.size, incomplete: undefined };
}

function stepsIn(state: State, { everyOrder, absent }: ExploreOptions): readonly Step[] {
  if (state.hasLeftMemory) return [];
  return everyOrder === true ? allSteps(state, absent) : nextSteps(state, absent);
}

interface Reached {
  readonly seen: Set<string>;
  readonly next: Map<string, Run>;
  readonly everyOrder: boolean;
}

/** A state that was not reached in fewer steps; in as many, the run that is easier to follow is kept. */
function reach(before: Run, event: ProgramEvent, state: State, { seen, next, everyOrder }: Reached): void {
  const key = state.key(everyOrder ? NOTHING_FORGOTTEN : state.forgotten());
  const known = next.get(key);
  if (known === undefined && seen.has(key)) return;
  seen.add(key);
  const last = before.event === undefined ? undefined : state.context.event(before.event);
  const continues =
    last === undefined || (last.thread === event.thread && last.tags.has('ASY') === event.tags.has('ASY'));
  const disorder = before.disorder + (continues ? 0 : 1) + (overtakes(before.state, event) ? 1 : 0);
  if (known === undefined || disorder < known.disorder)
    next.set(key, { state, event: event.id, before, disorder, length: before.length + 1 });
}
