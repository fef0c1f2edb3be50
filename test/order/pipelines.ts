import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

/** What one thread does, in order; `w` is a statement that waits for a phase. */
type Step =
  | {
      readonly kind: 'wait' | 'try' | 'arrive' | 'expect' | 'expect-only';
      readonly barrier: string;
      readonly number: number;
      readonly isRelaxed?: boolean;
      /** It waits unless the last try has told of the phase. */
      readonly isTried?: boolean;
    }
  | { readonly kind: 'bulk' | 'async'; readonly stage: number; readonly tile: number; readonly barrier: string }
  | { readonly kind: 'arrive-async'; readonly barrier: string; readonly isCounted: boolean }
  | { readonly kind: 'read' | 'write'; readonly stage: number; readonly out: number }
  | { readonly kind: 'fence' | 'memory-fence' | 'release' | 'acquire' }
  | { readonly kind: 'store'; readonly stage: number; readonly isRead: boolean };

interface Plan {
  readonly counts: Record<string, number>;
  readonly isInitSeen: boolean;
  readonly threads: Step[][];
}

/** Pipelines of one producer and one or two consumers, lanes of one warp, most of them with one or two mistakes. */
export const pipelines = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('pipeline', seed, {
    planOf: (random) => {
      const plan = planOf(random);
      if (random.below(4) === 0) relax(plan, random);
      if (random.below(4) === 0) tryFirst(plan, random);
      if (random.below(4) === 0) part(plan);
      return plan;
    },
    ...{ spoil, textOf, moduleOf },
  });

function planOf(random: Random): Plan {
  const [stages, tiles, consumers] = [1 + random.below(2), 1 + random.below(3), 1 + random.below(2)];
  const isBulk = random.below(3) > 0;
  const isCounted = !isBulk && random.below(2) === 0;
  const counts: Record<string, number> = {};
  for (let stage = 0; stage < stages; stage++) {
    counts[`f${stage}`] = 1;
    counts[`e${stage}`] = consumers;
  }
  const producer: Step[] = [];
  for (let tile = 0; tile < tiles; tile++) {
    const [stage, round] = [tile % stages, Math.floor(tile / stages)];
    const [full, empty] = [`f${stage}`, `e${stage}`];
    if (round > 0 || random.below(2) === 0) producer.push({ kind: 'wait', barrier: empty, number: (round + 1) % 2 });
    if (isBulk) producer.push({ kind: 'expect', barrier: full, number: 16 });
    producer.push({ kind: isBulk ? 'bulk' : 'async', stage, tile, barrier: full });
    if (!isBulk) producer.push({ kind: 'arrive-async', barrier: full, isCounted });
    if (isCounted) producer.push({ kind: 'arrive', barrier: full, number: 1 });
  }
  const others = Array.from({ length: consumers }, (_, consumer): Step[] => {
    const steps: Step[] = [];
    for (let tile = 0; tile < tiles; tile++) {
      const [stage, round] = [tile % stages, Math.floor(tile / stages)];
      steps.push({ kind: 'wait', barrier: `f${stage}`, number: round % 2 });
      steps.push({ kind: 'read', stage, out: 4 * consumer + tile });
      if (isBulk) steps.push({ kind: 'fence' });
      steps.push({ kind: 'arrive', barrier: `e${stage}`, number: 1 });
    }
    return steps;
  });
  if (random.below(4) === 0) others[0]?.push({ kind: 'store', stage: 0, isRead: random.below(2) === 0 });
  return { counts, isInitSeen: random.below(8) > 0, threads: [producer, ...others] };
}

/** Has fences release and acquire in the place of arrivals and waits. */
function relax({ threads }: Plan, random: Random): void {
  for (const steps of threads)
    for (const [i, step] of [...steps.entries()].reverse()) {
      if ((step.kind !== 'arrive' && step.kind !== 'wait') || random.below(2) === 0) continue;
      steps[i] = { ...step, isRelaxed: true };
      steps.splice(step.kind === 'wait' ? i + 1 : i, 0, { kind: 'memory-fence' });
    }
}

/** Has consumers release to the async proxy what the producer acquires, in the place of fences of both. */
function part({ threads: [producer = [], ...others] }: Plan): void {
  for (const [i, { kind }] of [...producer.entries()].reverse())
    if (kind === 'bulk') producer.splice(i, 0, { kind: 'acquire' });
  for (const steps of others)
    for (const [i, { kind }] of steps.entries()) if (kind === 'fence') steps[i] = { kind: 'release' };
}

/** Has threads try before they wait, mostly at once. */
function tryFirst({ threads }: Plan, random: Random): void {
  for (const steps of threads)
    for (const [i, step] of [...steps.entries()].reverse()) {
      if (step.kind !== 'wait' || random.below(3) === 0) continue;
      steps[i] = { ...step, isTried: true };
      steps.splice(Math.max(0, random.below(3) === 0 ? i - 1 : i), 0, { ...step, kind: 'try' });
    }
}

/** Puts a mistake into a plan: something is left out, done twice, early, or to something else. */
function spoil({ threads, counts }: Plan, random: Random): void {
  const steps = threads[random.below(threads.length)] ?? [];
  const at = random.below(steps.length);
  const step = steps[at];
  if (step === undefined) return;
  switch (random.below(6)) {
    case 0:
      steps.splice(at, 1);
      return;
    case 1:
      steps.splice(at, 0, step);
      return;
    case 2:
      steps.splice(at, 1);
      steps.splice(random.below(steps.length + 1), 0, step);
      return;
    case 3: {
      const [barrier = 'f0'] = Object.keys(counts).slice(random.below(Object.keys(counts).length));
      counts[barrier] = 1 + random.below(3);
      return;
    }
    case 4:
      steps.splice(
        random.below(steps.length + 1),
        0,
        random.pick<Step>([
          { kind: 'fence' },
          { kind: 'memory-fence' },
          { kind: 'acquire' },
          { kind: 'release' },
          { kind: 'write', stage: 0, out: 1 },
        ]),
      );
      return;
    default:
      steps[at] = changed(step, counts, random);
  }
}

