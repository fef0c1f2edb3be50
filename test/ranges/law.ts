import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Source } from '../../src/diagnostics/source.js';
import { groupBy } from '../../src/program/group-by.js';
import { describeValues } from '../../src/ranges/describe-values.js';
import { type Family, familyOf, valuesAt } from '../../src/ranges/family.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { builtInModel, solver } from '../support.js';

/** What is said of a test with ranges, and what is said of each of its sizes alone. */
export interface Held {
  readonly result: TestResult;
  /** How each claim comes out, by values, in words. */
  readonly together: readonly string[];
  readonly alone: readonly string[];
}

/** Checks a test with ranges, and each of its sizes by itself. */
export function heldToEach(source: Source): Held {
  const result = checked(source);
  const family = rangesIn(source);
  const outcomes = Array.from({ length: family.count }, (_, index) =>
    outcomesOf(checked({ ...source, at: atOf(family, index) })),
  );
  const alone = [...result.conditions, ...result.expectations].map((_, claim) => {
    const byOutcome = groupBy(outcomes.keys(), (index) => outcomes[index]?.[claim] ?? '');
    return [...byOutcome].map(([outcome, indices]) => `${outcome} for ${describeValues(family, indices)}`);
  });
  return { result, together: togetherIn(result), alone: alone.map(inOrder) };
}

/** How each claim about a test comes out for its values. */
export const saidTogether = (source: Source): readonly string[] => togetherIn(checked(source));

const togetherIn = ({ conditions, expectations }: TestResult): readonly string[] =>
  [...conditions, ...expectations].map(({ byValue = [] }) =>
    inOrder(byValue.map(({ outcome, values }) => `${outcome} for ${values}`)),
  );

const inOrder = (told: readonly string[]): string => [...told].sort().join('; ');

const atOf = (family: Family, index: number): string =>
  valuesAt(family, index)
    .map((value, i) => `${family.ranges[i]?.name}=${value}`)
    .join(',');

/** What is said of a test. */
export function checked(source: Source): TestResult {
  const { value, diagnostics } = loadTests(source, {}, 'answers');
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkTest(solver, program, builtInModel('ptx-9.4'), { timeout: 600_000 });
}

export function rangesIn(source: Source): Family {
  const { value: file } = parseLitmus(source, () => undefined);
  const family = file && familyOf(file)?.value;
  if (family === undefined) throw new Error('a test without ranges');
  return family;
}

const outcomesOf = ({ conditions, expectations }: TestResult): readonly string[] => [
  ...conditions.map(({ expectation }) => expectation),
  ...expectations.map(({ outcome }) => outcome),
];
