import { FALSE, type Formula, type Formulas, not, TRUE } from '../formula/formula.js';
import type { Given, Refutation } from '../solver/refutation.js';

type Clause = readonly number[];

/**
 * Checks the proof of a refutation step by step, and shares no code with the search: the given clauses are made anew
 * from the formulas; each step must follow from the clauses that it names by unit propagation (RUP; Goldberg and
 * Novikov 2003); the last one must exclude the assumptions.
 *
 * @returns the number of the first step that does not follow, -1 if all do; undefined where `mayGoOn` ended it
 */
export function firstWrongStep(refutation: Refutation, mayGoOn: () => boolean): number | undefined {
  const { builder, given, assumptions } = refutation;
  const clauses = new Map<number, Clause>();
  for (const [number, one] of given) clauses.set(number, clauseOf(builder, one));
  const propagation = new Propagation();
  let work = 0;
  let last: Clause | undefined;
  for (const { id, literals, from } of refutation.steps.all()) {
    const used = from.map((number) => clauses.get(number));
    if (used.includes(undefined) || !propagation.contradicts(used as Clause[], literals)) return id;
    clauses.set(id, literals);
    last = literals;
    work += from.length;
    if (work > WORK_BETWEEN_QUESTIONS) {
      work = 0;
      if (!mayGoOn()) return undefined;
    }
  }
  const excluded = new Set(assumptions.map(not));
  const isExcluded = last?.every((literal) => excluded.has(literal as Formula)) === true;
  return isExcluded || contradictory(assumptions) ? -1 : 0;
}

const WORK_BETWEEN_QUESTIONS = 10_000;

/** No proof is needed that a formula and its contrary do not hold together. */
const contradictory = (assumptions: readonly Formula[]): boolean =>
  assumptions.some((one) => one === FALSE || assumptions.includes(not(one)));

/** The literals of a formula as a node has them: what is asserted is a disjunction of these. */
function clauseOf(formulas: Formulas, given: Given): Clause {
  if (given.kind === 'definition') {
    const conjunction = (2 * given.node) as Formula;
    const node = formulas.node(conjunction);
    const operands = node.kind === 'and' ? node.operands : [];
    if (given.operand < 0) return [conjunction, ...operands.map(not)];
    const operand = operands[given.operand];
    if (operand === undefined) throw new Error(`no operand ${given.operand} at node ${given.node}`);
    return [not(conjunction), operand];
  }
  const { formula, condition } = given;
  const node = formulas.node(formula);
  const isNegated = (formula & 1) === 1 && formula !== TRUE;
  const literals = node.kind === 'and' && isNegated ? node.operands.map(not) : [formula];
  return condition === TRUE ? literals : [not(condition), ...literals];
}

/** Unit propagation over a few clauses. */
class Propagation {
  private readonly isTrue = new Set<number>();

  /** Whether the clauses and the negation of another one lead to a conflict. */
  contradicts(clauses: readonly Clause[], clause: Clause): boolean {
    const { isTrue } = this;
    isTrue.clear();
    for (const literal of clause) {
      if (isTrue.has(literal)) return true;
      isTrue.add(literal ^ 1);
    }
    // What a search used last comes first, and is mostly what follows last.
    let open = [...clauses].reverse();
    for (let before = -1; before !== open.length; ) {
      before = open.length;
      const still: Clause[] = [];
      for (const one of open) {
        const unit = this.unitOf(one);
        if (unit === 'false') return true;
        if (unit === 'open') still.push(one);
        else if (unit !== 'true') isTrue.add(unit);
      }
      open = still;
    }
    return false;
  }

  /** The only literal of a clause that is not false; or that all are, that one is true, or that several are open. */
  private unitOf(clause: Clause): number | 'true' | 'false' | 'open' {
    const { isTrue } = this;
    let unit: number | undefined;
    for (const literal of clause) {
      if (isTrue.has(literal)) return 'true';
      if (isTrue.has(literal ^ 1) || literal === unit) continue;
      if (unit !== undefined) return 'open';
      unit = literal;
    }
    return unit ?? 'false';
  }
}
