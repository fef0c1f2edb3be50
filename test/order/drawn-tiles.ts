import type { Random } from '../../src/generate/random.js';
import { lonePlanOf, moduleBy, one, type Plan, spoil, textOf } from './found-ways.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

/** CTAs of one thread that do what is theirs by a number that they draw. */
interface DrawnPlan extends Plan {
  /** How they draw. */
  readonly draw: string;
}

/** The word from which numbers are drawn: no flag, and no count. */
const WORD = 28;
const DRAWS = ['relaxed.gpu', 'relaxed.gpu', 'relaxed.sys', 'acq_rel.gpu', 'relaxed.cta'] as const;

function planOf(random: Random): DrawnPlan {
  const plan = lonePlanOf(random);
  const more = random.below(8) === 0 ? 2 : 1;
  const add = `atom.${one(random, DRAWS)}.global.add.u32 %r2, [%rd3 + ${WORD}], ${more};`;
  // Of some the next number is found by all who draw later, or what somebody has put there.
  const others = [
    `atom.relaxed.gpu.global.inc.u32 %r2, [%rd3 + ${WORD}], ${1 + random.below(3)};`,
    `atom.relaxed.gpu.global.exch.b32 %r2, [%rd3 + ${WORD}], ${random.below(3)};`,
    `${add} ${add}`,
  ];
  return { ...plan, draw: random.below(6) === 0 ? one(random, others) : add };
}

/** Launches of CTAs that nothing tells apart but what they draw, most of them with a mistake or two. */
export const drawnTiles = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('drawn-tiles', seed, { planOf, spoil, textOf, moduleOf: (plan) => moduleBy(plan, plan.draw) });
