import { grown } from '../formula/grown.js';

/** A variable's number times two, plus 1 if negated. */
export type Literal = number;

export const NO_CLAUSE = -1;

/** The literals that hold, in the order in which they were assigned, with the clause that forced each. */
export class Trail {
  /** By literal: 1 if true, -1 if false, 0 if open. */
  values = new Int8Array(0);
  /** By variable that has a value. */
  levels = new Int32Array(0);
  reasons = new Int32Array(0);
  readonly literals: Literal[] = [];
  /** By level above 0 where it begins. */
  readonly levelStarts: number[] = [];

  get level(): number {
    return this.levelStarts.length;
  }

  assign(literal: Literal, reason: number): void {
    const variable = literal >> 1;
    this.values[literal] = 1;
    this.values[literal ^ 1] = -1;
    this.levels[variable] = this.levelStarts.length;
    this.reasons[variable] = reason;
    this.literals.push(literal);
  }

  grow(variables: number): void {
    this.values = grown(this.values, 2 * variables);
    this.levels = grown(this.levels, variables);
    this.reasons = grown(this.reasons, variables);
  }
}
