import { judgeLog, type LogVerdict } from '../../compare/compare-logs.js';
import type { ObservedState } from '../../compare/observations.js';
import type { OutcomeRow, OutcomeTable } from '../../compare/outcome-table.js';
import { eachProgram } from '../each-program.js';
import type { DecidingSettings, Job, ModelSettings, SuiteTask } from '../job.js';
import { loadSource } from '../test-source.js';
import { modelOf } from './check.js';

export interface CompareSettings extends DecidingSettings, ModelSettings {
  /** Tables of outcomes are asked for; `stronger`: a model that tells which of them are weak. */
  readonly outcomes?: { readonly stronger: ModelSettings | null };
}

/** A test with what logs say was seen of the programs of its source. */
export interface ObservedTask extends SuiteTask {
  readonly observed: readonly { readonly log: number; readonly test: string; readonly states: readonly PlainState[] }[];
}

/** Values as decimal numbers, by name. */
type PlainValues = Readonly<Record<string, string>>;
interface PlainState {
  readonly values: PlainValues;
  readonly count: number | null;
}

/** What the model says of what one log has for a test, as plain data. */
export interface PlainVerdict extends Omit<LogVerdict, 'violations' | 'unobserved' | 'undecided' | 'outcomes'> {
  readonly log: number;
  readonly violations: readonly PlainState[];
  readonly unobserved: readonly PlainValues[];
  readonly undecided: string | null;
  readonly outcomes: PlainTable | null;
}

interface PlainTable {
  readonly rows: readonly (Omit<OutcomeRow, 'values'> & { readonly values: PlainValues })[];
  readonly machine: string | null;
}

/** Holds what logs have for the tests of a source against a model. */
export function compareJob(settings: CompareSettings): Job<ObservedTask, readonly PlainVerdict[]> {
  const model = modelOf(settings);
  const { stronger } = settings.outcomes ?? { stronger: null };
  const asked = settings.outcomes && { outcomes: { stronger: stronger === null ? undefined : modelOf(stronger) } };
  return ({ source, observed }, { solver, limits }) =>
    eachProgram(
      loadSource(source, settings),
      (program) =>
        observed
          .filter(({ test }) => test === program.name)
          .map(({ log, test, states }): PlainVerdict => {
            const seen = { test, states: states.map(stateOf) };
            const verdict = judgeLog(solver, model, program, seen, {
              ...{ ...limits, unroll: settings.unroll },
              ...asked,
            });
            return {
              ...verdict,
              log,
              violations: verdict.violations.map(plainState),
              unobserved: verdict.unobserved.map(plainValues),
              undecided: verdict.undecided ?? null,
              outcomes: verdict.outcomes === undefined ? null : plainTable(verdict.outcomes),
            };
          }),
      (verdicts) => verdicts.some(({ undecided }) => undecided !== null),
    );
}

export const plainState = ({ values, count }: ObservedState): PlainState => ({
  values: plainValues(values),
  count: count ?? null,
});
const stateOf = ({ values, count }: PlainState): ObservedState => ({
  values: valuesOf(values),
  count: count ?? undefined,
});
const plainValues = (values: ReadonlyMap<string, bigint>): PlainValues =>
  Object.fromEntries([...values].map(([name, value]) => [name, String(value)]));
const valuesOf = (values: PlainValues): ReadonlyMap<string, bigint> =>
  new Map(Object.entries(values).map(([name, value]) => [name, BigInt(value)]));

const plainTable = ({ rows, machine }: OutcomeTable): PlainTable => ({
  rows: rows.map((row) => ({ ...row, values: plainValues(row.values) })),
  machine: machine ?? null,
});
const tableOf = ({ rows, machine }: PlainTable): OutcomeTable => ({
  // What is not known is left out of the JSON of another process.
  rows: rows.map((row) => ({
    ...{ ...row, values: valuesOf(row.values) },
    ...{ allowed: row.allowed ?? undefined, reached: row.reached ?? undefined, count: row.count ?? undefined },
  })),
  machine: machine ?? undefined,
});

export function verdictOf({ log: _, violations, unobserved, undecided, outcomes, ...rest }: PlainVerdict): LogVerdict {
  return {
    ...rest,
    ...(outcomes && { outcomes: tableOf(outcomes) }),
    violations: violations.map(stateOf),
    unobserved: unobserved.map(valuesOf),
    undecided: undecided ?? undefined,
  };
}
