import { openText } from '../check/findings.js';
import type { AlteredTest } from '../compare/compare-baselines.js';
import type { LogDifference, LogVerdict } from '../compare/compare-logs.js';
import type { ModelComparison, ModelDifference } from '../compare/compare-models.js';
import type { ObservedState } from '../compare/observations.js';
import type { Synthesis } from '../compare/synthesize.js';
import type { Program } from '../program/program.js';
import { describeUndecided } from '../program/undecided.js';
import { describeDeadlock } from './describe-deadlock.js';
import { recordedState, stateLine } from './describe-state.js';
import { executionInColumns } from './explanation.js';
import type { Annotation } from './reporters/annotations.js';
import type { Style } from './text.js';
import { plural } from './words.js';

/** One test that two models were asked about. */
export interface ComparedTest {
  readonly program: Program;
  readonly comparison: ModelComparison;
}

/** The names by which two models are shown. */
export interface ModelPair {
  readonly A: string;
  readonly B: string;
}

/** What is said of one test that two models were asked about, as plain data. */
export interface ReportedComparison {
  readonly name: string;
  /** What only one of them has, in a few words. */
  readonly only: { readonly A: string; readonly B: string };
  /** The test of the JSON report. */
  readonly json: object;
  /** All differences, with an execution for each kind. */
  readonly differences: readonly string[];
  /** What is undecided, by model. */
  readonly open: readonly string[];
}

export function reportedComparison({ program, comparison }: ComparedTest, models: ModelPair): ReportedComparison {
  const { differences, open } = comparison;
  return {
    name: program.name,
    only: { A: summary(differences, 'A'), B: summary(differences, 'B') },
    json: jsonComparison({ program, comparison }, models),
    differences: differences.length === 0 ? [] : differencesOf(program, differences, models),
    open: [...new Set(open.map((one) => `${models[one.by]}: ${openText(one)}`))],
  };
}

