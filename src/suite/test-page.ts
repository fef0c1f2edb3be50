import type { Model } from '../cat/model.js';
import { checkTest } from '../check/check-test.js';
import { isBroken, isUndecided, type TestResult } from '../check/result.js';
import { drawable } from '../explain/drawable.js';
import { explainResult, toExplain } from '../library/explain-test.js';
import type { Program } from '../program/program.js';
import { spansOf } from '../report/found-places.js';
import { placesOf, reportExecution, reportShown } from '../report/html/report-execution.js';
import type { ReportedExecution, ReportedPage } from '../report/html/reported-page.js';
import { PLAIN, reportTest } from '../report/text.js';
import type { Workplace } from './job.js';
import { repairOf } from './repair-of.js';

/** More of one test are no page for a reader. */
const MOST_EXECUTIONS = 3;

/** Which tests of a run get a part of a page: none, those where something is found, or all. */
export type Pages = 'none' | 'found' | 'all';

/**
 * What a page shows of a test: `result` is what was found; `program` is the same test, read for what its threads do,
 * with texts that cite lines by number.
 */
export async function pageOf(
  result: TestResult,
  program: Program | undefined,
  model: Model,
  { solver, limits: { reached: _, ...limits } }: Workplace,
  { unroll, mostThreads }: { readonly unroll: number; readonly mostThreads: number | undefined },
): Promise<ReportedPage> {
  // What ran out of time would do so again.
  const again = isUndecided(result) && !isShownByRun(result) ? undefined : program;
  const isExplained = again !== undefined && !isShownByRun(result);
  const explained = isExplained
    ? checkTest(solver, again, model, { ...limits, unroll, ...toExplain(again, mostThreads) })
    : undefined;
  const agrees = explained !== undefined && isBroken(explained) === isBroken(result);
  const shown = agrees ? explained : result;
  const asked = onlyBroken(shown);
  const executions = drawable(model, asked).slice(0, MOST_EXECUTIONS);
  const repair = isBroken(result) && again ? await repairOf(again, model, { solver, limits }, unroll) : undefined;
  return {
    story: withoutHead(agrees ? explainResult(model, explained, PLAIN) : reportTest(result, PLAIN)),
    executions: executions.length > 0 ? executions.map(reportExecution) : withoutExecution(asked),
    marks: marksOf(asked),
    ...(repair !== undefined && { repair }),
  };
}

/** A run of all threads of a launch shows what is broken, and no execution of the engines. */
export const isShownByRun = ({ program, expectations, conditions, undefinedBy }: TestResult): boolean =>
  program.launches.length > 0 &&
  undefinedBy?.witness === undefined &&
  conditions.every(({ expectation }) => expectation !== 'broken') &&
  expectations.every(({ outcome, witness }) => outcome !== 'broken' || witness === undefined);

/** The name, the verdict and the time are told elsewhere. */
const withoutHead = (text: string): string => text.replace(/^.*\n*/, '');

/** Of a broken test what is broken: the rest is in the story. */
function onlyBroken(result: TestResult): TestResult {
  if (!isBroken(result)) return result;
  return {
    ...result,
    conditions: result.conditions.filter(({ expectation }) => expectation === 'broken'),
    expectations: result.expectations.filter(({ outcome }) => outcome === 'broken'),
  };
}

const withoutExecution = ({ expectations, program }: TestResult): readonly ReportedExecution[] =>
  expectations.flatMap(({ expectation, shownAt = [] }) =>
    shownAt.length === 0 ? [] : [reportShown(`${program.name}: ${expectation.finding}`, shownAt)],
  );

const marksOf = ({ expectations, undefinedBy, conditions }: TestResult): ReportedPage['marks'] =>
  placesOf([
    ...expectations.flatMap(({ witness, events, shownAt }) => spansOf(witness, events, shownAt)),
    ...spansOf(undefinedBy?.witness, undefinedBy?.events ?? []),
    ...conditions.flatMap(({ race, witnesses: [first], counterexample }) =>
      race === undefined ? [] : spansOf(counterexample ?? first, race.events),
    ),
  ]);
