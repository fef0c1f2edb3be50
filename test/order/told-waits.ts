import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { textOf } from './found-ways.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

/** What a CTA of two threads does, one of which waits for another CTA, and tells the other through shared memory. */
interface Plan {
  readonly gives: string;
  /** What the CTA does before it waits: the thread that is told may give what is waited for itself. */
  readonly before: string;
  readonly round: readonly string[];
  readonly behind: readonly string[];
}

/** Launches in which a CTA is told by one of its threads when to go on. */
export const toldWaits = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('told-waits', seed, {
    planOf,
    spoil: () => {},
    textOf: (name) => textOf(name, { ctas: 2, block: 2 }),
    moduleOf,
  });

const BARRIER = 'bar.sync 0;';
/** Where barriers stand in a round: before its look, behind that, behind the store, behind the load. */
const RIGHT = ['1010', '0110', '0011', '1110', '1011', '0111'] as const;
const WRONG = ['0010', '1000', '0100', '0001', '1100', '0101'] as const;

const BEHIND = [
  ...['ld.global.u32 %r5, [%rd1];', 'ld.global.u32 %r5, [%rd1 + 8];', BARRIER],
  ...[
    '@%p1 st.shared.u32 [s], 7;',
    'ld.shared.u32 %r5, [s];',
    'add.u32 %r5, %r7, %r8;',
    'st.global.u32 [%rd5 + 16], 3;',
  ],
  ...['mov.u32 %r5, %r6;', '@%p1 st.global.u32 [%rd1], 4;'],
];

function planOf(random: Random): Plan {
  const mostly = <T>(right: T, others: readonly T[]): T => (random.below(12) > 0 ? right : random.pick(others));
  const give = (value: number): string => `st.${mostly('release', ['relaxed'])}.gpu.global.u32 [%rd2], ${value};`;
  const barriers = random.chance(75) ? random.pick(RIGHT) : random.pick(WRONG);
  const barrierAt = (at: number): readonly string[] => (barriers[at] === '1' ? [BARRIER] : []);
  const isLock = random.chance(25);
  const order = mostly('acquire', ['relaxed']);
  const look = isLock
    ? `atom.${order}.gpu.global.cas.b32 %r6, [%rd2], 1, 2;`
    : random.pick([
        `ld.${order}.gpu.global.u32 %r6, [%rd2];`,
        `ld.${order}.gpu.global.u32 %r6, [%rd2];`,
        `atom.${order}.gpu.global.or.b32 %r6, [%rd2], 0;`,
      ]);
  const guard = mostly('@%p1', ['']);
  const condition = isLock
    ? 'setp.ne.u32 %p3, %r7, 1;'
    : `setp.${random.pick(['eq.u32 %p3, %r7, 0', 'lt.u32 %p3, %r7, 2', 'ne.u32 %p3, %r7, 1'])};`;
  const extra = random.chance(15)
    ? random.pick(['add.u32 %r8, %r8, 1;', '@!%p1 add.u32 %r8, %r8, 1;', 'mov.u32 %r8, %r7;'])
    : '';
  const round = [
    ...barrierAt(0),
    `${guard} ${look}`,
    ...barrierAt(1),
    `${mostly('@%p1', ['@!%p1', ''])} st.shared.u32 [s], ${mostly('%r6', ['%r5', '1'])};`,
    ...barrierAt(2),
    `${mostly('', ['@%p1 ', '@!%p1 '])}ld.shared.u32 %r7, [s];`,
    ...barrierAt(3),
    extra,
    condition,
    '@%p3 bra W;',
  ];
  const isOwn = random.chance(30);
  const before = isOwn
    ? `@!%p1 ${random.pick(['st.shared.u32 [s], 0;', 'ld.shared.u32 %r5, [s];', 'st.global.u32 [%rd1], 11;'])} ` +
      `${random.chance(30) ? BARRIER : ''} @!%p1 ${give(1)} ${random.chance(30) ? BARRIER : ''}`
    : '';
  const again = random.chance(30) ? `st.global.u32 [%rd1 + 8], 12; ${give(2)}` : '';
  const behind = Array.from({ length: 1 + random.below(3) }, () => random.pick(BEHIND));
  const gives = isOwn ? '' : `st.global.u32 [%rd1], 11; ${give(1)} ${isLock ? '' : again}`;
  return { gives, before, round, behind };
}

const moduleOf = ({ gives, before, round, behind }: Plan): string =>
  kernelModule({
    pointers: 3,
    declared: '.shared .align 4 .u32 s;',
    body: `mov.u32 %r2, %ctaid.x; setp.eq.u32 %p4, %r2, 1; setp.eq.u32 %p1, %r1, 0;
mov.u32 %r5, 0; mov.u32 %r6, 9; mov.u32 %r7, 9; mov.u32 %r8, 0;
mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd8, %rd3, %rd4;
@%p4 bra B;
@!%p1 bra E;
${gives}
bra.uni E;
B: ${before}
W: ${round.join('\n')}
${behind.join('\n')}
st.global.u32 [%rd8], %r5;
E:`,
  });
