import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

/** Where a thread is: its CTA of the cluster, and its lane. */
type Place = readonly [cta: 0 | 1, lane: 0 | 1];
type Space = 'shared' | 'global';

/** What a thread does with the bytes of all, through the generic proxy or, by a bulk copy, the async one. */
type Touch = 'store' | 'load' | 'copy in' | 'copy out';

type Step =
  | { readonly kind: 'touch'; readonly of: Touch }
  | { readonly kind: 'proxy-fence'; readonly text: string }
  | { readonly kind: 'give' | 'take'; readonly by: 'mbarrier' | 'flag'; readonly number: number; how: string };

interface Actor {
  readonly place: Place;
  steps: Step[];
}

interface Plan {
  readonly space: Space;
  /** Whose shared memory it is. */
  readonly owner: 0 | 1;
  readonly actors: readonly Actor[];
}

/**
 * Threads of two CTAs of a cluster that hand some bytes on, one to the next, which the first and the last of them, or
 * more, access through the generic or the async proxy, with fences between the proxies here and there.
 */
export const proxies = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('proxies', seed, { planOf, spoil, textOf, moduleOf });

const FENCES = [
  ...['fence.proxy.async;', 'fence.proxy.async;', 'fence.proxy.async.shared::cta;', 'fence.proxy.async.global;'],
  'fence.proxy.async.shared::cluster;',
];
const PLACES: readonly Place[] = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
];
const THERE_AND_BACK: readonly Place[] = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
];

function planOf(random: Random): Plan {
  const space: Space = random.chance(65) ? 'shared' : 'global';
  const owner = random.pick([0, 0, 1] as const);
  const count = 2 + random.below(3);
  const left = [...PLACES];
  const drawn = Array.from({ length: count }, (): Place => left.splice(random.below(left.length), 1)[0] ?? [0, 0]);
  // What goes to the other CTA and comes back is what fences are known by least.
  const places = random.chance(50) ? drawn : [...THERE_AND_BACK.slice(0, count)];
  const isByFlags = random.chance(40);
  const actors = places.map((place, number): Actor => {
    const isEnd = number === 0 || number === count - 1;
    const steps: Step[] = [];
    const fence = (): void => {
      if (random.chance(35)) steps.push({ kind: 'proxy-fence', text: random.pick(FENCES) });
    };
    const by = (of: number): 'mbarrier' | 'flag' => (isByFlags && of % 2 === 1 ? 'flag' : 'mbarrier');
    if (number > 0) steps.push({ kind: 'take', by: by(number - 1), number: number - 1, how: 'acquire' });
    fence();
    if (isEnd || random.chance(25)) steps.push({ kind: 'touch', of: touchBy(place, { space, owner }, random) });
    fence();
    if (number < count - 1) steps.push({ kind: 'give', by: by(number), number, how: 'release' });
    return { place, steps };
  });
  return { space, owner, actors };
}

/** A copy reads the shared memory of its own CTA, and its thread waits for what it brings there. */
function touchBy([cta]: Place, { space, owner }: Pick<Plan, 'space' | 'owner'>, random: Random): Touch {
  const generic = ['store', 'load'] as const;
  if (space === 'shared' && cta !== owner) return random.pick(generic);
  return random.chance(30) ? random.pick(generic) : random.pick(['copy in', 'copy out']);
}

/** Something is left out, or synchronizes nothing. */
function spoil({ actors }: Plan, random: Random): void {
  const actor = random.pick(actors);
  const at = random.below(actor.steps.length);
  const step = actor.steps[at];
  if (step === undefined) return;
  if (step.kind === 'give' || step.kind === 'take') step.how = 'relaxed';
  else actor.steps.splice(at, 1);
}

const textOf = (name: string): string =>
  `PTX ${name}\n{ .global .align 16 .u32 x[24] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}; .global .u32 f[4]; }\n` +
  'launch K "k.ptx" (x, f) @ grid 2, block 2, cluster 2\nlocations [x[0];]\n';

