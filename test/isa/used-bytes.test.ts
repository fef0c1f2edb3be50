import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { LitmusFile } from '../../src/syntax/litmus-ast.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { printLitmus } from '../../src/syntax/print-litmus.js';
import { answerLines, builtInModel, check, diagnosticsOf, programOf, solver } from '../support.js';

const test = (body: string, more = ''): string => `PTX t
{ .shared .align 16 .b32 s[4] = uninitialized; .shared .align 16 .b32 three[3] = 5;
  .global .align 16 .b32 x[4] = {1, 2, 3, 0x44444444}; }
P0 { .reg .b32 r<5>; .reg .b64 d<2>; ${body} }
${more}`;
const masked = (mask: string): string => `.pragma "used_bytes_mask ${mask}"; `;

const answers = async (body: string, more: string): Promise<readonly string[]> =>
  answerLines(await check(test(body, more)));

/** The loads that a body comes to: of how many bytes each, and where from the base on. */
const loadsOf = (body: string): readonly string[] =>
  (programOf(test(body)).threads[0]?.statements ?? []).flatMap(({ operation }) =>
    operation.kind === 'load'
      ? [`${operation.targets.length}*${operation.type.width / 8}@${operation.address.offset}`]
      : [],
  );

describe('a load whose pragma says which of its bytes are used', () => {
  it('reads what is used: elements together, of one that is used in part its bytes', () => {
    const from = 'ld.global.v4.b32 {r0, r1, r2, r3}, [d0];';
    expect(loadsOf(from)).toEqual(['4*4@0']);
    expect(loadsOf(masked('65535') + from)).toEqual(['4*4@0']);
    expect(loadsOf(masked('4095') + from)).toEqual(['2*4@0', '1*4@8']);
    expect(loadsOf(masked('0xf0f0') + from)).toEqual(['1*4@4', '1*4@12']);
    expect(loadsOf(masked('0x501f') + from)).toEqual(['1*4@0', '1*1@4', '1*1@12', '1*1@14']);
    expect(loadsOf(`.reg .b128 q; ${masked('0xff00')}ld.global.b128 q, [x];`)).toEqual(['1*8@8']);
  });

  it('reads a strong element as a whole', () => {
    const from = (mask: string, scope: string): readonly string[] =>
      loadsOf(`${masked(mask)}ld${scope}.global.v2.b32 {r0, r1}, [x];`);
    expect(from('0x1f', '.relaxed.gpu')).toEqual(['2*4@0']);
    expect(from('0x0f', '.relaxed.gpu')).toEqual(['1*4@0']);
  });

  it('is the load behind the pragma alone', () => {
    expect(loadsOf(`${masked('15')}mov.u32 r4, 1; ld.global.v2.b32 {r0, r1}, [x];`)).toEqual(['2*4@0']);
    expect(loadsOf(`${masked('15')}st.global.v2.b32 [x], {r0, r1}; ld.global.v2.b32 {r0, r1}, [x];`)).toEqual([
      '2*4@0',
    ]);
  });

  it('finds nothing in the other bytes', async () => {
    const from = `${masked('0x14ff')}ld.global.v4.b32 {r0, r1, r2, r3}, [x];`;
    expect(await answers(from, 'forbid (P0:r0 != 1 \\/ P0:r1 != 2 \\/ P0:r2 == 7)')).toEqual(['broken']);
    expect(await answers(from, 'forbid (P0:r0 != 1 \\/ P0:r1 != 2)')).toEqual(['met']);
    const third = 'shr.u32 r4, r2, 16; and.b32 r4, r4, 255;';
    expect(await answers(`${from} ${third}`, 'forbid (P0:r4 != 0)')).toEqual(['met']);
    expect(await answers(`${from} and.b32 r4, r2, 255;`, 'forbid (P0:r4 == 9)')).toEqual(['broken']);
    expect(await answers(`${from} and.b32 r4, r3, 255;`, 'forbid (P0:r4 != 0x44)')).toEqual(['met']);
  });

  it('may write the register of its address', async () => {
    const body = `mov.u64 d0, x; ${masked('0xff00ff')}ld.global.v2.b64 {d0, d1}, [d0]; mov.b64 {r0, r1}, d0;`;
    expect(await answers(body, 'forbid (P0:r0 != 1 \\/ P0:r1 != 2)')).toEqual(['met']);
    const apart = `mov.u32 r1, three; ${masked('0xf0f')}ld.shared.v4.b32 {r1, r2, r3, r4}, [r1];`;
    expect(await answers(apart, 'forbid (P0:r1 != 5 \\/ P0:r3 != 5)')).toEqual(['met']);
  });

  it('is printed and read back', () => {
    const text = test(`${masked('0xfff')} ld.global.v4.b32 {r0, r1, r2, r3}, [x]; ld.global.b32 r0, [x];`);
    const printed = printLitmus(parseLitmus({ path: 't', text }).value as LitmusFile);
    expect(printed.split('\n').slice(-5, -2)).toEqual([
      '  .pragma "used_bytes_mask 4095";',
      '  ld.global.v4.b32 {r0, r1, r2, r3}, [x];',
      '  ld.global.b32 r0, [x];',
    ]);
    expect(printLitmus(parseLitmus({ path: 't', text: printed }).value as LitmusFile)).toBe(printed);
  });

  it('needs no value in the others, and no memory behind the end', async () => {
    const partly = 'st.shared.v2.b32 [s], {r4, r4}; ';
    const from = 'ld.shared.v4.b32 {r0, r1, r2, r3}, [s];';
    expect(await answers(partly + from, 'expect no-uninitialized')).toEqual(['no-uninitialized broken']);
    expect(await answers(partly + masked('255') + from, 'expect no-uninitialized')).toEqual(['no-uninitialized met']);
    const past = 'ld.shared.v4.b32 {r0, r1, r2, r3}, [three];';
    expect(diagnosticsOf(test(past))).toContain('this access of 16 bytes at offset 0 leaves three, which has 12 bytes');
    expect(await answers(masked('0xfff') + past, 'expect no-undefined')).toEqual(['no-undefined met']);
    expect(diagnosticsOf(test(masked('0x1fff') + past))).toContain('this access of 13 bytes');
  });

  it('is as large as it is where it must be aligned', async () => {
    const from = (mask: string): string => `mov.u32 r4, three; ${mask}ld.shared.v2.b32 {r0, r1}, [r4+4];`;
    expect(await answers(from(''), 'expect no-undefined')).toEqual(['no-undefined broken']);
    expect(await answers(from(masked('15')), 'expect no-undefined')).toEqual(['no-undefined broken']);
    expect(diagnosticsOf(test(`${masked('15')}ld.shared.v2.b32 {r0, r1}, [three+4];`))).toContain('aligned to 8 bytes');
  });
});

