import { truncate } from '../../program/integer.js';
import type { Observable, Proposition, Term } from '../../program/program.js';
import { comparisonType } from '../../program/proposition.js';
import type { BitDomain, Bits } from '../formula/bits.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from '../formula/formula.js';

/** A proposition about final states, given the bits of what it speaks of. */
export function encodeProposition(
  builder: FormulaBuilder,
  bits: BitDomain,
  proposition: Proposition,
  valueOf: (observable: Observable) => Bits,
): Formula {
  const encode = (operand: Proposition): Formula => encodeProposition(builder, bits, operand, valueOf);
  switch (proposition.kind) {
    case 'constant':
      return proposition.value ? TRUE : FALSE;
    case 'not':
      return not(encode(proposition.operand));
    case 'and':
      return builder.all(proposition.operands.map(encode));
    case 'or':
      return builder.any(proposition.operands.map(encode));
    case 'compare': {
      const { left, right, comparison } = proposition;
      const { width, kind } = comparisonType(left, right);
      const bitsOf = (term: Term): Bits =>
        term.kind === 'number'
          ? bits.constant(truncate(term.value, width), width)
          : bits.resize(valueOf(term), width, term.type.kind === 's');
      const [a, b] = [bitsOf(left), bitsOf(right)];
      const signed = kind === 's';
      const forms: Readonly<Record<typeof comparison, () => Formula>> = {
        '==': () => bits.equal(a, b),
        '!=': () => not(bits.equal(a, b)),
        '<': () => bits.less(a, b, signed),
        '<=': () => not(bits.less(b, a, signed)),
        '>': () => bits.less(b, a, signed),
        '>=': () => not(bits.less(a, b, signed)),
      };
      return forms[comparison]();
    }
  }
}
