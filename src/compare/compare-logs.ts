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
import { machineStates, modelStates, type OutcomeTable, outcomeTable, type StatesOf } from './outcome-table.js';

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
    const seen = states.map((state) => ({ ...state, values: integersOf(observing, state.values) }));
    const allowed = modelStates(session, (values) => integersOf(observing, values));
    const { violations, unobserved, isOpen } = compareStates(session, observing, seen, allowed);
    const openStronger = (stronger: Model) =>
      open(solver, observing, stronger, { ...engine, ...executionChoices(stronger) });
    const outcomes = options.outcomes && { outcomes: tableOf(observing, model, options, seen, allowed, openStronger) };
    claims.confirm(deadline, options.clock() - start);
    const unconfirmed = claims.openIn(0, claims.count);
    const beyond = undefinedBy.kind === 'unknown' ? undefinedBy.reason : undefined;
    const reason = isOpen || beyond !== undefined ? (allowed.incomplete ?? beyond) : undefined;
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
  observing: Program,
  model: Model,
  options: LogOptions,
  seen: readonly ObservedState[],
  allowed: StatesOf,
  open: (stronger: Model) => AxiomaticSession | { readonly unknown: Undecided },
): OutcomeTable {
  const normalized = (values: ReadonlyMap<string, bigint>) => integersOf(observing, values);
  const machine = machineStates(observing, model, options, normalized);
  const stronger = options.outcomes?.stronger;
  const session = stronger && open(stronger);
  const isSilent = session === undefined || 'unknown' in session;
  return outcomeTable(seen, allowed, machine, isSilent ? undefined : modelStates(session, normalized));
}

/** Which states were observed and are not allowed, and the other way round; whether something is open. */
function compareStates(
  session: AxiomaticSession,
  observing: Program,
  observed: readonly ObservedState[],
  allowed: StatesOf,
): Pick<LogVerdict, 'violations' | 'unobserved'> & { readonly isOpen: boolean } {
  const missing = observed.filter(({ values }) => !allowed.states.has(stateKey(values)));
  // Where not all allowed states are known, those that are missing are asked for one by one.
  const answers = allowed.isAll ? [] : missing.map(({ values }) => session.reach(equalling(observing, values)));
  const seen = new Set(observed.map(({ values }) => stateKey(values)));
  return {
    violations: allowed.isAll ? missing : missing.filter((_, i) => answers[i]?.kind === 'unreachable'),
    unobserved: [...allowed.states].flatMap(([key, values]) => (seen.has(key) ? [] : [values])),
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
