import { knowledgeOf } from '../operational/learning.js';
import type { State } from '../operational/state.js';
import { traceStep } from '../operational/trace.js';
import type { Run } from '../operational/walk-states.js';
import { describeStep, nameOfWrite } from './describe-run.js';

/**
 * A run in the Informal Trace Format of Apalache and Quint (ADR 015), for their viewers: after each step what has been
 * written, and what each thread holds and knows.
 */
export function itfOf(run: Run, source: string): unknown {
  const { threads } = run.state.context.structure.program;
  const runs: Run[] = [];
  for (let at: Run | undefined = run; at !== undefined; at = at.before) runs.push(at);
  runs.reverse();
  const states = runs.map(({ state, event, before }, index) => ({
    '#meta': { index },
    step:
      event === undefined || before === undefined
        ? 'initial state'
        : describeStep(state, traceStep(before.state, event, state)),
    writes: { '#set': writesIn(state) },
    registers: {
      '#map': threads.map(({ name, index: thread }) => [name, { '#map': registersOf(state, thread) }]),
    },
    knows: {
      '#map': threads.map(({ name, index: thread }) => [name, { '#set': knownTo(state, thread) }]),
    },
  }));
  return {
    '#meta': { format: 'ITF', 'format-description': 'https://apalache-mc.org/docs/adr/015adr-trace.html', source },
    vars: ['step', 'writes', 'registers', 'knows'],
    states,
  };
}

function writesIn(state: State): readonly string[] {
  return state.context.writes.filter(({ id }) => state.isDone(id)).map(({ id }) => nameOfWrite(state, id));
}

function registersOf(state: State, thread: number): readonly (readonly [string, unknown])[] {
  const { registers } = state.view(thread).run;
  return [...registers].flatMap(([name, value]) =>
    value === undefined || name.startsWith('#') ? [] : [[name, { '#bigint': String(value.bits) }] as const],
  );
}

/** The writes that the thread knows of after all that it has executed. */
function knownTo(state: State, thread: number): readonly string[] {
  const { context } = state;
  const own = context.events.filter(
    (event) => event.thread === thread && !event.tags.has('ASY') && state.isDone(event.id),
  );
  const known = new Set(
    own.flatMap(({ id }) =>
      context.facts.of(knowledgeOf(state, id) | (state.learned.get(id) ?? 0n)).map(({ event }) => event),
    ),
  );
  for (const { id } of own) known.add(id);
  return [...known].filter((id) => context.event(id).kind === 'write').map((id) => nameOfWrite(state, id));
}
