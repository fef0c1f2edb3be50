import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

/** Makes something of the values in two registers; of what is stored in between others may find it. */
type Step =
  | { readonly kind: 'open'; readonly to: number; readonly word: number; readonly isOwn: boolean }
  | { readonly kind: 'constant'; readonly to: number; readonly value: number; readonly isOwn: boolean }
  | { readonly kind: 'compute'; readonly to: number; readonly of: Operation; readonly isTurned: boolean }
  | { readonly kind: 'shuffle'; readonly to: number; readonly how: string }
  | { readonly kind: 'reduce'; readonly to: number; readonly of: Operation; readonly mask: number }
  | { readonly kind: 'pass'; readonly to: number; readonly turn: number; readonly hasBarrier: boolean };

const OPERATIONS = [
  ...['add.u32', 'sub.u32', 'xor.b32', 'max.s32', 'mul.lo.u32', 'shl.b32', 'prmt.b32', 'add.f32', 'sub.f32'],
  ...['max.f32', 'min.f32', 'mul.f32', 'add.f16x2', 'div.full.f32'],
] as const;
type Operation = (typeof OPERATIONS)[number];

interface Plan {
  readonly steps: Step[];
  /** By thread, into which of two words it stores at the end. */
  readonly places: readonly number[];
}

export const THREADS = 4;
const REGISTERS = 2;

/**
 * Launches of threads that compute with what is in memory that nobody knows, or which they give each other, and store
 * what they get to words that several of them may store to; then each looks whether its value is there: `d`.
 */
export const sameValues = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('same', seed, { planOf, spoil, textOf, moduleOf });

function stepOf(random: Random): Step {
  const to = random.below(REGISTERS);
  const what = random.below(12);
  if (what < 3) return { kind: 'open', to, word: random.below(2), isOwn: random.chance(30) };
  if (what < 4) return { kind: 'constant', to, value: 1 + random.below(2), isOwn: random.chance(20) };
  if (what < 7) return { kind: 'compute', to, of: random.pick(OPERATIONS), isTurned: random.chance(30) };
  if (what < 8)
    return { kind: 'shuffle', to, how: random.pick(['bfly.b32 %, 1, 31', 'idx.b32 %, 0, 31', 'up.b32 %, 1, 0']) };
  if (what < 11) return { kind: 'reduce', to, of: random.pick(OPERATIONS), mask: random.pick([1, 2]) };
  return { kind: 'pass', to, turn: random.below(3), hasBarrier: random.chance(80) };
}

const planOf = (random: Random): Plan => ({
  steps: [
    { kind: 'open', to: 0, word: 0, isOwn: random.chance(70) },
    { kind: 'open', to: 1, word: 1, isOwn: random.chance(50) },
    ...(random.chance(40) ? reduction(random) : []),
    ...Array.from({ length: random.below(4) }, () => stepOf(random)),
  ],
  places: Array.from({ length: THREADS }, () => random.below(2)),
});

/** What all threads get alike. */
function reduction(random: Random): Step[] {
  const of = random.pick(['add.u32', 'max.f32', 'add.f32', 'xor.b32'] as const);
  return [1, 2].map((mask) => ({ kind: 'reduce', to: 0, of, mask }));
}

function spoil({ steps }: Plan, random: Random): void {
  steps.splice(random.below(steps.length), random.below(2), stepOf(random));
}

const textOf = (name: string): string =>
  `PTX ${name}\n{ .global .u32 in[8] = ?; .global .u32 x[2] = 0; .global .u32 d[${THREADS}] = 0; }\n` +
  `launch K "k.ptx" (in, x, d) @ grid 1, block ${THREADS}, gpu 0\n` +
  `locations [${Array.from({ length: THREADS }, (_, i) => `d[${i}];`).join(' ')}]\n`;

