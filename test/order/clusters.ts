import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

type Scope = 'cta' | 'cluster' | 'gpu';

/** What a thread does, in order. The mbarriers `f` and `e` are those of its own CTA, or those of the other one. */
type Step =
  | { readonly kind: 'arrive'; readonly at: 'f' | 'e'; readonly isOwn: boolean; readonly how: string; scope: Scope }
  | { readonly kind: 'wait'; readonly at: 'f' | 'e'; readonly parity: number; readonly how: string; scope: Scope }
  | { readonly kind: 'fence'; scope: Scope }
  | { readonly kind: 'store' | 'load' | 'copy' | 'multicast'; readonly isOwn: boolean; readonly number: number }
  | { readonly kind: 'expect' | 'proxy-fence' | 'together' };

interface Plan {
  /** By rank: of the two threads of a cluster, each in a CTA. */
  readonly threads: readonly [Step[], Step[]];
}

/** Two CTAs of a cluster that hand words to each other, most of them with one or two mistakes. */
export const clusters = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('cluster', seed, { planOf, spoil, textOf, moduleOf });

function planOf(random: Random): Plan {
  const rounds = 1 + random.below(2);
  const payload = random.pick(['store', 'copy', 'multicast', 'load'] as const);
  const isCopy = payload === 'copy' || payload === 'multicast';
  const [first, second]: [Step[], Step[]] = [[], []];
  const wide = (): Scope => random.pick(['cluster', 'cluster', 'gpu']);
  const arrive = (steps: Step[], at: 'f' | 'e'): void => {
    const isFenced = random.below(3) === 0;
    if (isFenced) steps.push({ kind: 'fence', scope: wide() });
    const how = isFenced ? random.pick(['relaxed', 'release'] as const) : 'release';
    steps.push({ kind: 'arrive', at, isOwn: false, how, scope: isFenced ? 'cluster' : wide() });
  };
  const wait = (steps: Step[], at: 'f' | 'e', parity: number): void => {
    const isFenced = random.below(3) === 0;
    steps.push({ kind: 'wait', at, parity, how: isFenced ? 'relaxed' : 'acquire', scope: wide() });
    if (isFenced) steps.push({ kind: 'fence', scope: wide() });
  };
  for (let round = 0; round < rounds; round++) {
    if (round > 0) wait(first, 'e', (round - 1) % 2);
    if (round > 0 && isCopy) first.push({ kind: 'proxy-fence' });
    if (payload === 'multicast') first.push({ kind: 'expect' });
    if (payload !== 'load') first.push({ kind: payload, isOwn: false, number: round });
    else first.push({ kind: 'store', isOwn: true, number: round });
    if (!isCopy) arrive(first, 'f');
    if (isCopy) second.push({ kind: 'expect' });
    wait(second, 'f', round % 2);
    second.push({ kind: 'load', isOwn: payload !== 'load', number: round });
    if (payload === 'multicast') {
      wait(first, 'f', round % 2);
      first.push({ kind: 'load', isOwn: true, number: round });
    }
    arrive(second, 'e');
  }
  for (const steps of [first, second]) steps.push({ kind: 'together' });
  return { threads: [first, second] };
}

/** Puts a mistake into a plan: something is left out, comes too early, or does not reach far enough. */
function spoil({ threads }: Plan, random: Random): void {
  const steps = random.pick(threads);
  const at = random.below(steps.length);
  const step = steps[at];
  if (step === undefined) return;
  switch (random.below(4)) {
    case 0:
      steps.splice(at, 1);
      return;
    case 1:
      if (at > 0) steps.splice(at - 1, 2, step, ...steps.slice(at - 1, at));
      return;
    case 2:
      if ('scope' in step) step.scope = 'cta';
      return;
    default:
      if (step.kind === 'arrive' || step.kind === 'wait') steps[at] = { ...step, how: 'relaxed' };
  }
}

const WORDS = ['x[0]', 'x[1]', 'x[2]', 'x[3]', 'x[4]', 'x[5]', 'x[6]', 'x[7]'];

const textOf = (name: string): string =>
  `PTX ${name}\n{ .global .align 16 .u32 x[16] = {0, 0, 0, 0, 0, 0, 0, 0, 4, 5, 6, 7, 8, 9, 10, 11}; }\n` +
  `launch K "k.ptx" (x) @ grid 2, block 1, cluster 2\nlocations [${WORDS.map((one) => `${one};`).join(' ')}]\n`;

const moduleOf = ({ threads: [first, second] }: Plan): string =>
  kernelModule({
    declared: '.shared .align 16 .u32 s[4]; .shared .align 8 .b64 f; .shared .align 8 .b64 e; .reg .b16 %rs<2>;',
    body:
      'mov.u32 %r8, %cluster_ctarank; xor.b32 %r9, %r8, 1; mov.u32 %r2, s; mov.u32 %r3, f; mov.u32 %r4, e; ' +
      'mapa.shared::cluster.u32 %r10, %r2, %r9; mapa.shared::cluster.u32 %r11, %r3, %r9; ' +
      'mapa.shared::cluster.u32 %r12, %r4, %r9; mov.u16 %rs1, 3; st.shared.u32 [s], 50; ' +
      'mbarrier.init.shared::cta.b64 [f], 1; mbarrier.init.shared::cta.b64 [e], 1; fence.proxy.async; ' +
      `${TOGETHER} setp.ne.u32 %p1, %r8, 0; @%p1 bra SECOND;\n` +
      `${first.map((one, i) => written(one, `A${i}`, 0)).join('\n')} ret;\n` +
      `SECOND:\n${second.map((one, i) => written(one, `B${i}`, 16)).join('\n')}`,
  });

const TOGETHER = 'barrier.cluster.arrive; barrier.cluster.wait;';

function written(step: Step, label: string, out: number): string {
  switch (step.kind) {
    case 'arrive': {
      const place = step.isOwn ? { f: '%r3', e: '%r4' }[step.at] : { f: '%r11', e: '%r12' }[step.at];
      const scope = step.scope === 'gpu' ? 'cluster' : step.scope;
      return `mbarrier.arrive.${step.how}.${scope}.shared::cluster.b64 _, [${place}];`;
    }
    case 'wait': {
      const scope = step.scope === 'gpu' ? 'cluster' : step.scope;
      const wait = `mbarrier.try_wait.parity.${step.how}.${scope}.shared::cta.b64 %p2, [${step.at}], ${step.parity};`;
      return `${label}: ${wait} @!%p2 bra ${label};`;
    }
    case 'fence':
      return `fence.acq_rel.${step.scope};`;
    case 'store':
      return `st.shared::cluster.u32 [${step.isOwn ? '%r2' : '%r10'}], ${60 + step.number};`;
    case 'load':
      return (
        `ld.shared::cluster.u32 %r5, [${step.isOwn ? '%r2' : '%r10'}]; ` +
        `st.global.u32 [%rd1 + ${out + 4 * step.number}], %r5;`
      );
    case 'copy':
      return (
        'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ' +
        `[%r10], [%rd1 + ${32 + 16 * step.number}], 16, [%r11];`
      );
    case 'multicast':
      return (
        'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster ' +
        `[s], [%rd1 + ${32 + 16 * step.number}], 16, [f], %rs1;`
      );
    case 'expect':
      return 'mbarrier.arrive.expect_tx.shared::cta.b64 _, [f], 16;';
    case 'proxy-fence':
      return 'fence.proxy.async;';
    case 'together':
      return TOGETHER;
  }
}
