import { Follower } from '../follow/follower.js';
import { NOT_CONTESTED } from '../follow/memory-image.js';
import { type Cut, overlap } from '../follow/open-words.js';
import type { Setting } from '../follow/setting.js';
import { type CheckBudget, inTime } from '../program/undecided.js';
import type { Look } from './look.js';
import { type Looked, lookAll } from './look-all.js';

/** So often the executions of a test are told apart at most. */
const MOST_CUTS = 32;

/** The launches of a test, where some open words are some of the numbers that they may be, and what a run says. */
export interface OfClass {
  readonly setting: Setting;
  readonly looked: Looked;
}

/**
 * Where the value of an open word decides what threads do together, such as whether they come to a barrier, the
 * executions are told apart by what it is: below a number or not, even or odd. Gives all classes of some parts of a
 * setting; of more classes than are followed, the others are as open as their runs.
 */
export function* classesOf(parts: readonly Setting[], checkBudget: CheckBudget): Generator<OfClass> {
  const waiting = [...parts];
  let left = MOST_CUTS - (parts.length - 1);
  for (let setting = waiting.pop(); setting !== undefined; setting = waiting.pop()) {
    const looked = lookAll(setting, checkBudget, NOT_CONTESTED, {});
    const own = left > 0 ? partsOf(setting, checkBudget, looked.best) : [];
    if (own.length === 0) yield { setting, looked };
    left -= Math.max(0, own.length - 1);
    waiting.push(...own);
  }
}

/**
 * The parts of a setting of which more is known of open words than in a run that was not followed to its end: as many
 * executions, or those of either side of a cut. None, where that would not help.
 */
export function partsOf(setting: Setting, checkBudget: CheckBudget, { run, followed }: Look): readonly Setting[] {
  const { words, areNamed } = setting.words ?? { words: [], areNamed: false };
  if (run.open === undefined || followed.stopped === undefined || setting.watch !== undefined) return [];
  const named = { ...setting, words: { words, areNamed: true } };
  const again = areNamed ? followed : inTime(() => new Follower(named, checkBudget).run());
  if (again === undefined) return [];
  const { stopped } = again;
  if (stopped === undefined) return areNamed ? [] : [named];
  const { cut } = stopped;
  return cut === undefined || words.some((one) => overlap(one, cut[0])) ? [] : sidesOf(setting, cut);
}

function sidesOf(setting: Setting, cut: Cut): readonly Setting[] {
  const { words, areNamed } = setting.words ?? { words: [], areNamed: false };
  const others = words.filter((one) => one.word !== cut[0].word);
  return cut.map((word) => ({ ...setting, words: { words: [...others, word], areNamed } }));
}
