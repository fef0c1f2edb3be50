import type { Clause, Proposition, Term } from './condition-ast.js';

/** A clause with other terms in the place of those that it asks about. */
export function replaceTerms(clause: Clause, by: (term: Term) => Term): Clause {
  switch (clause.kind) {
    case 'condition':
    case 'filter':
      return { ...clause, proposition: replaceTermsOf(clause.proposition, by) };
    case 'locations':
      return { ...clause, terms: clause.terms.map(by) };
    case 'expect':
    case 'allow':
      return clause;
  }
}

/** A proposition with other terms in the place of those that it compares. */
export function replaceTermsOf(proposition: Proposition, by: (term: Term) => Term): Proposition {
  const of = (one: Proposition): Proposition => replaceTermsOf(one, by);
  switch (proposition.kind) {
    case 'constant':
      return proposition;
    case 'not':
      return { ...proposition, operand: of(proposition.operand) };
    case 'compare':
      return { ...proposition, left: by(proposition.left), right: by(proposition.right) };
    default:
      return { ...proposition, operands: proposition.operands.map(of) };
  }
}
