import { Follower } from '../follow/follower.js';
import { mayHaveQueue, type Queue, QueueFound, type QueueRun } from '../follow/queue-rounds.js';
import { codesOf, type Setting } from '../follow/setting.js';
import { kindOf, type Trace } from '../follow/trace.js';
import type { WhichRun } from '../follow/which-run.js';
import type { CheckBudget } from '../program/undecided.js';
import { type Look, lookAt } from './look.js';
import { drawsIn, MOST_ROUNDS, ROUNDS_UNLIKE, unlikeRounds } from './recheck-queues.js';
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
  const inRounds = (period: number): LookOnRounds => {
    // Where no ticket is before the end there is one run.
    const most = queue.end <= queue.least ? 0 : MOST_ROUNDS * period;
    for (let rounds = runs.length; rounds <= most; rounds++) {
      const look = lookAt(setting, checkBudget, inRun({ rounds, queue }));
      if (!isRight(look.run)) return { unlike: look.run };
      runs.push(look);
    }
    const traces = runs.map(({ followed: { trace } }) => trace);
    const wrong = unlikeRounds(traces, period);
    return wrong === undefined ? { runs: runs.toReversed() } : { unlike: wrong };
  };
  const looked = inRounds(1);
  const last = runs.at(-1)?.followed.trace;
  if (last === undefined || !('unlike' in looked) || looked.unlike !== ROUNDS_UNLIKE) return looked;
  const period = periodOf(last);
  return period === undefined ? looked : inRounds(period);
}

/** After how many draws a thread draws by the same statements again, if that is in sight: so many has its loop. */
function periodOf(trace: Trace): number | undefined {
  const periods = [...drawsIn(trace).values()].map((rows) => {
    const statements = rows.map((row) => kindOf(trace, row).statement);
    const repeat = (period: number, from: number): boolean =>
      statements.slice(from + period).every((statement, i) => statement === statements[from + i]);
    for (let period = 1; period < statements.length; period++) {
      // The first one may stand in front of the loop.
      const isFrom = (from: number): boolean => from + period < statements.length && repeat(period, from);
      if (isFrom(0) || isFrom(1)) return period;
    }
    return Number.POSITIVE_INFINITY;
  });
  const longest = periods.reduce((a, b) => Math.max(a, b), 1);
  return longest === 1 || longest > MOST_ROUNDS ? undefined : longest;
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
