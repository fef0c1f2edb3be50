import { describe, expect, it } from 'vitest';
import { checkOperationally, exploreProgram } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { compareEngines } from '../../src/check/compare-engines.js';
import { compareVerdicts } from '../../src/check/compare-verdicts.js';
import { crossCheck } from '../../src/check/cross-check.js';
import type { Findings } from '../../src/check/findings.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { Exploration } from '../../src/operational/explore.js';
import type { Program } from '../../src/program/program.js';
import { builtInModel, solver } from '../support.js';
import { IN_ORDER } from '../twins.js';

const model = builtInModel('ptx-9.4');

/** It races, may trap, and may wait for ever. */
const TEST = `PTX all-of-it
{ .global .u32 x = 0; .global .u32 f = 0; }
P0 @ cta 0 { st.weak.global.u32 [x], 1; st.relaxed.gpu.global.u32 [f], 2; }
P1 @ cta 1 { ld.weak.global.u32 r0, [x]; setp.eq.u32 p, r0, 1; @p trap;
  A: ld.relaxed.gpu.global.u32 r1, [f]; setp.ne.u32 q, r1, 2; @q bra A; }
P2 @ cta 2 { st.relaxed.gpu.global.u32 [f], 1; }
permit (P1:r1 == 2)
expect race
expect trap
expect deadlock
expect no-undefined
`;

function programOf(text: string): Program {
  const [program] = loadTests({ path: 'test.litmus', text }).value ?? [];
  if (program === undefined) throw new Error('it is refused');
  return program;
}

const explored = (program: Program): Exploration => {
  const machine = exploreProgram(program, model);
  if ('kind' in machine) throw new Error(machine.kind);
  return machine;
};

describe('the comparison of the engines', () => {
  const program = programOf(TEST);
  const whole = crossCheck(solver, program, model, IN_ORDER);
  const machine = explored(program);
  const findings = (change: Partial<Findings>): Findings => {
    if (whole.axioms === undefined) throw new Error('no findings');
    return { ...whole.axioms, ...change };
  };

  it('finds the same race, trap, deadlock, final states and verdicts', () => {
    expect([whole.verdict, whole.differences, whole.notCompared]).toEqual(['agree', [], []]);
    const { raised, trap, deadlock } = findings({});
    expect([raised.has('data-race'), trap !== undefined, deadlock !== undefined]).toEqual([true, true, true]);
  });

  it.each([
    ['race', { raised: new Map() }],
    ['trap', { trap: undefined }],
    ['deadlock', { deadlock: undefined }],
    ['outcome', { outcomes: new Map() }],
  ] as const)('notices a %s that one of them misses', (kind, change) => {
    const { differences } = compareEngines(findings(change), machine);
    expect(new Set(differences.map((one) => `${one.only}: ${one.kind}`))).toEqual(new Set([`machine: ${kind}`]));
  });

  it.each([
    ['race', { findings: new Map() }],
    ['trap', { trap: undefined }],
    ['deadlock', { deadlock: undefined }],
    ['outcome', { outcomes: new Map() }],
  ] as const)('notices a %s that the machine misses', (kind, change) => {
    const { differences } = compareEngines(findings({}), { ...machine, ...change });
    expect(new Set(differences.map((one) => `${one.only}: ${one.kind}`))).toEqual(new Set([`axioms: ${kind}`]));
  });

  it('tells what an engine could not decide, and compares the rest', () => {
    const open = [{ of: 'deadlock', undecided: { kind: 'timeout' } }] as const;
    const { differences, notCompared } = compareEngines(
      findings({ deadlock: undefined, open, trap: undefined }),
      machine,
    );
    expect(notCompared).toEqual([{ of: 'deadlock', why: 'timeout' }]);
    expect(differences.map(({ kind }) => kind)).toEqual(['trap']);
  });

  it('notices verdicts that differ, but for those that need load buffering', () => {
    const checked = checkTest(solver, program, model);
    const other = checkOperationally(program, model, {}, machine);
    expect(compareVerdicts(checked, other, undefined)).toEqual({ differences: [], notCompared: [] });
    const conditions = other.conditions.map((one) => ({ ...one, reachable: false }));
    const expectations = other.expectations.map((one) => ({ ...one, outcome: 'broken' as const }));
    const wrong = compareVerdicts(checked, { conditions, expectations }, undefined).differences;
    expect(wrong.map(({ only, claim }) => `${only}: ${claim}`)).toEqual([
      'axioms: satisfied: permit (P1:r1 == 2)',
      'axioms: race',
      'axioms: trap',
      'axioms: deadlock',
      'machine: undefined',
    ]);
    const nothing = findings({ raised: new Map(), trap: undefined, deadlock: undefined, outcomes: new Map() });
    const left = compareVerdicts(checked, { conditions, expectations }, nothing).differences;
    expect(left.map(({ claim }) => claim)).toEqual(['undefined']);
  });

  it('says of an undefined test what it does not compare', () => {
    const { verdict, notCompared } = crossCheck(
      solver,
      programOf('PTX u\n{ } P0 @ cta 0 { mov.u32 r1, 17; bar.sync r1; } exists (P0:r1 == 17)'),
      model,
      IN_ORDER,
    );
    expect(verdict).toBe('agree');
    expect(new Set(notCompared.map(({ why }) => why))).toEqual(new Set(['the test is undefined']));
  });
});
