import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { quoteOf } from '../../src/diagnostics/source.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

function checked(body: string, place = 'grid 1, block 64', clauses = 'expect no-race'): TestResult {
  const text = `PTX k\n{ .global .u32 x[256] = 0; }\nlaunch K "k.ptx" (x) @ ${place}\n${clauses}\n`;
  const shown = body.replaceAll('; ', ';\n');
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: shown }) } };
  const { value, diagnostics } = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers');
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkTest(solver, program, builtInModel('ptx-9.4'));
}

/** What is remarked, and the instructions there. */
const remarks = (result: TestResult): readonly (readonly string[])[] =>
  (result.remarks ?? []).map(({ kind, what, places }) => [kind, what.replace(/,.*|: .*/, ''), ...places.map(quoteOf)]);
const relaxed = (body: string, clauses?: string): readonly (readonly string[])[] =>
  remarks(checked(body, 'grid 2, block 32', clauses)).filter(([kind]) => kind === 'relaxed');

describe('what following leaves open', () => {
  it('is remarked where the engines do not come to an end', () => {
    // Which of both has the lock first is open, and a loop of an atomic that writes is bounded.
    const lock = 'L: atom.max.u32 %r2, [%rd1], 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L; membar.gl;';
    const body = `${lock} ld.global.u32 %r3, [%rd1+4]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1+4], %r3; membar.gl; `;
    const result = checked(`${body} atom.exch.b32 %r4, [%rd1], 0;`, 'grid 2, block 1');
    expect(result.expectations[0]?.undecided?.kind).toBe('bound');
    expect(remarks(result)).toContainEqual(['open', 'following all threads does not decide this test', '@%p1 bra L']);
    // Whatever is open, code without a trap comes to none.
    const trapIn = (of: string): string | undefined =>
      checked(`${of} atom.exch.b32 %r4, [%rd1], 0;`, 'grid 2, block 1', 'expect no-trap').expectations[0]?.outcome;
    expect([trapIn(body), trapIn(`${body} setp.eq.u32 %p1, %r3, 9; @%p1 trap;`)]).toEqual(['met', 'undecided']);
    const late = 'mov.u64 %rd4, %clock64; sub.s64 %rd4, %rd4, %rd3; setp.gt.s64 %p5, %rd4, 99; @%p5 trap;';
    const wait = `W: ${late} ld.acquire.gpu.global.u32 %r8, [%rd1+64]; setp.eq.u32 %p4, %r8, 0; @%p4 bra W;`;
    expect(trapIn(`mov.u64 %rd3, %clock64; ${wait}`)).toBe('undecided');
    // Where the run itself is the reason it is said once.
    const open =
      'ld.global.u32 %r2, [%rd1]; atom.add.u32 %r3, [%rd1], 1; and.b32 %r2, %r3, 1; setp.eq.u32 %p1, %r2, 0;';
    const many = checked(`${open} @%p1 bra E; bar.sync 0; E:`, 'grid 2, block 32', 'expect no-deadlock');
    expect(many.expectations[0]?.undecided?.kind).toBe('coverage');
    expect(remarks(many).filter(([kind]) => kind === 'open')).toEqual([]);
  });
});

/** CTA 0 does one thing, CTA 1 another; one thread of each. */
const pair = (a: string, b: string): string =>
  `mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; setp.ne.u32 %p2, %r2, 0; @%p2 bra B; ${a} bra.uni E; ` +
  `B: ${b} E:`;
const STORE = 'st.relaxed.gpu.global.u32 [%rd1], 7;';
const LOAD = 'ld.relaxed.gpu.global.u32 %r3, [%rd1];';
const KEPT = 'st.global.u32 [%rd1 + 8], %r3;';

const OWN = 'mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2 + 64], %r1;';

