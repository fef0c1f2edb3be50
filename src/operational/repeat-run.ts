import type { ProgramEvent } from '../events/program-event.js';
import type { EndlessRun } from '../progress/endless-run.js';
import { NONE } from './bits.js';
import { execute, initialStates } from './machine.js';
import type { MachineContext } from './machine-context.js';
import { INITIAL, type Source, type State } from './state.js';
import { beginning, type Hang, type Run } from './walk-states.js';

/** What the reads of a node find; or that a thread goes round a loop that does nothing, where nothing is executed. */
export type LoopStep = readonly bigint[] | 'goes round';

/**
 * A run without an end, executed by the machine until it has gone through its cycle once; undefined where the threads
 * are not unrolled so far, or the machine does not do that.
 */
export function repeatedRun(context: MachineContext, { prefix, cycle, ended }: EndlessRun<LoopStep>): Hang | undefined {
  const [first] = initialStates(context);
  if (first === undefined) return undefined;
  let run: Run = beginning(first);
  let before = 0;
  const nodes = context.structure.threads.map(() => -1);
  for (const [i, { thread, what }] of [...prefix, ...cycle].entries()) {
    if (i === prefix.length) before = run.length;
    if (what === 'goes round') continue;
    const next = nextNode(run.state, thread, nodes[thread] ?? -1);
    if (next === undefined) return undefined;
    nodes[thread] = next;
    const events = context.structure.eventsOf(thread, next);
    let found = 0;
    for (const event of events) {
      if (run.state.isDone(event.id) || run.state.runOf(event.id)?.executed !== true) continue;
      const state = latest(run.state, event, event.kind === 'read' ? what[found] : undefined);
      if (event.kind === 'read') found += 1;
      if (state === undefined) return undefined;
      run = { state, event: event.id, before: run, disorder: 0, length: run.length + 1 };
    }
  }
  const moving = new Set(cycle.map(({ thread }) => thread));
  const halted = ended.flatMap((over, thread) => (over || moving.has(thread) ? [] : [thread]));
  return { ...run, halted: new Set(halted), cycle: run.length - before };
}

/** The node that a thread executes next. */
function nextNode(state: State, thread: number, after: number): number | undefined {
  const nodes = state
    .view(thread)
    .ready.filter(({ node, kind }) => node > after && kind !== 'exit')
    .map(({ node }) => node);
  return nodes.length === 0 ? undefined : Math.min(...nodes);
}

/** The state after an operation that finds the latest writes, or is itself the latest one. */
function latest(state: State, event: ProgramEvent, value: bigint | undefined): State | undefined {
  const isLast = (of: State, write: number): boolean => (of.after.get(write) ?? NONE) === NONE;
  const isLatest = ({ cell, write }: Source): boolean =>
    write === INITIAL ? state.writesTo(state.context.cell(cell)).length === 0 : isLast(state, write);
  const writes = event.kind === 'write' ? event.id : event.partner;
  return execute(state, event).find(
    (next) =>
      (value === undefined || next.answers.get(event.id) === value) &&
      (next.sources.get(event.id) ?? []).every(isLatest) &&
      (writes === undefined || !next.isDone(writes) || isLast(next, writes)),
  );
}
