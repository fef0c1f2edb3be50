import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { PieceMemory } from '../../src/follow/piece-memory.js';
import type { Program } from '../../src/program/program.js';
import { SparseList } from '../../src/program/sparse-list.js';
import { endValue } from '../end-value.js';
import { kernelModule } from '../kernel-module.js';
import { answerLines, checkProgram } from '../support.js';

const GIB = 2 ** 30;

function programOf(memory: string, given: string, body: string, clauses: string, block = 2): Program {
  const test = `PTX large\n{ ${memory} }\nlaunch K "k.ptx" (${given}) @ grid 1, block ${block}\n${clauses}\n`;
  const text = kernelModule({ pointers: given.split(',').length, body });
  const { value: [program] = [] } = loadTests({
    ...{ path: 'k.litmus', text: test },
    modules: { 'k.ptx': { path: 'k.ptx', text } },
  });
  if (program === undefined) throw new Error('refused');
  return program;
}

/** What following finds, and what the engines answer. */
async function answersOf(program: Program): Promise<readonly unknown[]> {
  const run = wholeTest(program)?.follow(() => undefined);
  const values = program.observed.map((one) => endValue(run, one));
  return [run?.open?.what ?? run?.conflicts.length, values, answerLines(await checkProgram(program, 'ptx-9.4'))];
}

/** Each of two threads stores its number by `width` at an offset of its own. */
const storing = (first: number, second: number, width = 'u8'): string =>
  `setp.eq.u32 %p1, %r1, 0; selp.u64 %rd2, ${first}, ${second}, %p1; add.s64 %rd3, %rd1, %rd2;
  st.global.${width} [%rd3], %r1;`;

describe('a location as large as the memory of a GPU', () => {
  const MEMORY = `.global .u8 a[${8 * GIB}] = ?;`;
  it('has races at the same byte, behind 4 GiB as before it', async () => {
    for (const at of [3, 5 * GIB, 8 * GIB - 1])
      expect(await answersOf(programOf(MEMORY, 'a', storing(at, at), 'expect no-race'))).toEqual([
        ...[1, []],
        ['no-race broken'],
      ]);
    expect(await answersOf(programOf(MEMORY, 'a', storing(5 * GIB, 5 * GIB + 2, 'u16'), 'expect no-race'))).toEqual([
      ...[0, []],
      ['no-race met'],
    ]);
  });

  it('has none at bytes that are 2^31 or 2^32 bytes apart, which keep their values', async () => {
    for (const apart of [2 * GIB, 4 * GIB]) {
      const first = 3 * GIB;
      const clauses = `require (a[${first}] == 0 /\\ a[${first + apart}] == 1)\nexpect no-race\nexpect no-undefined`;
      const program = programOf(MEMORY.replace('?', '7'), 'a', storing(first, first + apart), clauses);
      expect(await answersOf(program)).toEqual([0, [0n, 1n], ['met', 'no-race met', 'no-undefined met']]);
    }
  });

  it('begins as it says, with what is listed and what is not', async () => {
    const memory = `.global .u32 a[${GIB}] = {1, 2}; .global .u32 b[${GIB}] = 9;`;
    const body = `ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, [%rd1+${4 * (GIB - 1)}];
      ld.global.u32 %r4, [%rd2+${3 * GIB}];
      add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; st.global.u32 [%rd1], %r2;`;
    const program = programOf(memory, 'a, b', body, 'require (a[0] == 11)\nexpect no-undefined', 1);
    expect(await answersOf(program)).toEqual([0, [11n], ['met', 'no-undefined met']]);
  });

  it('ends where it ends', async () => {
    const program = programOf(MEMORY, 'a', storing(0, 8 * GIB), 'expect no-undefined');
    const [, , answers] = await answersOf(program);
    expect(answers).toEqual(['no-undefined broken']);
  });

  it('is read at an index that is open, and not followed where it is written so, too', async () => {
    const index = 'ld.global.u32 %r2, [%rd2]; mul.wide.u32 %rd3, %r2, 4; and.b64 %rd3, %rd3, 0x3fffffffc;';
    const memory = `.global .u32 a[${4 * GIB}] = ?; .global .u32 i = ?; .global .u32 out[2];`;
    const own = 'mul.wide.u32 %rd6, %r1, 4; add.s64 %rd3, %rd3, %rd6;';
    const gather = `${index} add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r3, [%rd4]; mul.wide.u32 %rd5, %r1, 4;`;
    const gathering = programOf(memory, 'a, i', `${gather} add.s64 %rd5, %rd1, %rd5;`, 'expect no-race');
    expect(wholeTest(gathering)?.follow(() => undefined).open).toBeUndefined();
    const wide = 'an address that is open, in more than 16777216 bytes that may be written';
    const writing = programOf(memory, 'a, i', `${gather} ${own} st.global.u32 [%rd1], %r1;`, 'expect no-race');
    expect(wholeTest(writing)?.follow(() => undefined).open?.what).toBe(wide);
    const scatter = `${index} add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r1;`;
    const scattering = programOf(memory, 'a, i', scatter, 'expect no-race');
    expect(wholeTest(scattering)?.follow(() => undefined).open?.what).toBe(wide);
  });

  it('has no more than 2^40 bytes, and 2^24 in other state spaces', () => {
    const diagnosticsOf = (memory: string): readonly string[] =>
      loadTests({ path: 'x', text: `PTX x\n{ ${memory} }\nP0 { }\nexpect no-race\n` }).diagnostics.map(
        ({ message }) => message,
      );
    expect(diagnosticsOf(`.global .u8 a[${2 ** 40}] = ?;`)).toEqual([]);
    expect(diagnosticsOf(`.global .u16 a[${2 ** 40}] = ?;`)).toEqual([
      'a has 1099511627776 elements; a .global location has 1 to 1099511627776 bytes',
    ]);
    expect(diagnosticsOf('.const .u8 a[16777217] = ?;')).toEqual([
      'a has 16777217 elements; a .const location has 1 to 16777216 bytes',
    ]);
  });
});

describe('the pages of memory', () => {
  it('are made where something is accessed, and joined where an access is in two', () => {
    const made: number[] = [];
    const memory = new PieceMemory(2 ** 40, ({ from, states }) => {
      made.push(from);
      states.fill(from === 2 ** 39 ? 1 : 2);
    });
    expect([...memory.statesOf(2 ** 39 - 2, 4)].map((states) => [...states])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(made).toEqual([2 ** 39 - 2 ** 14, 2 ** 39]);
  });

  it('of a list are the same', () => {
    const list = new SparseList<string>();
    list.set(2 ** 40, 'far');
    list.set(5, 'near');
    expect([list.at(2 ** 40), list.at(5), list.at(2 ** 40 - 2 ** 32), list.at(6)]).toEqual([
      'far',
      'near',
      undefined,
      undefined,
    ]);
    expect([list.isFree(0, 5), list.isFree(0, 6), list.isFree(2 ** 40 - 5000, 2 ** 40 + 1)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
