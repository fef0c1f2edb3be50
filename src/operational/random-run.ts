import type { CheckBudget } from '../program/undecided.js';
import { isKept } from './kept-runs.js';
import { enabledIn, execute, initialStates } from './machine.js';
import type { MachineContext } from './machine-context.js';
import { beginning, type Run } from './walk-states.js';

/**
 * One run to where nothing more happens, each step drawn by `below` (a whole number below its argument); undefined if
 * the draws lead nowhere, or to what is no run.
 */
export function randomRun(
  context: MachineContext,
  below: (bound: number) => number,
  checkBudget: CheckBudget = () => undefined,
): Run | undefined {
  const first = initialStates(context);
  const start = first[first.length === 1 ? 0 : below(first.length)];
  if (start === undefined) throw new Error('a machine that begins nowhere');
  let run = beginning(start);
  for (;;) {
    checkBudget();
    const enabled = enabledIn(run.state);
    if (enabled.length === 0 || run.state.hasLeftMemory) return isKept(run.state) ? run : undefined;
    const event = enabled[below(enabled.length)];
    const states = event === undefined ? [] : execute(run.state, event);
    const state = states[below(Math.max(1, states.length))];
    // An operation may have gone too early for another that overlaps with it: that run is none.
    if (event === undefined || state === undefined) return undefined;
    run = { state, event: event.id, before: run, disorder: run.disorder, length: run.length + 1 };
  }
}
