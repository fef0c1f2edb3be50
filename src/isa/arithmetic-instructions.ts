import { BIT_INSTRUCTIONS } from './bit-instructions.js';
import { COMPARE_INSTRUCTIONS } from './compare-instructions.js';
import { CONVERT_INSTRUCTIONS } from './convert-instructions.js';
import { FLOAT_FORMS, FLOAT_INSTRUCTIONS } from './float-instructions.js';
import { ANY_TARGET, type Instruction } from './instruction.js';
import { INTEGER_FORMS, INTEGER_INSTRUCTIONS } from './integer-instructions.js';
import { MOVE_INSTRUCTIONS } from './move-instructions.js';
import { type Form, values } from './value-forms.js';
import { VIDEO_INSTRUCTIONS } from './video.js';

/** The entries of what computes with registers alone. */
const of = (name: keyof typeof INTEGER_FORMS): readonly Form[] => [...INTEGER_FORMS[name], ...FLOAT_FORMS[name]];
const UNTYPED = { untyped: true } as const;

const extreme = (name: 'min' | 'max'): Instruction =>
  values(
    'd, a, b{, c}',
    ANY_TARGET,
    of(name).map((form) => ({ operandCount: 3, ...form })),
    UNTYPED,
  );

export const ARITHMETIC_INSTRUCTIONS = {
  ...MOVE_INSTRUCTIONS,
  add: values('d, a, b', ANY_TARGET, of('add'), UNTYPED),
  sub: values('d, a, b', ANY_TARGET, of('sub'), UNTYPED),
  mul: values('d, a, b', ANY_TARGET, of('mul'), UNTYPED),
  mad: values('d, a, b, c', ANY_TARGET, of('mad')),
  div: values('d, a, b', ANY_TARGET, of('div'), UNTYPED),
  neg: values('d, a', ANY_TARGET, of('neg')),
  abs: values('d, a', ANY_TARGET, of('abs')),
  min: extreme('min'),
  max: extreme('max'),
  ...INTEGER_INSTRUCTIONS,
  ...BIT_INSTRUCTIONS,
  ...COMPARE_INSTRUCTIONS,
  ...FLOAT_INSTRUCTIONS,
  ...CONVERT_INSTRUCTIONS,
  ...VIDEO_INSTRUCTIONS,
} as const satisfies Record<string, Instruction>;
