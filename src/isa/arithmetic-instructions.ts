import { BIT_INSTRUCTIONS } from './bit-instructions.js';
import { COMPARE_INSTRUCTIONS } from './compare-instructions.js';
import { CONVERT_INSTRUCTIONS } from './convert-instructions.js';
import { FLOAT_FORMS, FLOAT_INSTRUCTIONS } from './float-instructions.js';
import type { Instruction } from './instruction.js';
import { ANY_TARGET, INTEGER_FORMS, INTEGER_INSTRUCTIONS } from './integer-instructions.js';
import { MOVE_INSTRUCTIONS } from './move-instructions.js';
import { type Form, values } from './value-forms.js';

/** The entries of what computes with registers alone. */
const of = (operands: string, forms: readonly Form[], untyped?: true): Instruction =>
  values({ operands, forms, since: ANY_TARGET, ...(untyped === undefined ? {} : { untyped }) });

const extreme = (forms: readonly Form[]): Instruction =>
  values({
    operands: 'd, a, b{, c}',
    operandCount: [3, 4],
    forms: forms.map((form) => ({ operandCount: 3, ...form })),
    since: ANY_TARGET,
    untyped: true,
  });

export const ARITHMETIC_INSTRUCTIONS = {
  ...MOVE_INSTRUCTIONS,
  add: of('d, a, b', [...INTEGER_FORMS.add, ...FLOAT_FORMS.add], true),
  sub: of('d, a, b', [...INTEGER_FORMS.sub, ...FLOAT_FORMS.sub], true),
  mul: of('d, a, b', [...INTEGER_FORMS.mul, ...FLOAT_FORMS.mul], true),
  mad: of('d, a, b, c', [...INTEGER_FORMS.mad, ...FLOAT_FORMS.mad]),
  div: of('d, a, b', [...INTEGER_FORMS.div, ...FLOAT_FORMS.div], true),
  neg: of('d, a', [...INTEGER_FORMS.neg, ...FLOAT_FORMS.neg]),
  abs: of('d, a', [...INTEGER_FORMS.abs, ...FLOAT_FORMS.abs]),
  min: extreme([...INTEGER_FORMS.min, ...FLOAT_FORMS.min]),
  max: extreme([...INTEGER_FORMS.max, ...FLOAT_FORMS.max]),
  ...INTEGER_INSTRUCTIONS,
  ...BIT_INSTRUCTIONS,
  ...COMPARE_INSTRUCTIONS,
  ...FLOAT_INSTRUCTIONS,
  ...CONVERT_INSTRUCTIONS,
} as const satisfies Record<string, Instruction>;
