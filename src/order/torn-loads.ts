import type { Setting } from '../follow/setting.js';
import { kindOf, rowsTouching, type Trace } from '../follow/trace.js';
import type { WhichRun } from '../follow/which-run.js';
import type { ProgramStatement } from '../program/operation.js';
import type { CheckBudget } from '../program/undecided.js';
import { type Look, look } from './look.js';
import { orderInRun } from './races-of-run.js';

const RUNS = (['the first', 'all but the first'] as const).flatMap((newElements) =>
  (['first', 'last'] as const).map((schedule): WhichRun => ({ newElements, schedule })),
);

/**
 * Runs in which strong loads find some elements of a vector new, and others as they were before another thread has
 * stored it (PTX ISA 8.2.4): those that are executions.
 */
export function* tornRuns(setting: Setting, checkBudget: CheckBudget): Generator<Look> {
  if (!setting.launches.some(({ ranks }) => ranks.some(({ code }) => code.statements.some(loadsVector)))) return;
  for (const which of RUNS) {
    const one = look(setting, checkBudget, which);
    const { trace } = one.followed;
    if (trace.torn.size > 0 && mayBeTorn(trace)) yield one;
  }
}

const loadsVector = ({ operation }: ProgramStatement): boolean =>
  operation.kind === 'load' && operation.targets.length > 1 && operation.order !== 'weak';

/**
 * Whether each load may find what was there before: the store that it does not find is not before it by anything that
 * may order the run, nothing else has written there since, and its thread has not found that before.
 */
function mayBeTorn(trace: Trace): boolean {
  const { torn, accesses, threads } = trace;
  if (trace.hands || threads.some(({ way }) => way !== undefined)) return false;
  const pairs = [...torn].map(([load, store]) => ({ first: [store, load] as const }));
  const { ordered } = orderInRun(trace, pairs);
  if (ordered.size > 0) return false;
  return pairs.every(({ first: [store, load] }) =>
    rowsTouching(trace, accesses.pieces.at(load), accesses.starts.at(load), accesses.sizes.at(load)).every((row) => {
      if (row <= store || row >= load) return true;
      const isOwn = accesses.threads.at(row) === accesses.threads.at(load);
      return !kindOf(trace, row).writes && !(isOwn && !torn.has(row));
    }),
  );
}
