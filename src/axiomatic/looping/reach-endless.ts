import { checkExecution } from '../../cat/check-execution.js';
import type { Model } from '../../cat/model.js';
import { type Promises, promisesIn, tellsSteps } from '../../program/forward-progress.js';
import type { Program } from '../../program/program.js';
import { BOUND, checkDeadline, type Deadline, type Undecided } from '../../program/undecided.js';
import { endlessRun } from '../../progress/endless-run.js';
import { stateGraph } from '../../progress/state-graph.js';
import type { Reachability } from '../session/consistent-executions.js';
import { endlessExecution } from './endless-execution.js';
import { Interleavings } from './interleavings.js';
import { isInOneOrder } from './one-order.js';

export interface EndlessOptions {
  readonly failingCasWrites?: boolean | undefined;
  readonly deadline: Deadline;
}

/** An execution without an end; that there is none; or why that is not known. */
export type Endless =
  | Extract<Reachability, { readonly kind: 'reachable' }>
  /** `waits`: threads may go round loops while others do not go on, which none is to do for ever. */
  | { readonly kind: 'unreachable'; readonly waits: boolean }
  | { readonly kind: 'unknown'; readonly reason: Undecided };

/**
 * Whether threads go on for ever, where that is permitted by what is promised to them. Each interleaving of the threads
 * is an execution of the model, which is checked for the one that is shown; that there is none says it of all
 * executions where every one is an interleaving.
 */
export function reachEndless(
  program: Program,
  model: Model,
  options: EndlessOptions,
  /** Whether under the model accesses to one place that are morally strong come in one order. */
  ordersOnePlace: () => boolean,
): Endless {
  const checkBudget = (): void => checkDeadline(options.deadline);
  const failingCasWrites = options.failingCasWrites === true;
  const promises: Promises = promisesIn(program);
  const walk = Interleavings.of(program, failingCasWrites);
  if ('kind' in walk) return { kind: 'unknown', reason: walk };
  const graph = stateGraph(walk, tellsSteps(promises), checkBudget);
  if ('kind' in graph) return { kind: 'unknown', reason: graph };
  const run = endlessRun(graph, promises);
  if (run === undefined) {
    const isAll = isInOneOrder(program) && ordersOnePlace();
    return isAll ? { kind: 'unreachable', waits: endlessRun(graph, unfairTo(program)) !== undefined } : UNKNOWN;
  }
  const execution = endlessExecution(program, run, failingCasWrites, checkBudget);
  if ('kind' in execution) return { kind: 'unknown', reason: execution };
  const verdict = checkExecution(model, execution);
  return verdict.consistent ? { kind: 'reachable', execution, verdict } : UNKNOWN;
}

const UNKNOWN: Endless = { kind: 'unknown', reason: BOUND };
const unfairTo = ({ threads }: Program): Promises => [{ model: 'unfair', lists: [threads.map((_, one) => [one])] }];
