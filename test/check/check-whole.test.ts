import { describe, expect, it } from 'vitest';
import { selectionOf } from '../../src/check/answer-scope.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Program } from '../../src/program/program.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, modelOf, solver } from '../support.js';

/** Each thread writes its element, and reads that of a neighbor: with a barrier in between, and once without. */
const module = (barrier: string): string =>
  kernelModule({
    declared: '.shared .align 4 .u32 s[256];',
    body: `
  mov.u32 %r2, s;
  mad.lo.u32 %r3, %r1, 4, %r2;
  st.shared.u32 [%r3], %r1;
  ${barrier}
  xor.b32 %r4, %r1, 64;
  mad.lo.u32 %r5, %r4, 4, %r2;
  ld.shared.u32 %r6, [%r5];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;`,
  });
const BARRIER = 'bar.sync 0;';
/** Each thread writes the element of the next one. */
const NEXT = 'st.shared.u32 [%r3 + 4], 1;';
/** All warps but the last come to the barrier. */
const NOT_LAST = 'setp.ge.u32 %p1, %r1, 224; @%p1 bra E; bar.sync 0, 224; E:';

/** An mbarrier that waits for one more. */
const ONE_TOO_FEW =
  '.shared .align 8 .b64 m; setp.ne.u32 %p1, %r1, 0; @%p1 bra I; mbarrier.init.shared::cta.b64 [m], 2; ' +
  'I: bar.sync 0; @%p1 bra W; mbarrier.arrive.shared::cta.b64 _, [m]; ' +
  'W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0; @!%p2 bra W;';

/** Two of three warps come together, whichever. */
const TWO_OF_THREE = 'setp.ge.u32 %p1, %r1, 96; @%p1 bra E; bar.sync 1, 64; E:';

/** A load of a word without a value that one more thread stores, behind where threads are followed to. */
const READ_IN_A_WAIT =
  '.shared .align 8 .b64 m; .shared .u32 u[2]; setp.gt.u32 %p1, %r1, 1; @%p1 bra E; setp.eq.u32 %p1, %r1, 1; ' +
  '@%p1 bra A; mbarrier.init.shared.b64 [m], 1; bar.warp.sync 3; ' +
  'W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; ld.shared.u32 %r7, [u]; @!%p2 bra W; bra E; ' +
  'A: bar.warp.sync 3; st.shared.u32 [u], 5; mbarrier.arrive.shared.b64 _, [m]; E:';

const MEMORY = '.global .u32 out[256] = 0;';

interface Asked {
  readonly barrier?: string;
  readonly clauses?: string;
  readonly run?: string;
  readonly memory?: string;
  readonly model?: ReturnType<typeof builtInModel>;
  readonly wants?: 'threads' | 'answers';
  readonly mostThreads?: number;
  readonly states?: boolean;
}

