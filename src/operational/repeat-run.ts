import { WHOLE } from '../events/chunks.js';
import { makeEvents } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import type { EndlessRun } from '../progress/endless-run.js';
import { unrollAlong, type Way } from '../unroll/unroll-along.js';
import { NONE } from './bits.js';
import { execute, initialStates } from './machine.js';
import { MachineContext } from './machine-context.js';
import { INITIAL, type Source, type State } from './state.js';
import { beginning, type Hang, type Run } from './walk-states.js';

/** What a thread does in a step: an operation, what follows it by itself, what its reads find, where it stands then. */
export interface LoopStep {
  readonly statements: readonly number[];
  readonly reads: readonly bigint[];
  readonly next: number;
}

/**
 * A run without an end, executed by the machine until it has gone through its cycle once; undefined where the machine
 * does not do that.
 */
export function repeatedRun(
  { structure: { program, failingCasWrites }, readings }: MachineContext,
  /** By thread, what it executes before its first operation. */
  begun: readonly Way[],
  { prefix, cycle, ended }: EndlessRun<LoopStep>,
  checkBudget: () => void,
): Hang | undefined {
  const steps = [...prefix, ...cycle];
  const threads = program.threads.map((thread, index) => {
    const own = steps.flatMap((step) => (step.thread === index ? [step.what] : []));
    const { statements = [], stop = 0 } = begun[index] ?? {};
    return unrollAlong(thread, {
      statements: [...statements, ...own.flatMap((one) => one.statements)],
      stop: own.at(-1)?.next ?? stop,
    });
  });
  const structure = makeEvents(program, threads, failingCasWrites, () => WHOLE);
  const context = 'kind' in structure ? structure : MachineContext.of(structure, readings, checkBudget);
  const [first] = 'kind' in context ? [] : initialStates(context);
  if ('kind' in structure || first === undefined) return undefined;
  let run: Run = beginning(first);
  let before = 0;
  const nodes = begun.map(({ statements }) => statements.length);
  for (const [i, { thread, what }] of steps.entries()) {
    if (i === prefix.length) before = run.length;
    const from = nodes[thread] ?? 0;
    nodes[thread] = from + what.statements.length;
    const reads = [...what.reads];
    for (let node = from; node < from + what.statements.length; node++)
      for (const event of structure.eventsOf(thread, node)) {
        if (run.state.isDone(event.id) || run.state.runOf(event.id)?.executed !== true) continue;
        const state = latest(run.state, event, event.kind === 'read' ? reads.shift() : undefined);
        if (state === undefined) return undefined;
        run = { state, event: event.id, before: run, disorder: 0, length: run.length + 1 };
      }
  }
  const moving = new Set(cycle.map(({ thread }) => thread));
  const halted = ended.flatMap((over, thread) => (over || moving.has(thread) ? [] : [thread]));
  return { ...run, halted: new Set(halted), again: moving, cycle: run.length - before };
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
