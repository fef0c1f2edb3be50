import type { EventSet } from '../../relation/event-set.js';
import { Relation } from '../../relation/relation.js';
import { FALSE, type Formula } from '../formula/formula.js';
import type { ExecutedEvents } from './executed-events.js';

/** A set of events that depends on the execution: which events may be in it, and the formula under which each is. */
export class SymbolicSet {
  private readonly memo = new Map<number, Formula>();

  constructor(
    readonly may: EventSet,
    private readonly formula: (event: number) => Formula,
  ) {}

  at(event: number): Formula {
    if (!this.may.has(event)) return FALSE;
    let formula = this.memo.get(event);
    if (formula === undefined) {
      formula = this.formula(event);
      this.memo.set(event, formula);
    }
    return formula;
  }
}

/**
 * A relation that depends on the execution. The static analysis gives the pairs that may be related and those that must
 * be whenever both events are executed; the formula of a pair is built when it is asked for, once.
 */
export class SymbolicRelation {
  private readonly memo = new Map<number, Formula>();
  private inverseOfMay: Relation | undefined;

  constructor(
    readonly may: Relation,
    readonly must: Relation,
    private readonly formula: (a: number, b: number) => Formula,
    private readonly executed?: ExecutedEvents,
  ) {}

  get size(): number {
    return this.may.size;
  }

  get mayInverse(): Relation {
    this.inverseOfMay ??= this.may.inverse();
    return this.inverseOfMay;
  }

  at(a: number, b: number): Formula {
    if (!this.may.has(a, b)) return FALSE;
    if (this.executed !== undefined && this.must.has(a, b)) return this.executed.both(a, b);
    const key = a * this.size + b;
    let formula = this.memo.get(key);
    if (formula === undefined) {
      formula = this.formula(a, b);
      this.memo.set(key, formula);
    }
    return formula;
  }

  /** The relation of these formulas, with what is constant among them worked out now. */
  static eager(
    executed: ExecutedEvents,
    pairs: Iterable<readonly [number, number]>,
    formula: (a: number, b: number) => Formula,
  ): SymbolicRelation {
    const { size } = executed;
    const may = new Relation(size);
    const must = new Relation(size);
    const formulas = new Map<number, Formula>();
    for (const [a, b] of pairs) {
      const value = formula(a, b);
      if (value === FALSE) continue;
      may.add(a, b);
      if (value === executed.both(a, b)) must.add(a, b);
      formulas.set(a * size + b, value);
    }
    return new SymbolicRelation(may, must, (a, b) => formulas.get(a * size + b) ?? FALSE, executed);
  }
}
