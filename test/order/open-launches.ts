import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';
import { TILE_NUMBERS, tileNumber } from './tile-numbers.js';

const ACTS = [
  ...(['store', 'store', 'load', 'add', 'move', 'index', 'clamp', 'atomic-result', 'append', 'wide'] as const),
  ...(['column-store', 'column-load', 'column-add', 'append-two', 'append-below', 'append-from-end'] as const),
  ...(['append-made', 'append-made'] as const),
] as const;

/** What is done under a condition, or on its other way. */
interface Act {
  readonly kind: (typeof ACTS)[number] | 'append-warp';
  /** The word, counted from the own one. */
  readonly at: number;
  readonly value: number;
}

/** What each thread does, in order. */
type Step =
  | Act
  | { readonly kind: 'open'; readonly at: number }
  | { readonly kind: 'barrier' }
  | {
      readonly kind: 'perhaps';
      readonly how: 'branch' | 'guard' | 'exit';
      readonly bound: number;
      readonly acts: readonly (Act | Step)[];
      readonly otherwise: readonly (Act | Step)[];
    };

interface Plan {
  readonly block: number;
  readonly steps: Step[];
}

/** Launches of a few threads that go by what is in memory of which nobody knows what it holds. */
export const openLaunches = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('open', seed, { planOf, spoil, textOf, moduleOf });

const one = <T>(random: Random, all: readonly T[]): T => all[random.below(all.length)] as T;
const act = (random: Random, reach: number): Act => ({
  kind: one(random, ACTS),
  at: random.below(reach),
  value: 1 + random.below(3),
});

function planOf(random: Random): Plan {
  const block = 2 + random.below(2);
  const steps: Step[] = [{ kind: 'open', at: random.below(2) }];
  for (let left = 1 + random.below(2); left > 0; left--) {
    steps.push(perhaps(random, 1));
    if (random.below(3) > 0) steps.push({ kind: 'barrier' });
    steps.push({
      kind: one(random, [
        'load',
        'store',
        'add',
        'index',
        'append',
        'append-two',
        'append-below',
        'append-made',
        'append-warp',
        'append-warp',
        'column-load',
      ] as const),
      at: random.below(2),
      value: 7,
    });
    if (random.below(2) === 0) steps.push({ kind: 'barrier' });
  }
  return { block, steps };
}

function perhaps(random: Random, depth: number): Step {
  const acts = (): (Act | Step)[] =>
    Array.from({ length: 1 + random.below(2) }, () =>
      depth > 0 && random.below(4) === 0 ? perhaps(random, depth - 1) : act(random, 2),
    );
  const how = one(random, ['branch', 'branch', 'branch', 'guard', depth > 0 ? 'branch' : 'exit'] as const);
  return { kind: 'perhaps', how, bound: random.below(3), acts: acts(), otherwise: random.below(2) === 0 ? acts() : [] };
}

/** Puts a mistake into a plan. */
function spoil({ steps }: Plan, random: Random): void {
  const at = random.below(steps.length);
  const step = steps[at];
  if (step === undefined) return;
  switch (random.below(4)) {
    case 0:
      if (step.kind !== 'open') steps.splice(at, 1);
      return;
    case 1:
      steps.splice(at, 0, act(random, 3));
      return;
    case 2:
      steps.splice(at, 0, { kind: 'open', at: random.below(2) });
      return;
    default:
      steps.push(perhaps(random, 1));
  }
}

const textOf = (name: string, { block }: Plan): string =>
  `PTX ${name}\n{ .global .u8 in[4] = ?; .global .u32 d[8] = 0; .global .u32 x[64] = 0; }\n` +
  `launch K "k.ptx" (in, d, x) @ grid 1, block ${block}, gpu 0\n` +
  `locations [${Array.from({ length: 4 }, (_, i) => `x[${i}]; d[${i}];`).join(' ')}]\n`;

/** The open value is in `%r7`, an index of a word of `d` that depends on it in `%r8`. */
function moduleOf({ steps }: Plan): string {
  let labels = 0;
  const codeOf = (step: Act | Step): string => {
    if (step.kind === 'barrier') return 'bar.sync 0;';
    if (step.kind === 'open')
      return (
        `cvt.u64.u32 %rd5, %r1; add.s64 %rd5, %rd1, %rd5; ld.global.u8 %r7, [%rd5 + ${step.at}]; ` +
        'and.b32 %r7, %r7, 3; mov.u32 %r8, %r1;'
      );
    if (step.kind === 'perhaps') {
      const label = labels++;
      const acts = step.acts.map(codeOf).join(' ');
      // That it is above 1 is seen by its high bits too.
      const high = step.acts.length > 1 ? 'and.b32 %r4, %r7, -2;' : 'shr.u32 %r4, %r7, 1;';
      const condition = step.bound === 1 ? `${high} setp.ne.u32 %p1, %r4, 0;` : `setp.gt.u32 %p1, %r7, ${step.bound};`;
      if (step.how === 'exit') return `${condition} @%p1 exit;`;
      if (step.how === 'guard') return `${condition} @%p1 st.global.u32 [%rd6], 9; @!%p1 add.u32 %r9, %r9, 1;`;
      const otherwise = step.otherwise.map(codeOf).join(' ');
      return `${condition} @%p1 bra L${label}; ${acts} bra M${label}; L${label}: ${otherwise} M${label}:`;
    }
    return codeOfAct(step);
  };
  return kernelModule({
    pointers: 3,
    body:
      'mul.wide.u32 %rd4, %r1, 4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4; mov.u32 %r9, 5;\n' +
      steps.map(codeOf).join('\n'),
  });
}

