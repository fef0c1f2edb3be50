import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Literal, Search } from '../../../src/axiomatic/solver/search.js';

type Clause = readonly Literal[];

function searchOf(variables: number, clauses: readonly Clause[]): Search {
  const search = new Search();
  for (let variable = 0; variable < variables; variable++) search.addVariable(variable);
  for (const clause of clauses) search.addClause(clause);
  return search;
}

const always = (): boolean => true;
const satisfies = (isTrue: (literal: Literal) => boolean, clauses: readonly Clause[]): boolean =>
  clauses.every((clause) => clause.some(isTrue));

/** Tries every assignment. */
function satisfiable(variables: number, clauses: readonly Clause[]): boolean {
  for (let bits = 0; bits < 1 << variables; bits++)
    if (satisfies((literal) => ((bits >> (literal >> 1)) & 1) !== (literal & 1), clauses)) return true;
  return false;
}

const VARIABLES = 9;
const literal = fc.nat({ max: 2 * VARIABLES - 1 });
const clause = fc.array(literal, { minLength: 1, maxLength: 4 });
const clauses = fc.array(clause, { minLength: 10, maxLength: 48 });

describe('the search of the SAT solver', () => {
  it('agrees with all assignments, clause by clause and under assumptions', () => {
    const results = new Set<string>();
    fc.assert(
      fc.property(clauses, clauses, fc.array(literal, { maxLength: 4 }), (first, second, assumptions) => {
        const search = searchOf(VARIABLES, first);
        const check = (known: readonly Clause[], assumed: readonly Literal[]): void => {
          const all = [...known, ...assumed.map((one) => [one])];
          const result = search.run(assumed, always);
          results.add(result);
          expect(result).toBe(satisfiable(VARIABLES, all) ? 'sat' : 'unsat');
          const values = search.assignment();
          if (result === 'sat') expect(satisfies((one) => values[one] === 1, all)).toBe(true);
        };
        check(first, assumptions);
        check(first, []);
        for (const clause of second) search.addClause(clause);
        check([...first, ...second], assumptions);
        check([...first, ...second], []);
      }),
      { numRuns: 400 },
    );
    expect([...results].sort()).toEqual(['sat', 'unsat']);
  });

  it('finds that nine pigeons have no room in eight holes, through restarts and forgetting', () => {
    const [pigeons, holes] = [9, 8];
    const sits = (pigeon: number, hole: number): Literal => 2 * (pigeon * holes + hole);
    const each = (count: number): readonly number[] => [...new Array(count).keys()];
    const pigeonhole = [
      ...each(pigeons).map((pigeon) => each(holes).map((hole) => sits(pigeon, hole))),
      ...each(holes).flatMap((hole) =>
        each(pigeons).flatMap((a) => each(a).map((b) => [sits(a, hole) ^ 1, sits(b, hole) ^ 1])),
      ),
    ];
    const search = searchOf(pigeons * holes, pigeonhole);
    expect(search.run([], always)).toBe('unsat');
    // With one pigeon less there is room.
    const fewer = searchOf(pigeons * holes, pigeonhole.slice(1));
    expect(fewer.run([], always)).toBe('sat');
  });

  it('stops when it is told to, and can be asked again', () => {
    const [pigeons, holes] = [12, 11];
    const search = new Search();
    for (let variable = 0; variable < pigeons * holes; variable++) search.addVariable(variable);
    for (let a = 0; a < pigeons; a++) {
      search.addClause(Array.from({ length: holes }, (_, hole) => 2 * (a * holes + hole)));
      for (let b = 0; b < a; b++)
        for (let hole = 0; hole < holes; hole++)
          search.addClause([2 * (a * holes + hole) + 1, 2 * (b * holes + hole) + 1]);
    }
    let asked = 0;
    expect(search.run([], () => ++asked < 3)).toBe('given up');
    expect(search.run([1, 2 * holes + 1], () => ++asked < 6)).toBe('given up');
    expect(asked).toBe(6);
  });

  it('keeps a conflict at level 0 that it comes upon when it is told to stop', () => {
    const length = 30_000;
    const search = new Search();
    for (let variable = 0; variable <= length; variable++) search.addVariable(variable);
    // Each variable implies the next one, the last one the contrary of the first.
    for (let variable = 0; variable < length; variable++) search.addClause([2 * variable + 1, 2 * variable + 2]);
    search.addClause([2 * length + 1, 1]);
    search.addClause([0]);
    const never = (): boolean => false;
    expect(['unsat', 'given up']).toContain(search.run([], never));
    expect(search.run([], always)).toBe('unsat');
  });
});
