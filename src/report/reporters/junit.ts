import type { ReportedTest } from '../reported-test.js';
import { PLAIN, restyled } from '../text.js';
import { annotationOf } from './annotations.js';
import type { MakeReporter, ReportedDiagnostic } from './reporter.js';

interface TestCase {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'error';
  readonly message: string;
}

interface Suite {
  readonly name: string;
  readonly path: string;
  /** In milliseconds; undefined where times are left out. */
  readonly time: number | undefined;
  readonly cases: readonly TestCase[];
  readonly output: string;
  /** What is to be known of the answers, by name. */
  readonly properties: Readonly<Record<string, string>>;
  /** What flags of the model tell of. */
  readonly told: string;
}

/**
 * JUnit's XML: a test suite for each test under each model, a test case for each expectation; what is undecided counts
 * as skipped.
 */
export const junitReporter: MakeReporter = () => {
  const suites: Suite[] = [];
  return {
    result: (test) => {
      suites.push(suiteOf(test));
      return '';
    },
    end: ({ diagnostics, time }) =>
      junitOf([...suites, ...unreadable(diagnostics, time === undefined ? undefined : 0)], time),
  };
};

function unreadable(diagnostics: readonly ReportedDiagnostic[], time: number | undefined): readonly Suite[] {
  const mistakes = diagnostics.filter(({ severity }) => severity === 'error').map(annotationOf);
  return [...new Set(mistakes.map(({ path }) => path))].map((path): Suite => {
    const own = mistakes.filter((mistake) => mistake.path === path);
    return {
      name: path,
      path,
      time,
      cases: own.map(({ line, title }) => ({ name: `reads line ${line}`, outcome: 'error', message: title })),
      output: own.map(({ line, message }) => `line ${line}: ${message}`).join('\n'),
      properties: {},
      told: '',
    };
  });
}

function suiteOf(test: ReportedTest): Suite {
  const { name, model, path, timeMs, claims, undecided, reasons, broken, problem, flags } = test;
  const cases = claims.map(({ claim, outcome, observation, reason }): TestCase => {
    if (outcome === 'broken') {
      const found = observation === undefined ? (reason ?? '') : `observation: ${observation ?? NO_OBSERVATION}`;
      return { name: claim, outcome: 'failed', message: found };
    }
    if (outcome === 'accepted') return { name: claim, outcome: 'skipped', message: acceptedBecause(test, claim) };
    // Of a condition a reason says why it is undecided, whether something is expected of it or not.
    const open = outcome === 'undecided' || (observation !== undefined && reason !== null);
    return { name: claim, outcome: open ? 'skipped' : 'passed', message: open ? (reason ?? '') : '' };
  });
  const decided: TestCase = undecided
    ? { name: 'decided', outcome: 'skipped', message: reasons.join('; ') }
    : { name: 'decided', outcome: 'passed', message: '' };
  return {
    name: `${name} (${model})`,
    path,
    time: timeMs,
    cases: cases.length === 0 ? [decided] : cases,
    output: (broken || undecided) && problem !== undefined ? restyled(problem, PLAIN) : '',
    properties: propertiesOf(test),
    told: (flags ?? []).map(({ flag, told }) => `flag ${flag}: ${told}`).join('\n'),
  };
}

const acceptedBecause = ({ accepted = [] }: ReportedTest, claim: string): string =>
  `accepted: ${accepted.find(({ allowance }) => allowance === claim)?.because ?? ''}`;

function propertiesOf({ selection, claims }: ReportedTest): Suite['properties'] {
  const unconfirmed = claims.flatMap(({ claim, unconfirmed: why }) => (why === undefined ? [] : [`${claim}: ${why}`]));
  return {
    ...(selection !== undefined && { scope: `selection: ${selection.run} of ${selection.of} threads run` }),
    ...(unconfirmed.length > 0 && { 'not confirmed': unconfirmed.join('; ') }),
  };
}

const NO_OBSERVATION = 'none, the test is undefined';

function junitOf(suites: readonly Suite[], time: number | undefined): string {
  const cases = suites.flatMap((suite) => suite.cases);
  const lines = [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="ptx-litmus" ${counts(cases)}${took(time)}>`,
  ];
  for (const suite of suites) {
    lines.push(
      `  <testsuite name="${escaped(suite.name)}" file="${escaped(suite.path)}" ${counts(suite.cases)}` +
        `${took(suite.time)}>`,
    );
    const properties = Object.entries(suite.properties);
    if (properties.length > 0) {
      const each = properties.map(([name, value]) => `<property name="${name}" value="${escaped(value)}"/>`);
      lines.push(`    <properties>${each.join('')}</properties>`);
    }
    for (const { name, outcome, message } of suite.cases) {
      const open =
        `    <testcase classname="${escaped(suite.name)}" name="${escaped(name)}" ` +
        `file="${escaped(suite.path)}"${took(suite.time, suite.cases.length)}`;
      if (outcome === 'passed') lines.push(`${open}/>`);
      else if (outcome === 'skipped') lines.push(`${open}><skipped message="${escaped(message)}"/></testcase>`);
      else {
        const element = outcome === 'failed' ? 'failure' : 'error';
        lines.push(
          `${open}><${element} message="${escaped(message)}">${escaped(suite.output)}</${element}></testcase>`,
        );
      }
    }
    if (suite.told !== '') lines.push(`    <system-out>${escaped(suite.told)}</system-out>`);
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

/** The share of each of so many. */
const took = (milliseconds: number | undefined, of = 1): string =>
  milliseconds === undefined ? '' : ` time="${(milliseconds / of / 1000).toFixed(3)}"`;

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
