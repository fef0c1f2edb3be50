import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { textOf } from './found-ways.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

/** What two lanes of a warp do that vote on what each has found, as a look-back scan does with the tiles before it. */
interface Plan {
  readonly tells: string;
  readonly waits: string;
  readonly vote: string;
  readonly ifSo: readonly string[];
  readonly ifNot: readonly string[];
  readonly behind: readonly string[];
}

/** Launches in which one CTA tells something in two steps, and lanes of the other go by a vote on what they find. */
export const votes = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('votes', seed, {
    planOf,
    spoil: () => {},
    textOf: (name) => textOf(name, { ctas: 2, block: 2 }),
    moduleOf,
  });

/** What the own lane has been told first, or then, and its own place. */
const OWN = ['ld.global.u32 %r5, [%rd5];', 'ld.global.u32 %r5, [%rd5 + 8];', 'st.global.u32 [%rd5 + 16], 7;'];
/** That of the other lane; places that one lane writes, or both. */
const OTHERS = [
  ...['ld.global.u32 %r5, [%rd7];', 'ld.global.u32 %r5, [%rd7 + 8];'],
  ...['@%p8 st.global.u32 [%rd1 + 24], %r5;', 'st.global.u32 [%rd1 + 28], 3;'],
];
const MEETINGS = [
  'bar.warp.sync 3;',
  'shfl.sync.bfly.b32 %r5, %r6, 1, 31, 3;',
  'vote.sync.any.pred %p5, %p2, 3; @!%p5 st.global.u32 [%rd5 + 16], 8;',
];
/** A look at the flags again, and a vote on it. */
const AGAIN =
  'X: ld.acquire.gpu.global.u32 %r7, [%rd6]; setp.lt.u32 %p5, %r7, 2; vote.sync.any.pred %p5, %p5, 3; @%p5 bra X;';

function planOf(random: Random): Plan {
  const mostly = <T>(right: T, others: readonly T[]): T => (random.below(10) > 0 ? right : random.pick(others));
  const scope = random.chance(7) ? 'cta' : 'gpu';
  const tell = (value: number): string => `st.${mostly('release', ['relaxed'])}.${scope}.global.u32 [%rd6], ${value};`;
  const steps = (most: number): string[] =>
    Array.from({ length: random.below(most + 1) }, () =>
      random.pick(random.chance(40) ? MEETINGS : random.chance(75) ? OWN : OTHERS),
    );
  const look = `ld.${mostly('acquire', ['relaxed'])}.${random.chance(7) ? 'cta' : scope}.global.u32 %r6, [%rd6];`;
  const isTogether = random.chance(50) ? 'vote.sync.any.pred %p3, %p3, 3;' : '';
  const fence = random.chance(30) ? 'fence.acq_rel.gpu;' : '';
  const condition = `setp.${random.pick(['eq', 'ne', 'ge', 'lt'])}.u32 %p2, %r6, ${mostly(2, [1])};`;
  const then = random.chance(80) ? `st.global.u32 [%rd5 + 8], 12; ${tell(2)}` : '';
  const again = random.chance(30) ? [AGAIN] : [];
  return {
    tells: `st.global.u32 [%rd5], 11; ${tell(1)} ${then}`,
    waits: `W: ${look} setp.eq.u32 %p3, %r6, 0; ${isTogether} @%p3 bra W; ${fence}`,
    vote: `${condition} vote.sync.${random.pick(['all', 'any'])}.pred %p4, %p2, ${mostly('3', ['%r9'])};`,
    ifSo: steps(3),
    ifNot: [...again, ...steps(2)],
    behind: steps(2),
  };
}

const moduleOf = ({ tells, waits, vote, ifSo, ifNot, behind }: Plan): string =>
  kernelModule({
    pointers: 3,
    body: `mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 1; setp.eq.u32 %p8, %r1, 0; mov.u32 %r5, 0;
shl.b32 %r9, 1, %r1; xor.b32 %r8, %r1, 1; mul.wide.u32 %rd4, %r1, 4; mul.wide.u32 %rd7, %r8, 4;
add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd1, %rd7; add.s64 %rd8, %rd3, %rd4;
@%p1 bra R;
${tells}
ret;
R: ${waits}
${vote}
@%p4 bra A;
${ifNot.join('\n')}
bra.uni J;
A: ${ifSo.join('\n')}
J: ${behind.join('\n')}
st.global.u32 [%rd8], %r5;`,
  });