function changed(step: Step, counts: Plan['counts'], random: Random): Step {
  const barriers = Object.keys(counts);
  const barrier = barriers[random.below(barriers.length)] ?? 'f0';
  switch (step.kind) {
    case 'wait':
    case 'try':
      return random.pick([
        { ...step, barrier },
        { ...step, number: 1 - step.number },
        { ...step, isRelaxed: true },
      ]);
    case 'arrive':
      return random.pick([
        { ...step, barrier },
        { ...step, number: 2 },
        { ...step, isRelaxed: true },
      ]);
    case 'expect':
      return random.below(2) === 0 ? { ...step, number: 32 } : { ...step, kind: 'expect-only' };
    case 'bulk':
    case 'async':
      return random.below(2) === 0 ? { ...step, barrier } : { ...step, stage: 1 - step.stage };
    case 'arrive-async':
      return { ...step, isCounted: !step.isCounted };
    case 'read':
    case 'write':
      return { ...step, stage: 1 - step.stage };
    case 'store':
      return { ...step, isRead: !step.isRead };
    default:
      return step;
  }
}

const TILE = 16;

function textOf(name: string, { threads }: Plan): string {
  const listed = Array.from({ length: 12 }, (_, i) => `x[${i}];`).join(' ');
  return (
    `PTX ${name}\n{ .global .align 16 .u32 g[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; ` +
    `.global .align 16 .u32 x[12] = 0; }\n` +
    `launch K "k.ptx" (g, x) @ grid 1, block ${threads.length}\nlocations [${listed}]\n`
  );
}

function moduleOf({ counts, isInitSeen, threads }: Plan): string {
  const objects = Object.keys(counts);
  const inits = objects.map((one) => `mbarrier.init.shared::cta.b64 [${one}], ${counts[one]};`);
  const mask = 2 ** threads.length - 1;
  const bodies = threads.map(
    (steps, thread) => `T${thread}:\n${steps.map((one, i) => codeOf(one, `${thread}_${i}`)).join('\n')}\nret;`,
  );
  const ways = threads.map((_, thread) => `setp.eq.u32 %p1, %r1, ${thread}; @%p1 bra T${thread};`);
  return kernelModule({
    pointers: 2,
    declared: ['.shared .align 16 .u32 s[8];', ...objects.map((one) => `.shared .align 8 .b64 ${one};`)].join(' '),
    body: `setp.ne.u32 %p2, %r1, 0;
@%p2 bra I;
${inits.join('\n')}
I:
${isInitSeen ? `bar.warp.sync ${mask};` : ''}
${ways.join('\n')}
ret;
${bodies.join('\n')}`,
  });
}

function codeOf(step: Step, label: string): string {
  switch (step.kind) {
    case 'wait': {
      const how = step.isRelaxed ? '.relaxed.cta' : '';
      const wait =
        `W${label}: mbarrier.try_wait.parity${how}.shared::cta.b64 %p3, [${step.barrier}], ${step.number}; ` +
        `@!%p3 bra W${label};`;
      return step.isTried === true ? `setp.eq.u32 %p4, %r19, 1; @%p4 bra T${label}; ${wait} T${label}:` : wait;
    }
    case 'try': {
      const how = step.isRelaxed ? '.relaxed.cta' : '';
      const tried = `mbarrier.try_wait.parity${how}.shared::cta.b64 %p5, [${step.barrier}], ${step.number};`;
      return `${tried} selp.b32 %r19, 1, 0, %p5;`;
    }
    case 'arrive': {
      const how = step.isRelaxed ? '.relaxed.cta' : '';
      return `mbarrier.arrive${how}.shared::cta.b64 _, [${step.barrier}], ${step.number};`;
    }
    case 'expect':
      return `mbarrier.arrive.expect_tx.shared::cta.b64 _, [${step.barrier}], ${step.number};`;
    case 'expect-only':
      return `mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [${step.barrier}], ${step.number};`;
    case 'bulk':
      return (
        `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ` +
        `[s + ${TILE * step.stage}], [%rd1 + ${TILE * step.tile}], ${TILE}, [${step.barrier}];`
      );
    case 'async':
      return `cp.async.cg.shared.global [s + ${TILE * step.stage}], [%rd1 + ${TILE * step.tile}], ${TILE};`;
    case 'arrive-async':
      return `cp.async.mbarrier.arrive${step.isCounted ? '' : '.noinc'}.shared::cta.b64 [${step.barrier}];`;
    case 'read':
      return `ld.shared.u32 %r2, [s + ${TILE * step.stage}]; st.global.u32 [%rd2 + ${4 * step.out}], %r2;`;
    case 'write':
      return `st.shared.u32 [s + ${TILE * step.stage}], 99;`;
    case 'fence':
      return 'fence.proxy.async;';
    case 'memory-fence':
      return 'fence.acq_rel.cta;';
    case 'release':
      return 'fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;';
    case 'acquire':
      return 'fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;';
    case 'store':
      return (
        `st.shared.u32 [s + ${TILE * step.stage}], 77; fence.proxy.async; ` +
        `cp.async.bulk.global.shared::cta.bulk_group [%rd2 + 32], [s + ${TILE * step.stage}], ${TILE}; ` +
        `cp.async.bulk.commit_group; cp.async.bulk.wait_group${step.isRead ? '.read' : ''} 0; ` +
        `st.shared.u32 [s + ${TILE * step.stage}], 78;`
      );
  }
}
