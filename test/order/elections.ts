import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

/** Who does something: all lanes, one of them, the lane that elect.sync takes, or all but that one. */
type Who = 'all' | number | 'elected';

/** What lanes of a warp do, in order. */
type Step =
  | {
      readonly kind: 'write' | 'read' | 'flag' | 'wait';
      readonly who: Who;
      readonly at: number;
      readonly value: number;
    }
  | { readonly kind: 'set' | 'add' | 'draw'; readonly who: Who; readonly value: number }
  | { readonly kind: 'store'; readonly who: Who; readonly at: number }
  /** All get the register of one; each stores its own. */
  | { readonly kind: 'shuffle'; readonly from: Who }
  | { readonly kind: 'keep' }
  | { readonly kind: 'meet'; readonly how: 'warp' | 'cta' | 'vote' };

interface Plan {
  readonly lanes: number;
  readonly ctas: number;
  readonly steps: Step[];
}

/** Launches of a few lanes, one of which is elected; most of them with a mistake or two. */
export const elections = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('election', seed, { planOf, spoil, textOf, moduleOf });

const one = <T>(random: Random, all: readonly T[]): T => all[random.below(all.length)] as T;
const meet = (random: Random): Step => ({ kind: 'meet', how: one(random, ['warp', 'cta'] as const) });
const whoOf = (random: Random): Who => one(random, ['elected', 'elected', 0, 1, 2, 'all'] as const);

function planOf(random: Random): Plan {
  const steps: Step[] = [];
  for (let round = 1 + random.below(3); round > 0; round--) {
    const [who, at, value] = [one(random, ['elected', 'elected', 0, 1] as const), random.below(2), 5 + round];
    if (random.below(3) === 0) {
      // Who sets the flag has written before; the others wait for it.
      steps.push({ kind: 'write', who, at, value }, { kind: 'flag', who, at: round, value: 1 });
      const waits = { kind: 'wait', at: round, value: 1 } as const;
      for (const other of [0, 1, 2]) if (other !== who && who !== 'elected') steps.push({ ...waits, who: other });
      if (who === 'elected') steps.push({ ...waits, who: 'all' });
    } else if (random.below(2) === 0) {
      steps.push({ kind: one(random, ['set', 'add', 'draw'] as const), who, value });
      if (random.below(2) === 0) steps.push({ kind: 'store', who, at: 4 + at });
      else steps.push({ kind: 'shuffle', from: random.below(4) === 0 ? whoOf(random) : who }, { kind: 'keep' });
    } else steps.push({ kind: 'write', who, at, value }, meet(random));
    steps.push({ kind: 'read', who: whoOf(random), at, value: round }, meet(random));
  }
  return { lanes: 3, ctas: 1 + random.below(2), steps };
}

/** Puts a mistake into a plan. */
function spoil({ steps }: Plan, random: Random): void {
  const at = random.below(steps.length);
  const step = steps[at];
  if (step === undefined) return;
  const next = random.below(steps.length);
  switch (random.below(5)) {
    case 0:
      steps.splice(at, 1);
      return;
    case 1:
      [steps[at], steps[next]] = [steps[next] as Step, step];
      return;
    case 2:
      if ('who' in step) steps[at] = { ...step, who: whoOf(random) };
      return;
    case 3:
      if (step.kind === 'meet') steps[at] = { ...step, how: 'vote' };
      return;
    default:
      steps.splice(at, 0, {
        kind: one(random, ['write', 'read'] as const),
        who: whoOf(random),
        at: random.below(2),
        value: 9,
      });
  }
}

const textOf = (name: string, { lanes, ctas }: Plan): string =>
  `PTX ${name}\n{ .global .u32 d[8] = 0; .global .u32 f[8] = 0; .global .u32 x[16] = 0; }\n` +
  `launch K "k.ptx" (d, f, x) @ grid ${ctas}, block ${lanes}, gpu 0\n` +
  `locations [${Array.from({ length: 16 }, (_, i) => `x[${i}];`).join(' ')} d[4]; d[5];]\n`;

/** Data and flags are those of the CTA, so that only lanes of one warp share them. */
const moduleOf = ({ steps }: Plan): string =>
  kernelModule({
    pointers: 3,
    body:
      'mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd4, %r2, 16; add.s64 %rd2, %rd2, %rd4; add.s64 %rd3, %rd3, %rd4; ' +
      'mul.wide.u32 %rd4, %r2, 8; add.s64 %rd1, %rd1, %rd4; mov.u32 %r7, 1; elect.sync %r9|%p1, -1;\n' +
      `${steps.map(codeOf).join('\n')}`,
  });

function codeOf(step: Step, label: number): string {
  if (step.kind === 'meet')
    return { warp: 'bar.warp.sync -1;', cta: 'bar.sync 0;', vote: 'vote.sync.any.pred %p5, %p1, -1;' }[step.how];
  if (step.kind === 'shuffle')
    return typeof step.from === 'number' || step.from === 'elected'
      ? `shfl.sync.idx.b32 %r7, %r7, ${step.from === 'elected' ? '%r9' : step.from}, 31, -1;`
      : 'vote.sync.ballot.b32 %r8, %p1, -1; popc.b32 %r8, %r8; add.u32 %r7, %r7, %r8;';
  if (step.kind === 'keep')
    return 'mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd3, %rd5; st.global.u32 [%rd5 + 32], %r7;';
  const { who } = step;
  const guard = typeof who === 'number' ? `setp.eq.u32 %p2, %r1, ${who};` : '';
  const [by, past] = who === 'all' ? ['', ''] : who === 'elected' ? ['@%p1', '@!%p1'] : ['@%p2', '@!%p2'];
  switch (step.kind) {
    case 'write':
      return `${guard} ${by} st.global.u32 [%rd1 + ${4 * step.at}], ${step.value};`;
    case 'read':
      return (
        `${guard} ${past} ${past === '' ? '' : `bra E${label};`} ld.global.u32 %r5, [%rd1 + ${4 * step.at}]; ` +
        `mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd3, %rd5; ` +
        `st.global.u32 [${who === 'elected' ? '%rd3 + 12' : '%rd5'}], %r5; E${label}:`
      );
    case 'flag':
      return `${guard} ${by} st.release.gpu.global.u32 [%rd2 + ${4 * step.at}], ${step.value};`;
    case 'wait':
      return (
        `${guard} ${past} ${past === '' ? '' : `bra E${label};`} W${label}: ` +
        `ld.acquire.gpu.global.u32 %r6, [%rd2 + ${4 * step.at}]; setp.ne.u32 %p3, %r6, ${step.value}; ` +
        `@%p3 bra W${label}; E${label}:`
      );
    case 'set':
      return `${guard} ${by} mov.u32 %r7, ${step.value};`;
    case 'add':
      return `${guard} ${by} add.u32 %r7, %r7, ${step.value};`;
    case 'draw':
      return `${guard} ${by} atom.relaxed.gpu.global.add.u32 %r7, [%rd2 + 12], ${step.value};`;
    case 'store':
      return `${guard} ${by} st.global.u32 [%rd1 + ${4 * step.at}], %r7;`;
  }
}
