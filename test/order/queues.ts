import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';
import { TILE_NUMBERS, type TileNumber, tileNumber } from './tile-numbers.js';

const ACTS = [
  ...([
    'tile',
    'tile',
    'tile',
    'load',
    'fixed',
    'add',
    'shared',
    'other',
    'count',
    'cell',
    'previous',
    'open',
  ] as const),
  ...(['low', 'again', 'append', 'tail', 'leave', 'barrier', 'met'] as const),
] as const;

/** What is done in a round, before all or behind them; `at` says which word, or from which round on. */
interface Act {
  readonly kind: (typeof ACTS)[number];
  readonly at: number;
}

/** Threads that draw tickets until these run out: each by itself, the first of a warp for it, or of a CTA. */
interface Plan {
  readonly who: 'thread' | 'warp' | 'cta';
  readonly block: number;
  readonly tickets: number;
  /** By how much the word is counted, and how many words are between the tiles of two tickets. */
  readonly step: number;
  readonly apart: number;
  readonly place: { readonly by: TileNumber; readonly at: number };
  /** Tickets are drawn at the end of a round, for the next; the first is the number of the CTA. */
  readonly isAhead: boolean;
  readonly before: Act[];
  /** What is done in a round; in turns, where a loop has several. */
  readonly rounds: Act[][];
  readonly behind: Act[];
}

const REGISTERS = { ticket: '%r13', again: '%r14', predicate: '%p4' };

/** Launches of a few threads that draw tickets of a queue until it ends, most of them with a mistake. */
export const queues = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('queue', seed, { planOf, spoil, textOf, moduleOf });

const actOf = (random: Random): Act => ({ kind: random.pick(ACTS), at: random.below(3) });

function planOf(random: Random): Plan {
  const who = random.pick(['thread', 'warp', 'cta', 'cta'] as const);
  const block = who === 'thread' ? 1 + random.below(2) : 2;
  const plain = (kind: Act['kind']): Act => ({ kind, at: 0 });
  const roundOf = (): Act[] => {
    const acts: Act[] = [plain('tile')];
    for (let left = random.below(3); left > 0; left--)
      acts.push(actOf(random), ...(who === 'cta' ? [plain('barrier')] : []));
    return [...acts, ...(who === 'cta' ? [plain('barrier')] : [])];
  };
  const first = roundOf();
  return {
    ...{ who, block, tickets: random.pick([1, 2, 3, 6]), step: random.pick([1, 1, 1, 2]), apart: block },
    place: { by: random.chance(60) ? 'even' : random.pick(TILE_NUMBERS), at: random.below(3) },
    isAhead: random.chance(30),
    before: random.chance(30) ? [actOf(random), plain('barrier')] : [],
    rounds: Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, () => (random.chance(80) ? [...first] : roundOf())),
    behind: random.chance(40) ? [plain('barrier'), actOf(random)] : [],
  };
}

/** Puts a mistake into a plan: something too much or too little, somewhere. */
function spoil({ before, rounds, behind }: Plan, random: Random): void {
  const list = random.pick([...rounds, ...rounds, ...rounds, before, behind]);
  const at = random.below(list.length + 1);
  if (random.chance(40) && list.length > 0) list.splice(Math.min(at, list.length - 1), 1);
  else list.splice(at, 0, actOf(random));
}

const textOf = (name: string, { block }: Plan): string =>
  `PTX ${name}\n{ .global .u32 in[8] = ?; .global .u32 d[16] = 0; .global .u32 x[24] = 0; }\n` +
  `launch K "k.ptx" (in, d, x) @ grid 2, block ${block}, gpu 0\n`;

/**
 * The ticket is in %r7, the one before in %r8, the number of the round in %r9, that of the CTA in %r10, the own shared
 * word at %r11, and where tiles begin in %rd3. The word of the queue is d[15].
 */
