import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FALSE, type Formula, FormulaBuilder, TRUE } from '../../src/axiomatic/formula/formula.js';
import { symbolicAcyclic } from '../../src/axiomatic/relations/closure.js';
import { ExecutedEvents } from '../../src/axiomatic/relations/executed-events.js';
import { symbolicAlgebra } from '../../src/axiomatic/relations/symbolic-algebra.js';
import { SymbolicRelation, SymbolicSet } from '../../src/axiomatic/relations/symbolic-relation.js';
import type { Kind } from '../../src/cat/algebra.js';
import { concreteAlgebra } from '../../src/cat/concrete-algebra.js';
import { evaluateModel } from '../../src/cat/evaluate.js';
import { readModel } from '../../src/cat/resolve-model.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { findCycle } from '../../src/relation/cycle.js';
import { EventSet } from '../../src/relation/event-set.js';
import { Relation } from '../../src/relation/relation.js';
import { solver } from '../support.js';

const SIZE = 5;
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['_', 'set'],
  ['S', 'set'],
  ['T', 'set'],
  ['po', 'relation'],
  ['r', 'relation'],
  ['s', 'relation'],
]);

/** Generated cat expressions, sets and relations apart. */
const { relation, monotone } = fc.letrec<{ relation: string; set: string; monotone: string }>((tie) => ({
  set: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('S', 'T', '_'),
    fc.tuple(tie('set'), fc.constantFrom('|', '&', '\\'), tie('set')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    tie('set').map((a) => `(~${a})`),
    tie('relation').map((a) => `domain(${a})`),
    tie('relation').map((a) => `range(${a})`),
  ),
  relation: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('r', 's', 'po', '0'),
    fc
      .tuple(tie('relation'), fc.constantFrom('|', '&', '\\', ';'), tie('relation'))
      .map(([a, o, b]) => `(${a} ${o} ${b})`),
    fc.tuple(tie('relation'), fc.constantFrom('+', '*', '?', '^-1')).map(([a, o]) => `${a}${o}`),
    tie('relation').map((a) => `(~${a})`),
    tie('set').map((a) => `[${a}]`),
    fc.tuple(tie('set'), tie('set')).map(([a, b]) => `(${a} * ${b})`),
  ),
  monotone: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('r', 's', 'x', 'y', '[S]'),
    fc.tuple(tie('monotone'), fc.constantFrom('|', '&', ';'), tie('monotone')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    fc.tuple(tie('monotone'), fc.constantFrom('+', '?', '^-1')).map(([a, o]) => `${a}${o}`),
  ),
}));

