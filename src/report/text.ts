import type { AcceptedFinding } from '../check/accepted-findings.js';
import { boundedLoops } from '../check/bounded-loops.js';
import type { FlagResult } from '../check/flags-of-model.js';
import { inferredRule } from '../check/inferred-rules.js';
import type { ConditionResult, ExpectationResult, TestResult } from '../check/result.js';
import { isBroken, isUndecided, neverEnds, reasonOf } from '../check/result.js';
import { citation, citations, meaningOf, quoteOf } from '../diagnostics/source.js';
import { describeAllowance } from '../program/allowance.js';
import { isFair, printForwardProgress } from '../program/forward-progress.js';
import type { Program, ResolvedExpectation } from '../program/program.js';
import { describeUndecided, type Undecided } from '../program/undecided.js';
import { reportCrossCheck } from './cross-check.js';
import { met, unconfirmedLines } from './describe-answer.js';
import { describeDeadlock } from './describe-deadlock.js';
import { describeExecution, describeExplanation, describePlaces } from './describe-execution.js';
import { launchLines, orderLines, remarkLines } from './describe-launch.js';
import { describeCondition } from './describe-proposition.js';
import { describeShownEnd, stateLine } from './describe-state.js';
import { describeByValue, valuesLines } from './describe-values.js';
import { describeFlag, placesOfFlag } from './flags.js';
import { indent, plural } from './words.js';

/** How the text is dressed: words carry the meaning, color only repeats it. */
export interface Style {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly unsure: (text: string) => string;
  readonly faint: (text: string) => string;
}

/** Text without colors. */
export const PLAIN: Style = { good: (t) => t, bad: (t) => t, unsure: (t) => t, faint: (t) => t };

const paint =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;
/** Text for a terminal: ANSI colors. */
export const COLORED: Style = { good: paint(32), bad: paint(31), unsure: paint(33), faint: paint(2) };

