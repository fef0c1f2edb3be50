import type { Model } from '../cat/model.js';
import type { MachineContext } from '../operational/machine-context.js';
import { outcomesOf } from '../operational/outcomes.js';
import { randomRun } from '../operational/random-run.js';
import type { Program } from '../program/program.js';
import { BudgetExceeded, inTime, type Undecided, within } from '../program/undecided.js';
import { FINDING_WORDS, findingOf, ruleSentence } from '../program/undefined-rules.js';
import { allowancesFor } from './accepted-findings.js';
import { leftOut } from './answer-scope.js';
import { isSelected } from './asked-threads.js';
import { machineContextOf } from './check-operationally.js';
import type { ExpectationResult, TestResult } from './result.js';

/** Of what there is for a kernel, the part that is left for runs of the machine. */
export const SAMPLING_PART = 0.2;
const MOST_RUNS = 2000;
/** Reasons that a smaller question might not have. */
const TOO_LARGE: ReadonlySet<Undecided['kind']> = new Set(['timeout', 'size', 'memory', 'states']);
const RUNS_BOUND = 8;

type Places = NonNullable<ExpectationResult['shownAt']>;

/** A pseudo-random number below a bound, by the generator of Park and Miller: equal checks make equal runs. */
function drawing(): (bound: number) => number {
  let state = 1;
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}

/**
 * Where the axioms take too long for a kernel, runs of the machine at random may still find that it races or does what
 * is undefined. That they find nothing says nothing: the answer stays open, with how many there were.
 */
export function withSampledRuns(
  result: TestResult,
  program: Program,
  model: Model,
  { timeout, clock, unroll }: { readonly timeout: number; readonly clock: () => number; readonly unroll: number },
): TestResult {
  const isOpen = ({ undecided }: ExpectationResult): boolean =>
    undecided !== undefined && TOO_LARGE.has(undecided.kind);
  // Threads that were followed alone are not there to be run.
  const isRun = program.launches.length > 0 && leftOut(program) === undefined && !isSelected(program);
  if (!isRun || result.values !== undefined || !result.expectations.some(isOpen)) return result;
  const sampled = sample(program, model, Math.max(unroll, RUNS_BOUND), clock() + SAMPLING_PART * timeout, clock);
  if (sampled.runs === 0) return result;
  const open: Undecided = { kind: 'sampled', runs: sampled.runs };
  const expectations = result.expectations.map((one): ExpectationResult => {
    const { finding, isDenied } = one.expectation;
    // What a run may show by itself.
    if (!isOpen(one) || finding === 'deadlock' || finding === 'trap') return one;
    const rule = [...sampled.rules.keys()].find((name) => findingOf(name) === finding);
    if (rule === undefined) return { ...one, undecided: open };
    const shownAt = sampled.rules.get(rule) ?? [];
    const reason = finding === 'undefined' ? ruleSentence(rule) : `a run of the machine has ${FINDING_WORDS[finding]}`;
    const outcome = isDenied ? 'broken' : 'met';
    return { ...one, outcome, undecided: undefined, reason, shownAt };
  });
  return { ...result, expectations };
}

function sample(
  program: Program,
  model: Model,
  unroll: number,
  end: number,
  clock: () => number,
): { readonly runs: number; readonly rules: ReadonlyMap<string, Places> } {
  const rules = new Map<string, Places>();
  let runs = 0;
  const late = (): void => {
    if (clock() > end) throw new BudgetExceeded({ kind: 'timeout' });
  };
  const asked = { ...program, allowances: allowancesFor(program, model) };
  const context = within<MachineContext | Undecided>(
    () => machineContextOf(asked, model, unroll, late),
    (reason) => reason,
  );
  if ('kind' in context) return { runs, rules };
  const below = drawing();
  while (runs < MOST_RUNS && clock() < end && rules.size === 0) {
    const run = inTime(() => randomRun(context, below, late));
    if (run === undefined) continue;
    runs += 1;
    // What the filter leaves out is no execution of the test.
    if (program.filter !== undefined && outcomesOf(run.state).length === 0) continue;
    for (const [rule, events] of run.state.findings) {
      const places = events.flatMap((id) => {
        const { span, thread } = context.event(id);
        return span === undefined ? [] : [{ thread: program.threads[thread]?.name ?? '', span }];
      });
      rules.set(rule, places);
    }
  }
  return { runs, rules };
}