describe('what threads hand to each other by relaxed accesses', () => {
  it('is remarked', () => {
    expect(relaxed(pair(STORE, `${LOAD} ${KEPT}`))).toEqual([
      ['relaxed', 'handed on by relaxed accesses', STORE.slice(0, -1), LOAD.slice(0, -1)],
    ]);
    expect(relaxed(pair(STORE, `ld.volatile.global.u32 %r3, [%rd1]; ${KEPT}`))).toHaveLength(1);
  });

  it('is not where it releases and acquires, by itself or by fences', () => {
    const released = 'st.release.gpu.global.u32 [%rd1], 7;';
    const acquired = `ld.acquire.gpu.global.u32 %r3, [%rd1]; ${KEPT}`;
    expect(relaxed(pair(released, acquired))).toEqual([]);
    expect(relaxed(pair(`fence.acq_rel.gpu; ${STORE}`, `${LOAD} fence.acq_rel.gpu; ${KEPT}`))).toEqual([]);
    expect(relaxed(pair(`fence.acq_rel.gpu; ${STORE}`, `${LOAD} ${KEPT}`))).toHaveLength(1);
    expect(relaxed(pair(STORE, `${LOAD} fence.acq_rel.gpu; ${KEPT}`))).toHaveLength(1);
  });

  it('is not where it is waited for, where it is counted, or in order', () => {
    expect(relaxed(pair(STORE, `W: ${LOAD} setp.eq.u32 %p3, %r3, 0; @%p3 bra W;`))).toEqual([]);
    expect(relaxed('red.relaxed.gpu.global.add.u32 [%rd1], 1;')).toEqual([]);
    const behind = `setp.eq.u32 %p1, %r1, 0; @%p1 ${STORE} bar.sync 0; ${LOAD} ${OWN}`;
    expect(remarks(checked(behind))).toEqual([]);
  });

  it('is quiet where the test accepts it, and only there', () => {
    const body = pair(STORE, `${LOAD} ${KEPT}`);
    const lines = kernelModule({ body: body.replaceAll('; ', ';\n') }).split('\n');
    const [store, load] = [STORE, LOAD].map((one) => lines.findIndex((line) => line.includes(one)) + 1);
    const accepting = (line: number | undefined): TestResult =>
      checked(body, 'grid 2, block 32', `expect no-race\nallow relaxed at k.ptx:${store}, k.ptx:${line} "a hint"`);
    expect(remarks(accepting(load))).toEqual([]);
    expect(accepting(load).accepted?.map(({ outcome }) => outcome)).toEqual(['found']);
    expect(remarks(accepting(1))).toHaveLength(1);
    expect(accepting(1).accepted?.map(({ outcome }) => outcome)).toEqual(['nothing']);
  });
});

const NEXT =
  'bar.sync 0; xor.b32 %r2, %r1, 1; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd1, %rd3; ' +
  'ld.global.u32 %r4, [%rd3 + 64];';

describe('an asynchronous operation that reads shared memory', () => {
  const copied = (behind: string): readonly (readonly string[])[] =>
    remarks(
      checked(
        '.shared .align 16 .u32 s[64]; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r1; ' +
          'fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; ' +
          `cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256; cp.async.bulk.commit_group; ${behind} E:`,
      ),
    );

  it('may do so when its CTA has ended, where nobody waits for it', () => {
    const remark = ['in-flight', 'this may still read the shared memory of its CTA when that has ended'];
    expect(copied('')).toEqual([[...remark, 'cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256']]);
    expect(copied('cp.async.bulk.wait_group.read 0;')).toEqual([]);
    expect(copied('cp.async.bulk.wait_group 0;')).toEqual([]);
    expect(copied('cp.async.bulk.wait_group.read 1;')).toEqual(copied(''));
  });
});

describe('thin answers', () => {
  it('are of kernels whose threads share nothing', () => {
    const [[kind, what] = []] = remarks(checked(OWN));
    expect([kind, what]).toEqual(['thin', 'no byte that is written is accessed by two threads']);
    expect(remarks(checked(`${OWN} ${NEXT}`))).toEqual([]);
    expect(remarks(checked(OWN, 'grid 1, block 1'))).toEqual([]);
  });

  it('name the lines that no thread comes to', () => {
    const guarded = `${OWN} ${NEXT} setp.gt.u32 %p1, %r1, 99; @!%p1 bra E; bar.sync 0; st.global.u32 [%rd1 + 9], 1; E:`;
    expect(remarks(checked(guarded))).toEqual([
      ['thin', 'no thread of K comes to these lines', 'bar.sync 0', 'st.global.u32 [%rd1 + 9], 1'],
    ]);
  });

  it('say that one CTA is launched where the code asks which', () => {
    const asking = `mov.u32 %r5, %ctaid.x; mad.lo.u32 %r1, %r5, 64, %r1; ${OWN} ${NEXT}`;
    expect(remarks(checked(asking)).map(([, what]) => what)).toEqual(['K is one CTA']);
    expect(remarks(checked(asking, 'grid 2, block 64'))).toEqual([]);
  });

  it('are not spoken of where other executions may do more', () => {
    const open = pair(STORE, `${LOAD} setp.eq.u32 %p3, %r3, 0; @%p3 bra E; st.global.u32 [%rd1 + 8], 1;`);
    expect(remarks(checked(open, 'grid 2, block 64')).filter(([kind]) => kind === 'thin')).toEqual([]);
  });
});

describe('an allow line of a launch that is decided by following', () => {
  it('is listed with what it accepts, and warned of where that is nothing', () => {
    const body = OWN.replace('[%rd2 + 64]', '[%rd1]').replaceAll('; ', ';\n');
    const line =
      kernelModule({ body })
        .split('\n')
        .findIndex((one) => one.includes('st.global')) + 1;
    const accepted = (at: string): readonly (string | undefined)[] =>
      checked(
        OWN.replace('[%rd2 + 64]', '[%rd1]'),
        'grid 1, block 64',
        `expect no-race\nallow race at ${at} "same"`,
      ).accepted?.map(({ outcome }) => outcome) ?? [];
    expect(accepted(`k.ptx:${line}, k.ptx:${line}`)).toEqual(['found']);
    expect(accepted('k.ptx:1')).toEqual(['nothing']);
  });
});
