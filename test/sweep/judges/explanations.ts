import { expect } from 'vitest';
import { checkExecution } from '../../../src/cat/check-execution.js';
import { checkTest } from '../../../src/check/check-test.js';
import { isUniversal } from '../../../src/check/decide-condition.js';
import type { ConditionResult } from '../../../src/check/result.js';
import type { CandidateExecution } from '../../../src/execution/candidate-execution.js';
import { namedRelations } from '../../../src/execution/named-relations.js';
import { holdsOf } from '../../../src/execution/run-program.js';
import { type ConditionExplanation, explainCondition, type RuledOut } from '../../../src/explain/explain-condition.js';
import { overtaken, turnTakingOrders } from '../../../src/explain/thread-order.js';
import { builtInModel, solver } from '../../support.js';
import { fewerOfLarge, type Judge } from '../judge.js';

const ptx = builtInModel('ptx-9.4');
const sc = builtInModel('sc');
const LIMITS = { unroll: 3, timeout: 60_000 };
/** Counters at addresses that were read: an order of turns is found for the simplest execution only. */
const UNEXPLAINED = /^hist\./;

/** Without what is built into the encoding its values are too many to follow: the verdict stands without a reason. */
const WITHOUT_REASON = /^mul-add\+exact-product$/;
/** The model sc lets a barrier excuse a thread before that has exited, and no order of turns does. */
const EXCUSED_EARLY = /^barrier-behind-a-branch\+exit-behind-another$/;

/**
 * The verdicts of our tests have explanations, and the concrete evaluation confirms each: the execution is consistent
 * and ends as asked, or it ends as asked and breaks exactly the axioms that are named, each step of the cycle being
 * there.
 */
export const explanationsHold: Judge = {
  name: 'the explanations of its conditions hold',
  every: 12,
  judge({ program }, count) {
    const result = checkTest(solver, program, ptx, { ...LIMITS, reasons: true, core: true });
    if (result.undefinedBy !== undefined || WITHOUT_REASON.test(program.name)) return;
    for (const condition of result.conditions) count(confirmed(condition, UNEXPLAINED.test(program.name)));
  },
};

/** How the verdict is explained. */
function confirmed(condition: ConditionResult, mayBeUnexplained: boolean): string {
  const explained = explainCondition(ptx, condition);
  const { reason } = explained;
  expect(reason.kind).not.toBe('unknown');
  if (reason.kind === 'forbidden') {
    confirmForbidden(reason);
    const { execution } = reason.forbiddenBy;
    if (execution === undefined) return 'ruled out by the program';
    confirmOutcome(explained, execution);
  }
  if (reason.kind !== 'allowed') return reason.kind;
  confirmOutcome(explained, reason.execution);
  const how = confirmAllowed(explained);
  if (!mayBeUnexplained) expect(how, condition.condition.name).not.toBe('unexplained');
  return how;
}

/** The simplest execution takes turns wherever an order of turns does what the condition speaks of. */
export const simplestTakesTurns: Judge = {
  name: 'the simplest execution takes turns where that suffices',
  every: fewerOfLarge(12),
  judge(test, count) {
    const strong = test.result('sc');
    const shown = checkTest(solver, test.program, ptx, { ...LIMITS, simplest: true });
    for (const condition of shown.conditions) {
      const inTurns = strong.conditions.find((other) => other.condition === condition.condition);
      const reached = isUniversal(condition.condition.quantifier) ? inTurns?.avoidable : inTurns?.reachable;
      const { reason } = explainCondition(ptx, condition);
      if (reason.kind !== 'allowed' || reached !== true) continue;
      if (isExcusedEarly(test.program.name, condition)) continue;
      expect(reason.interleaving, condition.condition.name).toBeDefined();
      count('executions');
    }
  },
};

export const sequentialTakesTurns: Judge = {
  name: 'under sequential consistency every outcome comes with an order of turns',
  every: 6,
  judge(test, count) {
    for (const condition of test.result('sc').conditions) {
      const { reason } = explainCondition(sc, condition);
      if (reason.kind !== 'allowed' || isExcusedEarly(test.program.name, condition)) continue;
      expect(reason.interleaving, condition.condition.name).toBeDefined();
      count('outcomes');
    }
  },
};

const isExcusedEarly = (name: string, { condition }: ConditionResult): boolean =>
  EXCUSED_EARLY.test(name) && condition.name === 'end';

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
