import type { Run } from '../operational/explore.js';
import { knowledgeOf } from '../operational/learning.js';
import type { MachineContext } from '../operational/machine-context.js';
import type { State } from '../operational/state.js';
import { traceStep } from '../operational/trace.js';
import { describeStep, nameOfWrite } from './describe-run.js';

/**
 * A run in the Informal Trace Format of Apalache and Quint (ADR 015), for their viewers: after each step what has been
 * written, and what each thread holds and knows.
 */
export function itfOf(context: MachineContext, run: Run, source: string): unknown {
  const runs: Run[] = [];
  for (let at: Run | undefined = run; at !== undefined; at = at.before) runs.push(at);
  runs.reverse();
  const states = runs.map(({ state, event, before }, index) => ({
    '#meta': { index },
    step:
      event === undefined || before === undefined
        ? 'initial state'
        : describeStep(context, state, traceStep(context, before.state, event, state)),
    writes: { '#set': writesIn(context, state) },
    registers: {
      '#map': context.structure.program.threads.map(({ name, index: thread }) => [
        name,
        { '#map': registersOf(context, state, thread) },
      ]),
    },
    knows: {
      '#map': context.structure.program.threads.map(({ name, index: thread }) => [
        name,
        { '#set': knownTo(context, state, thread) },
      ]),
    },
  }));
  return {
    '#meta': { format: 'ITF', 'format-description': 'https://apalache-mc.org/docs/adr/015adr-trace.html', source },
    vars: ['step', 'writes', 'registers', 'knows'],
    states,
  };
}

function writesIn(context: MachineContext, state: State): readonly string[] {
  return context.writes.filter(({ id }) => state.isDone(id)).map(({ id }) => nameOfWrite(context, state, id));
}

function registersOf(context: MachineContext, state: State, thread: number): readonly (readonly [string, unknown])[] {
  const { registers } = context.view(state, thread).run;
  return [...registers].flatMap(([name, value]) =>
    value === undefined || name.startsWith('#') ? [] : [[name, { '#bigint': String(value.bits) }] as const],
  );
}

/** The writes that the thread knows of after all that it has executed. */
function knownTo(context: MachineContext, state: State, thread: number): readonly string[] {
  const own = context.events.filter(
    (event) => event.thread === thread && !event.tags.has('ASY') && state.isDone(event.id),
  );
  const known = new Set(
    own.flatMap(({ id }) =>
      context.facts.of(knowledgeOf(context, state, id) | (state.learned.get(id) ?? 0n)).map(({ event }) => event),
    ),
  );
  for (const { id } of own) known.add(id);
  return [...known].filter((id) => context.event(id).kind === 'write').map((id) => nameOfWrite(context, state, id));
}
