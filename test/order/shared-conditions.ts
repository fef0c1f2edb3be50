import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

const TESTS = ['eq.u32', 'ne.u32', 'lt.u32', 'ge.u32', 'lt.s32', 'eq.s32'] as const;

/** What all threads go by alike, where it is in no thread's own word: what is in a word of which nobody knows that. */
interface Condition {
  readonly word: number;
  /** Read by each thread; by the first, which hands it on; or by each from a word of its own, as a mistake. */
  readonly how: 'read' | 'handed on' | 'shuffled' | 'own';
  readonly made: '' | 'and.b32 %r7, %r7, 3;' | 'add.u32 %r7, %r7, 250;' | 'cvt.s32.s8 %r7, %r7;';
  readonly test: (typeof TESTS)[number];
  readonly value: number;
}

type Step =
  | { readonly kind: 'store' | 'load' | 'add'; readonly at: number; readonly value: number }
  | { readonly kind: 'barrier' }
  | { readonly kind: 'exit'; readonly condition: Condition }
  | { readonly kind: 'rounds'; readonly word: number; readonly mask: number; readonly steps: Step[] }
  | { readonly kind: 'if'; readonly condition: Condition; readonly steps: Step[]; readonly otherwise: Step[] };

interface Plan {
  /** Of the words that nobody knows. */
  readonly type: 'u8' | 'u32';
  readonly steps: Step[];
}

/** Launches of a few threads that meet at barriers, or not, by what is in memory that nobody knows. */
export const sharedConditions = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('shared', seed, { planOf, spoil, textOf, moduleOf });

const conditionOf = (random: Random): Condition => ({
  word: random.below(2),
  how: random.pick(['read', 'read', 'handed on', 'shuffled'] as const),
  made: random.pick(['', '', 'and.b32 %r7, %r7, 3;', 'add.u32 %r7, %r7, 250;', 'cvt.s32.s8 %r7, %r7;'] as const),
  test: random.pick(TESTS),
  value: random.below(4),
});

const actOf = (random: Random): Step => ({
  kind: random.pick(['store', 'store', 'load', 'add'] as const),
  at: random.below(2),
  value: 1 + random.below(5),
});

/** Each step is behind a barrier, or before one. */
const apart = (steps: readonly Step[]): Step[] => steps.flatMap((one): Step[] => [one, { kind: 'barrier' }]);

const acts = (random: Random): Step[] => apart(Array.from({ length: 1 + random.below(2) }, () => actOf(random)));

function planOf(random: Random): Plan {
  const steps: Step[] = [];
  for (let left = 1 + random.below(2); left > 0; left--) {
    if (random.chance(60)) steps.push(actOf(random), { kind: 'barrier' });
    const what = random.below(10);
    if (what < 6) {
      const inner: Step = { kind: 'if', condition: conditionOf(random), steps: acts(random), otherwise: [] };
      steps.push({
        ...{ kind: 'if', condition: conditionOf(random) },
        steps: random.chance(25) ? [inner] : acts(random),
        otherwise: random.chance(50) ? acts(random) : [],
      });
    } else if (what < 8)
      steps.push({ kind: 'rounds', word: random.below(2), mask: 1 + 2 * random.below(2), steps: acts(random) });
    else steps.push({ kind: 'exit', condition: conditionOf(random) });
    steps.push({ kind: 'barrier' }, actOf(random));
  }
  return { type: random.pick(['u8', 'u32'] as const), steps };
}

/** Puts a mistake into a plan: a barrier too few or too many, an access more, or a condition that is not shared. */
function spoil({ steps }: Plan, random: Random): void {
  const lists = [steps];
  for (const list of lists)
    for (const one of list)
      if (one.kind === 'if') lists.push(one.steps, one.otherwise);
      else if (one.kind === 'rounds') lists.push(one.steps);
  const list = random.pick(lists);
  const at = random.below(Math.max(1, list.length));
  const own = list[at];
  if (random.chance(50) && own?.kind === 'barrier') list.splice(at, 1);
  else if ((own?.kind === 'if' || own?.kind === 'exit') && random.chance(60))
    list[at] = { ...own, condition: { ...own.condition, how: 'own' } };
  else list.splice(at, 0, random.chance(30) ? { kind: 'barrier' } : actOf(random));
}

