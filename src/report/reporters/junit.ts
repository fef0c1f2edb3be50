import type { TestResult } from '../../check/result.js';
import { isBroken, isUndecided, reasonOf, undecidedReasons } from '../../check/result.js';
import { describeUndecided } from '../../program/undecided.js';
import { describeCondition } from '../describe-proposition.js';
import { PLAIN, reportProblem } from '../text.js';
import { annotationOf } from './annotations.js';
import type { MakeReporter } from './reporter.js';

interface TestCase {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'error';
  readonly message: string;
}

interface Suite {
  readonly name: string;
  readonly path: string;
  /** In milliseconds. */
  readonly time: number;
  readonly cases: readonly TestCase[];
  readonly output: string;
}

/**
 * JUnit's XML: a test suite for each test under each model, a test case for each expectation; what is undecided counts
 * as skipped.
 */
export const junitReporter: MakeReporter = () => ({
  end: ({ results, diagnostics, time }) => {
    const mistakes = diagnostics.filter(({ severity }) => severity === 'error').map(annotationOf);
    const unreadable = [...new Set(mistakes.map(({ path }) => path))].map((path): Suite => {
      const own = mistakes.filter((mistake) => mistake.path === path);
      return {
        name: path,
        path,
        time: 0,
        cases: own.map(({ line, title }) => ({
          name: `reads line ${line}`,
          outcome: 'error',
          message: title,
        })),
        output: own.map(({ line, message }) => `line ${line}: ${message}`).join('\n'),
      };
    });
    return junitOf([...results.map(suiteOf), ...unreadable], time);
  },
});

function suiteOf(result: TestResult): Suite {
  const conditions = result.conditions.map(({ condition, expectation, observation, undecided }): TestCase => {
    const name = describeCondition(condition);
    if (expectation === 'broken')
      return { name, outcome: 'failed', message: `observation: ${observation ?? 'none, the test is undefined'}` };
    return undecided === undefined
      ? { name, outcome: 'passed', message: '' }
      : { name, outcome: 'skipped', message: describeUndecided(undecided) };
  });
  const expectations = result.expectations.map((one): TestCase => {
    const { outcome } = one;
    const name = `expect ${one.expectation.expectation}`;
    return {
      name,
      outcome: outcome === 'met' ? 'passed' : outcome === 'broken' ? 'failed' : 'skipped',
      message: outcome === 'met' ? '' : (reasonOf(one) ?? ''),
    };
  });
  const cases = [...conditions, ...expectations];
  const decided: TestCase = isUndecided(result)
    ? { name: 'decided', outcome: 'skipped', message: undecidedReasons(result).join('; ') }
    : { name: 'decided', outcome: 'passed', message: '' };
  return {
    name: `${result.program.name} (${result.model.name})`,
    path: result.program.source.path,
    time: result.time,
    cases: cases.length === 0 ? [decided] : cases,
    output: isBroken(result) || isUndecided(result) ? (reportProblem(result, PLAIN) ?? '') : '',
  };
}

function junitOf(suites: readonly Suite[], time: number): string {
  const cases = suites.flatMap((suite) => suite.cases);
  const lines = [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="ptx-litmus" ${counts(cases)} time="${seconds(time)}">`,
  ];
  for (const suite of suites) {
    lines.push(
      `  <testsuite name="${escaped(suite.name)}" file="${escaped(suite.path)}" ${counts(suite.cases)} ` +
        `time="${seconds(suite.time)}">`,
    );
    for (const { name, outcome, message } of suite.cases) {
      const open =
        `    <testcase classname="${escaped(suite.name)}" name="${escaped(name)}" ` +
        `file="${escaped(suite.path)}" time="${seconds(suite.time / suite.cases.length)}"`;
      if (outcome === 'passed') lines.push(`${open}/>`);
      else if (outcome === 'skipped') lines.push(`${open}><skipped message="${escaped(message)}"/></testcase>`);
      else {
        const element = outcome === 'failed' ? 'failure' : 'error';
        lines.push(
          `${open}><${element} message="${escaped(message)}">${escaped(suite.output)}</${element}></testcase>`,
        );
      }
    }
    lines.push('  </testsuite>');
  }
  return `${[...lines, '</testsuites>'].join('\n')}\n`;
}

function counts(cases: readonly TestCase[]): string {
  const count = (wanted: TestCase['outcome']): number => cases.filter(({ outcome }) => outcome === wanted).length;
  return (
    `tests="${cases.length}" failures="${count('failed')}" errors="${count('error')}" ` +
    `skipped="${count('skipped')}"`
  );
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

/** XML has no escape for control characters: they are left out. */
const escaped = (text: string): string =>
  [...text]
    .filter((character) => character >= ' ' || character === '\n' || character === '\t')
    .join('')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/\n/g, '&#10;');
