import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import type { Span } from '../diagnostics/source.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { WholeTest } from '../order/follow-whole.js';
import type { WholeRun } from '../order/whole-run.js';
import { checkDeadline, type Deadline, inTime } from '../program/undecided.js';
import type { Decide } from './asked-of-model.js';
import type { CheckOptions } from './check-test.js';
import { deadlineOf } from './limits.js';
import { type ExpectationResult, foundSomething, type TestResult } from './result.js';

/** How the engines are asked about some threads. */
interface Asking {
  readonly solver: SatSolver;
  readonly model: Model;
  readonly options: CheckOptions & Parameters<typeof deadlineOf>[0];
  readonly decide: Decide;
  readonly deadline: Deadline;
}

/** The part of the time in which an execution of two threads is looked for. */
const SHOWING = 0.3;

/**
 * Races that a run of all threads has, with an execution in which the same two lines race, of their two threads and the
 * first of each further way: something to read, and to draw. What needs more threads than these has none.
 */
export function withThreadsShown(result: TestResult, run: WholeRun, whole: WholeTest, asking: Asking): TestResult {
  const expectations = result.expectations.map((one) => {
    const isOpen = one.expectation.finding === 'race' && foundSomething(one) && one.witness === undefined;
    const shown = isOpen ? executionFor(one, run, whole, asking) : undefined;
    return shown === undefined ? one : { ...one, ...shown, advice: one.advice ?? shown.advice };
  });
  return { ...result, expectations };
}

function executionFor(
  { expectation, shownAt = [] }: ExpectationResult,
  run: WholeRun,
  whole: WholeTest,
  { solver, model, options, decide, deadline }: Asking,
): Pick<ExpectationResult, 'witness' | 'events' | 'advice'> | undefined {
  const lines = shownAt.map(({ span }) => span);
  const conflict = run.conflicts.find(({ threads }) =>
    areSame(
      lines,
      threads.map(({ span }) => span),
    ),
  );
  if (conflict === undefined) return undefined;
  const limits = deadlineOf({ ...options, timeout: SHOWING * deadline.remaining() });
  const program = inTime(() => whole.withOnly(conflict.threads, () => checkDeadline(limits)));
  if (program === undefined) return undefined;
  const asked = { ...program, expectations: [expectation], conditions: [], allowances: [] };
  const { expectations } = decide(solver, asked, model, { ...options, timeout: limits.remaining() });
  const [{ witness, events = [], advice } = {}] = expectations;
  return witness !== undefined && areSame(lines, spansOf(witness, events)) ? { witness, events, advice } : undefined;
}

const spansOf = ({ universe }: CandidateExecution, of: readonly number[]): readonly (Span | undefined)[] =>
  of.map((event) => universe.events[event]?.span);

/** Whether places are the same ones, in whatever order. */
function areSame(some: readonly (Span | undefined)[], others: readonly (Span | undefined)[]): boolean {
  const nameOf = (span: Span | undefined): string => `${span?.source.path} ${span?.start}`;
  return [...some].map(nameOf).sort().join() === [...others].map(nameOf).sort().join();
}
