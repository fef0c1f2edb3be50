import { describe, expect, it } from 'vitest';
import { checkExecution } from '../../src/cat/check-execution.js';
import { isUniversal } from '../../src/check/decide-condition.js';
import type { CandidateExecution } from '../../src/execution/candidate-execution.js';
import { namedRelations } from '../../src/execution/named-relations.js';
import { holdsOf } from '../../src/execution/run-program.js';
import { type ConditionExplanation, explainCondition, type RuledOut } from '../../src/explain/explain-condition.js';
import { overtaken, turnTakingOrders } from '../../src/explain/thread-order.js';
import { builtInModel, checkProgram, everyStep, litmusPrograms, STEP } from '../support.js';

/**
 * The verdicts of our tests have explanations, and the concrete evaluation confirms each: the execution is consistent
 * and ends as asked, or it ends as asked and breaks exactly the axioms that are named, each step of the cycle being
 * there.
 */
const ptx = builtInModel('ptx-9.4');

function confirmOutcome({ result, of }: ConditionExplanation, { finalState }: CandidateExecution): void {
  expect(holdsOf(result.condition.proposition, finalState)).toBe(of === 'proposition');
}

function confirmForbidden({ forbiddenBy: { execution, axioms, core }, failures, overwritings }: RuledOut): void {
  if (execution === undefined) return;
  const failing = checkExecution(ptx, execution).checks.filter(({ check, holds }) => check.role === 'axiom' && !holds);
  expect(failing.map(({ check }) => check.name).reverse()).toEqual(axioms);
  expect(axioms.length).toBeGreaterThan(0);
  // One that can be dropped alone is part of every core.
  if (axioms.length === 1) expect(core).toContain(axioms[0]);
  const named = namedRelations(execution);
  for (const { earlier, later } of overwritings) expect(execution.relations.coherence.has(earlier, later)).toBe(true);
  for (const { explanation } of [...failures, ...overwritings]) {
    expect(explanation.steps.length).toBeGreaterThan(0);
    for (const { from, to, relation } of explanation.steps) {
      const inverse = relation.endsWith('^-1');
      const base = named.get(relation.replace(/\^-1$/, ''));
      if (base !== undefined)
        expect([relation, inverse ? base.has(to, from) : base.has(from, to)]).toEqual([relation, true]);
    }
  }
}

function confirmAllowed(explained: ConditionExplanation): 'interleaving' | 'missing' | 'unexplained' {
  if (explained.reason.kind !== 'allowed') throw new Error('not allowed');
  const { execution, interleaving, cycle, missing } = explained.reason;
  expect(checkExecution(ptx, execution).consistent).toBe(true);
  const orders = turnTakingOrders(execution);
  if (interleaving !== undefined) {
    const place = new Map(interleaving.map((id, i) => [id, i]));
    for (const [name, relation] of orders)
      for (const [a, b] of relation) {
        const [x, y] = [place.get(a), place.get(b)];
        if (x !== undefined && y !== undefined) expect([name, a, b, x < y]).toEqual([name, a, b, true]);
      }
    expect(interleaving.length).toBe(
      [...execution.executed].filter((id) => execution.universe.events[id]?.thread !== undefined).length,
    );
    return 'interleaving';
  }
  if (cycle === undefined) return 'unexplained';
  cycle.forEach(({ from, to, by }, i) => {
    expect((by === 'overtaken' ? overtaken(execution, orders) : orders.get(by))?.has(from, to)).toBe(true);
    expect(to).toBe(cycle[(i + 1) % cycle.length]?.from);
  });
  return missing === undefined ? 'unexplained' : 'missing';
}

/** Counters at addresses that were read: an order of turns is found for the simplest execution only. */
const UNEXPLAINED = /^hist\./;

describe('explain', () => {
  it('confirms the explanations of the conditions of litmus/ (of every sixth test without FUZZ_CASES)', async () => {
    const counts = { interleaving: 0, missing: 0, unexplained: 0, forbidden: 0, program: 0, endless: 0 };
    const unexplained: string[] = [];
    for (const program of everyStep(litmusPrograms(), 2 * STEP)) {
      const result = await checkProgram(program, ptx, { reasons: true, core: true, states: false });
      if (result.undefinedBy !== undefined) continue;
      for (const condition of result.conditions) {
        const explained = explainCondition(ptx, condition);
        const { reason } = explained;
        expect([program.name, reason.kind]).not.toEqual([program.name, 'unknown']);
        if (reason.kind === 'never-ends') counts.endless += 1;
        else if (reason.kind === 'forbidden') {
          confirmForbidden(reason);
          if (reason.forbiddenBy.execution === undefined) counts.program += 1;
          else {
            confirmOutcome(explained, reason.forbiddenBy.execution);
            counts.forbidden += 1;
          }
        } else if (reason.kind === 'allowed') {
          confirmOutcome(explained, reason.execution);
          const how = confirmAllowed(explained);
          counts[how] += 1;
          if (how === 'unexplained' && !UNEXPLAINED.test(program.name))
            unexplained.push(
              `${program.name}: ` +
                `${condition.condition.name ?? (isUniversal(condition.condition.quantifier) ? 'contrary' : '')}`,
            );
        }
      }
    }
    expect(unexplained).toEqual([]);
    expect(counts.forbidden).toBeGreaterThan(150 / STEP);
    expect(counts.missing).toBeGreaterThan(50 / STEP);
    expect(counts.interleaving).toBeGreaterThan(250 / STEP);
  });
});

describe('the simplest execution', () => {
  it('takes turns wherever an order of turns does what the condition speaks of', async () => {
    const roundabout: string[] = [];
    let compared = 0;
    for (const program of everyStep(litmusPrograms(), 2 * STEP)) {
      const strong = await checkProgram(program, 'sc');
      const shown = await checkProgram(program, ptx, { simplest: true });
      for (const condition of shown.conditions) {
        const inTurns = strong.conditions.find((other) => other.condition === condition.condition);
        const reached = isUniversal(condition.condition.quantifier) ? inTurns?.avoidable : inTurns?.reachable;
        const { reason } = explainCondition(ptx, condition);
        if (reason.kind !== 'allowed' || reached !== true) continue;
        compared += 1;
        if (reason.interleaving === undefined) roundabout.push(program.name);
      }
    }
    expect(roundabout).toEqual([]);
    expect(compared).toBeGreaterThan(120 / STEP);
  });
});

describe('under sequential consistency', () => {
  it('every outcome that the model allows comes with an order of turns', async () => {
    const without: string[] = [];
    let found = 0;
    for (const program of everyStep(litmusPrograms())) {
      const result = await checkProgram(program, 'sc');
      for (const condition of result.conditions) {
        const { reason } = explainCondition(builtInModel('sc'), condition);
        if (reason.kind !== 'allowed') continue;
        if (reason.interleaving === undefined) without.push(program.name);
        else found += 1;
      }
    }
    expect(without).toEqual([]);
    expect(found).toBeGreaterThan(250 / STEP);
  });
});
