import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import type { Program } from '../../src/program/program.js';
import { endValue } from '../end-value.js';
import { kernelModule } from '../kernel-module.js';
import { answerLines, checkProgram } from '../support.js';

/** Functions of one number, one of two, and one that calls what a pointer leads to. */
const FUNCTIONS = `
.func (.param .b32 r) inc(.param .b32 a)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.u32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) twice(.param .b32 a)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; shl.b32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) add(.param .b32 a, .param .b32 b)
{ .reg .b32 %r<4>; ld.param.b32 %r1, [a]; ld.param.b32 %r2, [b]; add.u32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret; }
.func (.param .b32 r) through(.param .b32 a)
{ .reg .b32 %r<3>; .reg .b64 %rd<3>; ld.param.b32 %r1, [a]; ld.const.u64 %rd1, [table];
  { .param .b32 p; st.param.b32 [p], %r1; .param .b32 q; proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (q), %rd1, (p), proto; ld.param.b32 %r2, [q]; } st.param.b32 [r], %r2; ret; }
.const .align 8 .u64 table[4] = {inc, twice, add, through};
.const .align 8 .u64 itself = through;
`;

/** `[pointer]` is called with 5, and what it gives is stored. */
const calling = (pointer: string): string => `${pointer}
  { .param .b32 p; st.param.b32 [p], 5; .param .b32 q; prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (q), %rd5, (p), prototype; ld.param.b32 %r3, [q]; }
  mul.wide.u32 %rd6, %r1, 4; add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], %r3;`;

function loaded(body: string, clauses: string, place: string): ReturnType<typeof loadTests> {
  const text = kernelModule({ body }).replace('.visible', `${FUNCTIONS}.visible`);
  const test = `PTX calls\n{ .global .u32 x[8]; }\nlaunch K "k.ptx" (x) @ grid 1, ${place}\n${clauses}\n`;
  return loadTests({ path: 'k.litmus', text: test, modules: { 'k.ptx': { path: 'k.ptx', text } } });
}

async function valuesOf(program: Program | undefined): Promise<readonly (bigint | undefined | string)[]> {
  if (program === undefined) throw new Error('refused');
  const run = wholeTest(program)?.follow(() => undefined);
  const engines = answerLines(await checkProgram(program, 'ptx-9.4'));
  return [run?.open?.what, ...program.observed.map((one) => endValue(run, one)), ...engines];
}

describe('a call through a pointer', () => {
  it.each([
    ['of a table, at an index that is known', 'ld.const.u64 %rd5, [table+8];', 10],
    ['that an instruction takes', 'mov.u64 %rd5, inc;', 6],
    ['to a function that calls through one', 'ld.const.u64 %rd5, [table+24];', 6],
  ])('%s', async (_, pointer, value) => {
    const { value: [program] = [] } = loaded(calling(pointer), `require (x[0] == ${value})`, 'block 1');
    expect(await valuesOf(program)).toEqual([undefined, BigInt(value), 'met']);
  });

  it('goes to a function of its own for each lane, and comes back together', async () => {
    const body = `mul.wide.u32 %rd5, %r1, 8; mov.u64 %rd4, table; add.s64 %rd4, %rd4, %rd5; ld.const.u64 %rd5, [%rd4];`;
    const clauses = 'require (x[0] == 6 /\\ x[1] == 10)\nexpect no-undefined\nexpect no-deadlock';
    const { value: [program] = [] } = loaded(`${calling(body)} bar.warp.sync 3;`, clauses, 'block 2');
    const answers = await valuesOf(program);
    expect(answers).toEqual([undefined, 6n, 10n, 'met', 'no-undefined met', 'no-deadlock met']);
  });

  it('is refused where the pointer is none of the functions that take what it hands over', () => {
    const messages = ['ld.global.u64 %rd5, [%rd1];', 'ld.const.u64 %rd5, [table+16];'].map((pointer) =>
      loaded(calling(pointer), 'expect no-race', 'block 1').diagnostics.map(({ code, message }) => [code, message]),
    );
    const expected = '%rd5 may be anything but the address of a function of this module that takes these arguments';
    expect(messages).toEqual([[['L0211', expected]], [['L0211', expected]]]);
  });

  it('is none that a thread may not come to', async () => {
    const body = calling('setp.ne.u32 %p1, %r1, 9; @%p1 bra L; mov.u64 %rd5, 7;').concat(' L:');
    const { value: [program] = [] } = loaded(body, 'require (x[0] == 0)', 'block 1');
    expect(await valuesOf(program)).toEqual([undefined, 0n, 'met']);
  });

  it('that comes back to where it is leaves the answers open', async () => {
    const again = FUNCTIONS.replace('{inc,', '{through,');
    const text = kernelModule({ body: calling('mov.u64 %rd5, through;') }).replace('.visible', `${again}.visible`);
    const test = 'PTX calls\n{ .global .u32 x[8]; }\nlaunch K "k.ptx" (x) @ grid 1, block 1\nexpect no-race\n';
    const { value: [program] = [] } = loadTests({
      ...{ path: 'k.litmus', text: test },
      modules: { 'k.ptx': { path: 'k.ptx', text } },
    });
    if (program === undefined) throw new Error('refused');
    expect(answerLines(await checkProgram(program, 'ptx-9.4'))[0]).toMatch(/^no-race undecided: .*calls itself/);
  });
});
