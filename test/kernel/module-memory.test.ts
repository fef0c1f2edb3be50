import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Program } from '../../src/program/program.js';
import { endValue } from '../end-value.js';
import { kernelModule } from '../kernel-module.js';
import { answerLines, check, checkProgram } from '../support.js';

/** A kernel of one pointer, in a module with variables, and what a test asks of it. */
function programOf(variables: string, body: string, clauses: string, declared = ''): Program {
  const text = kernelModule({ body }).replace('.visible', `${variables}\n.visible`);
  const memory = `.global .u64 out[4]; ${declared}`;
  const test = `PTX tables\n{ ${memory} }\nlaunch K "k.ptx" (out) @ grid 1, block 1\n${clauses}\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text } };
  const { value, diagnostics } = loadTests({ path: 'k.litmus', text: test, modules });
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return program;
}

/** What a launch comes to: its values as it is followed, and the answers of the engines. */
async function answersOf(...given: Parameters<typeof programOf>): Promise<{
  readonly followed: readonly (bigint | undefined)[];
  readonly engines: readonly string[];
}> {
  const program = programOf(...given);
  const run = wholeTest(program)?.follow(() => undefined);
  expect(run?.open).toBeUndefined();
  const engines = answerLines(await checkProgram(program, 'ptx-9.4'));
  return { followed: program.observed.map((one) => endValue(run, one)), engines };
}

const VARIABLES = `.global .align 4 .b32 a[4] = {5, 6};
.global .align 8 .u64 table[3] = {generic(a)+4, 0, a};
.global .align 1 .b8 packed[9] = {1, 0xFF(generic(a)), 0xFF00(generic(a)), 0xFF0000(generic(a)),
  0xFF000000(generic(a)), 0xFF00000000(generic(a)), 0, 0, 0};
.global .align 8 .u64 first[2] = {generic(second)+8, 1};
.global .align 8 .u64 second[2] = {generic(first)+8, 2};`;

describe('the variables of a module', () => {
  it('hold addresses, in lists as alone, of what they are declared before, too', async () => {
    const body = `ld.global.u64 %rd2, [table]; ld.global.u32 %r2, [%rd2];
      cvt.u64.u32 %rd3, %r2; st.global.u64 [%rd1], %rd3;
      ld.global.u64 %rd4, [first]; ld.global.u64 %rd5, [%rd4]; st.global.u64 [%rd1+8], %rd5;
      ld.global.u64 %rd6, [table+16]; st.global.u32 [%rd6+8], 7;`;
    const clauses = 'require (out[0] == 6 /\\ out[1] == 2 /\\ a[2] == 7)\nexpect no-undefined';
    const { followed, engines } = await answersOf(VARIABLES, body, clauses);
    expect(followed).toEqual([7n, 6n, 2n]);
    expect(engines).toEqual(['met', 'no-undefined met']);
  });

  it('hold the bytes of addresses in packed structures', async () => {
    const bytes = [5, 4, 3, 2, 1].map(
      (at) => `shl.b64 %rd2, %rd2, 8; ld.global.u8 %rd3, [packed+${at}];
      or.b64 %rd2, %rd2, %rd3;`,
    );
    const body = `mov.u64 %rd2, 0; ${bytes.join('\n')} ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r2;`;
    const { followed, engines } = await answersOf(VARIABLES, body, 'require (out[0] == 5)');
    expect([followed, engines]).toEqual([[5n], ['met']]);
  });
});

describe('memory that a test declares', () => {
  // The bytes are those of a cubin by ptxas.
  it('begin with numbers of every kind that a module may write', async () => {
    const variables = `.global .align 8 .f64 a[3] = {1.5, .5, 1e3};
      .global .align 4 .f32 b[3] = {1., -2.25e1, 0f3f800000};
      .global .align 4 .u32 c[] = {017, 0b1011, -017, 010U, 0x1F};`;
    const body =
      'ld.global.b64 %rd2, [a]; ld.global.b64 %rd3, [a+16]; ld.global.b64 %rd4, [b]; ld.global.b64 %rd5, [c]; ' +
      'ld.global.u32 %r2, [c+16]; cvt.u64.u32 %rd6, %r2; ' +
      ['%rd2', '%rd3', '%rd4', '%rd5'].map((one, i) => `st.global.u64 [%rd1+${8 * i}], ${one};`).join(' ');
    const { followed } = await answersOf(
      variables,
      body,
      `locations [${[0, 1, 2, 3].map((i) => `out[${i}];`).join(' ')} c[2]; c[3];]`,
    );
    expect(followed.map((value) => value?.toString(16))).toEqual([
      ...['fffffff1', '8', '3ff8000000000000', '408f400000000000', 'c1b400003f800000', 'b0000000f'],
    ]);
  });

  it('begins with addresses and numbers in one list', async () => {
    const declared =
      '.global .u64 list[4] = {&out+8, 3, out}; .global .u64 all[2] = &out+16; .global .u64 last = &all+8;';
    const body = `mov.u64 %rd2, list; ld.global.u64 %rd3, [%rd2]; ld.global.u64 %rd4, [%rd2+8];
      st.global.u64 [%rd3], %rd4;
      ld.global.u64 %rd3, [%rd2+16]; ld.global.u64 %rd4, [%rd2+24]; st.global.u64 [%rd3], %rd4;
      mov.u64 %rd2, last; ld.global.u64 %rd3, [%rd2]; ld.global.u64 %rd3, [%rd3]; st.global.u64 [%rd3], 9;`;
    const clauses = 'require (out[0] == 0 /\\ out[1] == 3 /\\ out[2] == 9)\nexpect no-undefined';
    const { followed, engines } = await answersOf('', body, clauses, declared);
    expect([followed, engines]).toEqual([
      [0n, 3n, 9n],
      ['met', 'no-undefined met'],
    ]);
  });

  it('has no list of addresses in elements that are too small for them', () => {
    expect(() => programOf('', '', '', '.global .u16 small[2] = {1, &out+65536};')).toThrow(
      'the address of out does not fit into .u16: use .u64 or .b64',
    );
  });

  it.each([
    ['far behind its end', 512],
    ['as far as an index of 32 bits leads', 4 * 0xffff_ffff],
    ['before its beginning', -512],
  ])('is outside of an array %s, wherever others lie', (_, offset) => {
    const declared = '.global .u32 a[4]; .global .u32 b[4096]; .global .u32 c[4096];';
    const address = `mov.u64 %rd2, b; add.s64 %rd2, %rd2, ${offset < 0 ? offset : 4 * 4096 + offset};`;
    const program = programOf('', `${address} st.global.u32 [%rd2], 1;`, 'expect no-undefined', declared);
    const run = wholeTest(program)?.follow(() => undefined);
    expect(run?.findings.map(({ rule }) => rule)).toEqual(['outside-memory']);
  });

  it('gives a register the address of an element', async () => {
    const memory = '.global .u32 x[2]; P0:rd1 = &x+4;';
    const text = `PTX offset\n{ ${memory} }\nP0 { st.global.u32 [%rd1], 1; }\nrequire (x[1] == 1)\n`;
    expect(answerLines(await check(text, 'ptx-9.4'))).toEqual(['met']);
  });
});
