import type { DataType } from './data-type.js';
import { truncate } from './integer.js';
import type { Observable, Proposition, Term } from './program.js';

/** A proposition over terms of any kind: those of a program, or of its text. */
type PropositionOver<T> =
  | { readonly kind: 'constant' }
  | { readonly kind: 'compare'; readonly left: T; readonly right: T }
  | { readonly kind: 'not'; readonly operand: PropositionOver<T> }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly PropositionOver<T>[] };

/** The terms that a proposition compares. */
export function termsIn<T>(proposition: PropositionOver<T>): readonly T[] {
  switch (proposition.kind) {
    case 'constant':
      return [];
    case 'compare':
      return [proposition.left, proposition.right];
    case 'not':
      return termsIn(proposition.operand);
    case 'and':
    case 'or':
      return proposition.operands.flatMap((operand) => termsIn(operand));
  }
}

/** Whether a proposition holds of a final state, given the bit pattern of each observable. */
export function holds(proposition: Proposition, valueOf: (observable: Observable) => bigint): boolean {
  switch (proposition.kind) {
    case 'constant':
      return proposition.value;
    case 'not':
      return !holds(proposition.operand, valueOf);
    case 'and':
      return proposition.operands.every((operand) => holds(operand, valueOf));
    case 'or':
      return proposition.operands.some((operand) => holds(operand, valueOf));
    case 'compare':
      return compares(proposition, valueOf);
  }
}

/** Whether a proposition may hold of a final state of which some values are not known yet. */
export function mayHold(
  proposition: Proposition,
  valueOf: (observable: Observable) => bigint | undefined,
  negated = false,
): boolean {
  switch (proposition.kind) {
    case 'constant':
      return proposition.value !== negated;
    case 'not':
      return mayHold(proposition.operand, valueOf, !negated);
    case 'and':
    case 'or': {
      const may = (operand: Proposition): boolean => mayHold(operand, valueOf, negated);
      return (proposition.kind === 'and') === negated
        ? proposition.operands.some(may)
        : proposition.operands.every(may);
    }
    case 'compare': {
      const isKnown = (term: Term): boolean => term.kind === 'number' || valueOf(term) !== undefined;
      if (!isKnown(proposition.left) || !isKnown(proposition.right)) return true;
      return compares(proposition, (observable) => valueOf(observable) ?? 0n) !== negated;
    }
  }
}

/** The terms of a proposition by which it is known to hold of a final state, or not to. */
export function decidingTerms(
  proposition: Proposition,
  valueOf: (observable: Observable) => bigint | undefined,
): readonly Observable[] {
  switch (proposition.kind) {
    case 'constant':
      return [];
    case 'compare':
      return termsIn(proposition).flatMap((term) => (term.kind === 'number' ? [] : [term]));
    case 'not':
      return decidingTerms(proposition.operand, valueOf);
    case 'and':
    case 'or': {
      // One that does not hold is enough for a conjunction, and one that does for a disjunction.
      const settling = proposition.operands.find((one) => !mayHold(one, valueOf, proposition.kind === 'or'));
      const all = settling === undefined ? proposition.operands : [settling];
      return all.flatMap((one) => decidingTerms(one, valueOf));
    }
  }
}

function compares(
  { left, right, comparison }: Extract<Proposition, { kind: 'compare' }>,
  valueOf: (observable: Observable) => bigint,
): boolean {
  const type = comparisonType(left, right);
  const read = (term: Term): bigint => {
    const bits = truncate(term.kind === 'number' ? term.value : valueOf(term), type.width);
    return type.kind === 's' ? BigInt.asIntN(type.width, bits) : bits;
  };
  const [a, b] = [read(left), read(right)];
  switch (comparison) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
  }
}

/**
 * The type at which two sides compare: the wider side's, signed if one side is signed; two numbers as 64-bit integers.
 */
export function comparisonType(left: Term, right: Term): DataType {
  const types = [left, right].flatMap((term) => (term.kind === 'number' ? [] : [term.type]));
  const widest = types.reduce((a, b) => Math.max(a, b.width), 0);
  return {
    kind: types.length === 0 || types.some((type) => type.kind === 's') ? 's' : 'u',
    width: widest === 0 ? 64 : widest,
  };
}
