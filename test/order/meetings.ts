import { Random } from '../../src/generate/random.js';

/** How threads meet: at barriers of their CTA, by the phases of an mbarrier, by flags and a count. */
const MANNERS = ['barrier', 'phase', 'flag'] as const;
type Manner = (typeof MANNERS)[number];

/** A written test of a few warps of one CTA, each of one lane. */
export interface GeneratedMeeting {
  readonly name: string;
  readonly text: string;
}

/**
 * Threads that meet in any way, without a plan: most of them leave somebody waiting, in some executions or in all, and
 * phases and instances that are not complete.
 */
export function* meetings(seed: number): Generator<GeneratedMeeting> {
  for (let number = 0; ; number++) {
    const random = new Random(seed * 100_003 + number);
    const count = 2 + random.below(3);
    const manners = random.pickTwo(MANNERS);
    const threads = Array.from({ length: count }, (_, thread) => bodyOf(random, thread, count, manners));
    const written = threads.map((body, thread) => `P${thread} @ cta 0, gpu 0 {\n${body.join('\n')}\n}`);
    const own = threads.map((_, thread) => `.shared .u32 y${thread} = 0;`);
    const shared = ['x', 'z', 'f', 'g', 'c'].map((one) => `.shared .u32 ${one} = 0;`);
    const memory = [...shared, ...own, `.shared .b64 m = mbarrier(${1 + random.below(3)});`].join(' ');
    const asked = 'require (x == 0)\npermit (y0 == 1)\nforbid (z == 2)\n';
    const name = `meeting-${seed}-${number}`;
    const expected = ['race', 'undefined', 'deadlock', 'trap'].map((one) => `expect no-${one}\n`).join('');
    yield { name, text: `PTX ${name}\n{ ${memory} }\n${written.join('\n')}\n${expected}${asked}` };
  }
}

function bodyOf(random: Random, thread: number, threads: number, manners: readonly Manner[]): readonly string[] {
  let phase = 0;
  return Array.from({ length: 1 + random.below(4) }, (_, step) => {
    const label = `W${thread}_${step}`;
    const other = random.below(threads);
    const one = 1 + random.below(2);
    if (random.below(3) === 0)
      return random.pick([
        `st.shared.u32 [x], ${thread + 1};`,
        `ld.shared.u32 r${step}, [x];`,
        `st.shared.u32 [y${thread}], 1;`,
        `ld.shared.u32 r${step}, [y${other}];`,
        `atom.add.relaxed.cta.shared.u32 r${step}, [z], 1;`,
      ]);
    switch (random.pick(manners)) {
      case 'barrier':
        return random.pick([`bar.sync ${one}, ${64 + 32 * random.below(2)};`, `bar.arrive ${one}, 64;`, 'bar.sync 0;']);
      case 'phase': {
        const parity = (random.below(5) === 0 ? phase + 1 : phase++) % 2;
        return random.pick([
          'mbarrier.arrive.shared.b64 _, [m];',
          'mbarrier.arrive.expect_tx.shared.b64 _, [m], 16;',
          'mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 16;',
          'mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 16;',
          `${label}: mbarrier.try_wait.parity.shared.b64 p0, [m], ${parity}; @!p0 bra ${label};`,
          `${label}: mbarrier.try_wait.parity.shared.b64 p0, [m], ${parity}; @!p0 bra ${label};`,
        ]);
      }
      case 'flag': {
        const flag = random.pick(['f', 'g']);
        const wait = (word: string, test: string): string =>
          `${label}: ld.acquire.cta.shared.u32 r9, [${word}]; setp.${test}; @p1 bra ${label};`;
        return random.pick([
          `st.${random.pick(['release', 'relaxed'])}.cta.shared.u32 [${flag}], ${one};`,
          'red.add.release.cta.shared.u32 [c], 1;',
          'red.add.release.cta.shared.u32 [c], 1;',
          wait(flag, `ne.u32 p1, r9, ${1 + random.below(2)}`),
          wait(flag, `lt.u32 p1, r9, ${1 + random.below(2)}`),
          wait('c', `lt.u32 p1, r9, ${1 + random.below(4)}`),
        ]);
      }
    }
  });
}
