import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from '../order/generated-launches.js';

/** What one thread of each CTA does, or some of them: `%r7` has the number of the CTA. */
const LEADING: readonly string[] = [
  'st.shared.u32 [s+240], %r7;',
  'st.global.u32 [%rd1+800], 1;',
  'ld.global.u32 %r8, [%rd1+800]; st.global.u32 [%rd1+804], %r8;',
  'atom.relaxed.gpu.global.add.u32 %r8, [%rd1+808], 1; st.shared.u32 [s+244], %r8;',
  'st.release.gpu.global.u32 [%rd1+812], 1;',
  'WAIT: ld.acquire.gpu.global.u32 %r8, [%rd1+812]; setp.eq.u32 %p5, %r8, 0; @%p5 bra WAIT;',
  'fence.sc.gpu;',
  'ld.shared.u32 %r8, [s+4]; st.global.u32 [%rd1+816], %r8;',
  'st.shared.u32 [s+8], 7;',
  'ld.global.u32 %r8, [%rd3+4]; st.global.u32 [%rd1+820], %r8;',
  'atom.acquire.gpu.global.exch.b32 %r8, [%rd1+824], 1; st.global.u32 [%rd1+828], %r8;',
];

/** What all threads of a CTA do, or all but some: `%rd2` is its own word, `%rd3` the first of its CTA. */
const COMMON: readonly string[] = [
  'st.shared.u32 [%r2], %r1;',
  'st.global.u32 [%rd2], %r1;',
  'ld.shared.u32 %r9, [s+240]; st.global.u32 [%rd2+256], %r9;',
  'ld.shared.u32 %r9, [%r2]; st.global.u32 [%rd2+256], %r9;',
  'xor.b32 %r5, %r2, 4; ld.shared.u32 %r9, [%r5]; st.global.u32 [%rd2+256], %r9;',
  'ld.global.u32 %r9, [%rd4]; st.global.u32 [%rd2+256], %r9;',
  'ld.global.u32 %r9, [%rd1+800];',
  'and.b32 %r5, %r1, 1; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd1, %rd6; ld.global.u32 %r9, [%rd6+800];',
  'and.b32 %r5, %r1, 1; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r4; ld.shared.u32 %r9, [%r5+240];',
  'ld.relaxed.gpu.global.u32 %r9, [%rd1+812]; fence.acq_rel.gpu;',
  'fence.sc.gpu;',
  'fence.proxy.async;',
  'red.relaxed.gpu.global.add.u32 [%rd2+512], 1;',
  'ld.global.u32 %r9, [%rd2+4]; st.global.u32 [%rd2+256], %r9;',
  'st.global.u32 [%rd1+832], 3;',
  'ld.shared.u32 %r9, [s+240]; setp.eq.u32 %p6, %r9, 0; @%p6 bar.sync 0;',
  'ld.shared.u32 %r9, [s+244]; setp.eq.u32 %p6, %r9, 0; @%p6 st.global.u32 [%rd2+256], 5;',
];

interface Plan {
  readonly ctas: number;
  readonly block: number;
  readonly asked: readonly number[];
  readonly steps: (
    | { kind: 'lead'; who: 'first' | 'first of the first' | 'second'; text: string }
    | { kind: 'all' | 'behind the first two' | 'before the last'; text: string }
    | { kind: 'barrier' | 'barrier of the last' | 'leave' }
  )[];
}

/** Launches whose threads are alike but for some that lead, and for what each of them has of its own. */
export const symmetricLaunches = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('symmetric', seed, { planOf, spoil, textOf, moduleOf });

function planOf(random: Random): Plan {
  const steps: Plan['steps'] = [];
  for (let left = 2 + random.below(3); left > 0; left--) {
    const kind = random.below(5);
    if (kind < 2)
      steps.push({
        kind: 'lead',
        who: random.pick(['first', 'first', 'first of the first', 'second'] as const),
        text: random.pick(LEADING),
      });
    else
      steps.push({
        kind: random.pick(['all', 'all', 'all', 'behind the first two', 'before the last'] as const),
        text: random.pick(COMMON),
      });
    if (random.chance(60)) steps.push({ kind: 'barrier' });
  }
  const asked = [200, 201, 203, 204, 205, 207, random.below(8), 64 + random.below(8)];
  return { ctas: 1 + random.below(2), block: 3 + random.below(3), asked: asked.filter(() => random.chance(50)), steps };
}

function spoil({ steps }: Plan, random: Random): void {
  const at = random.below(steps.length);
  if (random.chance(50)) steps.splice(at, 1);
  else steps.splice(at, 0, { kind: random.pick(['barrier', 'barrier', 'barrier of the last', 'leave'] as const) });
}

const textOf = (name: string, { ctas, block, asked }: Plan): string =>
  `PTX ${name}\n{ .global .align 16 .u32 x[256] = 0; }\n` +
  `launch K "k.ptx" (x) @ grid ${ctas}, block ${block}, gpu 0\n` +
  `expect no-race\nlocations [${[208, ...asked].map((one) => `x[${one}];`).join(' ')}]\n`;

function moduleOf({ block, steps }: Plan): string {
  const body = steps.map((step, i) => {
    const out = `OUT${i}`;
    const within = (guard: string, text: string): string =>
      `${guard}; @%p1 bra ${out};\n  ${text.replaceAll('WAIT', `WAIT${i}`)}\n${out}:`;
    switch (step.kind) {
      case 'barrier':
        return 'bar.sync 0;';
      case 'barrier of the last':
        return `setp.eq.u32 %p1, %r1, ${block - 1}; @%p1 bar.sync 0;`;
      case 'leave':
        return `setp.eq.u32 %p1, %r1, ${block - 1}; @%p1 exit;`;
      case 'all':
        return step.text;
      case 'behind the first two':
        return within('setp.lt.u32 %p1, %r1, 2', step.text);
      case 'before the last':
        return within(`setp.eq.u32 %p1, %r1, ${block - 1}`, step.text);
      case 'lead': {
        const who = step.who === 'second' ? '%r1, 1' : step.who === 'first' ? '%r1, 0' : '%r6, 0';
        return within(`setp.ne.u32 %p1, ${who}`, step.text);
      }
    }
  });
  return kernelModule({
    declared: '.shared .align 16 .u32 s[64];',
    body: `mov.u32 %r4, s; mad.lo.u32 %r2, %r1, 4, %r4; mov.u32 %r7, %ctaid.x; mad.lo.u32 %r6, %r7, ${block}, %r1;
  mul.wide.u32 %rd2, %r6, 4; add.s64 %rd2, %rd1, %rd2;
  mul.lo.u32 %r10, %r7, ${4 * block}; cvt.u64.u32 %rd5, %r10; add.s64 %rd3, %rd1, %rd5;
  mov.u32 %r11, %nctaid.x; add.u32 %r12, %r7, 1; rem.u32 %r12, %r12, %r11; mad.lo.u32 %r12, %r12, ${block}, %r1;
  mul.wide.u32 %rd4, %r12, 4; add.s64 %rd4, %rd1, %rd4;
${body.map((line) => `  ${line}`).join('\n')}`,
  });
}
