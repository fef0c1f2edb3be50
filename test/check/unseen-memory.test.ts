import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

/** The second pointer of the kernel is the handle. */
function checked(
  body: string,
  memory: string,
  handle: string,
  launches = '@ grid 1, block 64',
  out = 'out',
): TestResult {
  const launch = `launch K "k.ptx" (${out}, ${handle}) ${launches}`;
  const text = `PTX k\n{ .global .u32 out[64] = 0; .global .u32 x[64] = 0; ${memory} }\n${launch}\n`;
  const module = kernelModule({ pointers: 2, body: body.replaceAll('; ', ';\n') });
  const { value, diagnostics } = loadTests(
    { path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: module } } },
    {},
    'answers',
  );
  const [program] = value ?? [];
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join());
  return checkTest(solver, program, builtInModel('ptx-9.4'));
}

const said = ({ expectations }: TestResult): Readonly<Record<string, string>> =>
  Object.fromEntries(
    expectations.map(({ expectation, outcome, provided = '' }) => [
      expectation.finding,
      `${outcome}${provided === '' ? '' : `, ${provided}`}`,
    ]),
  );

const OWN = 'mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r2; ';
const FETCH = `tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%rd2, {%r1}]; ${OWN}`;
const TEXTURE = 't @ texture aliases x;';

describe('what textures hold that a test does not show', () => {
  it('is taken to be written by nobody, and told with the answer that rests on it', () => {
    expect(said(checked(FETCH, '', '?'))).toEqual({
      race: 'met',
      undefined: expect.stringMatching(/^met, if nobody writes the textures of k\.ptx:\d+ meanwhile$/),
      deadlock: 'met',
      trap: 'met',
      uninitialized: 'met',
    });
  });

  it('is open', () => {
    const branching = `${FETCH} setp.eq.s32 %p1, %r2, 7; @%p1 trap;`;
    expect(said(checked(branching, '', '?'))['trap']).not.toContain('met');
    expect(said(checked(branching, TEXTURE, 't'))['trap']).not.toContain('met');
  });
});

describe('a texture over a location', () => {
  it('is read anywhere', () => {
    expect(said(checked(FETCH, TEXTURE, 't'))).toMatchObject({ race: 'met', undefined: 'met' });
  });

  it('is not known where its grid writes the location', () => {
    const result = said(checked(FETCH, 't @ texture aliases out;', 't'));
    expect(result['undefined']).toBe('undecided');
  });

  it('may be written by a grid that has ended', () => {
    // The first launch gets the location as its output, and writes it.
    const either = `setp.eq.u64 %p1, %rd1, %rd2; @%p1 bra W; ${FETCH} ret; W: ${OWN}`;
    const launches = (order: string): string =>
      `@ grid 1, block 64 launch L "k.ptx" (out, t) @ grid 1, block 64${order}`;
    const of = (order: string): unknown => said(checked(either, TEXTURE, 't', launches(order), 'x'))['undefined'];
    expect(of(', after K')).toBe('met');
    expect(of('')).toBe('undecided');
  });

  it('is named by its handle, or the launch is wrong', () => {
    expect(said(checked(FETCH, TEXTURE, 'out'))['undefined']).toBe('broken');
    // What is not known may be 0, which is no texture.
    expect(said(checked(FETCH, TEXTURE, '?'))['undefined']).toBe('broken');
  });
});

describe('surfaces', () => {
  const STORE = 'mul.lo.s32 %r6, %r1, 4; sust.b.1d.b32.trap [%rd2, {%r6}], {%r1};';

  it('are taken to be memory of their own where the test shows none', () => {
    expect(said(checked(STORE, '', '?'))['trap']).toMatch(
      /^met, if the surfaces of k\.ptx:\d+ are memory of their own, as large as what is accessed$/,
    );
  });

  it('are written at places that are not known', () => {
    expect(said(checked(STORE, 's @ surface aliases x;', 's'))['race']).toBe('undecided');
    expect(said(checked(STORE, 's @ surface aliases x;', 's', '@ grid 1, block 1'))['race']).toBe('met');
  });
});

describe('reserved shared memory', () => {
  const ASK = 'mov.u32 %r6, %reserved_smem_offset_1; ';
  const USE = `${ASK} cvt.u64.u32 %rd5, %r6; cvta.shared.u64 %rd5, %rd5; `;

  it('is where cooperative groups keep their barriers, which answers say', () => {
    const result = said(checked(`${USE} red.and.release.cta.b32 [%rd5], %r1;`, '', '?'));
    expect(result).toMatchObject({ race: 'met', uninitialized: 'met' });
    expect(result['undefined']).toMatch(
      /^met, if k\.ptx:\d+ may use reserved shared memory, as cooperative groups do$/,
    );
  });

  it('is one for each CTA, with contents that nobody knows', () => {
    const write = `${USE} st.u32 [%rd5], %r1;`;
    expect(said(checked(write, '', '?', '@ grid 2, block 1'))['race']).toBe('met');
    expect(said(checked(write, '', '?', '@ grid 1, block 2'))['race']).toBe('broken');
    const trap = `${USE} ld.u32 %r7, [%rd5]; setp.eq.s32 %p1, %r7, 5; @%p1 trap;`;
    expect(said(checked(trap, '', '?', '@ grid 1, block 1'))['trap']).not.toContain('met');
  });

  it('has 288 bytes', () => {
    expect(said(checked(`${USE} st.u32 [%rd5+284], %r1;`, '', '?', '@ grid 1, block 1'))['undefined']).toContain('met');
    expect(said(checked(`${USE} st.u32 [%rd5+288], %r1;`, '', '?', '@ grid 1, block 1'))['undefined']).toBe('broken');
  });
});
