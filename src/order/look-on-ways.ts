import type { Case } from '../follow/held-back.js';
import { NOT_CONTESTED } from '../follow/memory-image.js';
import type { Setting } from '../follow/setting.js';
import type { WhichRun } from '../follow/which-run.js';
import { type CheckBudget, inTime } from '../program/undecided.js';
import type { Look } from './look.js';
import { type Looked, lookAll } from './look-all.js';
import { hasRaces, isLikeEvery } from './whole-run.js';

/** How often more is learned of what may be found. */
const MOST_RESULTS = 4;

/**
 * Where what may be found decides what threads do, they go each way that it leads to: one run, which says what is so on
 * all of them. Gives it, if it does.
 */
export function lookOnWays(
  setting: Setting,
  checkBudget: CheckBudget,
  first: Pick<Looked, 'mayFind' | 'known'>,
  inCase: Case = {},
): Look | undefined {
  let { mayFind, known } = first;
  let onShortWays: Look | undefined;
  let areWaysLong = false;
  for (let times = 0; times < MOST_RESULTS && mayFind.size > 0; times++) {
    const results = mayFind;
    const which: WhichRun = { ...inCase, results, areWaysLong };
    const without = { ...NOT_CONTESTED, results: known.results };
    const looked: Looked | undefined = inTime(() => lookAll(setting, checkBudget, without, which));
    const found = looked?.best;
    if (looked === undefined || found === undefined) break;
    const isLike = isLikeEvery(found.run);
    const isCut = !areWaysLong && found.followed.areWaysCut;
    if (isLike && (!isCut || !hasRaces(found.run))) return found;
    if (isLike) onShortWays = found;
    const isOpen = found.run.open !== undefined || found.run.findings.length > 0;
    const more = isOpen ? [...looked.mayFind].filter(([word]) => !results.has(word)) : [];
    if (more.length === 0 && !isCut) break;
    areWaysLong ||= more.length === 0;
    ({ known } = looked);
    mayFind = new Map([...results, ...more]);
  }
  return onShortWays;
}
