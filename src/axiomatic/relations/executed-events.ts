import { Relation } from '../../relation/relation.js';
import { FALSE, type Formula, type FormulaBuilder, TRUE } from '../formula/formula.js';

/** Which events are executed, as formulas, and which follow from which. */
export class ExecutedEvents {
  private entailed: Relation | undefined;
  private entailing: Relation | undefined;

  constructor(
    private readonly builder: FormulaBuilder,
    readonly formulas: readonly Formula[],
  ) {}

  get size(): number {
    return this.formulas.length;
  }

  at(event: number): Formula {
    return this.formulas[event] ?? FALSE;
  }

  both(a: number, b: number): Formula {
    const [x, y] = [this.at(a), this.at(b)];
    return x === TRUE ? y : y === TRUE || x === y ? x : this.builder.and(x, y);
  }

  /** (a, b): whenever a is executed, so is b. */
  get entails(): Relation {
    this.entailed ??= Relation.from(this.size, (a, b) => this.follows(this.at(a), this.at(b)));
    return this.entailed;
  }

  /** Composes relations that hold whenever their events are executed: what is between must be executed too. */
  compose(a: Relation, b: Relation): Relation {
    this.entailing ??= this.entails.inverse();
    return a.composeGuarded(b, this.entails, this.entailing);
  }

  closure(relation: Relation): Relation {
    this.entailing ??= this.entails.inverse();
    return relation.closeGuarded(this.entails, this.entailing);
  }

  /**
   * Whether a pair of a closure that holds whenever its events are executed is no more than a step: it leads on to
   * events to which the closure has no way that holds whenever they and its start are executed.
   */
  isMereStep(closure: Relation, a: number, b: number): boolean {
    this.entailing ??= this.entails.inverse();
    return !this.entails.has(a, b) && closure.leadsFurther(a, b, this.entailing);
  }

  private follows(from: Formula, to: Formula): boolean {
    if (to === TRUE || from === to) return true;
    if (from === TRUE || to === FALSE) return false;
    const known = this.builder.conjuncts(from);
    for (const conjunct of this.builder.conjuncts(to)) if (!known.has(conjunct)) return false;
    return true;
  }
}
