import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

const MANNERS = ['itself', 'fence', 'not'] as const;
type Manner = (typeof MANNERS)[number];

/** What one thread does, in order: vectors have a state and what it is about, the one or the other first. */
type Step =
  | { readonly kind: 'write' | 'read'; readonly at: number; readonly value: number }
  | {
      readonly kind: 'store';
      readonly vector: number;
      readonly state: number;
      readonly value: number;
      readonly how: Manner;
    }
  | { readonly kind: 'scalar'; readonly vector: number; readonly element: number; readonly value: number }
  | { readonly kind: 'look'; readonly vector: number; readonly to: number }
  | { readonly kind: 'peek'; readonly vector: number; readonly element: number; readonly to: number }
  /** That a vector is there is told by a flag besides. */
  | { readonly kind: 'signal' | 'await'; readonly how: Manner }
  | { readonly kind: 'atomic'; readonly vector: number; readonly element: number }
  | {
      readonly kind: 'wait';
      readonly vector: number;
      readonly state: number;
      readonly how: Manner;
      readonly isApart: boolean;
      /** Where it keeps what stands beside the state. */
      readonly to: number | undefined;
    };

interface Plan {
  readonly threads: Step[][];
  readonly isStateFirst: boolean;
}

/** Launches of a few CTAs of one thread that tell each other of states by vectors, most of them with a mistake. */
export const vectors = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('vector', seed, { planOf, spoil, textOf, moduleOf });

const one = <T>(random: Random, all: readonly T[]): T => all[random.below(all.length)] as T;

/** Each waits for the state of the one before, and has one, or first a part of one. */
function planOf(random: Random): Plan {
  const count = 2 + random.below(2);
  const threads = Array.from({ length: count }, (_, i): Step[] => {
    const steps: Step[] = [{ kind: 'write', at: i, value: 10 + i }];
    const store = (state: number): Step => ({
      ...{ kind: 'store', vector: i, state, value: 20 + i + 4 * state, how: one(random, MANNERS) },
    });
    if (random.below(3) === 0) steps.push(store(1));
    if (i > 0) {
      const to = random.below(4) > 0 ? i : undefined;
      const isApart = random.below(2) === 0;
      const state = 1 + random.below(2);
      steps.push({ kind: 'wait', vector: i - 1, state, how: one(random, MANNERS), isApart, to });
      steps.push({ kind: 'read', at: i - 1, value: i + 4 });
    }
    steps.push(store(2));
    return steps;
  });
  if (random.below(2) === 0) tellByFlag(threads, random);
  return { threads, isStateFirst: random.below(2) === 0 };
}

/** The first two by a flag, behind which the second looks once, perhaps at one element before. */
function tellByFlag([first, second]: Step[][], random: Random): void {
  const how = (): Manner => one(random, ['itself', 'itself', 'fence', 'fence', 'not']);
  first?.push({ kind: 'signal', how: how() });
  const peek: Step = { kind: 'peek', vector: 0, element: random.below(2), to: 4 };
  const look: Step = { kind: 'look', vector: 0, to: 7 };
  second?.unshift({ kind: 'await', how: how() }, ...(random.below(2) === 0 ? [peek] : []), look);
}

/** Puts a mistake into a plan, or something beside. */
function spoil({ threads }: Plan, random: Random): void {
  const steps = threads[random.below(threads.length)] ?? [];
  const at = random.below(steps.length);
  const step = steps[at];
  if (step === undefined) return;
  const vector = random.below(threads.length);
  const element = random.below(2);
  switch (random.below(7)) {
    case 0:
      steps.splice(at, 1);
      return;
    case 1:
      if ('how' in step) steps[at] = { ...step, how: 'not' };
      return;
    case 2:
      steps.splice(at, 0, { kind: 'look', vector, to: 7 });
      return;
    case 3:
      steps.splice(at, 0, { kind: 'scalar', vector, element, value: random.below(4) });
      return;
    case 4:
      steps.splice(at, 0, { kind: 'atomic', vector, element });
      return;
    case 5:
      steps.splice(at, 0, { kind: 'peek', vector, element, to: 4 }, { kind: 'look', vector, to: 7 });
      return;
    default:
      if ('vector' in step) steps[at] = { ...step, vector };
  }
}

