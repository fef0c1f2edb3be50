import type { CheckVerdict, ExecutionVerdict } from '../../cat/check-execution.js';
import type { EncodedCheck } from '../encoding/encode-model.js';
import { type Formula, type FormulaBuilder, not } from '../formula/formula.js';

/** Whether what some events show is among what is asked about. */
export type Counts = (events: readonly number[]) => boolean;

/** What a flag of a model, or a condition of definedness that fails, tells of an execution. */
export interface Tells {
  /** It tells of something that counts. */
  readonly goal: Formula;
  /** The events that it tells of and that count; undefined: it tells of nothing. */
  events(verdict: ExecutionVerdict): readonly number[] | undefined;
}

/** Of a check that asks whether something is empty only the members that count; of another the whole. */
export function tellsOf(encoded: EncodedCheck, builder: FormulaBuilder, counts: Counts | undefined): Tells {
  const { check, holds, members } = encoded;
  const isFlag = check.role === 'flag';
  const of = ({ checks }: ExecutionVerdict): CheckVerdict | undefined =>
    checks.find((one) => one.check === check && one.holds === isFlag);
  // A flag is raised where its check holds, which is by what is there if it says ~empty.
  if (counts === undefined || check.negated !== isFlag || members.length === 0)
    return { goal: isFlag ? holds : not(holds), events: (verdict) => of(verdict)?.witness };
  const counted = members.filter(({ events }) => counts(events));
  return {
    goal: builder.any(counted.map(({ formula }) => formula)),
    events: (verdict) => of(verdict)?.members().find(counts),
  };
}