const NEXT = (at: number): string =>
  at === 0 ? '' : `add.u32 %r4, %r1, ${at}; rem.u32 %r4, %r4, 3; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd2, %rd5;`;

const taking = (at: number, count: number): string =>
  `atom.relaxed.gpu.global.add.u32 %r6, [%rd2 + ${at}], ${Math.max(count, 1)};`;
const PLACE = 'mul.wide.u32 %rd5, %r6, 4; add.s64 %rd5, %rd3, %rd5;';
const column = (apart: number): string =>
  `and.b32 %r4, %r7, 1; mad.lo.u32 %r4, %r4, ${apart}, %r1; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd2, %rd5;`;

function codeOfAct({ kind, at, value }: Act): string {
  const word = at === 0 ? '%rd6' : '%rd5';
  switch (kind) {
    case 'store':
      return `${NEXT(at)} st.global.u32 [${word}], ${value};`;
    case 'load':
      return `${NEXT(at)} ld.global.u32 %r5, [${word}]; st.global.u32 [%rd7], %r5;`;
    case 'add':
      return `${NEXT(at)} red.relaxed.gpu.global.add.u32 [${word}], ${value};`;
    case 'move':
      return `mov.u32 %r9, ${value}; st.global.u32 [%rd7], %r9;`;
    case 'index':
      return 'mul.wide.u32 %rd5, %r8, 4; add.s64 %rd5, %rd2, %rd5; red.relaxed.gpu.global.add.u32 [%rd5], 1;';
    case 'clamp':
      return 'min.u32 %r8, %r7, 2;';
    case 'wide':
      return (
        'and.b32 %r4, %r7, 2; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd2, %rd5; ' +
        `red.relaxed.gpu.global.add.u64 [%rd5], ${value};`
      );
    // In a column of its own, or, if they are less apart, in those of others.
    case 'column-store':
      return `${column(4 - at)} st.global.u32 [%rd5], ${value};`;
    case 'column-load':
      return `${column(4 - at)} ld.global.u32 %r5, [%rd5]; st.global.u32 [%rd7], %r5;`;
    case 'column-add':
      return `${column(4 - at)} red.relaxed.gpu.global.add.u32 [%rd5], ${value};`;
    case 'append':
      return (
        'atom.relaxed.gpu.global.add.u32 %r6, [%rd2+28], 1; mul.wide.u32 %rd5, %r6, 4; add.s64 %rd5, %rd2, %rd5; ' +
        `st.global.u32 [%rd5], ${value};`
      );
    // Places for all lanes of the warp, or too few, from what the first one draws.
    case 'append-warp':
      return (
        'mov.u32 %r6, 0; setp.ne.u32 %p3, %r1, 0; ' +
        `@!%p3 ${taking(24, 3 - at)} shfl.sync.idx.b32 %r6, %r6, 0, 31, -1; add.u32 %r6, %r6, %r1; ${PLACE} ` +
        `st.global.u32 [%rd5 + 64], ${value};`
      );
    // A place of what is made of the ticket.
    case 'append-made': {
      const by = TILE_NUMBERS[2 * value + at] ?? 'rows';
      return (
        `${taking(24, 1)} ${tileNumber(by, at, { ticket: '%r6', again: '%r4', predicate: '%p3' })} ${PLACE} ` +
        `st.global.u32 [%rd5 + 64], ${value};`
      );
    }
    // Two places for each, or one; those below a number; from the end. Behind what is observed.
    case 'append-two':
      return `${taking(24, 2 - at)} ${PLACE} st.global.u32 [%rd5 + 64], ${value}; st.global.u32 [%rd5 + 68], 6;`;
    case 'append-below':
      return (
        `${taking(20, 1)} ${PLACE} setp.lt.u32 %p3, %r6, ${value}; ` + `@%p3 st.global.u32 [%rd5 + ${128 + 4 * at}], 8;`
      );
    case 'append-from-end':
      return `${taking(24, 1)} sub.u32 %r6, ${12 - at}, %r6; ${PLACE} st.global.u32 [%rd5 + 64], ${value};`;
    case 'atomic-result':
      return 'atom.relaxed.gpu.global.add.u32 %r6, [%rd2+16], 1; st.global.u32 [%rd7], %r6;';
  }
}
