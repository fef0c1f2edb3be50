import { describe, expect, it } from 'vitest';
import { executionsInTurn, isPlain } from '../../../src/axiomatic/looping/in-turn.js';
import { checkExecution } from '../../../src/cat/check-execution.js';
import { checkTest } from '../../../src/check/check-test.js';
import type { CandidateExecution } from '../../../src/execution/candidate-execution.js';
import { backEdges } from '../../../src/flow/graph.js';
import { generateTests } from '../../../src/generate/generate-tests.js';
import type { Program } from '../../../src/program/program.js';
import { buildEvents } from '../../../src/semantics/build-events.js';
import { analyzeValues } from '../../../src/semantics/value-analysis.js';
import { builtInModel, litmusPrograms, programOf, solver } from '../../support.js';

/** The executions of a plain test with its threads in turn; none where it is not plain. */
function inTurn(program: Program): readonly CandidateExecution[] {
  const structure = buildEvents(program, { bound: 3, spinRounds: 1, failingCasWrites: false });
  if ('kind' in structure) return [];
  const analysis = analyzeValues(structure, false, () => undefined);
  return isPlain(structure, analysis) ? [...executionsInTurn(structure, analysis)] : [];
}

const told = (state: CandidateExecution['finalState']): string =>
  [...state].map(([name, value]) => `${name}=${value}`).join(' ');
const drawn = function* (count: number): Generator<Program> {
  let made = 0;
  for (const { text } of generateTests({ seed: 5, families: ['program', 'poll', 'ring'], mostEvents: 6 })) {
    if (made++ === count) return;
    yield programOf(text);
  }
};

describe('executions in which the threads run one after the other', () => {
  it.each(['ptx-7.5', 'ptx-9.4'])('are consistent under %s, with final states that it allows', (name) => {
    const model = builtInModel(name);
    let [shown, withLoops] = [0, 0];
    for (const program of [...litmusPrograms(12, 'threads in turn'), ...drawn(60)]) {
      if (program.launches.length > 0 || program.filter !== undefined) continue;
      const executions = inTurn(program);
      if (executions.length === 0) continue;
      const { states } = checkTest(solver, program, model, { states: true, timeout: 20_000 });
      if (states === undefined || states.incomplete !== undefined) continue;
      const allowed = new Set(states.list.map(({ state }) => told(state)));
      shown += 1;
      if (program.threads.some((thread) => backEdges(thread).length > 0)) withLoops += 1;
      for (const execution of executions) {
        expect(checkExecution(model, execution).consistent, program.name).toBe(true);
        if (allowed.size > 0) expect([...allowed], program.name).toContain(told(execution.finalState));
      }
    }
    expect(shown).toBeGreaterThan(30);
    expect(withLoops).toBeGreaterThan(3);
  });

  it('settle what loops that write are asked, where it is reached; the search says the same', () => {
    const text = `PTX exchanges
{ .global .u32 x = 0; .global .u32 y = 0; }
P0 @ cta 0, gpu 0 {
AGAIN: atom.relaxed.gpu.global.exch.b32 r0, [x], 1;
  setp.ne.u32 p0, r0, 0;
  @p0 bra AGAIN;
  st.relaxed.gpu.global.u32 [y], 1;
}
P1 @ cta 1, gpu 0 {
  st.relaxed.gpu.global.u32 [x], 0;
  ld.relaxed.gpu.global.u32 r1, [y];
}
permit (P1:r1 == 1) as after
permit (P1:r1 == 0) as before
permit (x == 0 \\/ P1:r1 == 0) as in_turn
exists (x == 2) as never
`;
    const conditionsOf = (last: string): readonly unknown[] => {
      const program = programOf(last);
      const ask = (simplest: boolean) =>
        checkTest(solver, program, builtInModel('ptx-9.4'), { simplest }).conditions.map((one) => one.observation);
      expect(ask(false)).toEqual(ask(true));
      return ask(false);
    };
    expect(conditionsOf(text)).toEqual(['Sometimes', 'Sometimes', 'Sometimes', 'Never']);
    // What the third one denies is done by threads that take turns within their bodies.
    const shorter = text.replace(/exists.*\n/, '');
    expect(conditionsOf(shorter)).toEqual(['Sometimes', 'Sometimes', 'Sometimes']);
    expect(conditionsOf(shorter.replace(/permit.*in_turn\n/, ''))).toEqual(['Sometimes', 'Sometimes']);
  });

  it('are not looked for where accesses have several sizes, or memory is shared', () => {
    const twice = (declared: string, access: string): Program =>
      programOf(`PTX sizes\n{ ${declared} }\nP0 @ cta 0, gpu 0 { ${access} }\nexists (0 == 0)\n`);
    expect(inTurn(twice('.global .u32 x = 0;', 'st.u32 [x], 1; ld.u16 r0, [x];'))).toEqual([]);
    expect(inTurn(twice('.shared .u32 x = 0 @ cta 0;', 'st.shared.u32 [x], 1;'))).toEqual([]);
    expect(inTurn(twice('.global .u32 x = 0;', 'st.u32 [x], 1; ld.u32 r0, [x];'))).toHaveLength(1);
  });

  it('show the one final state of a test that asks for no value, however often loops may go round', () => {
    const text = `PTX no-value
{ .global .u32 x = 0; }
P0 @ cta 0 { AGAIN: atom.relaxed.gpu.global.exch.b32 r0, [x], 1; setp.eq.u32 p0, r0, 0; @p0 bra AGAIN; }
P1 @ cta 1 {
  AGAIN: atom.relaxed.gpu.global.exch.b32 r1, [x], 0; setp.eq.u32 p0, r1, 0; @p0 bra AGAIN;
  ld.relaxed.gpu.global.u32 r2, [x]; setp.eq.u32 p0, r2, 1; @p0 bra AGAIN;
}
exists (0 == 0)
`;
    const model = builtInModel('ptx-9.4');
    // By the search, too, which is asked for the simplest execution.
    for (const simplest of [false, true]) {
      const { states } = checkTest(solver, programOf(text), model, { states: true, simplest });
      expect([states?.list.map(({ state }) => told(state)), states?.incomplete]).toEqual([[''], undefined]);
    }
    // Where a value is asked for there may be more behind the bound.
    const { states } = checkTest(solver, programOf(`${text}locations [x;]\n`), model, { states: true });
    expect([states?.list.map(({ state }) => told(state)), states?.incomplete?.kind]).toEqual([['x=0', 'x=1'], 'bound']);
  });
});
