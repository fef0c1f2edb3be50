import type { Condition, Proposition, Term } from '../program/program.js';

/** A proposition in the syntax of litmus conditions. `term` says how values are named. */
export function describeProposition(
  proposition: Proposition,
  term: (term: Term) => string = nativeTerm,
  equals = ' == ',
): string {
  const visit = (one: Proposition): string => {
    switch (one.kind) {
      case 'constant':
        return String(one.value);
      case 'compare':
        return `${term(one.left)}${one.comparison === '==' ? equals : ` ${one.comparison} `}${term(one.right)}`;
      case 'not':
        return `~(${visit(one.operand)})`;
      case 'and':
      case 'or':
        return `(${one.operands.map(visit).join(one.kind === 'and' ? ' /\\ ' : ' \\/ ')})`;
    }
  };
  return visit(proposition);
}

function nativeTerm(term: Term): string {
  return term.kind === 'number' ? (term.decimal ?? String(term.value)) : term.name;
}

/** A condition as written, in one line. */
export function describeCondition({ quantifier, proposition, name, models }: Condition): string {
  const text = describeProposition(proposition);
  const named = name === undefined ? '' : ` as ${name}`;
  const under = models === undefined ? '' : ` for ${models.join(', ')}`;
  return `${quantifier} ${text.startsWith('(') ? text : `(${text})`}${named}${under}`;
}
