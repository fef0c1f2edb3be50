import type { ConcreteValue } from '../semantics/concrete-values.js';
import type { ValueDomain } from '../semantics/value-domain.js';
import { PARTIAL_VALUES } from './partial-values.js';

type Partial = ConcreteValue | undefined;

const marked = (value: Partial, isOpen: boolean): Partial =>
  value === undefined || !isOpen ? value : { ...value, open: true };

/** The values of a run that is under way, some of which are left open; `used`: control depends on one of them. */
export const openAware = (used: () => void): ValueDomain<Partial, boolean | undefined> => ({
  ...PARTIAL_VALUES,
  compute: (arithmetic, operands) => {
    const [condition, whenTrue, whenFalse] = operands;
    const from =
      arithmetic.name === 'select' && condition !== undefined
        ? [condition, condition.bits === 1n ? whenTrue : whenFalse]
        : operands;
    return marked(
      PARTIAL_VALUES.compute(arithmetic, operands),
      from.some((operand) => operand?.open === true),
    );
  },
  resize: (value, width, signed) => marked(PARTIAL_VALUES.resize(value, width, signed), value?.open === true),
  truth: (value) => {
    if (value?.open === true) used();
    return PARTIAL_VALUES.truth(value);
  },
});
