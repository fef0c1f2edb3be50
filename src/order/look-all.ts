import type { Case } from '../follow/held-back.js';
import type { Contested } from '../follow/memory-image.js';
import type { Setting } from '../follow/setting.js';
import type { WhichRun } from '../follow/which-run.js';
import { type CheckBudget, inTime } from '../program/undecided.js';
import { joined } from './contested-bytes.js';
import { type Look, look } from './look.js';
import { withRacesOf } from './races-of-run.js';
import { isFault } from './whole-run.js';

/** How often a test is followed, each time without more of what it is not known of. */
const MOST_LOOKS = 4;

/**
 * Threads that come to an end in the run may go round for ever where it is open what they find: so many times the steps
 * of the run are followed, and some.
 */
const LONGER = 16;
const LEAST_STEPS = 20_000;

/** What looks at a test have come to. */
export interface Looked extends Pick<Look, 'oneIsLast' | 'openWords' | 'mayFind'> {
  readonly best: Look;
  /** What is not known of memory. */
  readonly known: Contested;
}

/**
 * Follows all threads; where accesses conflict, again without what is in those bytes, until nothing new is found that
 * is not known.
 */
export function lookAll(
  setting: Setting,
  checkBudget: CheckBudget,
  first: Contested,
  which: Case & Pick<WhichRun, 'results' | 'areWaysLong' | 'anybody'>,
): Looked {
  let [known, best] = [first, look(setting, checkBudget, { ...which, without: first })];
  let { openWords } = best;
  for (let looks = 1; looks < MOST_LOOKS; looks++) {
    const contested = joined(known, best.contested);
    if (contested === known || best.run.open !== undefined || best.run.findings.some(isFault)) break;
    // What was found is found, whether there is time for more or not.
    const steps = LONGER * best.followed.steps + LEAST_STEPS;
    const next = inTime(() => look(setting, checkBudget, { ...which, without: contested, steps }));
    if (next === undefined) break;
    const { oneIsLast, mayFind } = next;
    openWords = [...new Set([...openWords, ...next.openWords])];
    if (oneIsLast.length > 0 || mayFind.size > 0) return { best, oneIsLast, openWords, mayFind, known: contested };
    if (next.run.open !== undefined || next.run.findings.some(isFault)) {
      best = { ...best, run: withRacesOf(best.run, next.run) };
      break;
    }
    const isSettled = joined(contested, next.contested) === contested;
    known = contested;
    const uninitialized = [...best.run.uninitialized, ...next.run.uninitialized];
    const mayBeUninitialized = best.run.mayBeUninitialized || next.run.mayBeUninitialized;
    best = { ...next, run: { ...withRacesOf(next.run, best.run), uninitialized, mayBeUninitialized, isSettled } };
  }
  return { best, oneIsLast: best.oneIsLast, openWords, mayFind: best.mayFind, known };
}