function textOf(name: string, { threads }: Plan): string {
  const listed = [...Array.from({ length: 8 }, (_, i) => `x[${i}];`), ...[0, 1, 2, 3].map((i) => `f[${i}];`)].join(' ');
  return (
    `PTX ${name}\n{ .global .u32 d[4] = 0; .global .align 8 .u32 f[8] = 0; .global .u32 x[8] = 0; }\n` +
    `launch K "k.ptx" (d, f, x) @ grid ${threads.length}, block 1, gpu 0\nlocations [${listed}]\n`
  );
}

function moduleOf({ threads, isStateFirst }: Plan): string {
  const bodies = threads.map(
    (steps, i) => `T${i}:\n${steps.map((step, at) => codeOf(step, `${i}_${at}`, isStateFirst)).join('\n')}\nret;`,
  );
  const ways = threads.map((_, i) => `setp.eq.u32 %p1, %r4, ${i}; @%p1 bra T${i};`);
  return kernelModule({
    pointers: 3,
    body: `mov.u32 %r4, %ctaid.x;\n${ways.join('\n')}\nret;\n${bodies.join('\n')}`,
  });
}

function codeOf(step: Step, label: string, isStateFirst: boolean): string {
  const vector = 'vector' in step ? `[%rd2 + ${8 * step.vector}]` : '';
  const fence = 'how' in step && step.how === 'fence' ? 'fence.acq_rel.gpu;' : '';
  const pair = (state: string, value: string): string =>
    isStateFirst ? `{${state}, ${value}}` : `{${value}, ${state}}`;
  switch (step.kind) {
    case 'write':
      return `st.global.u32 [%rd1 + ${4 * step.at}], ${step.value};`;
    case 'read':
      return `ld.global.u32 %r5, [%rd1 + ${4 * step.at}]; st.global.u32 [%rd3 + ${4 * step.value}], %r5;`;
    case 'store': {
      const how = step.how === 'itself' ? 'release' : 'relaxed';
      const values = `mov.u32 %r8, ${step.state}; mov.u32 %r9, ${step.value};`;
      return `${fence} ${values} st.${how}.gpu.global.v2.u32 ${vector}, ${pair('%r8', '%r9')};`;
    }
    case 'scalar':
      return `st.relaxed.gpu.global.u32 [%rd2 + ${8 * step.vector + 4 * step.element}], ${step.value};`;
    case 'atomic':
      return `red.relaxed.gpu.global.add.u32 [%rd2 + ${8 * step.vector + 4 * step.element}], 1;`;
    case 'peek':
      return (
        `ld.relaxed.gpu.global.u32 %r8, [%rd2 + ${8 * step.vector + 4 * step.element}]; ` +
        `st.global.u32 [%rd3 + ${4 * step.to}], %r8;`
      );
    case 'signal':
      return `${fence} st.${step.how === 'itself' ? 'release' : 'relaxed'}.gpu.global.u32 [%rd2 + 28], 1;`;
    case 'await': {
      const how = step.how === 'itself' ? 'acquire' : 'relaxed';
      const round = `ld.${how}.gpu.global.u32 %r8, [%rd2 + 28]; setp.eq.u32 %p3, %r8, 0;`;
      return `W${label}: ${round} @%p3 bra W${label}; ${fence}`;
    }
    case 'look':
      return (
        `ld.relaxed.gpu.global.v2.u32 {%r8, %r9}, ${vector}; ` +
        `st.global.u32 [%rd3 + ${4 * (step.to - 1)}], %r8; st.global.u32 [%rd3 + ${4 * step.to}], %r9;`
      );
    case 'wait': {
      const how = step.how === 'itself' ? 'acquire' : 'relaxed';
      const look = `ld.${how}.gpu.global.v2.u32 ${pair('%r7', '%r6')}, ${vector};`;
      const round = `${look} setp.lt.u32 %p3, %r7, ${step.state};`;
      const first = step.isApart ? `${round} @!%p3 bra V${label};` : '';
      const kept = step.to === undefined ? '' : `st.global.u32 [%rd3 + ${4 * step.to}], %r6;`;
      return `${first} W${label}: ${round} @%p3 bra W${label}; V${label}: ${fence} ${kept}`;
    }
  }
}
