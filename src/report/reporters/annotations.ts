import { describeSelection } from '../../check/answer-scope.js';
import type { JsonDiagnostic } from '../json.js';
import type { ReportedAllowance, ReportedClaim, ReportedFlag, ReportedRemark, ReportedTest } from '../reported-test.js';
import { NOTHING_ACCEPTED, PLAIN, restyled } from '../text.js';

/** Something to be said about a line of a file: what CI systems and code hosts show beside it. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'note';
  readonly rule: Rule;
  readonly title: string;
  readonly message: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** Why the owners of the test have accepted it. */
  readonly accepted?: string;
  /** That is said outside of the test, by a project file or a baseline. */
  readonly isOutside?: true;
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
  'accepted-finding': 'A finding that the test says is accepted.',
  selection: 'Not all threads of a launch were run: what is met is so for these.',
  'not-confirmed': 'An answer of the search that nobody has confirmed.',
  'nothing-accepted': 'A test accepts a finding that is not there.',
  remark: 'What a run of all threads of a launch shows that breaks nothing.',
  'flag-raised': 'A flag of the model is raised by some execution, or that could not be decided.',
  mistake: 'A text cannot be read.',
} as const;
export type Rule = keyof typeof RULES;

export function annotationsOf({
  name,
  model,
  path,
  line: begins,
  claims,
  reasons,
  engines,
  problem,
  accepted = [],
  selection,
  flags = [],
  remarks = [],
}: ReportedTest): readonly Annotation[] {
  const about = (
    level: Annotation['level'],
    rule: Rule,
    what: string,
    { line, column, program }: PlacedInTest = { line: begins, column: 1 },
  ): Annotation => ({
    level,
    rule,
    title: `${name} (${model}): ${what}`,
    message: problem === undefined ? what : restyled(problem, PLAIN),
    path,
    line: Number(line),
    column,
    // What is wrong with a kernel is told where the kernel is written.
    ...program,
  });
  const broken = claims
    .filter(({ outcome }) => outcome === 'broken')
    .map((one) => about('error', 'broken-expectation', `${one.claim} is not met`, one));
  const undecided = reasons.length === 0 ? [] : [about('warning', 'undecided', `undecided: ${reasons.join('; ')}`)];
  const disagreement =
    engines?.verdict === 'disagreement' ? [about('error', 'engines-disagree', 'the engines disagree')] : [];
  const unconfirmed = claims.flatMap((one) =>
    one.unconfirmed === undefined
      ? []
      : [about('warning', 'not-confirmed', `${one.claim}: not confirmed: ${one.unconfirmed}`, one)],
  );
  const scope =
    selection === undefined || claims.every(({ outcome }) => outcome !== 'met')
      ? []
      : [about('note', 'selection', `scope: selection: what is met is so ${describeSelection(selection)}`)];
  const allowed = accepted.flatMap((one) => ofAllowance(one, about));
  // The report of the whole test is told once.
  const told = [...broken, ...undecided, ...disagreement];
  const rest = [...told, ...unconfirmed, ...scope, ...allowed].map((one, i) =>
    i === 0 && told.length > 0 ? one : { ...one, message: one.title },
  );
  const remarked = remarks.map((one) => ofRemark(one, about));
  return [...rest, ...flags.map((one) => ofFlag(one, about)), ...remarked];
}

type About = (level: Annotation['level'], rule: Rule, what: string, at: PlacedInTest) => Annotation;
type PlacedInTest = Pick<ReportedClaim, 'line' | 'column' | 'program'>;

function ofAllowance(one: ReportedAllowance, about: About): readonly Annotation[] {
  const { allowance, because, outcome, entry } = one;
  const outside = entry === undefined ? {} : ({ isOutside: true } as const);
  if (outcome === 'found')
    return [{ ...about('note', 'accepted-finding', `${allowance}: ${because}`, one), accepted: because, ...outside }];
  return outcome === 'nothing' ? [about('warning', 'nothing-accepted', `${allowance}: ${NOTHING_ACCEPTED}`, one)] : [];
}

function ofFlag(one: ReportedFlag, about: About): Annotation {
  const [what, ...places] = one.told.split('\n');
  const note = about('note', 'flag-raised', `flag ${one.flag}: ${what}`, one);
  return { ...note, message: places.length === 0 ? note.title : places.join('\n') };
}

function ofRemark(one: ReportedRemark, about: About): Annotation {
  const note = about('note', 'remark', `remark: ${one.remark}`, one);
  return { ...note, message: note.title };
}

export function annotationOf({ path, line, column, severity, code, message, hint }: JsonDiagnostic): Annotation {
  return {
    level: severity === 'error' ? 'error' : 'warning',
    rule: 'mistake',
    title: `${code}: ${message}`,
    message: hint === null ? message : `${message}\n${hint}`,
    path,
    line,
    column,
  };
}