/** For each pair: always, never, or as the execution has it. */
const cell = fc.constantFrom('always', 'never', 'yes', 'no', 'no', 'never');
const world = fc.record({
  executed: fc.array(fc.constantFrom('always', 'always', 'always', 'yes', 'no', 'then', 'then', 'not then'), {
    minLength: SIZE,
    maxLength: SIZE,
  }),
  sets: fc.array(fc.array(fc.boolean(), { minLength: SIZE, maxLength: SIZE }), { minLength: 2, maxLength: 2 }),
  relations: fc.array(fc.array(cell, { minLength: SIZE * SIZE, maxLength: SIZE * SIZE }), {
    minLength: 3,
    maxLength: 3,
  }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function compare(text: string, { executed: executions, sets, relations }: World): void {
  const { value: model, diagnostics } = readModel(
    'generated',
    { path: 'generated.cat', text: `${text}\nacyclic 0` },
    KINDS,
  );
  if (model === undefined) throw new Error(`${text}\n${renderDiagnostics(diagnostics)}`);
  const builder = new FormulaBuilder();
  const assigned = new Map<number, boolean>();
  const chosen = (how: string): Formula => {
    if (how === 'always') return TRUE;
    if (how === 'never') return FALSE;
    const variable = builder.variable('choice');
    assigned.set(variable >> 1, how === 'yes');
    return variable;
  };
  const guards: Formula[] = [];
  const isExecuted = new EventSet(SIZE);
  executions.forEach((how, e) => {
    // An event after a branch is executed only if the one before it is.
    const follows = how === 'then' || how === 'not then';
    const own = chosen(how === 'then' ? 'yes' : how === 'not then' ? 'no' : how);
    const runs = how === 'always' || how === 'yes' || (how === 'then' && (e === 0 || isExecuted.has(e - 1)));
    guards.push(follows ? builder.and(own, guards[e - 1] ?? TRUE) : own);
    if (runs) isExecuted.add(e);
  });
  const setOf = (index: number): EventSet => EventSet.from(SIZE, (e) => isExecuted.has(e) && sets[index]?.[e] === true);
  const relationOf = (index: number): Relation =>
    Relation.from(
      SIZE,
      (a, b) =>
        isExecuted.has(a) && isExecuted.has(b) && ['always', 'yes'].includes(relations[index]?.[a * SIZE + b] ?? ''),
    );
  const names = { S: 0, T: 1, po: 0, r: 1, s: 2 };
  const concrete = evaluateModel(model, concreteAlgebra(isExecuted), (name) =>
    name === '_'
      ? { kind: 'set', value: isExecuted }
      : KINDS.get(name) === 'set'
        ? { kind: 'set', value: setOf(names[name as 'S']) }
        : { kind: 'relation', value: relationOf(names[name as 'r']) },
  );
  const all = Array.from({ length: SIZE * SIZE }, (_, i) => [Math.floor(i / SIZE), i % SIZE] as const);
  const executed = new ExecutedEvents(builder, guards);
  const formulas = relations.map((cells) => cells.map(chosen));
  const symbolicRelation = (index: number): SymbolicRelation =>
    SymbolicRelation.eager(executed, all, (a, b) =>
      builder.and(formulas[index]?.[a * SIZE + b] ?? FALSE, guards[a] ?? FALSE, guards[b] ?? FALSE),
    );
  const symbolic = evaluateModel(model, symbolicAlgebra(builder, executed), (name) => {
    if (KINDS.get(name) === 'relation') return { kind: 'relation', value: symbolicRelation(names[name as 'r']) };
    const may = EventSet.from(
      SIZE,
      (e) => guards[e] !== FALSE && (name === '_' || sets[names[name as 'S']]?.[e] === true),
    );
    return { kind: 'set', value: new SymbolicSet(may, (e) => guards[e] ?? FALSE) };
  });
  const x = concrete.definitions().get('result');
  const y = symbolic.definitions().get('result');
  if (x?.kind !== 'relation' || y?.kind !== 'relation') throw new Error('no result');
  const acyclic = symbolicAcyclic(builder, executed, y.value);
  const questions = all.map(([a, b]) => y.value.at(a, b));
  // Recursive definitions are constraints: let the solver work them out under this assignment.
  const context = solver.context(builder);
  try {
    const solver = context.solver('query');
    for (const formula of builder.allDefinitions()) solver.add(formula);
    for (const [node, value] of assigned) solver.add((node * 2 + (value ? 0 : 1)) as Formula);
    all.forEach(([a, b], i) => {
      const expected = x.value.has(a, b);
      const formula = questions[i] ?? FALSE;
      solver.add(expected ? formula : ((formula ^ 1) as Formula));
    });
    solver.add(findCycle(x.value) === undefined ? acyclic : ((acyclic ^ 1) as Formula));
    expect(solver.check({ remaining: () => 1e12 }), text).toBe('sat');
  } finally {
    context.dispose();
  }
}

describe('the concrete and the symbolic evaluation of cat', () => {
  it('agree on generated expressions', () => {
    fc.assert(
      fc.property(relation, world, (expression, given) => compare(`let result = ${expression}`, given)),
      { numRuns: 250 },
    );
  });
  it('agree on least fixpoints of generated recursions', () => {
    fc.assert(
      fc.property(monotone, monotone, world, (x, y, given) =>
        compare(`let rec x = r | ${x} and y = ${y}\nlet result = x | (y ; y)`, given),
      ),
      { numRuns: 120 },
    );
  });
  it('agree on the recursive forms that have a closed form', () => {
    const forms = ['r | (x ; x)', 'r | (x ; s)', 'r | (s ; x)', 'r | (x ; s ; x)', 'x | r'];
    fc.assert(
      fc.property(fc.constantFrom(...forms), world, (form, given) =>
        compare(`let rec x = ${form}\nlet result = x`, given),
      ),
      { numRuns: 100 },
    );
  });
  it('take an empty recursion as empty, not as any fixpoint', () => {
    fc.assert(
      fc.property(world, (given) => compare('let rec x = y & r and y = x | (y ; y)\nlet result = x | y', given)),
      { numRuns: 40 },
    );
  });
});