/** A text in colors, in another style: as it is, or plain. */
export function restyled(text: string, style: Style): string {
  return style === COLORED ? text : text.replace(/\u001b\[\d+m/g, '');
}

/**
 * One test in full: its conditions, and for each what shows the verdict, up to `witnesses` executions; with `times`
 * how long it took, with `callers` the functions of a kernel that were put in their callers' places, and what orders
 * the accesses of a launch.
 *
 * @example
 * ```ts
 * console.log(reportTest(checkTest(solver, program, model), COLORED));
 * ```
 */
export function reportTest(
  result: TestResult,
  style: Style = PLAIN,
  witnesses = 1,
  times = true,
  callers = false,
): string {
  const lines = [
    headLine(result, style, times),
    ...valuesLines(result, style),
    ...launchLines(result.program),
    ...orderLines(result, callers),
  ];
  if (result.undefinedBy !== undefined) {
    lines.push(
      `  ${style.unsure('undefined')}: ${result.undefinedBy.sentence}; the model says nothing about the outcomes of ` +
        'this test',
    );
    const { witness } = result.undefinedBy;
    lines.push(...placesAndAdvice(result.undefinedBy, callers));
    if (witness !== undefined && witnesses > 0) lines.push(...indent(describeExecution(witness)));
  }
  for (const condition of result.conditions) lines.push(...reportCondition(condition, result, style, witnesses));
  lines.push(...reportOpenValues(result, style));
  if (neverEnds(result)) lines.push(`  ${style.unsure(NEVER_ENDS)}`);
  for (const expectation of result.expectations)
    lines.push(...reportExpectation(expectation, result, style, witnesses, callers));
  for (const one of result.flags ?? []) lines.push(...reportFlag(one, style, witnesses));
  for (const one of result.accepted ?? []) lines.push(...reportAccepted(one, style));
  for (const one of result.remarks ?? []) lines.push(...remarkLines(one, style));
  lines.push(...reportStates(result, style), ...reportUnspecified(result, style), ...reportCrossCheck(result, style));
  return toldOnce(lines).join('\n');
}

/** What answers of one test rest on, rule by rule where a rule comes first, and by names behind that. */
function toldOnce(lines: readonly string[]): readonly string[] {
  const told = new Set<string>();
  const kept: string[] = [];
  let again: string[] = [];
  for (const [at, line] of lines.entries()) {
    const { space = '', name } = RESTING.exec(line)?.groups ?? {};
    if (name === undefined || !told.has(line)) kept.push(line);
    else again.push(name);
    told.add(line);
    if (again.length === 0 || RESTING.test(lines[at + 1] ?? '')) continue;
    kept.push(`${space}rests on ${again.join(', ')}, as above`);
    again = [];
  }
  return kept;
}
const RESTING = /^(?<space>\s*)rests on (?<name>[\w-]+), inferred, not stated by the ISA: /;

/** Where what was found stands, and what is advised. */
function placesAndAdvice(
  { witness, events, advice }: Pick<ExpectationResult, 'witness' | 'events' | 'advice'>,
  callers = false,
): readonly string[] {
  const places = witness === undefined ? [] : describePlaces(witness, events, callers);
  return indent([...places, ...(advice === undefined ? [] : [advice])]);
}

/** Values that PTX leaves open, which answers may depend on. */
function reportOpenValues({ openValues = [] }: TestResult, style: Style): readonly string[] {
  if (openValues.length === 0) return [];
  const shown = openValues.slice(0, MOST_OPEN_VALUES).map((span) => `    ${citation(span)}: ${quoteOf(span)}`);
  const more = openValues.length - shown.length;
  return [
    `  ${style.unsure('rests on values that PTX leaves open')}, each taken as any value that it allows:`,
    ...shown,
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}

const MOST_OPEN_VALUES = 4;

/** The name of the test with its verdict, the model and the time. */
export function headLine(result: TestResult, style: Style, times = true): string {
  const { program, time } = result;
  return (
    `${program.name}   ${verdictWord(result, style)}   ${shownModel(result.model)}   ` +
    `${times ? `${time.toFixed(0)} ms   ` : ''}${style.faint(program.source.path)}`
  );
}

/** `ptx-9.4`, or with the choices taken `ptx-9.4 (proxy-fence=lenient)`. */
function shownModel({ name, variants }: TestResult['model']): string {
  return variants.size === 0 ? name : `${name} (${[...variants].join(', ')})`;
}

function reportCondition(
  result: ConditionResult,
  test: TestResult,
  style: Style,
  witnesses: number,
): readonly string[] {
  const { condition, observation, undecided } = result;
  const word =
    result.expectation === 'broken'
      ? style.bad(' BROKEN')
      : result.expectation === 'undecided' || undecided !== undefined
        ? style.unsure(' UNDECIDED')
        : result.expectation === 'met'
          ? style.good(` ${met(test)}`)
          : '';
  // Of many sizes some may be undefined, and others not.
  const isUndefined = test.values === undefined || (undecided === undefined && result.holds === undefined);
  const found =
    test.undefinedBy !== undefined && isUndefined
      ? 'undefined behavior: no outcome can be promised'
      : undecided === undefined
        ? `observation: ${observation ?? (result.reachable === undefined ? 'not always' : 'sometimes or always')}`
        : `unknown: ${describeUndecided(undecided)}${adviceFor(undecided, test)}`;
  const lines = [
    `  ${describeCondition(condition)}`,
    `    ${found}${word}${conditionally(result)}`,
    ...byValueLines(result),
    ...indent(result.shownBy === undefined ? [] : describeShownEnd(result.shownBy)),
    ...indent(unconfirmedLines(result.unconfirmed, style)),
  ];
  // What shows the verdict: for a broken claim about all executions one that does otherwise, else some that do it.
  const universal = condition.quantifier === 'forall' || condition.quantifier === 'require';
  const shown = universal && result.counterexample !== undefined ? [result.counterexample] : result.witnesses;
  for (const execution of shown.slice(0, witnesses)) lines.push(...indent(describeExecution(execution), 6));
  if (result.race !== undefined && shown[0] !== undefined)
    lines.push(
      '    a data race of that execution:',
      ...indent(describePlaces(shown[0], result.race.events), 6),
      `      ${result.race.advice}`,
    );
  // Of what is undecided, half a reason would be none.
  if (result.forbiddenBy !== undefined && undecided === undefined)
    lines.push(...indent(describeForbidden(result.forbiddenBy, test.model), 4));
  return lines;
}

function byValueLines({ byValue }: Pick<ConditionResult, 'byValue'>): readonly string[] {
  const told = describeByValue(byValue);
  return told === undefined ? [] : [`    ${told}`];
}

function describeForbidden(
  { axioms, execution, failures: [failure], inferred }: NonNullable<ConditionResult['forbiddenBy']>,
  model: TestResult['model'],
): readonly string[] {
  const rules = restingOn(inferred, model);
  if (execution === undefined)
    return ['ruled out by the program itself: no values that the threads can read and write lead there', ...rules];
  const names = axioms.length === 1 ? `axiom ${axioms[0]}` : `axioms ${axioms.join(', ')}`;
  return [
    `ruled out by ${names}`,
    ...(failure === undefined ? [] : indent(describeExplanation(execution, failure.explanation), 2)),
    ...rules,
  ];
}

function restingOn(inferred: readonly string[], model: TestResult['model']): readonly string[] {
  return inferred.map((name) => `rests on ${name}, inferred, not stated by the ISA: ${inferredRule(model, name)}`);
}

/** `unspecified by the ISA: forbid (…): forbidden if proxy-fence=strict, allowed if proxy-fence=lenient`. */
function reportUnspecified({ unspecified, conditions, expectations }: TestResult, style: Style): readonly string[] {
  return (unspecified ?? []).flatMap(({ choice, question, of, verdicts }) => {
    const condition = of.kind === 'condition' ? conditions[of.index]?.condition : undefined;
    const expectation = of.kind === 'expectation' ? expectations[of.index]?.expectation.expectation : undefined;
    const what =
      condition !== undefined
        ? `${describeCondition(condition)}: `
        : expectation !== undefined
          ? `expect ${expectation}: `
          : '';
    const readings = verdicts.map(({ value, verdict }) => `${verdict} if ${choice}=${value}`).join(', ');
    return [`  ${style.unsure('unspecified by the ISA')}: ${what}${readings}`, `    ${question}`];
  });
}

function reportStates({ states, program }: TestResult, style: Style): readonly string[] {
  if (states === undefined) return [];
  const lines = states.list.map(({ state }) => `    ${stateLine(program, state)}`).sort();
  const rest =
    states.incomplete !== undefined
      ? style.unsure(` (incomplete: ${describeUndecided(states.incomplete)})`)
      : states.unconfirmed === undefined
        ? ''
        : style.unsure(` (not confirmed: ${states.unconfirmed})`);
  return [`  ${plural(lines.length, 'final state')}${rest}`, ...lines];
}

/** Only what a reader of a suite must see: broken, undecided, undefined without having been expected. */
export function reportProblem(result: TestResult, style: Style): string | undefined {
  const unspecified = reportUnspecified(result, style);
  const disagreement = result.crossCheck?.verdict === 'disagreement';
  const idle = (result.accepted ?? []).filter(({ outcome }) => outcome !== 'found');
  const flags = (result.flags ?? []).filter(({ raised }) => raised !== false);
  const isFine = !isBroken(result) && !isUndecided(result) && unspecified.length + idle.length + flags.length === 0;
  if (isFine && !disagreement) return undefined;
  const head = headLine(result, style, false);
  const lines: string[] = [];
  for (const condition of result.conditions) {
    if (condition.expectation !== 'broken' && condition.undecided === undefined) continue;
    lines.push(...reportCondition(condition, result, style, condition.expectation === 'broken' ? 1 : 0));
  }
  if (result.undefinedBy !== undefined)
    lines.push(`  undefined: ${result.undefinedBy.sentence}`, ...placesAndAdvice(result.undefinedBy));
  for (const expectation of result.expectations)
    if (expectation.outcome !== 'met') lines.push(...reportExpectation(expectation, result, style, 1));
  for (const one of flags) lines.push(...reportFlag(one, style, 0));
  for (const one of idle) lines.push(...reportAccepted(one, style));
  if (result.states?.incomplete !== undefined)
    lines.push(`  final states incomplete: ${describeUndecided(result.states.incomplete)}`);
  return [head, ...lines, ...unspecified, ...(disagreement ? reportCrossCheck(result, style) : [])].join('\n');
}

export const NEVER_ENDS =
  'no execution of this test runs to its end (a loop or a barrier waits for ever), so that every forbid, require ' +
  'and forall holds of nothing';

function reportExpectation(
  result: ExpectationResult,
  test: TestResult,
  style: Style,
  witnesses: number,
  callers = false,
): readonly string[] {
  const { expectation, outcome, inferred, witness, events, shownAt = [] } = result;
  const reason = reasonToldOnce(result, test);
  const word =
    outcome === 'met' ? style.good(met(test)) : outcome === 'broken' ? style.bad('BROKEN') : style.unsure('UNDECIDED');
  const under = `${promisedIn(expectation, test.program)}${conditionally(result)}`;
  const lines = [
    `  expect ${expectation.expectation}: ${word}${under}${reason === undefined ? '' : ` (${reason})`}`,
    ...byValueLines(result),
    ...indent(unconfirmedLines(result.unconfirmed, style)),
    ...indent(restingOn(inferred, test.model)),
  ];
  const cited = citations(shownAt.map(({ span }) => span));
  shownAt.forEach(({ thread, span }, i) => lines.push(`    ${thread}  ${cited[i]}: ${meaningOf(span)}`));
  if (witness === undefined) return [...lines, ...(result.advice === undefined ? [] : [`    ${result.advice}`])];
  const waiting = describeDeadlock(witness);
  if (events.length === 0 && waiting.length === 0) return lines;
  const isTold = shownAt.length > 0;
  lines.push(...(events.length === 0 ? indent(waiting) : []));
  lines.push(...placesAndAdvice(isTold ? { ...result, events: [] } : result, callers));
  if (outcome === 'broken' && witnesses > 0) {
    const count = witness.universe.structure.program.threads.length;
    if (isTold) lines.push(`    an execution of ${plural(count, 'thread')} alone has it:`);
    lines.push(...indent(describeExecution(witness), 6));
  }
  return lines;
}

/** Why an answer is as it is: what leaves several of a test open is told with the first. */
function reasonToldOnce(result: ExpectationResult, { expectations }: TestResult): string | undefined {
  const reason = reasonOf(result);
  const isTold = (one: ExpectationResult): boolean => one.undecided !== undefined && reasonOf(one) === reason;
  const isAbove = isTold(result) && expectations.slice(0, expectations.indexOf(result)).some(isTold);
  return isAbove && reason !== undefined && reason.length > AS_ABOVE.length ? AS_ABOVE : reason;
}
const AS_ABOVE = 'as above';

const conditionally = ({ provided }: Pick<ExpectationResult, 'provided'>): string =>
  provided === undefined ? '' : `, ${provided}`;

/** What is promised to the threads of a test, where that is said and decides the answer. */
const promisedIn = ({ finding }: ResolvedExpectation, { progress }: Program): string =>
  finding !== 'deadlock' || progress === undefined || isFair(progress)
    ? ''
    : ` under forward progress ${printForwardProgress(progress.stated)}`;

/** What a flag of the model tells of, and of the execution in which it does. */
function reportFlag(flag: FlagResult, style: Style, witnesses: number): readonly string[] {
  const what = describeFlag(flag);
  return [
    `  flag ${flag.name}: ${flag.raised === false ? what : style.unsure(what)}`,
    ...indent(placesOfFlag(flag)),
    ...(flag.witness === undefined || witnesses === 0 ? [] : indent(describeExecution(flag.witness), 6)),
  ];
}

export const NOTHING_ACCEPTED = 'nothing of the kind is found there: take the line out';

/** What an `allow` line accepts, with the reason; where it accepts nothing any more, that it can go. */
function reportAccepted(
  { allowance, outcome, undecided, sentence, witness, events }: AcceptedFinding,
  style: Style,
): readonly string[] {
  const what = describeAllowance(allowance);
  if (outcome === 'found')
    return [
      `  ${what}: accepted (${sentence}): ${allowance.reason}`,
      ...(witness === undefined ? [] : indent(describePlaces(witness, events))),
    ];
  return [
    undecided === undefined
      ? `  ${style.unsure('warning')}: ${what}: ${NOTHING_ACCEPTED}`
      : `  ${what}: ${style.unsure('UNDECIDED')} (${describeUndecided(undecided)})`,
  ];
}

function verdictWord(result: TestResult, style: Style): string {
  if (isBroken(result)) return style.bad('broken');
  if (result.undefinedBy !== undefined) return style.unsure('undefined');
  if (isUndecided(result)) return style.unsure('undecided');
  if (neverEnds(result)) return style.unsure('deadlock');
  if (result.expectations.length > 0 || result.conditions.some(({ expectation }) => expectation !== 'none'))
    return style.good(met(result));
  const [only] = result.conditions;
  if (result.conditions.length === 1 && only !== undefined)
    return only.reachable === true ? style.good('allowed') : style.good('forbidden');
  return style.good('decided');
}

function adviceFor({ kind }: Undecided, result: TestResult): string {
  if (kind === 'bound') {
    const loops = boundedLoops(result.program).map((loop) => `; ${loop}`);
    return ` (loops were unrolled ${result.unroll} times; try --unroll ${result.unroll * 2}${loops.join('')})`;
  }
  if (kind === 'timeout') return ' (try a larger --timeout)';
  return '';
}
