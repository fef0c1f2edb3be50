import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

type Step =
  | { readonly kind: 'store' | 'load'; readonly whose: 'own' | 'other'; readonly value: number }
  | { readonly kind: 'fence'; readonly how: string; readonly by: 'all' | 'first' }
  | { readonly kind: 'arrive'; readonly order: '' | '.release' | '.relaxed' }
  | { readonly kind: 'wait'; readonly order: '' | '.acquire' };

interface Plan {
  readonly block: number;
  readonly steps: Step[];
}

/** Launches of a cluster of two CTAs whose threads meet at its barrier, some of them relaxed, with fences beside. */
export const clusterBarriers = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('cluster-barriers', seed, { planOf, spoil, textOf, moduleOf });

const FENCES = [
  'acq_rel.cluster',
  'release.cluster',
  'sc.gpu',
  'acq_rel.cta',
  'acquire.cluster',
  'acq_rel.gpu',
] as const;
const fenceOf = (random: Random): Step => ({
  ...{ kind: 'fence', how: random.pick(FENCES) },
  by: random.chance(85) ? 'all' : 'first',
});
const actOf = (random: Random): Step => ({
  kind: random.pick(['store', 'load', 'load'] as const),
  whose: random.pick(['own', 'other'] as const),
  value: 1 + random.below(5),
});

/** A barrier, with a fence before it mostly where it is relaxed. */
function meeting(random: Random): Step[] {
  const order = random.pick(['', '.relaxed', '.relaxed', '.release'] as const);
  const isFenced = order === '.relaxed' ? random.chance(80) : random.chance(10);
  return [
    ...(isFenced ? [fenceOf(random)] : []),
    ...(random.chance(10) ? [actOf(random)] : []),
    { kind: 'arrive', order },
    ...(random.chance(15) ? [fenceOf(random)] : []),
    { kind: 'wait', order: random.pick(['', '.acquire'] as const) },
  ];
}

function planOf(random: Random): Plan {
  const steps: Step[] = random.chance(70)
    ? [
        { kind: 'arrive', order: '' },
        { kind: 'wait', order: '' },
      ]
    : [];
  for (let left = 1 + random.below(3); left > 0; left--) steps.push(actOf(random), ...meeting(random));
  if (random.chance(70)) steps.push(actOf(random), { kind: 'arrive', order: '' }, { kind: 'wait', order: '' });
  return { block: 1 + random.below(2), steps };
}

/** Puts a mistake into a plan: a fence or an access more, or one step less. */
function spoil({ steps }: Plan, random: Random): void {
  const at = random.below(steps.length);
  const isOfBarrier = ['arrive', 'wait'].includes(steps[at]?.kind ?? '');
  if (random.chance(40) && !isOfBarrier) steps.splice(at, 1);
  else steps.splice(at, 0, random.chance(50) ? fenceOf(random) : actOf(random));
}

const textOf = (name: string, { block }: Plan): string =>
  `PTX ${name}\n{ .global .u32 x[8] = 0; }\nlaunch K "k.ptx" (x) @ grid 2, block ${block}, cluster 2, gpu 0\n` +
  `locations [${Array.from({ length: 4 }, (_, i) => `x[${i}];`).join(' ')}]\n`;

function moduleOf({ steps }: Plan): string {
  const codeOf = (step: Step): string => {
    switch (step.kind) {
      case 'store':
        return `st.shared::cluster.u32 [${step.whose === 'own' ? '%r3' : '%r4'}], ${step.value};`;
      case 'load':
        return `ld.shared::cluster.u32 %r6, [${step.whose === 'own' ? '%r3' : '%r4'}]; st.global.u32 [%rd2], %r6;`;
      case 'fence':
        return `${step.by === 'first' ? '@%p1 ' : ''}fence.${step.how};`;
      case 'arrive':
        return `barrier.cluster.arrive${step.order}.aligned;`;
      case 'wait':
        return `barrier.cluster.wait${step.order}.aligned;`;
    }
  };
  return kernelModule({
    declared: '.shared .align 4 .u32 s[2];',
    body:
      'mov.u32 %r2, s; mov.u32 %r7, %ntid.x; mov.u32 %r8, %cluster_ctarank; xor.b32 %r9, %r8, 1; ' +
      'setp.eq.u32 %p1, %r1, 0; ' +
      'sub.u32 %r5, %r7, 1; sub.u32 %r5, %r5, %r1; mad.lo.u32 %r3, %r1, 4, %r2; mad.lo.u32 %r4, %r5, 4, %r2; ' +
      'mapa.shared::cluster.u32 %r4, %r4, %r9; mapa.shared::cluster.u32 %r3, %r3, %r8; ' +
      'mad.lo.u32 %r10, %r8, %r7, %r1; ' +
      'mul.wide.u32 %rd2, %r10, 4; add.s64 %rd2, %rd1, %rd2; st.shared.u32 [%r3], 0;\n' +
      steps.map(codeOf).join('\n'),
  });
}
