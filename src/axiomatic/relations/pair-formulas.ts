import { FALSE, type Formula, type FormulaBuilder } from '../formula/formula.js';

/** A relation of events over all executions: which pairs may be related, and when. */
export interface FormulaRelation {
  readonly pairs: readonly (readonly [number, number])[];
  at(a: number, b: number): Formula;
}

/** Pairs that are related by one of two relations. */
export function eitherOf(builder: FormulaBuilder, a: FormulaRelation, b: FormulaRelation): FormulaRelation {
  return { pairs: [...a.pairs, ...b.pairs], at: (x, y) => builder.or(a.at(x, y), b.at(x, y)) };
}

/** A relation that is made when it is first asked for. */
export function lazily(make: () => FormulaRelation): FormulaRelation {
  let made: FormulaRelation | undefined;
  const relation = (): FormulaRelation => {
    made ??= make();
    return made;
  };
  return {
    get pairs() {
      return relation().pairs;
    },
    at: (a, b) => relation().at(a, b),
  };
}

/**
 * A relation of events as an encoder finds it, way by way: of each pair, the formula that it is related in one of them.
 */
export class PairFormulas implements FormulaRelation {
  private readonly formulas = new Map<number, Formula>();

  constructor(
    private readonly builder: FormulaBuilder,
    private readonly size: number,
  ) {}

  /** One more way in which the pair is related. */
  add(a: number, b: number, formula: Formula): void {
    if (formula !== FALSE) this.formulas.set(a * this.size + b, this.builder.or(this.at(a, b), formula));
  }

  at(a: number, b: number): Formula {
    return this.formulas.get(a * this.size + b) ?? FALSE;
  }

  /** The pairs that may be related, in the order in which they were found. */
  get pairs(): readonly (readonly [number, number])[] {
    return [...this.formulas.keys()].map((key) => [Math.floor(key / this.size), key % this.size] as const);
  }
}
