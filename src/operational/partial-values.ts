import { CONCRETE_VALUES, type ConcreteValue } from '../semantics/concrete-values.js';
import type { ValueDomain } from '../semantics/value-domain.js';

/**
 * The value domain of a run that is under way: what depends on something not yet executed is not known yet. A value is
 * known as soon as all that it is computed from is, and not before, even where the result could be foreseen.
 */
export const PARTIAL_VALUES: ValueDomain<ConcreteValue | undefined, boolean | undefined> = {
  yes: true,
  no: false,
  and: (a, b) => (a === false || b === false ? false : a === undefined || b === undefined ? undefined : true),
  or: (a, b) => (a === true || b === true ? true : a === undefined || b === undefined ? undefined : false),
  not: (a) => (a === undefined ? undefined : !a),
  isNo: (a) => a === false,
  constant: CONCRETE_VALUES.constant,
  compute: (arithmetic, operands) => {
    const known = operands.filter((operand) => operand !== undefined);
    return known.length < operands.length ? undefined : CONCRETE_VALUES.compute(arithmetic, known);
  },
  resize: (value, width, signed) => (value === undefined ? undefined : CONCRETE_VALUES.resize(value, width, signed)),
  choose: (condition, whenTrue, whenFalse) => (condition === undefined ? undefined : condition ? whenTrue : whenFalse),
  truth: (value) => (value === undefined ? undefined : CONCRETE_VALUES.truth(value)),
};
