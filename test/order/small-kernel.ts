import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import type { WholeRun } from '../../src/order/whole-run.js';
import { kernelModule } from '../kernel-module.js';

/** A small kernel that is followed: what it does is said by its name. */
export interface SmallKernel {
  readonly name: string;
  readonly place: string;
  readonly body: string;
  /** Of several launches of it: what stands behind the first. */
  readonly more?: string;
  readonly target?: string;
  /** What is declared in place of `x`. */
  readonly memory?: string;
  /** What is in memory at the end is not asked: of what locks protect that takes other runs. */
  readonly isEndAsked?: false;
}

export const OWN = 'mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r1;';
export const neighbor = (mask: number): string =>
  `xor.b32 %r4, %r1, ${mask}; mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6;`;

/** The test that launches a kernel, with its module: `x` has 256 words, and the first 160 are mostly observed. */
export function kernelTest({ place, body, more, target, memory, isEndAsked }: SmallKernel): {
  readonly text: string;
  readonly modules: Readonly<Record<string, { readonly path: string; readonly text: string }>>;
} {
  const listed = Array.from({ length: 160 }, (_, i) => `x[${i}];`).join(' ');
  const second = more === undefined ? '' : `launch M "k.ptx" (x) @ ${place}${more}\n`;
  const text =
    `PTX k\n{ ${memory ?? '.global .align 16 .u32 x[256] = 0;'} }\nlaunch K "k.ptx" (x) @ ${place}\n${second}` +
    `expect no-race\n${isEndAsked === false ? '' : `locations [${listed}]\n`}`;
  return { text, modules: { 'k.ptx': { path: 'k.ptx', text: moduleOf(body, target) } } };
}

/** What one run of all threads of a kernel says. */
export function runOf(kernel: SmallKernel): WholeRun {
  const { text, modules } = kernelTest(kernel);
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
  const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
  if (run === undefined) throw new Error(`${kernel.name} cannot be read`);
  return run;
}

const moduleOf = (body: string, target = 'sm_90'): string =>
  kernelModule({
    target,
    declared: '.shared .align 16 .u32 s[256];',
    body: `mov.u32 %r2, s; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; setp.ne.u32 %p2, %r1, 999;\n${body}`,
  });
