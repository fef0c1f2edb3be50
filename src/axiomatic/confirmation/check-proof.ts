import { FALSE, type Formula, type Formulas, not, TRUE } from '../formula/formula.js';
import type { Given, Refutation } from '../solver/refutation.js';

type Clause = readonly number[];

/** By its number, what a clause of a proof says that is given or has been checked. */
export type CheckedClauses = Map<number, Clause>;

/**
 * Checks the proof of a refutation step by step, and shares no code with the search: the given clauses are made anew
 * from the formulas; each step must follow from the clauses that it names by unit propagation (RUP; Goldberg and
 * Novikov 2003); the last one must exclude the assumptions. `checked`: what proofs out of the same log have shown, to
 * which this one adds.
 *
 * @returns the number of the first step that does not follow, -1 if all do; undefined where `mayGoOn` ended it
 */
export function firstWrongStep(
  refutation: Refutation,
  mayGoOn: () => boolean,
  checked: CheckedClauses = new Map(),
): number | undefined {
  const { builder, given, assumptions, steps } = refutation;
  for (const [number, one] of given) if (!checked.has(number)) checked.set(number, clauseOf(builder, one));
  // Most proofs have no step that was not checked before.
  let propagation: Propagation | undefined;
  let work = 0;
  let last: Clause | undefined;
  for (const id of steps.ids) {
    last = checked.get(id);
    if (last !== undefined) continue;
    const { literals, from } = steps.at(id);
    last = literals;
    const used = from.map((number) => checked.get(number));
    propagation ??= new Propagation(builder.size);
    if (used.includes(undefined) || !propagation.contradicts(used as Clause[], literals)) return id;
    checked.set(id, literals);
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
  /** By literal: 1 where it is true. */
  private readonly isTrue: Uint8Array;
  private readonly trail: number[] = [];

  /** `size`: how many nodes the formulas are made of. */
  constructor(size: number) {
    this.isTrue = new Uint8Array(2 * size);
  }

  /** Whether the clauses and the negation of another one lead to a conflict. */
  contradicts(clauses: readonly Clause[], clause: Clause): boolean {
    try {
      return (
        clause.some((literal) => this.isTrue[literal] === 1 || this.assign(literal ^ 1)) || this.conflicts(clauses)
      );
    } finally {
      for (const literal of this.trail) this.isTrue[literal] = 0;
      this.trail.length = 0;
    }
  }

  private conflicts(clauses: readonly Clause[]): boolean {
    for (let before = -1; before !== this.trail.length; ) {
      before = this.trail.length;
      // What a search used last comes first, and is mostly what follows last.
      for (let i = clauses.length - 1; i >= 0; i--) {
        const unit = this.unitOf(clauses[i] ?? []);
        if (unit === NONE_LEFT) return true;
        if (unit !== NO_UNIT) this.assign(unit);
      }
    }
    return false;
  }

  /** Gives false, as no conflict follows from it alone. */
  private assign(literal: number): false {
    this.isTrue[literal] = 1;
    this.trail.push(literal);
    return false;
  }

  /** The only literal of a clause that is not false; `NO_UNIT` also of a clause that is true. */
  private unitOf(clause: Clause): number {
    const { isTrue } = this;
    let unit = NONE_LEFT;
    for (const literal of clause) {
      if (isTrue[literal] === 1) return NO_UNIT;
      if (isTrue[literal ^ 1] === 1 || literal === unit) continue;
      if (unit !== NONE_LEFT) return NO_UNIT;
      unit = literal;
    }
    return unit;
  }
}

/** No literal: all of a clause are false, or it is true or has several left. */
const NONE_LEFT = -1;
const NO_UNIT = -2;
