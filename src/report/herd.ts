import { selectionOf } from '../check/answer-scope.js';
import type { ConditionResult, TestResult } from '../check/result.js';
import type { FinalState } from '../execution/candidate-execution.js';
import { holdsOf } from '../execution/run-program.js';
import type { Condition, Program, Term } from '../program/program.js';
import { describeProposition } from './describe-proposition.js';
import { shownState } from './describe-state.js';
import { placesOfFlag } from './flags.js';

/**
 * The log block of herd7 for one condition of a test (docs/command-line.md). Positive and Negative count final states,
 * where herd counts candidate executions. Conditions with a name get a block of their own, `test.name`.
 *
 * @example
 * ```ts
 * const result = checkTest(solver, program, model, { states: true });
 * console.log(reportHerd(result, (bytes) => createHash('md5').update(bytes).digest('hex')));
 * ```
 *
 * @param hashOf - MD5 in hexadecimal.
 * @param times - Whether the block has a line for the time.
 */
export function reportHerd(result: TestResult, hashOf: (text: string) => string, times = true): string {
  const conditions = result.conditions.length === 0 ? [undefined] : result.conditions;
  return conditions
    .map((one, i) => {
      const name = sanitised(
        conditions.length === 1 ? result.program.name : `${result.program.name}.${one?.condition.name ?? i + 1}`,
      );
      return block(name, result, one, hashOf, times);
    })
    .join('\n');
}

const ALLOWED = { kind: 'Allowed', word: 'exists' };
const FORBIDDEN = { kind: 'Forbidden', word: '~exists' };
const REQUIRED = { kind: 'Required', word: 'forall' };
/** What herd calls a test with such a condition, and how it writes the quantifier. */
const IN_HERD: Readonly<Record<Condition['quantifier'], { readonly kind: string; readonly word: string }>> = {
  exists: ALLOWED,
  permit: ALLOWED,
  '~exists': FORBIDDEN,
  forbid: FORBIDDEN,
  forall: REQUIRED,
  require: REQUIRED,
};

function block(
  name: string,
  result: TestResult,
  asked: ConditionResult | undefined,
  hashOf: (text: string) => string,
  times: boolean,
): string {
  const condition = asked?.condition;
  const states = result.states?.list.map(({ state }) => state) ?? [];
  const positive =
    condition === undefined ? states.length : states.filter((state) => holdsOf(condition.proposition, state)).length;
  const negative = states.length - positive;
  // Where states may be missing, only what both kinds were found of is known.
  const open = result.states?.incomplete !== undefined && (positive === 0 || negative === 0);
  const observation = open ? '??' : positive === 0 ? 'Never' : negative === 0 ? 'Always' : 'Sometimes';
  const cut = asked?.undecided?.kind === 'bound' || result.states?.incomplete?.kind === 'bound';
  const verdict =
    result.undefinedBy !== undefined || (asked !== undefined && asked.holds === undefined)
      ? '??'
      : asked?.holds === false
        ? 'No'
        : 'Ok';
  const { kind, word } = condition === undefined ? REQUIRED : IN_HERD[condition.quantifier];
  const proposition =
    condition === undefined ? '(true)' : parenthesised(describeProposition(condition.proposition, herdTerm, '='));
  return [
    `Test ${name} ${kind}`,
    `States ${states.length}`,
    ...states.map((state) => stateLine(result.program, state)).sort(),
    `${cut ? 'Loop ' : ''}${verdict}`,
    'Witnesses',
    `Positive: ${positive} Negative: ${negative}`,
    ...flagLines(result),
    `Condition ${word} ${proposition}`,
    `Observation ${name} ${observation} ${positive} ${negative}`,
    ...qualifications(result, asked),
    ...(times ? [`Time ${name} ${(result.time / 1000).toFixed(2)}`] : []),
    `Hash=${hashOf(result.program.source.text)}`,
    '',
  ].join('\n');
}

/** What herd has no word for: that not all threads of a launch were run, and that nobody confirms an answer. */
function qualifications({ program, states }: TestResult, asked: ConditionResult | undefined): readonly string[] {
  const selection = selectionOf(program);
  const unconfirmed = asked?.unconfirmed ?? states?.unconfirmed;
  return [
    ...(selection === undefined ? [] : [`Scope selection: ${selection.run} of ${selection.of} threads`]),
    ...(unconfirmed === undefined ? [] : [`Not confirmed: ${unconfirmed}`]),
  ];
}

/** As herd7 tells of flags that are raised; behind each, what by. */
function flagLines({ flags = [] }: TestResult): readonly string[] {
  return flags
    .filter(({ raised }) => raised === true)
    .flatMap((flag) => [`Flag ${flag.name}`, ...placesOfFlag(flag).map((place) => `Flagged ${flag.name} ${place}`)]);
}

const herdName = (name: string): string => name.replace(/^P(\d+:)/, '$1');
const stateLine = (program: Program, state: FinalState): string =>
  shownState(program, state)
    .map(([name, value]) => `${herdName(name)}=${value};`)
    .join(' ');
const herdTerm = (term: Term): string => (term.kind === 'number' ? String(term.value) : herdName(term.name));
const parenthesised = (text: string): string => (text.startsWith('(') ? text : `(${text})`);
/** herd's lexer takes a name up to the next blank. */
const sanitised = (name: string): string => name.replace(/\s+/g, '_');
