import { describe, expect, it } from 'vitest';
import { buildTest } from '../../src/follow/build-test.js';
import { reportHerd } from '../../src/report/herd.js';
import type { LitmusFile } from '../../src/syntax/litmus-ast.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { parseLog } from '../../src/syntax/parse-log.js';
import { parseNvlitmus } from '../../src/syntax/parse-nvlitmus.js';
import { printSyntaxJson } from '../../src/syntax/print-json.js';
import { printLitmus } from '../../src/syntax/print-litmus.js';
import { printNvlitmus } from '../../src/syntax/print-nvlitmus.js';
import { check, checkProgram, litmus, stateLines } from '../support.js';

const read = (text: string): LitmusFile => {
  const { value, diagnostics } = parseLitmus({ path: 'x', text });
  expect(diagnostics).toEqual([]);
  if (value === undefined) throw new Error('no test');
  return value;
};
const syntaxOf = (file: LitmusFile): unknown =>
  JSON.parse(printSyntaxJson({ ...file, source: { path: '', text: '' } }));

describe('printing a test and reading it', () => {
  it('keeps columns, labels, guards, vectors and offsets', () => {
    const text =
      'PTX all\n"a" "b"\n{ .global .f32 f = 1.0e-7; .global .align 16 .b8 buf[8] = {1, 2}; y = x; P0:r1 = &x+4; ' +
      '.global .u64 p[4] = {&x, 1, &y+8, 0xff00(&x)}; t @ texture aliases x; ' +
      '.shared .u32 s @ cta 1, gpu 0; z = ?; }\n 0@cta 0 | P1@cta 1, gpu 0, warp 3, cluster 2 ;\n L: @!%p bra L ' +
      '| ld.v2.u32 {r0, _}, [%r9+4] ;\n setp.eq.u32 p, r0, -1 | st.weak buf, &x ;\nexists (0:r0 = 1 \\/ ~(s@cta1 ' +
      '!= 0x10)) /\\ buf[1] == -0x2 /\\ f != -0.0 /\\ f != 1.5e+30\nfilter true\n' +
      'locations [x; [buf+4];]\nexpect no-race for sc\n';
    const first = read(text);
    expect(syntaxOf(read(printLitmus(first)))).toEqual(syntaxOf(first));
  });
});

describe('nvlitmus', () => {
  it('is written and read back with the same final states', async () => {
    const text = litmus(
      '.global .u32 x = 0; s @ surface aliases x; .global .u32 y = 0;',
      [
        'st.weak.global.u32 [x], 1; fence.proxy.surface; st.release.gpu.global.u32 [y], 1;',
        'ld.acquire.gpu.global.u32 r0, [y]; suld.weak r1, s;',
      ],
      'permit (P1:r0 == 1 /\\ P1:r1 == 0) as stale',
    );
    const printed = printNvlitmus(read(text));
    if (typeof printed !== 'string') throw new Error(printed.cannot);
    const [back] = parseNvlitmus({ path: 'x.test', text: printed }).value ?? [];
    const program = back === undefined ? undefined : buildTest(back).value;
    if (program === undefined) throw new Error(printed);
    expect(stateLines(await checkProgram(program, 'ptx-7.5', { states: true }))).toEqual(
      stateLines(await check(text, 'ptx-7.5', { states: true })),
    );
  });
  it('is refused what it cannot say', () => {
    const cannot = (body: string, initial = 'x = 0;'): unknown =>
      printNvlitmus(read(litmus(initial, [body], 'exists (true)')));
    expect(cannot('bar.sync 0;')).toEqual({ cannot: 'the format has no instruction such as bar.sync 0' });
    expect(cannot('ld.weak r0, x;', 'x = 1;')).toEqual({ cannot: 'the format has no initial value of x' });
    expect(cannot('L: bra L;')).toEqual({ cannot: 'the format has no labels' });
  });
});

describe('herd logs', () => {
  it('are printed so that they read back', async () => {
    const text = litmus(
      '.global .u32 x = 0; .global .u32 y = 0;',
      [
        'st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [y];',
        'st.relaxed.gpu.global.u32 [y], 1; ld.relaxed.gpu.global.u32 r0, [x];',
      ],
      '~exists (P0:r0 == 0 /\\ P1:r0 == 0)',
    );
    const [block] =
      parseLog({
        path: 'log',
        text: `Model\n${reportHerd(await check(text, 'ptx-7.5', { states: true }), () => 'abc')}`,
      }).value ?? [];
    expect(block).toMatchObject({
      test: 'test',
      kind: 'Forbidden',
      verdict: 'No',
      cut: false,
      observation: 'Sometimes',
    });
    expect(block?.states.map(({ values }) => [...values].join(' '))).toEqual([
      '0:r0,0 1:r0,0',
      '0:r0,0 1:r0,1',
      '0:r0,1 1:r0,0',
      '0:r0,1 1:r0,1',
    ]);
  });
  it('of hardware have counts', () => {
    const text =
      'Test SB Allowed\nHistogram (3 states)\n2     *>0:r0=0; 1:r0=0;\n4998  :>0:r0=1; 1:r0=0;\n5000  :>0:r0=0; ' +
      '1:r0=1;\nOk\n\nWitnesses\nPositive: 2, Negative: 9998\nObservation SB Sometimes 2 9998\n\nTest MP ' +
      'Required\nStates 1\n1:r0=0;\nLoop Ok\n';
    const blocks = parseLog({ path: 'log', text }).value ?? [];
    expect(blocks.map(({ test, verdict, cut }) => [test, verdict, cut])).toEqual([
      ['SB', 'Ok', false],
      ['MP', 'Ok', true],
    ]);
    expect(blocks[0]?.states.map(({ count }) => count)).toEqual([2, 4998, 5000]);
  });
});
