import { describe, expect, it } from 'vitest';
import { type CheckOptions, checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { ExpectationResult } from '../../src/check/result.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

/** Waits until a word is no longer 0, or has come to a number. */
const waitFor = (label: string, address: string, until = '0', which = 'eq'): string =>
  `${label}: ld.acquire.gpu.global.u32 %r8, [${address}]; setp.${which}.u32 %p4, %r8, ${until}; @%p4 bra ${label};`;

/** In thread 0 of each CTA; the others go to the barrier. */
const byOne = (body: string): string =>
  `mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra Z; ${body} Z: bar.sync 0;`;

const COUNT = 'red.release.gpu.global.add.u32 [%rd1], 1;';
const KERNELS = {
  'a grid barrier': (ctas: number) => byOne(`${COUNT} ${waitFor('W', '%rd1', String(ctas), 'ne')}`),
  'a look-back by the number of the CTA': () =>
    byOne(
      'mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; setp.eq.u32 %p2, %r2, 0; @%p2 bra F; ' +
        `${waitFor('W', '%rd4+-4')} F: st.release.gpu.global.u32 [%rd4], 1;`,
    ),
  'a look-ahead': (ctas: number) =>
    byOne(
      `mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; setp.eq.u32 %p2, %r2, ${ctas - 1}; @%p2 bra F; ` +
        `${waitFor('W', '%rd4+4')} F: st.release.gpu.global.u32 [%rd4], 1;`,
    ),
  'a look-back by ticket': () =>
    `atom.relaxed.gpu.global.add.u32 %r2, [%rd1+32], 1; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; ` +
    `setp.eq.u32 %p2, %r2, 0; @%p2 bra F; ${waitFor('W', '%rd4+-4')} F: st.release.gpu.global.u32 [%rd4], 1;`,
  'what waits for nobody': () => byOne('st.global.u32 [%rd2], 1;').replace('[%rd2]', '[%rd1]'),
} as const;
type Kernel = keyof typeof KERNELS;

interface Asked {
  readonly block?: number;
  readonly place?: string;
  readonly promise?: string;
  readonly options?: CheckOptions;
}

/** What is said of deadlocks of a launch of so many CTAs, of 64 threads if nothing else is said. */
function deadlockOf(kernel: Kernel, ctas: number, given: Asked = {}): ExpectationResult {
  const { block = 64, place = '', promise, options = {} } = given;
  const declared = promise === undefined ? '' : ` forward-progress ${promise};`;
  const text =
    `PTX progress\n{ .global .u32 x[16] = 0;${declared} }\n` +
    `launch K "k.ptx" (x) @ grid ${ctas}, block ${block}, gpu 0${place} { }\nexpect no-deadlock\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: KERNELS[kernel](ctas) }) } };
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
  if (program === undefined) throw new Error(text);
  const [result] = checkTest(solver, program, builtInModel('ptx-9.4'), options).expectations;
  if (result === undefined) throw new Error('nothing is asked');
  return result;
}

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
  });

  it('needs no condition in a cooperative grid, or within a cluster', () => {
    for (const place of [', cooperative', ', cluster 4'])
      expect(deadlockOf('a grid barrier', 4, { place }), place).toMatchObject({ outcome: 'met' });
    expect(deadlockOf('a grid barrier', 4, { place: ', cooperative' }).provided).toBeUndefined();
    expect(deadlockOf('a grid barrier', 4, { place: ', cluster 4' }).provided).toBeUndefined();
    expect(deadlockOf('a grid barrier', 4, { place: ', cluster 2' }).provided).toContain('all 4 CTAs');
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
    expect(answer(', after A')).toMatchObject({ outcome: 'met' });
    expect(answer(', after A')?.provided).toBeUndefined();
  });

  const BY_ORDER: readonly (readonly [Kernel, string, 'met' | 'undecided', string?])[] = [
    ['a look-back by the number of the CTA', 'hsa', 'met'],
    ['a look-back by the number of the CTA', 'hsa-obe', 'met'],
    ['a look-back by the number of the CTA', 'lobe', 'met'],
    ['a look-back by the number of the CTA', 'obe', 'undecided'],
    ['a look-back by the number of the CTA', 'cuda', 'undecided'],
    ['a look-ahead', 'hsa', 'undecided'],
    ['a look-ahead', 'lobe', 'undecided'],
    ['a grid barrier', 'hsa-obe', 'undecided'],
    ['a grid barrier', 'cuda', 'undecided'],
    ['a grid barrier', 'cuda', 'met', ', cooperative'],
    ['a grid barrier', 'obe', 'undecided', ', cooperative'],
    ['what waits for nobody', 'obe', 'met'],
    ['what waits for nobody', 'hsa', 'met'],
    ['what waits for nobody', 'unfair', 'undecided'],
    ['what waits for nobody', 'gpu=obe,cta=obe', 'undecided'],
  ];
  for (const [kernel, promise, outcome, place = ''] of BY_ORDER)
    it(`with ${kernel}${place} is ${outcome} under ${promise}, by whom its CTAs wait for`, () => {
      const found = deadlockOf(kernel, 4, { promise, place });
      expect(found.outcome).toBe(outcome);
      expect(found.provided).toBeUndefined();
    });
});