describe('a kernel with such a load', () => {
  /** Warps leave a sum each, and all threads read them by one load. */
  const answersOf = (hint: string, threads: number): readonly string[] => {
    const module = `.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  .shared .align 16 .b8 sums[12];
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; setp.ne.s32 %p1, %r2, 0;
  shr.u32 %r3, %r1, 5; shl.b32 %r3, %r3, 2; mov.u32 %r4, sums; add.s32 %r3, %r3, %r4;
  @%p1 bra L;
  st.shared.u32 [%r3], %r1;
L: bar.sync 0;
  .loc 1 7 5
  ${hint}
  ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [sums];
  add.s32 %r5, %r5, %r6; add.s32 %r5, %r5, %r7;
  mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r5;
  ret;
}\n`;
    const text = `PTX k\n{ .global .u32 out[96]; }\nlaunch K "k.ptx" (out) @ grid 1, block ${threads}
require (out[0] == 96)\nexpect no-uninitialized\nexpect no-undefined\nexpect no-race\n`;
    const read = loadTests({ path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: module } } });
    const [program] = read.value ?? [];
    return program === undefined
      ? renderDiagnostics(read.diagnostics).split('\n').slice(0, 1)
      : answerLines(checkTest(solver, program, builtInModel('ptx-9.4'), { follow: true }));
  };

  it('is met where what is used has a value', () => {
    const all = ['met', 'no-uninitialized met', 'no-undefined met', 'no-race met'];
    expect(answersOf('.pragma "used_bytes_mask 4095";', 96)).toEqual(all);
    for (const threads of [32, 96]) expect(answersOf('', threads)).toContain('no-undefined broken');
    expect(answersOf('.pragma "used_bytes_mask 4095";', 64)).toContain('no-uninitialized broken');
  });
});
