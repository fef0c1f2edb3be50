import { expect } from 'vitest';
import type { Clause, ConditionClause, Proposition, Term } from '../../../src/syntax/condition-ast.js';
import { enumerate, termsOf } from '../../reference/enumerate.js';
import type { Judge } from '../judge.js';

const MODEL = 'ptx-9.4';

const textOf = (term: Term): string => {
  const { span: _, ...rest } = term;
  return JSON.stringify(rest, (_key, value) => (typeof value === 'bigint' ? `${value}` : value));
};

function holds(proposition: Proposition, values: ReadonlyMap<string, bigint>): boolean {
  switch (proposition.kind) {
    case 'constant':
      return proposition.value;
    case 'not':
      return !holds(proposition.operand, values);
    case 'and':
      return proposition.operands.every((one) => holds(one, values));
    case 'or':
      return proposition.operands.some((one) => holds(one, values));
    case 'compare': {
      // Numbers with a decimal point the reference refuses before.
      const read = (term: Term): bigint =>
        term.kind === 'number' ? BigInt(term.value) : (values.get(textOf(term)) ?? -1n);
      const [a, b] = [read(proposition.left), read(proposition.right)];
      const signs = { '==': a === b, '!=': a !== b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b };
      return signs[proposition.comparison];
    }
  }
}

const speaksOf = (clause: Clause): boolean =>
  !('models' in clause) || clause.models === undefined || clause.models.includes(MODEL);

/** Whether what a condition expects is so; undefined if it only asks. */
function isMet(
  { quantifier, proposition }: ConditionClause,
  states: readonly ReadonlyMap<string, bigint>[],
): boolean | undefined {
  if (quantifier === 'exists') return undefined;
  if (quantifier === 'permit') return states.some((state) => holds(proposition, state));
  if (quantifier === 'forbid' || quantifier === '~exists') return !states.some((state) => holds(proposition, state));
  return states.every((state) => holds(proposition, state));
}

/** The reference on a test whose expectations come from the specification: what it knows it must get right. */
export const referenceMeets: Judge = {
  name: 'the reference finds what it expects',
  every: 1,
  judge({ text, syntax }, count) {
    // Negative numbers and filters are beyond this small evaluation of conditions.
    if (syntax.clauses.some(({ kind }) => kind === 'filter') || /[=<>] *-\d/.test(text)) return;
    const terms = termsOf(syntax).filter(({ kind }) => kind !== 'number');
    const found = enumerate(syntax, terms, { work: 400_000 });
    if (found.kind !== 'answer' || found.cut) return;
    const states = [...found.outcomes].map(
      (outcome) => new Map(terms.map((term, i) => [textOf(term), BigInt(outcome.split(',')[i] ?? 0)])),
    );
    const { race, deadlock, trap } = found;
    const flags = { race, deadlock, trap, undefined: found.undefined };
    const wrong: string[] = [];
    for (const clause of syntax.clauses.filter(speaksOf)) {
      if (clause.kind === 'expect') {
        const { expectation } = clause;
        const [, no, flag = ''] = /^(no-)?(.*)$/.exec(expectation) ?? [];
        if (found.undefined && flag !== 'undefined') continue;
        if (flags[flag as keyof typeof flags] !== (no === undefined)) wrong.push(`expect ${expectation}`);
      }
      if (clause.kind === 'condition' && !found.undefined && isMet(clause, states) === false)
        wrong.push(`${clause.quantifier} ${clause.name ?? ''}`);
    }
    expect(wrong).toEqual([]);
    count('answered');
  },
};
