import type { AxiomaticSession } from '../axiomatic/session/session.js';
import type { Model } from '../cat/model.js';
import { exploreProgram } from '../check/check-operationally.js';
import type { Limits } from '../check/limits.js';
import type { Program } from '../program/program.js';
import { describeUndecided, type Undecided } from '../program/undecided.js';
import { stateKey } from './observations.js';

type Values = ReadonlyMap<string, bigint>;

/** A final state of a test, as three parties have it; undefined: that is not known. */
export interface OutcomeRow {
  readonly values: Values;
  /** By the model. */
  readonly allowed: boolean | undefined;
  /** By the machine. */
  readonly reached: boolean | undefined;
  /** How often it was seen; undefined where the log does not count. */
  readonly count: number | undefined;
  readonly observed: boolean;
  /** Another, stronger model forbids it: it is weak. */
  readonly isBeyond: boolean;
}

/** All final states of a test that somebody has. */
export interface OutcomeTable {
  readonly rows: readonly OutcomeRow[];
  /** Why it is not known of all of them whether the machine reaches them. */
  readonly machine: string | undefined;
}

/** Final states that a party has, by their keys, and whether it has no others. */
export interface StatesOf {
  readonly states: ReadonlyMap<string, Values>;
  readonly isAll: boolean;
  readonly reason?: string | undefined;
}

/** What the machine reaches. */
export function machineStates(
  program: Program,
  model: Model,
  options: Limits & { readonly unroll: number },
  normalized: (values: Values) => Values,
): StatesOf {
  const explored = exploreProgram(program, model, options);
  if ('kind' in explored) return { states: new Map(), isAll: false, reason: describeUndecided(explored) };
  const states = [...explored.outcomes.values()].map(({ outcome }) => normalized(outcome));
  const reason = explored.incomplete === undefined ? undefined : describeUndecided(explored.incomplete);
  return { states: byKey(states), isAll: reason === undefined, reason };
}

/** What a model allows, and why there may be more. */
export function modelStates(
  session: AxiomaticSession,
  normalized: (values: Values) => Values,
): StatesOf & { readonly incomplete: Undecided | undefined } {
  const { states, incomplete } = session.enumerate();
  return { states: byKey(states.map(({ state }) => normalized(state))), isAll: incomplete === undefined, incomplete };
}

const byKey = (states: readonly Values[]): ReadonlyMap<string, Values> =>
  new Map(states.map((values) => [stateKey(values), values] as const));

const has = ({ states, isAll }: StatesOf, key: string): boolean | undefined =>
  states.has(key) ? true : isAll ? false : undefined;

/** The rows of a table, those that were seen most first. */
export function outcomeTable(
  seen: readonly { readonly values: Values; readonly count: number | undefined }[],
  model: StatesOf,
  machine: StatesOf,
  stronger: StatesOf | undefined,
): OutcomeTable {
  const counts = new Map(seen.map(({ values, count }) => [stateKey(values), count] as const));
  const all = new Map([
    ...seen.map(({ values }) => [stateKey(values), values] as const),
    ...model.states,
    ...machine.states,
  ]);
  const rows = [...all].map(([key, values]): OutcomeRow => {
    const observed = counts.has(key);
    return {
      ...{ values, observed, count: counts.get(key) },
      ...{ allowed: has(model, key), reached: has(machine, key) },
      isBeyond: stronger !== undefined && has(stronger, key) === false,
    };
  });
  return { rows: rows.toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0)), machine: machine.reason };
}