function checked({
  barrier = BARRIER,
  clauses = '',
  run = '',
  memory = MEMORY,
  model,
  wants,
  mostThreads,
  ...options
}: Asked): TestResult {
  const text =
    `PTX neighbors\n{ ${memory} }\nlaunch K "k.ptx" (out) @ grid 1, block 256${run}\n` +
    `expect no-race\nexpect no-undefined\nexpect no-deadlock\n${clauses}\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: module(barrier) } };
  const { value, diagnostics } = loadTests(
    { path: 'k.litmus', text, modules, ...(mostThreads && { mostThreads }) },
    {},
    wants,
  );
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkTest(solver, program, model ?? builtInModel('ptx-9.4'), options);
}

const outcomes = ({ expectations }: TestResult): readonly string[] => expectations.map(({ outcome }) => outcome);

describe('a test about all threads of a launch', () => {
  it.each(['threads', 'answers'] as const)('is decided by one run, read for %s', (wants) => {
    const result = checked({ wants, clauses: 'require (out[0] == 64 /\\ out[255] == 191)' });
    expect(result.followed).toEqual({ threads: 256, accesses: 768, orderedBy: ['cta-barrier'] });
    expect([...outcomes(result), result.conditions[0]?.expectation]).toEqual(['met', 'met', 'met', 'met']);
    expect(selectionOf(result.program)).toBeUndefined();
  });

  it('has one final state, where that is asked for', () => {
    const { states } = checked({ states: true, clauses: 'locations [out[1]; K[cta 0, tid 200]:%r6;]' });
    expect(states?.list.map(({ state }) => [...state.values()])).toEqual([[136n, 65n]]);
    const broken = checked({ wants: 'answers', clauses: 'require (K[cta 0, tid 200]:%r6 == 200)' });
    expect(broken.conditions[0]).toMatchObject({ expectation: 'broken', observation: 'Never' });
  });

  it.each(['threads', 'answers'] as const)('has no thread of a number, of so many, read for %s', (wants) => {
    const [asked] = checked({ wants, clauses: 'require (P0:%r6 == 64)' }).conditions;
    expect(asked?.undecided).toMatchObject({ what: expect.stringContaining('256 threads') });
  });

  it('has the races of threads that nobody would choose', () => {
    const result = checked({ barrier: NOT_LAST });
    expect(outcomes(result)[0]).toBe('broken');
    expect(result.expectations[0]?.reason).toMatch(/^an execution has a data race/);
    expect(selectionOf(result.program)).toBeUndefined();
  });

  it('reads memory without a value where nobody may still write it in a race', () => {
    const ofUninitialized = (barrier: string): string | undefined =>
      outcomes(checked({ barrier, wants: 'answers', clauses: 'expect no-uninitialized' }))[3];
    expect(ofUninitialized(READ_IN_A_WAIT)).toBe('undecided');
    const first = (what: string): string => `.shared .u32 v; ld.shared.u32 %r7, [v]; ${what} ${READ_IN_A_WAIT}`;
    expect(ofUninitialized(first(''))).toBe('undecided');
    expect(ofUninitialized(first('bar.sync 0;'))).toBe('broken');
  });

  it('has no race under a model that tells of none', () => {
    const quiet = modelOf('acyclic po', 'quiet');
    const result = checked({ barrier: NOT_LAST, model: quiet });
    expect(outcomes(result)[0]).toBe('undecided');
    const lenient = modelOf('flag ~empty 0 as data-race\nacyclic po', 'lenient');
    expect(outcomes(checked({ barrier: NOT_LAST, model: lenient }))[0]).not.toBe('broken');
  });

  it('is about the threads that it names, where it names some', () => {
    const result = checked({ run: ' { run tid 0, 64; }' });
    expect([result.followed?.threads, outcomes(result)]).toEqual([256, ['met', 'met', 'met']]);
    expect(selectionOf(result.program)).toEqual({ run: 2, of: 256 });
  });

  it('is not decided by an order that the model does not have', () => {
    const without = modelOf('flag ~empty ((loc & ext & ((W * M) | (M * W))) \\ 0) as data-race\nacyclic po', 'none');
    const result = checked({ model: without, wants: 'answers' });
    expect(result.followed).toBeUndefined();
    expect(outcomes(result)[0]).not.toBe('met');
  });

  it('is not decided by a run where the model tells of more than of races', () => {
    const more = modelOf('flag ~empty (loc & ext) as shared\nflag ~empty 0 as data-race\nacyclic po', 'more');
    expect(checked({ model: more }).followed).toBeUndefined();
  });

  it('promises no final state of the launch by what some of its threads end with', () => {
    const result = checked({ barrier: NOT_LAST, clauses: 'permit (out[160] == 0)' });
    expect(result.conditions[0]).toMatchObject({ expectation: 'undecided', undecided: { kind: 'coverage' } });
  });

  it('knows what does not depend on a race', () => {
    const clauses = 'require (out[0] == 64)\npermit (out[0] == 0)\nexpect no-trap';
    const { conditions, expectations } = checked({ barrier: NOT_LAST, clauses });
    expect(conditions.map(({ expectation }) => expectation)).toEqual(['met', 'broken']);
    expect(expectations.map(({ outcome }) => outcome)).toEqual(['broken', 'met', 'met', 'met']);
  });

  it('says of a race of accesses that overlap in part that it is undefined, by the run as by the engines', () => {
    const halves = 'ld.global.u16 %rs1, [%rd1 + 2]; ';
    const asked = { barrier: `.reg .b16 %rs<2>; ${BARRIER} ${halves}`, clauses: 'require (out[200] == 136)' };
    for (const how of [asked, { ...asked, mostThreads: 1 }]) {
      const { undefinedBy, conditions } = checked(how);
      expect(undefinedBy).toMatchObject({ rule: 'mixed-size-race' });
      expect(conditions[0]?.expectation).toBe('broken');
    }
  });

  it('says that it is open what is asked for, where all else is known', () => {
    const timed = `mov.u32 %r9, %clock; st.shared.u32 [%r3], %r9; ${BARRIER}`;
    const { conditions } = checked({ barrier: timed, clauses: 'require (out[3] == 1)', mostThreads: 1 });
    expect(conditions[0]?.undecided).toMatchObject({ what: expect.stringMatching(/^what is asked for is open/) });
  });

  it('shows by something in memory that is given as ? what an open value may do', () => {
    const perhaps = 'ld.global.u32 %r9, [%rd1]; setp.eq.u32 %p1, %r9, 0; @%p1 bra E; bar.sync 0; E:';
    const { expectations } = checked({ barrier: perhaps, memory: '.global .u32 out[256] = ?;' });
    expect(expectations.map(({ outcome }) => outcome)).toEqual(['broken', 'undecided', 'undecided']);
    expect(expectations[0]?.reason).toMatch(/data race at .*, where out\[0\] is 0;/);
    const own = perhaps.replace('%rd1', '%rd4').replace('ld', 'mad.wide.u32 %rd4, %r1, 4, %rd1; ld');
    const [race] = checked({ barrier: own, memory: '.global .u32 out[256] = ?;' }).expectations;
    expect(race?.reason).toMatch(/data race at .*, where each element that is given as \? is 0/);
  });

  it('names the bytes of a race, and where its threads have met last', () => {
    const rounds = `mov.u32 %r9, 0; N: bar.sync 0; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 12; @%p1 bra N; ${NEXT}`;
    const [race] = checked({ barrier: rounds }).expectations;
    expect(race?.reason).toMatch(
      /^an execution has a data race at s\[\d+\], since both were at k.ptx:\d+ for the 12th/,
    );
  });

  it('says where threads wait for ever, by the line of the code', () => {
    const { expectations } = checked({ barrier: ONE_TOO_FEW });
    expect(expectations.map(({ outcome }) => outcome)).toEqual(['met', 'met', 'broken']);
    expect(expectations[2]?.shownAt?.[0]?.span.source.path).toBe('k.ptx');
  });

  it('says what else is not known where threads may go on that wait for ever in one run', () => {
    const { expectations } = checked({ barrier: TWO_OF_THREE });
    expect(expectations.map(({ outcome }) => outcome)).toEqual(['broken', 'undecided', 'broken']);
    expect(expectations[1]?.undecided).toEqual({
      kind: 'coverage',
      what: expect.stringMatching(
        /^the threads were followed as far as k\.ptx:\d+: other arrivals may complete this barrier$/,
      ),
    });
  });

  it('says that it is the launch which is not followed', () => {
    const { expectations } = checked({ barrier: 'mov.u32 %r2, %warpid;' });
    const what = expect.stringMatching(
      /^the threads were followed as far as the launch at line 3 of the test: %warpid/,
    );
    expect(expectations[0]?.undecided).toEqual({ kind: 'coverage', what });
  });

  it('proves nothing for all by some of them', () => {
    const spin = 'L: ld.relaxed.gpu.global.u32 %r4, [%rd1]; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;';
    const asked = { barrier: spin, clauses: 'require (out[0] == 64)', states: true };
    const { expectations, conditions, states } = checked(asked);
    expect(states?.list).toEqual([]);
    expect(states?.incomplete).toBeDefined();
    expect(expectations.map(({ outcome }) => outcome)).not.toContain('met');
    expect(conditions.map(({ expectation }) => expectation)).not.toContain('met');
  });

  it('is read in its time, also where threads take something and give it back again and again', () => {
    const body =
      'W: atom.add.u32 %r2, [%rd1], 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra X; atom.add.u32 %r3, [%rd1], -1; bra W; ' +
      'X: atom.add.u32 %r3, [%rd1], -1;';
    const text = 'PTX k\n{ .global .u32 x[4] = 0; }\nlaunch K "k.ptx" (x) @ grid 2, block 1\nexpect no-race\n';
    const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: body.replaceAll('; ', ';\n') }) } };
    let asked = 0;
    // Each look at the clock takes a millisecond.
    const limits = { timeout: 500, clock: () => asked++ };
    expect(loadTests({ path: 'k.litmus', text, modules }, limits, 'answers').value).toHaveLength(1);
    expect(asked).toBeLessThan(2000);
  });

  it.each(['answers', 'threads', 'all threads'] as const)(
    'is read in its time for %s, however long its loops',
    (wants) => {
      const body =
        'ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.ne.u32 %p1, %r2, 7; @%p1 bra X; mov.u32 %r3, 0; ' +
        'L: ld.global.u32 %r4, [%rd1]; add.u32 %r3, %r3, -4; setp.ne.u32 %p2, %r3, 0; @%p2 bra L; ' +
        'X: atom.add.u32 %r3, [%rd1], 1;';
      const text = 'PTX k\n{ .global .u32 x[4] = 0; }\nlaunch K "k.ptx" (x) @ grid 2, block 1\nexpect no-race\n';
      const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: body.replaceAll('; ', ';\n') }) } };
      let asked = 0;
      const limits = { timeout: 500, clock: () => asked++ };
      const [program] = loadTests({ path: 'k.litmus', text, modules }, limits, wants).value ?? [];
      expect(asked).toBeLessThan(2000);
      const { expectations } = checkTest(solver, program as Program, builtInModel('ptx-9.4'), {
        ...limits,
        follow: false,
      });
      expect(expectations.map(({ outcome }) => outcome)).toEqual(['undecided']);
    },
  );
});