/** A table of the tests that separate two models, and an execution for each kind of difference. */
export function reportModelDifferences(tests: readonly ReportedComparison[], models: ModelPair, style: Style): string {
  const different = tests.filter(({ differences }) => differences.length > 0);
  const open = tests.filter((test) => test.open.length > 0);
  const lines: string[] = [];
  if (different.length > 0) {
    const rows = different.map(({ name, only }) => [name, only.A, only.B] as const);
    const head = ['test', `only ${models.A}`, `only ${models.B}`] as const;
    const widths = [0, 1].map((column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
    const rowText = (row: readonly string[]): string =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('   ')
        .trimEnd();
    lines.push(rowText(head), ...rows.map(rowText), '');
    for (const { differences } of different) lines.push(...differences, '');
  }
  for (const { name, open: reasons } of open)
    lines.push(`${style.unsure('undecided')}: ${name} (${reasons.join('; ')})`);
  // What is not decided to the end is not the same either.
  const undecided = open.filter((test) => !different.includes(test)).length;
  lines.push(
    `${plural(tests.length, 'test')}: ${different.length} different, ` +
      `${tests.length - different.length - undecided} the same${undecided === 0 ? '' : `, ${undecided} undecided`}`,
  );
  return lines.join('\n');
}

function summary(differences: readonly ModelDifference[], by: 'A' | 'B'): string {
  const mine = differences.filter(({ only }) => only === by);
  const outcomes = mine.filter(({ kind }) => kind === 'outcome').length;
  const others = mine
    .filter(({ kind }) => kind !== 'outcome')
    .map(({ kind, name }) => (kind === 'flag' ? (name ?? '') : kind));
  return [...(outcomes === 0 ? [] : [plural(outcomes, 'outcome')]), ...others].join(', ') || '-';
}

/** All outcomes that only one has, with an execution for the first of each kind. */
function differencesOf(
  program: Program,
  differences: readonly ModelDifference[],
  models: ModelPair,
): readonly string[] {
  const shown = new Set<string>();
  const lines = [`${program.name}   ${program.source.path}`];
  for (const { kind, only, state, name, execution } of differences) {
    const what =
      kind === 'outcome' && state !== undefined
        ? stateLine(program, state)
        : kind === 'deadlock'
          ? 'a deadlock'
          : kind === 'flag'
            ? `the flag ${name}`
            : `undefined behavior: ${name}`;
    lines.push(`  only ${models[only]}: ${what}`);
    if (execution === undefined || shown.has(`${kind} ${only}`)) continue;
    shown.add(`${kind} ${only}`);
    lines.push(
      ...(kind === 'deadlock' ? describeDeadlock(execution) : []).map((line) => `    ${line}`),
      ...executionInColumns(execution, []).map((line) => `    ${line}`),
    );
  }
  return lines;
}

/** The JSON report of `diff` about these tests. */
export function jsonModelDifferences(tests: readonly ReportedComparison[], models: ModelPair): object {
  return { schemaVersion: 1, models, tests: tests.map(({ json }) => json) };
}

export function jsonComparison(
  { program, comparison: { differences, open } }: ComparedTest,
  models: ModelPair,
): object {
  return {
    name: program.name,
    path: program.source.path,
    differences: differences.map(({ kind, only, state, name, execution }) => ({
      kind,
      only: models[only],
      state: state === undefined ? null : recordedState(program, state),
      name: name ?? null,
      witness: execution === undefined ? null : executionInColumns(execution, []),
    })),
    undecided: open.map(({ by, of, undecided }) => ({
      model: models[by],
      of,
      reason: describeUndecided(undecided),
    })),
  };
}

/** The test that was found, ready to be saved, or how far the search went. */
export function reportSynthesis(
  { found, tests, undecided, events, outOfTime }: Synthesis,
  models: ModelPair,
  style: Style,
): string {
  const searched = `${plural(tests, 'test')}${undecided === 0 ? '' : ` (${undecided} of them not decided)`}`;
  if (found === undefined) {
    const least = events < 2 ? 'no difference so far' : `no difference up to ${events} events`;
    return `${style.unsure(least)}, ${searched}${outOfTime ? '; the time was over: try a larger --seconds' : ''}`;
  }
  const { program, comparison, text } = found;
  return [
    text.trimEnd(),
    '',
    ...differencesOf(program, comparison.differences, models).slice(1),
    '',
    `found after ${searched}`,
  ].join('\n');
}

const WORDS = {
  'became-allowed': 'became allowed',
  'became-forbidden': 'became forbidden',
  verdict: 'verdict',
  flag: 'flag',
  deadlock: 'deadlock',
  undefined: 'undefined behavior',
  incomplete: 'bound',
  text: 'text',
  new: 'new',
  missing: 'missing',
} as const;

/** What a changed model or checker alters, test by test. */
export function reportAlterations(altered: readonly AlteredTest[], tests: number, style: Style): string {
  const lines = altered.flatMap(({ path, name, alterations }) => [
    `${name}   ${style.faint(path)}`,
    ...alterations.map(({ kind, text }) => `  ${style.bad(WORDS[kind])}: ${text}`),
  ]);
  const count = (kind: keyof typeof WORDS): number =>
    altered.flatMap(({ alterations }) => alterations).filter((one) => one.kind === kind).length;
  const total =
    `${plural(tests, 'test')}, ${altered.length} not as recorded: ` +
    `${plural(count('became-allowed'), 'outcome')} became allowed, ${count('became-forbidden')} became ` +
    `forbidden, ${plural(count('verdict'), 'verdict')} changed`;
  return [
    ...lines,
    altered.length === 0 ? style.good(`${plural(tests, 'test')}, all as recorded`) : style.bad(total),
  ].join('\n');
}

/** For code hosts: one annotation for each test that is not as recorded. */
export function alterationAnnotations(
  altered: readonly AlteredTest[],
  model: string,
  placeOf: (test: AlteredTest) => { readonly path: string; readonly line: number },
): readonly Annotation[] {
  return altered.map((test): Annotation => {
    const { name, alterations } = test;
    const kinds = new Set(alterations.map(({ kind }) => kind));
    const rule = kinds.has('became-allowed')
      ? 'became-allowed'
      : kinds.has('became-forbidden')
        ? 'became-forbidden'
        : 'baseline-changed';
    const title = `${name} (${model}): ${[...kinds].map((kind) => WORDS[kind]).join(', ')}`;
    return {
      level: 'error',
      rule,
      title,
      message: alterations.map(({ kind, text }) => `${WORDS[kind]}: ${text}`).join('\n'),
      ...placeOf(test),
      column: 1,
    };
  });
}

const counted = ({ values, count }: ObservedState): string => {
  const state = [...values].map(([name, value]) => `${name} = ${value};`).join(' ');
  return `${state}${count === undefined ? '' : `   seen ${count}x`}`;
};

/** What a model says of the outcomes of a log. */
export function reportLogVerdicts(
  path: string,
  verdicts: readonly LogVerdict[],
  withoutTest: readonly { readonly test: string; readonly hint: string | undefined }[],
  verbose: boolean,
  style: Style,
): string {
  const lines: string[] = [];
  for (const { test, violations, unobserved, undecided } of verdicts) {
    const said = [
      ...violations.map((state) => `  ${style.bad('VIOLATION')}, observed and forbidden: ${counted(state)}`),
      ...(undecided === undefined ? [] : [`  ${style.unsure('undecided')}: ${undecided}`]),
      ...(verbose
        ? unobserved.map((values) => `  allowed, not observed: ${counted({ values, count: undefined })}`)
        : []),
    ];
    if (said.length > 0) lines.push(test, ...said);
  }
  for (const { test, hint } of withoutTest)
    lines.push(
      test,
      `  ${style.unsure('no test of this name')} among those given with ` +
        `--tests${hint === undefined ? '' : `; ${hint}`}`,
    );
  const violating = verdicts.filter(({ violations }) => violations.length > 0).length;
  const unobserved = verdicts.reduce((sum, one) => sum + one.unobserved.length, 0);
  const total =
    `${path}: ${plural(verdicts.length, 'test')} ` +
    `compared${withoutTest.length === 0 ? '' : `, ${withoutTest.length} not found`}, ${violating} with forbidden ` +
    `outcomes; ${plural(unobserved, 'allowed outcome')} not ` +
    `observed${verbose || unobserved === 0 ? '' : ' (-v lists them)'}`;
  return [...lines, violating > 0 ? style.bad(total) : total].join('\n');
}

export function reportLogDifferences(first: string, second: string, differences: readonly LogDifference[]): string {
  const lines = differences.flatMap(({ test, onlyFirst, onlySecond, missing }) =>
    missing === undefined
      ? [
          test,
          ...onlyFirst.map((state) => `  only in ${first}: ${counted(state)}`),
          ...onlySecond.map((state) => `  only in ${second}: ${counted(state)}`),
        ]
      : [test, `  not in ${missing === 'first' ? first : second}`],
  );
  return [
    ...lines,
    `${first} and ${second}: ` +
      `${differences.length === 0 ? 'the same outcomes' : `${plural(differences.length, 'test')} with other outcomes`}`,
  ].join('\n');
}
