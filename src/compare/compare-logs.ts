import { Claims } from '../axiomatic/confirmation/claims.js';
import { inSessions } from '../axiomatic/session/in-sessions.js';
import type { AxiomaticSession } from '../axiomatic/session/session.js';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { leftOut } from '../check/answer-scope.js';
import { notConfirmed } from '../check/confirm-answers.js';
import { deadlineOf, type Limits } from '../check/limits.js';
import { executionChoices } from '../check/open-choices.js';
import { overrideCondition } from '../check/override-condition.js';
import { interpretBits, truncate } from '../program/integer.js';
import type { Program, Proposition } from '../program/program.js';
import { describeUndecided, type Undecided } from '../program/undecided.js';
import { describeUndefined } from '../program/undefined-rules.js';
import { type ObservedState, type ObservedTest, stateKey } from './observations.js';
import { machineStates, modelStates, type OutcomeTable, outcomeTable } from './outcome-table.js';

/** What a model says of the outcomes that a log has for a test. */
export interface LogVerdict {
  readonly test: string;
  /** Outcomes that were observed and the model forbids. */
  readonly violations: readonly ObservedState[];
  /** Outcomes that the model allows and the log does not have. */
  readonly unobserved: readonly ReadonlyMap<string, bigint>[];
  readonly observed: number;
  /** Why it could not be told, or not all of it. */
  readonly undecided: string | undefined;
  /** All final states that somebody has, if asked for. */
  readonly outcomes?: OutcomeTable;
}

export interface LogOptions extends Limits {
  readonly unroll: number;
  /** Also the states that the machine reaches, and which of them this model forbids. */
  readonly outcomes?: { readonly stronger: Model | undefined };
}

const MOST_STATES = 2_000;

/** Holds the outcomes that a log has for a test against a model. */
export function judgeLog(
  solver: SatSolver,
  model: Model,
  program: Program,
  { test, states }: ObservedTest,
  options: LogOptions,
): LogVerdict {
  const verdict = (rest: Partial<LogVerdict>): LogVerdict => ({
    test,
    violations: [],
    unobserved: [],
    observed: states.length,
    undecided: undefined,
    ...rest,
  });
  const names = [...new Set(states.flatMap(({ values }) => [...values.keys()]))];
  if (names.length === 0) return verdict({ undecided: 'the log has no values for it' });
  const uneven = states.find(({ values }) => values.size !== names.length);
  if (uneven !== undefined) return verdict({ undecided: 'not all of its states in the log have the same names' });
  const observing = observe(program, names);
  if (typeof observing === 'string') return verdict({ undecided: observing });
  const start = options.clock();
  const deadline = deadlineOf(options);
  const claims = new Claims(solver.secondParty);
  const engine = { unroll: options.unroll, deadline, claims, mostStates: MOST_STATES };
  const engineOptions = { ...engine, ...executionChoices(model) };
  const unknown = (reason: Undecided): LogVerdict => verdict({ undecided: describeUndecided(reason) });
  const left = leftOut(observing);
  if (left !== undefined) return unknown(left);
  return inSessions((open) => {
    const flagging = open(solver, observing, model, { ...engineOptions, keepsThreads: true });
    if ('unknown' in flagging) return unknown(flagging.unknown);
    const undefinedBy = flagging.reachUndefined();
    if (undefinedBy.kind === 'undefined')
      return verdict({
        undecided: `the test is undefined, so that any outcome is possible: ${describeUndefined(undefinedBy)}`,
      });
    const session = open(solver, observing, model, engineOptions);
    if ('unknown' in session) return unknown(session.unknown);
    const { violations, unobserved, incomplete, isOpen } = compareStates(session, observing, states);
    const openAgain = (stronger: Model) =>
      open(solver, observing, stronger, { ...engine, ...executionChoices(stronger) });
    const outcomes = options.outcomes && { outcomes: tableOf(session, model, observing, states, options, openAgain) };
    claims.confirm(deadline, options.clock() - start);
    const unconfirmed = claims.openIn(0, claims.count);
    const beyond = undefinedBy.kind === 'unknown' ? undefinedBy.reason : undefined;
    const reason = isOpen || beyond !== undefined ? (incomplete ?? beyond) : undefined;
    const undecided = reason ?? (unconfirmed === undefined ? undefined : notConfirmed(unconfirmed));
    return verdict({
      violations,
      unobserved,
      undecided: undecided === undefined ? undefined : describeUndecided(undecided),
      ...outcomes,
    });
  }, unknown);
}