function moduleOf(plan: Plan): string {
  const of = ([cta, lane]: Place): number => 8 * cta + lane;
  const sections = plan.actors.map(({ place, steps }, number) => {
    const lines = steps.map((step, i) => written(step, `L${of(place)}_${i}`, number, plan));
    return `A${of(place)}: ${lines.join('\n')}\nbra END;`;
  });
  const inits = [0, 1, 2, 9].map((n) => `mbarrier.init.shared::cta.b64 [m${n}], 1;`);
  const branches = plan.actors.map(({ place }) => `setp.eq.u32 %p1, %r8, ${of(place)}; @%p1 bra A${of(place)};`);
  return kernelModule({
    pointers: 2,
    declared: `.shared .align 16 .u32 s[4]; ${[0, 1, 2, 9].map((n) => `.shared .align 8 .b64 m${n};`).join(' ')}`,
    body:
      `mov.u32 %r9, %cluster_ctarank; mad.lo.u32 %r8, %r9, 8, %r1; mov.u32 %r2, s;\n` +
      `mapa.shared::cluster.u32 %r10, %r2, ${plan.owner}; setp.ne.u32 %p1, %r1, 0; @%p1 bra S;\n` +
      `${inits.join(' ')} fence.mbarrier_init.release.cluster;\n` +
      'st.shared.v4.u32 [s], {50, 51, 52, 53}; fence.proxy.async;\n' +
      `S: ${TOGETHER}\n${branches.join('\n')}\nbra END;\n${sections.join('\n')}\nEND: ${TOGETHER}`,
  });
}

const TOGETHER = 'barrier.cluster.arrive; barrier.cluster.wait;';
const COPY = 'cp.async.bulk.global.shared::cta.bulk_group';
const COPY_IN = 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes';
const DONE = 'cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;';

function written(step: Step, label: string, number: number, { space, actors }: Plan): string {
  switch (step.kind) {
    case 'touch':
      return TOUCHES[space][step.of](label, 16 + 16 * number);
    case 'proxy-fence':
      return step.text;
    case 'give': {
      const [cta = 0] = actors[step.number + 1]?.place ?? [];
      if (step.by === 'flag') return `st.${step.how}.cluster.global.u32 [%rd2 + ${4 * step.number}], 1;`;
      return (
        `mov.u32 %r11, m${step.number}; mapa.shared::cluster.u32 %r12, %r11, ${cta}; ` +
        `mbarrier.arrive.${step.how}.cluster.shared::cluster.b64 _, [%r12];`
      );
    }
    case 'take':
      if (step.by === 'flag')
        return (
          `${label}: ld.${step.how}.cluster.global.u32 %r6, [%rd2 + ${4 * step.number}]; ` +
          `setp.eq.u32 %p2, %r6, 0; @%p2 bra ${label};`
        );
      return (
        `${label}: mbarrier.try_wait.parity.${step.how}.cluster.shared::cta.b64 %p2, [m${step.number}], 0; ` +
        `@!%p2 bra ${label};`
      );
  }
}

/** By space: what a thread does, with places of its own for what it copies or finds. */
const TOUCHES: Readonly<Record<Space, Readonly<Record<Touch, (label: string, own: number) => string>>>> = {
  shared: {
    store: () => 'st.shared::cluster.u32 [%r10], 60;',
    load: (_, own) => `ld.shared::cluster.u32 %r5, [%r10]; st.global.u32 [%rd1 + ${own}], %r5;`,
    'copy in': (label) =>
      `mbarrier.arrive.expect_tx.shared::cta.b64 _, [m9], 16; ${COPY_IN} [s], [%rd1], 16, [m9];\n` +
      `${label}: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m9], 0; @!%p2 bra ${label};`,
    'copy out': (_, own) => `${COPY} [%rd1 + ${own}], [s], 16; ${DONE}`,
  },
  global: {
    store: () => 'st.global.u32 [%rd1], 60;',
    load: (_, own) => `ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd1 + ${own}], %r5;`,
    'copy in': () => `${COPY} [%rd1], [s], 16; ${DONE}`,
    'copy out': (label) =>
      `mbarrier.arrive.expect_tx.shared::cta.b64 _, [m9], 16; ${COPY_IN} [s], [%rd1], 16, [m9];\n` +
      `${label}: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m9], 0; @!%p2 bra ${label};`,
  },
};
