import { Follower } from '../follow/follower.js';
import { mayHaveQueue, type Queue, QueueFound, type QueueRun } from '../follow/queue-rounds.js';
import { codesOf, type Setting } from '../follow/setting.js';
import type { WhichRun } from '../follow/which-run.js';
import type { CheckBudget } from '../program/undecided.js';
import { type Look, lookAt } from './look.js';
import { MOST_ROUNDS, unlikeRounds } from './recheck-queues.js';
import { isEveryRun, type UnlikeRounds } from './whole-run.js';

/**
 * Runs in which each thread that draws tickets of a queue gets none, one, two, … of them before its end: no execution
 * does anything that these do not (docs/decisions/queues.md); the one with most rounds first. Or why that is not known:
 * where something is wrong in one of them, nothing is said, since none of these runs need be an execution. Undefined if
 * there is no queue.
 */
export function lookOnRounds(setting: Setting, checkBudget: CheckBudget): LookOnRounds | undefined {
  if (!codesOf(setting).some((code) => code !== undefined && mayHaveQueue(code))) return undefined;
  const queue = queueOf(setting, checkBudget);
  if (queue === undefined) return undefined;
  const runs: Look[] = [];
  for (let rounds = 0; rounds <= MOST_ROUNDS; rounds++) {
    const look = lookAt(setting, checkBudget, inRun({ rounds, queue }));
    if (!isRight(look.run)) return { unlike: look.run };
    runs.push(look);
    // Where no ticket is before the end there is one run.
    if (queue.end <= queue.least) break;
  }
  const wrong = unlikeRounds(runs.map(({ followed: { trace } }) => trace));
  return wrong === undefined ? { runs: runs.toReversed() } : { unlike: wrong };
}

type LookOnRounds = { readonly runs: readonly Look[] } | { readonly unlike: UnlikeRounds };

/** What is not over after so many steps of warps is not waited for. */
const MOST_STEPS = 4_000_000;

const inRun = (queue: QueueRun): WhichRun => ({ queue, counted: new Map(), areTicketsOpen: true, steps: MOST_STEPS });

/** So long a queue may be, or shorter, if more of what is made of its tickets is a number of its width then. */
const MOST_TICKETS = [2n ** 30n, 2n ** 16n];

/** The queue of which a condition tells that is the first on a ticket. */
function queueOf(setting: Setting, checkBudget: CheckBudget): Queue | undefined {
  for (const most of MOST_TICKETS) {
    const { stopped } = new Follower(setting, checkBudget, inRun({ rounds: 1, queue: undefined, most })).run();
    if (stopped instanceof QueueFound) return stopped.queue;
  }
  return undefined;
}

/** Whether nothing is wrong in a run, or open. */
const isRight = (run: Look['run']): boolean =>
  isEveryRun(run) && !run.mayBeUninitialized && run.uninitialized.length + run.unstarted.length === 0;
