import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Clause, ConditionClause, Proposition, Term } from '../../src/syntax/condition-ast.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { enumerate, termsOf } from './enumerate.js';

/**
 * The reference on the tests of litmus/, whose expectations come from the specification: what it knows it must get
 * right.
 */
const FOLDER = join(import.meta.dirname, '../../litmus');
const MODEL = 'ptx-9.4';
/** What is left out: features that the reference does not have, and sizes beyond its budget. */
const LEAST_ANSWERED = 200;

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
      const read = (term: Term): bigint => (term.kind === 'number' ? term.value : (values.get(textOf(term)) ?? -1n));
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

describe('the reference on litmus/', () => {
  it('meets every expectation of the tests that it knows', () => {
    const wrong: string[] = [];
    let answered = 0;
    for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.litmus') && !name.startsWith('kernels/launched/'),
    )) {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      const { value } = parseLitmus({ path: file, text });
      // Negative numbers and filters are beyond this small evaluation of conditions.
      if (value === undefined || value.clauses.some(({ kind }) => kind === 'filter') || /[=<>] *-\d/.test(text))
        continue;
      const terms = termsOf(value).filter(({ kind }) => kind !== 'number');
      const found = enumerate(value, terms, { work: 400_000 });
      if (found.kind !== 'answer' || found.cut) continue;
      answered += 1;
      const states = [...found.outcomes].map(
        (outcome) => new Map(terms.map((term, i) => [textOf(term), BigInt(outcome.split(',')[i] ?? 0)])),
      );
      const { race, deadlock, trap } = found;
      const flags = { race, deadlock, trap, undefined: found.undefined };
      for (const clause of value.clauses.filter(speaksOf)) {
        if (clause.kind === 'expect') {
          const { expectation } = clause;
          const [, no, flag = ''] = /^(no-)?(.*)$/.exec(expectation) ?? [];
          if (found.undefined && flag !== 'undefined') continue;
          if (flags[flag as keyof typeof flags] !== (no === undefined)) wrong.push(`${file}: expect ${expectation}`);
        }
        if (clause.kind === 'condition' && !found.undefined && isMet(clause, states) === false)
          wrong.push(`${file}: ${clause.quantifier} ${clause.name ?? ''}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(answered).toBeGreaterThan(LEAST_ANSWERED);
  });
});
