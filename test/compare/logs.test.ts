import { describe, expect, it } from 'vitest';
import { compareLogs, judgeLog } from '../../src/compare/compare-logs.js';
import { type ObservedTest, readObservations } from '../../src/compare/observations.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { builtInModel, litmus, programOf, solver } from '../support.js';

const MP = litmus(
  '.global .u32 x = 0; .global .u32 y = 0;',
  [
    'st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [y], 1;',
    'ld.acquire.gpu.global.u32 r0, [y]; ld.weak.global.u32 r1, [x];',
  ],
  'exists (P1:r0 == 1 /\\ P1:r1 == 0)',
);
const OPTIONS = { unroll: 3, timeout: 60_000, clock: () => performance.now() };

const HISTOGRAM =
  'Test test Allowed\nHistogram (3 states)\n500   :>1:r0=0; 1:r1=0;\n7     *>1:r0=1; 1:r1=0;\n493   :>1:r0=1; ' +
  '1:r1=1;\nOk\nWitnesses\nPositive: 7, Negative: 993\nObservation test Sometimes 7 993\nTime test 0.1\n';
const HERD =
  'Test test Allowed\nStates 2\n1:r1=0; 1:r0=0;\n1:r1=0x1; 1:r0=1;\nNo\nWitnesses\nPositive: 0 Negative: 2\n';

function read(text: string): readonly ObservedTest[] {
  const { value, diagnostics } = readObservations({ path: 'log', text });
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics));
  return value;
}

async function judge(text: string, test = MP) {
  const [observed] = read(text);
  if (observed === undefined) throw new Error('no test');
  return judgeLog(solver, builtInModel('ptx-9.4'), programOf(test), observed, OPTIONS);
}

const shown = (
  states: readonly { readonly values: ReadonlyMap<string, bigint>; readonly count: number | undefined }[],
): unknown => states.map(({ values, count }) => [Object.fromEntries(values), count]);

describe('a log held against the model', () => {
  it('of hardware: a forbidden outcome that was observed is a violation, with its count', async () => {
    const { violations, unobserved, undecided } = await judge(HISTOGRAM);
    expect(shown(violations)).toEqual([[{ 'P1:r0': 1n, 'P1:r1': 0n }, 7]]);
    expect(unobserved.map((values) => Object.fromEntries(values))).toEqual([{ 'P1:r0': 0n, 'P1:r1': 1n }]);
    expect(undecided).toBeUndefined();
  });

  it('of herd7: names in any order, numbers in any base', async () => {
    const { violations, unobserved } = await judge(HERD);
    expect(violations).toEqual([]);
    expect(unobserved).toHaveLength(1);
  });

  it('with values that no condition of the test names', async () => {
    const { violations } = await judge('Test test Allowed\nStates 1\n1:r0=0; 1:r1=0; x=0;\nNo\n');
    expect(shown(violations)).toEqual([[{ 'P1:r0': 0n, 'P1:r1': 0n, x: 0n }, undefined]]);
  });

  it('with negative numbers for signed values, and unsigned ones written as signed', async () => {
    const signed = litmus('.global .s32 x = 0;', ['st.weak.global.s32 [x], -1;'], 'exists (x == -1)');
    expect((await judge('Test test Allowed\nStates 1\nx=-1;\nOk\n', signed)).violations).toEqual([]);
    expect((await judge('Test test Allowed\nStates 1\n[x]=4294967295;\nOk\n', signed)).violations).toEqual([]);
    expect((await judge('Test test Allowed\nStates 1\nx=-2;\nOk\n', signed)).violations).toHaveLength(1);
  });

  it('where any value can be found, asks for the observed ones', async () => {
    const many = litmus('.global .u64 x = ?;', ['ld.weak.global.u64 r0, [x];'], 'exists (P0:r0 == 5)');
    const { violations, undecided } = await judge('Test test Allowed\nStates 1\n0:r0=123456789;\nOk\n', many);
    expect([violations, undecided]).toEqual([[], undefined]);
  });

  it('of an undefined test, or of another test, finds no violation but says why', async () => {
    const race = litmus(
      '.global .u32 x = 0;',
      ['st.weak.global.u32 [x], 1;', 'ld.weak.global.u16 r0, [x];'],
      'exists (P1:r0 == 7)',
    );
    expect((await judge('Test test Allowed\nStates 1\n1:r0=9;\nOk\n', race)).undecided).toMatch(/undefined/);
    expect((await judge('Test test Allowed\nStates 1\n5:r9=9;\nOk\n')).undecided).toMatch(/not those of the test/);
  });
});

describe('two logs', () => {
  it('differ by outcomes, whatever the order of names and lines, and by tests', () => {
    const other = `${HERD}\nTest more Allowed\nStates 1\nx=1;\nOk\n`;
    expect(compareLogs(read(HERD), read(HERD))).toEqual([]);
    const [test, more] = compareLogs(read(HISTOGRAM), read(other));
    expect(shown(test?.onlyFirst ?? [])).toEqual([[{ 'P1:r0': 1n, 'P1:r1': 0n }, 7]]);
    expect(test?.onlySecond).toEqual([]);
    expect([more?.test, more?.missing]).toEqual(['more', 'first']);
  });
});

describe('a damaged log', () => {
  it('is read, with a warning where states are missing', () => {
    const { value, diagnostics } = readObservations({ path: 'log', text: HERD.replace('States 2', 'States 5') });
    expect(value?.[0]?.states).toHaveLength(2);
    expect(renderDiagnostics(diagnostics)).toContain('the log says that it has 5 states, and has 2');
  });
});

describe('what is no log', () => {
  it('is refused with what was expected', () => {
    const refused = (text: string): string => renderDiagnostics(readObservations({ path: 'log', text }).diagnostics);
    expect(refused('hello')).toContain('no test in this log');
    expect(refused('{"a": 1}')).toContain('this is JSON, but no result of ptx-litmus');
    expect(refused('{"schemaVersion": 1, "results": [{"test": {"name": "t"}, "states": null}]}')).toContain(
      'check --states adds them',
    );
    expect(refused('Test t Allowed\nStates 1\nx=y;\nOk\n')).toContain('the value of x is no number');
  });
});