const textOf = (name: string, { type }: Plan): string =>
  `PTX ${name}\n{ .global .${type} in[4] = ?; .global .u32 d[8] = 0; .global .u32 x[8] = 0; }\n` +
  `launch K "k.ptx" (in, d, x) @ grid 1, block 2, gpu 0\n` +
  `locations [${Array.from({ length: 2 }, (_, i) => `x[${i}]; d[${i}];`).join(' ')}]\n`;

function moduleOf({ type, steps }: Plan): string {
  const bytes = type === 'u8' ? 1 : 4;
  const load = (word: number): string => `ld.global.${type} %r7, [%rd1 + ${bytes * word}];`;
  let labels = 0;
  const holds = ({ word, how, made, test, value }: Condition): string => {
    const byFirst =
      `setp.ne.u32 %p2, %r1, 0; @%p2 bra H${labels}; ${load(word)} st.shared.u32 [s], %r7; ` +
      `H${labels++}: bar.sync 0; ld.shared.u32 %r7, [s]; bar.sync 0;`;
    const ways = {
      read: () => load(word),
      'handed on': () => byFirst,
      shuffled: () =>
        `mov.u32 %r7, 0; setp.ne.u32 %p2, %r1, 0; @!%p2 ${load(word)} shfl.sync.idx.b32 %r7, %r7, 0, 31, 3;`,
      own: () => `mul.wide.u32 %rd5, %r1, ${bytes}; add.s64 %rd5, %rd1, %rd5; ${load(word).replace('rd1', 'rd5')}`,
    } as const satisfies Readonly<Record<Condition['how'], () => string>>;
    return `${ways[how]()} ${made} setp.${test} %p1, %r7, ${value};`;
  };
  const codeOf = (step: Step): string => {
    switch (step.kind) {
      case 'barrier':
        return 'bar.sync 0;';
      case 'store':
        return `st.global.u32 [${step.at === 0 ? '%rd6' : '%rd8'}], ${step.value};`;
      case 'load':
        return `ld.global.u32 %r5, [${step.at === 0 ? '%rd6' : '%rd8'}]; st.global.u32 [%rd7], %r5;`;
      case 'add':
        return `red.relaxed.gpu.global.add.u32 [${step.at === 0 ? '%rd6' : '%rd8'}], ${step.value};`;
      case 'exit':
        return `${holds(step.condition)} @%p1 exit;`;
      case 'rounds': {
        const label = labels++;
        return (
          `${load(step.word)} and.b32 %r9, %r7, ${step.mask}; mov.u32 %r10, 0; bra T${label}; ` +
          `R${label}: ${step.steps.map(codeOf).join(' ')} add.u32 %r10, %r10, 1; ` +
          `T${label}: setp.lt.u32 %p1, %r10, %r9; @%p1 bra R${label};`
        );
      }
      case 'if': {
        const [condition, label] = [holds(step.condition), labels++];
        const [own, otherwise] = [step.steps, step.otherwise].map((some) => some.map(codeOf).join(' '));
        return `${condition} @%p1 bra L${label}; ${own} bra M${label}; L${label}: ${otherwise} M${label}:`;
      }
    }
  };
  return kernelModule({
    pointers: 3,
    declared: '.shared .align 4 .u32 s;',
    body:
      'mul.wide.u32 %rd4, %r1, 4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4; xor.b32 %r4, %r1, 1; ' +
      `mul.wide.u32 %rd4, %r4, 4; add.s64 %rd8, %rd2, %rd4; ${steps.map(codeOf).join('\n')}`,
  });
}
