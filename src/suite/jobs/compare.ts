import { judgeLog, type LogVerdict } from '../../compare/compare-logs.js';
import type { ObservedState } from '../../compare/observations.js';
import { eachProgram } from '../each-program.js';
import type { DecidingSettings, Job, ModelSettings, SuiteTask } from '../job.js';
import { loadSource } from '../test-source.js';
import { modelOf } from './check.js';

export type CompareSettings = DecidingSettings & ModelSettings;

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
export interface PlainVerdict extends Omit<LogVerdict, 'violations' | 'unobserved' | 'undecided'> {
  readonly log: number;
  readonly violations: readonly PlainState[];
  readonly unobserved: readonly PlainValues[];
  readonly undecided: string | null;
}

/** Holds what logs have for the tests of a source against a model. */
export function compareJob(settings: CompareSettings): Job<ObservedTask, readonly PlainVerdict[]> {
  const model = modelOf(settings);
  return ({ source, observed }, { solver, limits }) =>
    eachProgram(
      loadSource(source, settings),
      (program) =>
        observed
          .filter(({ test }) => test === program.name)
          .map(({ log, test, states }): PlainVerdict => {
            const seen = { test, states: states.map(stateOf) };
            const verdict = judgeLog(solver, model, program, seen, { ...limits, unroll: settings.unroll });
            return {
              ...verdict,
              log,
              violations: verdict.violations.map(plainState),
              unobserved: verdict.unobserved.map(plainValues),
              undecided: verdict.undecided ?? null,
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

export function verdictOf({ log: _, violations, unobserved, undecided, ...rest }: PlainVerdict): LogVerdict {
  return {
    ...rest,
    violations: violations.map(stateOf),
    unobserved: unobserved.map(valuesOf),
    undecided: undecided ?? undefined,
  };
}