function moduleOf(plan: Plan): string {
  const { who, step, apart, place, tickets, isAhead, before, rounds, behind } = plan;
  let labels = 0;
  const tile = (ticket: string, more: number): string =>
    `mov.u32 %r13, ${ticket}; ${tileNumber(place.by, place.at, REGISTERS)} ` +
    `mad.lo.u32 %r4, %r13, ${apart}, %r1; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd3, %rd5; ` +
    `st.global.u32 [%rd5 + ${4 * more}], %r9;`;
  /** `head`: where a round may be left for the next. */
  const codeOf = ({ kind, at }: Act, head?: string): string => {
    const label = `L${labels++}`;
    const unless = (condition: string, code: string): string => `${condition} @%p1 bra ${label}; ${code} ${label}:`;
    const fixed = `[%rd2 + ${4 * at}]`;
    switch (kind) {
      case 'tile':
        return tile('%r7', at === 2 ? 1 : 0);
      case 'load':
        return `ld.global.u32 %r5, [%rd1 + ${4 * at}]; add.u32 %r12, %r12, %r5;`;
      case 'fixed':
        return (
          'mul.wide.u32 %rd6, %r10, 4; add.s64 %rd6, %rd2, %rd6; ' +
          `st.global.u32 [${at === 0 ? '%rd2' : '%rd6'}], %r1;`
        );
      case 'add':
        return `red.relaxed.gpu.global.add.u32 ${fixed}, 1;`;
      case 'shared':
        return 'st.shared.u32 [%r11], %r9;';
      case 'other':
        return 'xor.b32 %r4, %r11, 4; ld.shared.u32 %r12, [%r4];';
      case 'count':
        return unless(`setp.ne.u32 %p1, %r9, ${2 * at};`, `st.global.u32 [%rd2 + 16], %r1;`);
      case 'cell':
        return unless(
          'ld.shared.u32 %r5, [%r11]; add.u32 %r5, %r5, 1; st.shared.u32 [%r11], %r5; ' +
            `setp.ne.u32 %p1, %r5, ${1 + 2 * at};`,
          'st.global.u32 [%rd2 + 20], %r1;',
        );
      case 'previous':
        return tile('%r8', 0);
      case 'open':
        return unless(
          `ld.global.u32 %r5, [%rd1 + ${4 * at}]; setp.ne.u32 %p1, %r5, 0;`,
          'st.global.u32 [%rd2 + 24], %r1;',
        );
      case 'low':
        return unless(`setp.ge.u32 %p1, %r7, ${at};`, `st.global.u32 [%rd2 + 28], %r1;`);
      case 'again':
        return `atom.relaxed.gpu.global.add.u32 %r5, [%rd2 + ${at === 0 ? 60 : 56}], ${step};`;
      case 'append':
        return (
          'atom.relaxed.gpu.global.add.u32 %r5, [%rd2 + 56], 1; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd2, %rd6; ' +
          `st.global.u32 [%rd6 + ${8 * at}], %r1;`
        );
      case 'tail':
        return (
          tile('%r7', 0).replace('mul', `setp.ge.u32 %p1, %r4, ${2 + 2 * at}; @%p1 bra ${head ?? label}; mul`) +
          ` ${label}:`
        );
      case 'leave':
        return `ld.global.u32 %r5, [%rd1]; setp.eq.u32 %p1, %r5, ${at}; @%p1 bra end;`;
      case 'barrier':
        return 'bar.sync 0;';
      case 'met':
        return `bar.warp.sync ${plan.block === 1 ? 1 : 3};`;
    }
  };
  const draw = `atom.relaxed.gpu.global.add.u32 %r6, [%rd2 + 60], ${step};${isAhead ? ' add.u32 %r6, %r6, 2;' : ''}`;
  const leader = `setp.ne.u32 %p2, %r1, 0;`;
  const ways = {
    thread: () => `${draw} mov.u32 %r7, %r6;`,
    warp: () =>
      `mov.u32 %r6, 0; ${leader} @!%p2 ${draw.replace('; add', '; @!%p2 add')} shfl.sync.idx.b32 %r7, %r6, 0, 31, 3;`,
    cta: () => {
      const label = `H${labels++}`;
      return (
        `${leader} @%p2 bra ${label}; ${draw} st.shared.u32 [s + 8], %r6; ` +
        `${label}: bar.sync 0; ld.shared.u32 %r7, [s + 8];`
      );
    },
  } as const satisfies Readonly<Record<Plan['who'], () => string>>;
  const next = (): string => `mov.u32 %r8, %r7; ${ways[who]()} add.u32 %r9, %r9, 1;`;
  const more = `setp.ge.u32 %p3, %r7, ${tickets}; @%p3 bra end;`;
  const all = rounds.map((acts) => {
    const round = acts.map((one) => codeOf(one, isAhead ? undefined : 'R')).join('\n');
    return isAhead ? `${more}\n${round}\n${next()}` : `${next()}\n${more}\n${round}`;
  });
  return kernelModule({
    pointers: 3,
    declared: '.shared .align 4 .u32 s[4];',
    body:
      'mov.u32 %r10, %ctaid.x; mov.u32 %r11, s; mad.lo.u32 %r11, %r1, 4, %r11; mov.u32 %r9, 0; mov.u32 %r12, 0;\n' +
      `mov.u32 %r7, %r10; st.shared.u32 [%r11], 0;\n${before.map((one) => codeOf(one)).join('\n')}\n` +
      `R: ${all.join('\n')} bra R;\n` +
      `end:\n${behind.map((one) => codeOf(one)).join('\n')}`,
  });
}
