import { type CheckOptions, checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { ExpectationResult } from '../../src/check/result.js';
import { kernelModule } from '../kernel-module.js';
import { MODEL, solver } from './model.js';

/** Waits until a word is no longer 0, or has come to a number. */
export const waitFor = (label: string, address: string, until = '0', which = 'eq'): string =>
  `${label}: ld.acquire.gpu.global.u32 %r8, [${address}]; setp.${which}.u32 %p4, %r8, ${until}; @%p4 bra ${label};`;

/** In thread 0 of each CTA; the others go to the barrier. */
export const byOne = (body: string): string =>
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
  'what the last one to count does, and sets back': (ctas: number) =>
    byOne(
      'mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4+4], 1; ' +
        `atom.acq_rel.gpu.global.add.u32 %r8, [%rd1], 1; setp.ne.u32 %p4, %r8, ${ctas - 1}; @%p4 bra Z; ` +
        'ld.global.u32 %r9, [%rd1+4]; st.global.u32 [%rd1+32], %r9; st.global.u32 [%rd1], 0;',
    ),
  'what the last one to count lets the others do': (ctas: number) =>
    byOne(
      `atom.acq_rel.gpu.global.add.u32 %r8, [%rd1], 1; setp.ne.u32 %p4, %r8, ${ctas - 1}; @%p4 bra W; ` +
        `ld.global.u32 %r9, [%rd1+4]; st.release.gpu.global.u32 [%rd1+8], 1; ${waitFor('W', '%rd1+8')}`,
    ),
} as const;
type Kernel = keyof typeof KERNELS;

interface Asked {
  readonly block?: number;
  readonly place?: string;
  readonly promise?: string;
  readonly options?: CheckOptions;
}

/** What is said of deadlocks of a launch of so many CTAs, of 64 threads if nothing else is said. */
export function deadlockOf(kernel: Kernel, ctas: number, given: Asked = {}): ExpectationResult {
  const { block = 64, place = '', promise, options = {} } = given;
  const declared = promise === undefined ? '' : ` forward-progress ${promise};`;
  const text =
    `PTX progress\n{ .global .u32 x[16] = 0;${declared} }\n` +
    `launch K "k.ptx" (x) @ grid ${ctas}, block ${block}, gpu 0${place} { }\nexpect no-deadlock\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: KERNELS[kernel](ctas) }) } };
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
  if (program === undefined) throw new Error(text);
  const [result] = checkTest(solver, program, MODEL, options).expectations;
  if (result === undefined) throw new Error('nothing is asked');
  return result;
}

/** What is said of launches of four CTAs of 64 threads, by whom their CTAs wait for. */
export const BY_ORDER: readonly (readonly [Kernel, string, 'met' | 'undecided', string?])[] = [
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
  ['what the last one to count does, and sets back', 'obe', 'met'],
  ['what waits for nobody', 'hsa', 'met'],
  ['what waits for nobody', 'unfair', 'undecided'],
  ['what waits for nobody', 'gpu=obe,cta=obe', 'undecided'],
];
