import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { ExpectationResult } from '../../src/check/result.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';
import { BY_ORDER, byOne, deadlockOf, waitFor } from './launch-kernels.js';

describe('a launch of all its threads', () => {
  it('is met under the condition that its CTAs are resident together, where they wait for each other', () => {
    const barrier = deadlockOf('a grid barrier', 4);
    expect(barrier.outcome).toBe('met');
    expect(barrier.provided).toMatch(
      /^if all 4 CTAs are resident together: CTA \d waits for CTA \d, and nothing promises that it has started; launch/,
    );
    expect(deadlockOf('a look-back by the number of the CTA', 4).provided).toContain('CTA 1 waits for CTA 0');
    expect(deadlockOf('what waits for nobody', 4)).toMatchObject({ outcome: 'met' });
    expect(deadlockOf('what waits for nobody', 4).provided).toBeUndefined();
    // To be the last by what an atomic finds is no wait, though a run is followed in which others come first.
    const last = deadlockOf('what the last one to count does, and sets back', 4);
    expect(last.outcome).toBe('met');
    expect(last.provided).toBeUndefined();
  });

  it('needs no condition in a cooperative grid, or within a cluster', () => {
    for (const place of [', cooperative', ', cluster 4'])
      expect(deadlockOf('a grid barrier', 4, { place }), place).toMatchObject({ outcome: 'met' });
    expect(deadlockOf('a grid barrier', 4, { place: ', cooperative' }).provided).toBeUndefined();
    expect(deadlockOf('a grid barrier', 4, { place: ', cluster 4' }).provided).toBeUndefined();
    expect(deadlockOf('a grid barrier', 4, { place: ', cluster 2' }).provided).toContain('all 4 CTAs');
    // Whoever comes last of the CTAs of a cluster is of it.
    const last = 'what the last one to count lets the others do';
    expect(deadlockOf(last, 4, { place: ', cluster 4' })).toMatchObject({ outcome: 'met' });
    expect(deadlockOf(last, 4, { place: ', cluster 4' }).provided).toBeUndefined();
    expect(deadlockOf(last, 4, { place: ', cluster 2' }).provided).toContain('all 4 CTAs');
  });

  it('is decided by the engines where it is small, with who stops and who waits', () => {
    const one = { block: 1, promise: 'cuda' };
    const back = deadlockOf('a look-back by the number of the CTA', 3, one);
    expect(back).toMatchObject({ outcome: 'broken', reason: 'a thread may wait for ever' });
    expect(back.witness?.ends.map(({ kind }) => kind)).toContain('halted');
    expect(deadlockOf('a look-back by ticket', 2, one)).toMatchObject({ outcome: 'met' });
    expect(deadlockOf('a look-back by ticket', 2, { block: 1 }).provided).toBeUndefined();
    expect(deadlockOf('a look-back by the number of the CTA', 3, { block: 1 }).provided).toContain('all 3 CTAs');
    expect(deadlockOf('a grid barrier', 2, { ...one, place: ', cooperative' })).toMatchObject({ outcome: 'met' });
  });

  it('of two grids is met under the condition that both are resident, if nothing orders them', () => {
    const text = (order: string): string =>
      `PTX streams\n{ .global .u32 x[16] = 0; }\nlaunch A "a.ptx" (x) @ grid 1, block 32, gpu 0 { }\n` +
      `launch B "b.ptx" (x) @ grid 1, block 32, gpu 0${order} { }\nexpect no-deadlock\n`;
    const set = kernelModule({ body: byOne('st.release.gpu.global.u32 [%rd1], 1;') });
    const wait = kernelModule({ body: byOne(waitFor('W', '%rd1')) });
    const modules = { 'a.ptx': { path: 'a.ptx', text: set }, 'b.ptx': { path: 'b.ptx', text: wait } };
    const answer = (order: string): ExpectationResult | undefined => {
      const [program] = loadTests({ path: 'k.litmus', text: text(order), modules }, {}, 'answers').value ?? [];
      if (program === undefined) throw new Error(text(order));
      return checkTest(solver, program, builtInModel('ptx-9.4'), {}).expectations[0];
    };
    expect(answer('')?.provided).toBe(
      'if all 2 CTAs are resident together: CTA 0 of B waits for CTA 0 of A, and nothing promises that it has ' +
        'started; let the one that is waited for come first in one stream, or make one cooperative grid of both',
    );
    for (const order of [', after A', ', dependent on A']) {
      expect(answer(order), order).toMatchObject({ outcome: 'met' });
      expect(answer(order)?.provided, order).toBeUndefined();
    }
  });

  it('waits for a grid that stands behind it in the test, and that nothing orders', () => {
    const set = kernelModule({ body: byOne('st.release.gpu.global.u32 [%rd1], 1;') });
    const wait = kernelModule({ body: byOne(waitFor('W', '%rd1')) });
    const modules = { 'a.ptx': { path: 'a.ptx', text: wait }, 'b.ptx': { path: 'b.ptx', text: set } };
    const answer = (block: number, order: string): ExpectationResult | undefined => {
      const text =
        `PTX streams\n{ .global .u32 x[16] = 0; }\nlaunch A "a.ptx" (x) @ grid 1, block ${block}, gpu 0 { }\n` +
        `launch B "b.ptx" (x) @ grid 1, block ${block}, gpu 0${order} { }\nexpect no-deadlock\n`;
      const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
      return program && checkTest(solver, program, builtInModel('ptx-9.4'), {}).expectations[0];
    };
    for (const block of [1, 64]) {
      expect(answer(block, ''), String(block)).toMatchObject({ outcome: 'met' });
      expect(answer(block, '')?.provided, String(block)).toContain('CTA 0 of A waits for CTA 0 of B');
      expect(answer(block, ', after A')?.outcome, String(block)).toBe('broken');
    }
  });

  it('needs no condition where a thread waits only if it has found what another CTA did', () => {
    const one = 'atom.relaxed.gpu.global.or.b32 %r3, [%rd1+4], 1; st.release.gpu.global.u32 [%rd1], 1;';
    const other =
      'atom.relaxed.gpu.global.or.b32 %r3, [%rd1+4], 2; setp.eq.u32 %p2, %r3, 0; @%p2 bra E; ' +
      `${waitFor('W', '%rd1')} bra E;`;
    const body = `mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 1; @%p1 bra O; ${other} O: ${one} E:`;
    const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body }) } };
    const text =
      'PTX found\n{ .global .u32 x[16] = 0; }\nlaunch K "k.ptx" (x) @ grid 2, block 1, gpu 0 { }\nexpect no-deadlock\n';
    const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
    if (program === undefined) throw new Error(text);
    const [found] = checkTest(solver, program, builtInModel('ptx-9.4'), {}).expectations;
    expect(found).toMatchObject({ outcome: 'met' });
    expect(found?.provided).toBeUndefined();
  });

  for (const [kernel, promise, outcome, place = ''] of BY_ORDER)
    it(`with ${kernel}${place} is ${outcome} under ${promise}, by whom its CTAs wait for`, () => {
      const found = deadlockOf(kernel, 4, { promise, place });
      expect(found.outcome).toBe(outcome);
      expect(found.provided).toBeUndefined();
    });
});
