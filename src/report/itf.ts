import { accountOf } from '../operational/account.js';
import type { Run } from '../operational/explore.js';
import { knowledgeOf } from '../operational/learning.js';
import type { Setting } from '../operational/setting.js';
import type { State } from '../operational/state.js';
import { describeStep, nameOfWrite } from './describe-run.js';

/**
 * A run in the Informal Trace Format of Apalache and Quint (ADR 015), for their viewers: after each step what has been
 * written, and what each thread holds and knows.
 */
export function itfOf(setting: Setting, run: Run, source: string): unknown {
  const runs: Run[] = [];
  for (let at: Run | undefined = run; at !== undefined; at = at.before) runs.push(at);
  runs.reverse();
  const states = runs.map(({ state, event, before }, index) => ({
    '#meta': { index },
    step:
      event === undefined || before === undefined
        ? 'initial state'
        : describeStep(setting, state, accountOf(setting, before.state, event, state)),
    writes: { '#set': writesIn(setting, state) },
    registers: {
      '#map': setting.structure.program.threads.map(({ name, index: thread }) => [
        name,
        { '#map': registersOf(setting, state, thread) },
      ]),
    },
    knows: {
      '#map': setting.structure.program.threads.map(({ name, index: thread }) => [
        name,
        { '#set': knownTo(setting, state, thread) },
      ]),
    },
  }));
  return {
    '#meta': { format: 'ITF', 'format-description': 'https://apalache-mc.org/docs/adr/015adr-trace.html', source },
    vars: ['step', 'writes', 'registers', 'knows'],
    states,
  };
}

function writesIn(setting: Setting, state: State): readonly string[] {
  return setting.writes.filter(({ id }) => state.isDone(id)).map(({ id }) => nameOfWrite(setting, state, id));
}

function registersOf(setting: Setting, state: State, thread: number): readonly (readonly [string, unknown])[] {
  const { registers } = setting.view(state, thread).run;
  return [...registers].flatMap(([name, value]) =>
    value === undefined || name.startsWith('#') ? [] : [[name, { '#bigint': String(value.bits) }] as const],
  );
}

/** The writes that the thread knows of after all that it has executed. */
function knownTo(setting: Setting, state: State, thread: number): readonly string[] {
  const own = setting.events.filter(
    (event) => event.thread === thread && !event.tags.has('ASY') && state.isDone(event.id),
  );
  const known = new Set(
    own.flatMap(({ id }) =>
      setting.facts.of(knowledgeOf(setting, state, id) | (state.learned.get(id) ?? 0n)).map(({ event }) => event),
    ),
  );
  for (const { id } of own) known.add(id);
  return [...known].filter((id) => setting.event(id).kind === 'write').map((id) => nameOfWrite(setting, state, id));
}