/** What the model allows, the machine reaches and the log has. */
function tableOf(
  session: AxiomaticSession,
  model: Model,
  observing: Program,
  states: readonly ObservedState[],
  options: LogOptions,
  open: (stronger: Model) => AxiomaticSession | { readonly unknown: Undecided },
): OutcomeTable {
  const normalized = (values: ReadonlyMap<string, bigint>) => integersOf(observing, values);
  const seen = states.map(({ values, count }) => ({ values: normalized(values), count }));
  const stronger = options.outcomes?.stronger;
  const other = stronger && open(stronger);
  return outcomeTable(
    seen,
    modelStates(session, normalized),
    machineStates(observing, model, options, normalized),
    other === undefined || 'unknown' in other ? undefined : modelStates(other, normalized),
  );
}

/** Which states were observed and are not allowed, and the other way round; where something is open, the reason. */
function compareStates(
  session: AxiomaticSession,
  observing: Program,
  states: readonly ObservedState[],
): Pick<LogVerdict, 'violations' | 'unobserved'> & {
  readonly incomplete: Undecided | undefined;
  readonly isOpen: boolean;
} {
  const { states: allowed, incomplete } = session.enumerate();
  const possible = allowed.map(({ state }) => integersOf(observing, state));
  const keys = new Set(possible.map(stateKey));
  const normalized = states.map((state) => ({ ...state, values: integersOf(observing, state.values) }));
  const missing = normalized.filter(({ values }) => !keys.has(stateKey(values)));
  // Where not all allowed states are known, those that are missing are asked for one by one.
  const answers =
    incomplete === undefined ? [] : missing.map(({ values }) => session.reach(equalling(observing, values)));
  const seen = new Set(normalized.map(({ values }) => stateKey(values)));
  return {
    violations: incomplete === undefined ? missing : missing.filter((_, i) => answers[i]?.kind === 'unreachable'),
    unobserved: possible.filter((values) => !seen.has(stateKey(values))),
    incomplete,
    isOpen: answers.some((answer) => answer.kind === 'unknown'),
  };
}

/** The program with final states of these values; a sentence if it does not have them. */
function observe(program: Program, names: readonly string[]): Program | string {
  const { value, diagnostics } = overrideCondition(
    program,
    `exists (${names.map((name) => `${name} == 0`).join(' /\\ ')})`,
  );
  return value ?? `its values are not those of the test: ${diagnostics[0]?.message ?? ''}`;
}

/** The values of a final state as integers of their types, from bit patterns or from numbers of either sign. */
function integersOf({ observed }: Program, state: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  return new Map(
    observed.map(
      ({ name, type }) =>
        [name, interpretBits(truncate(state.get(name) ?? 0n, type.width), type.width, type.kind === 's')] as const,
    ),
  );
}

function equalling({ observed }: Program, values: ReadonlyMap<string, bigint>): Proposition {
  return {
    kind: 'and',
    operands: observed.map((left) => ({
      kind: 'compare',
      comparison: '==',
      left,
      right: { kind: 'number', value: values.get(left.name) ?? 0n },
    })),
  };
}

/** What one log has for a test and another does not. */
export interface LogDifference {
  readonly test: string;
  readonly onlyFirst: readonly ObservedState[];
  readonly onlySecond: readonly ObservedState[];
  /** A log that does not have the test at all. */
  readonly missing: 'first' | 'second' | undefined;
}

/** The tests that two logs differ on. */
export function compareLogs(first: readonly ObservedTest[], second: readonly ObservedTest[]): readonly LogDifference[] {
  const [a, b] = [first, second].map((log) => new Map(log.map((one) => [one.test, one])));
  return [...new Set([...first, ...second].map(({ test }) => test))].flatMap((test): readonly LogDifference[] => {
    const [here, there] = [a?.get(test), b?.get(test)];
    const missing = here === undefined ? 'first' : there === undefined ? 'second' : undefined;
    const [onlyFirst, onlySecond] = [without(here, there), without(there, here)];
    const isSame = missing === undefined && onlyFirst.length + onlySecond.length === 0;
    return isSame ? [] : [{ test, onlyFirst, onlySecond, missing }];
  });
}

function without(one: ObservedTest | undefined, other: ObservedTest | undefined): readonly ObservedState[] {
  const keys = new Set(other?.states.map(({ values }) => stateKey(values)));
  return one?.states.filter(({ values }) => !keys.has(stateKey(values))) ?? [];
}
