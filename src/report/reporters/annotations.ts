import type { TestResult } from '../../check/result.js';
import { undecidedReasons } from '../../check/result.js';
import type { Diagnostic } from '../../diagnostics/diagnostic.js';
import { positionOf, type Span } from '../../diagnostics/source.js';
import { describeCondition } from '../describe-proposition.js';
import { PLAIN, reportProblem } from '../text.js';

/** Something to be said about a line of a file: what CI systems and code hosts show beside it. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'note';
  readonly rule: Rule;
  readonly title: string;
  readonly message: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** The kinds of annotations, with what they mean. */
export const RULES = {
  'broken-expectation': 'An expectation of a litmus test is not met.',
  undecided: 'A litmus test could not be decided.',
  'engines-disagree': 'The axioms and the operational machine disagree about a test.',
  'became-allowed': 'An outcome that the baseline does not have became allowed.',
  'became-forbidden': 'An outcome of the baseline became forbidden.',
  'baseline-changed': 'A verdict, a flag or a test differs from the baseline.',
  'forbidden-outcome-observed': 'An outcome was observed that the model forbids.',
  mistake: 'A text cannot be read.',
} as const;
export type Rule = keyof typeof RULES;

export function annotationsOf(result: TestResult): readonly Annotation[] {
  const { program, model } = result;
  const about = (level: Annotation['level'], rule: Rule, title: string, span: Span | undefined): Annotation => {
    const { line, column } = span === undefined ? { line: 1, column: 1 } : positionOf(span.source, span.start);
    return {
      level,
      rule,
      title: `${program.name} (${model.name}): ${title}`,
      message: reportProblem(result, PLAIN) ?? title,
      path: program.source.path,
      line,
      column,
    };
  };
  const broken = [
    ...result.conditions
      .filter(({ expectation }) => expectation === 'broken')
      .map(({ condition }) =>
        about('error', 'broken-expectation', `${describeCondition(condition)} is not met`, condition.span),
      ),
    ...result.expectations
      .filter(({ outcome }) => outcome === 'broken')
      .map(({ expectation }) =>
        about('error', 'broken-expectation', `expect ${expectation.expectation} is not met`, expectation.span),
      ),
  ];
  const reasons = undecidedReasons(result);
  const undecided =
    reasons.length === 0 ? [] : [about('warning', 'undecided', `undecided: ${reasons.join('; ')}`, undefined)];
  const disagreement =
    result.crossCheck?.verdict === 'disagreement'
      ? [about('error', 'engines-disagree', 'the engines disagree', undefined)]
      : [];
  // The report of the whole test is told once.
  return [...broken, ...undecided, ...disagreement].map((one, i) => (i === 0 ? one : { ...one, message: one.title }));
}

export function annotationOf({ span, severity, code, message, hint }: Diagnostic): Annotation {
  const { line, column } = positionOf(span.source, span.start);
  return {
    level: severity === 'error' ? 'error' : 'warning',
    rule: 'mistake',
    title: `${code}: ${message}`,
    message: hint === undefined ? message : `${message}\n${hint}`,
    path: span.source.path,
    line,
    column,
  };
}