function moduleOf({ steps, places }: Plan): string {
  const value = (of: number): string => `%r${10 + of}`;
  const applied = (of: Operation, to: string, a: string, b: string): string => {
    if (of === 'prmt.b32') return `prmt.b32 ${to}, ${a}, ${b}, 0x5410;`;
    if (of === 'shl.b32') return `shl.b32 ${to}, ${a}, 3;`;
    return `${of} ${to}, ${a}, ${b};`;
  };
  const codeOf = (step: Step): string => {
    const to = value(step.to);
    switch (step.kind) {
      case 'open':
        return step.isOwn ? `ld.global.u32 ${to}, [%rd5 + 16];` : `ld.global.u32 ${to}, [%rd1 + ${4 * step.word}];`;
      case 'constant':
        return step.isOwn ? `add.u32 ${to}, %r1, ${step.value};` : `mov.u32 ${to}, ${step.value};`;
      case 'compute': {
        const [a, b] = [value(0), value(1)];
        if (!step.isTurned) return applied(step.of, to, a, b);
        // Every other thread takes them the other way round.
        return `selp.b32 %r6, ${a}, ${b}, %p3; selp.b32 %r7, ${b}, ${a}, %p3; ${applied(step.of, to, '%r6', '%r7')}`;
      }
      case 'shuffle':
        return `shfl.sync.${step.how.replace('%', `${to}, ${to}`)}, 15;`;
      case 'reduce':
        return `shfl.sync.bfly.b32 %r6, ${to}, ${step.mask}, 31, 15; ${applied(step.of, to, to, '%r6')}`;
      case 'pass': {
        const barrier = step.hasBarrier ? 'bar.sync 0;' : '';
        const other = `add.u32 %r6, %r1, ${step.turn}; and.b32 %r6, %r6, 3; mad.lo.u32 %r6, %r6, 4, %r2;`;
        return `st.shared.u32 [%r3], ${to}; ${barrier} ${other} ld.shared.u32 ${to}, [%r6]; bar.sync 0;`;
      }
    }
  };
  const bits = places.reduce((all, place, thread) => all | (place << thread), 0);
  return kernelModule({
    pointers: 3,
    declared: '.shared .align 4 .u32 s[4];',
    body:
      'mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd3, %rd4; mov.u32 %r2, s; ' +
      'mad.lo.u32 %r3, %r1, 4, %r2; and.b32 %r4, %r1, 1; setp.eq.u32 %p3, %r4, 0; ' +
      `${steps.map(codeOf).join('\n')}\n` +
      `mov.u32 %r4, ${bits}; shr.u32 %r4, %r4, %r1; and.b32 %r4, %r4, 1; mul.wide.u32 %rd4, %r4, 4; ` +
      `add.s64 %rd7, %rd2, %rd4; st.global.u32 [%rd7], ${value(0)}; bar.sync 0; ld.global.u32 %r5, [%rd7]; ` +
      `setp.eq.u32 %p1, %r5, ${value(0)}; selp.u32 %r5, 1, 2, %p1; st.global.u32 [%rd6], %r5;`,
  });
}

/** What threads do in a phase between two barriers of 64 threads. */
type PhaseStep =
  | { readonly kind: 'barrier' }
  /** By one thread: some numbers, one after the other; by one instruction if they are counted. */
  | { readonly kind: 'stores'; readonly by: number; readonly word: number; readonly values: readonly number[] }
  | { readonly kind: 'load'; readonly by: number; readonly word: number }
  /** By all threads: the same number, that of the warp, or whether the lane is odd. */
  | { readonly kind: 'all'; readonly word: number; readonly value: 'one' | 'warp' | 'parity' };

const ACTORS = [0, 1, 32, 33] as const;

function phaseStepOf(random: Random): PhaseStep {
  const [by, word] = [random.pick(ACTORS), random.below(2)];
  const what = random.below(10);
  if (what < 3) return { kind: 'barrier' };
  if (what < 6) return { kind: 'stores', by, word, values: [random.below(2)] };
  if (what < 8) return { kind: 'stores', by, word, values: [0, 1, 2].slice(0, 2 + random.below(2)) };
  if (what < 9) return { kind: 'load', by, word };
  return { kind: 'all', word, value: random.pick(['one', 'warp', 'parity'] as const) };
}

/** A kernel whose threads store known values to two words of shared memory. */
export function storesInPhases(random: Random): { readonly steps: readonly PhaseStep[]; readonly body: string } {
  const steps = Array.from({ length: 1 + random.below(6) }, () => phaseStepOf(random));
  const only = (by: number): string => `setp.eq.u32 %p1, %r1, ${by};`;
  const codeOf = (step: PhaseStep, at: number): string => {
    switch (step.kind) {
      case 'barrier':
        return 'bar.sync 0;';
      case 'load':
        return `${only(step.by)} @%p1 ld.shared.u32 %r5, [%r2 + ${4 * step.word}];`;
      case 'all': {
        const value = { one: 'mov.u32 %r6, 1;', warp: 'shr.u32 %r6, %r1, 5;', parity: 'and.b32 %r6, %r1, 1;' }[
          step.value
        ];
        return `${value} st.shared.u32 [%r2 + ${4 * step.word}], %r6;`;
      }
      case 'stores': {
        const { by, word, values } = step;
        const [first = 0] = values;
        return (
          `${only(by)} @!%p1 bra E${at}; mov.u32 %r6, ${first}; L${at}: st.shared.u32 [%r2 + ${4 * word}], %r6; ` +
          `add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, ${first + values.length}; @%p3 bra L${at}; E${at}:`
        );
      }
    }
  };
  return { steps, body: steps.map(codeOf).join('\n') };
}

/** Whether stores of the same value race (true), and others, or a store and a load (false), found pair by pair. */
export function racesOf(steps: readonly PhaseStep[]): ReadonlySet<boolean> {
  const found = new Set<boolean>();
  let phase: { readonly by: number; readonly word: number; readonly value: number | undefined }[] = [];
  for (const step of [...steps, { kind: 'barrier' } as const]) {
    if (step.kind === 'stores') for (const value of step.values) phase.push({ ...step, value });
    else if (step.kind === 'load') phase.push({ ...step, value: undefined });
    else if (step.kind === 'all')
      for (let by = 0; by < 64; by++) {
        const value = { one: 1, warp: by >> 5, parity: by & 1 }[step.value];
        phase.push({ by, word: step.word, value });
      }
    else {
      for (const [i, a] of phase.entries())
        for (const b of phase.slice(0, i)) {
          const isRace = a.by !== b.by && a.word === b.word && (a.value ?? b.value) !== undefined;
          if (isRace) found.add(a.value === b.value);
        }
      phase = [];
    }
  }
  return found;
}
