import type { EventUniverse } from '../execution/candidate-execution.js';
import type { Cell } from '../semantics/cells.js';
import type { PossibleTarget, ValueAnalysis } from '../semantics/value-analysis.js';
import type { BitDomain, Bits } from './bits.js';
import type { Formula, FormulaBuilder } from './formula.js';

/** What the parts of the encoding share: the events with their guards, addresses and values as formulas. */
export interface EncodingContext {
  readonly builder: FormulaBuilder;
  readonly bits: BitDomain;
  readonly universe: EventUniverse;
  readonly cells: readonly Cell[];
  readonly analysis: ValueAnalysis;
  /** Adds a constraint on every execution. */
  assert(formula: Formula): void;
  executed(event: number): Formula;
  /** What a memory event reads or writes. */
  value(event: number): Bits;
  /** The event is executed and goes to that place. */
  accesses(event: number, target: PossibleTarget): Formula;
  /** Both are executed and their bytes intersect. */
  overlaps(a: number, b: number): Formula;
  /** Some wait tells that an asynchronous access is complete. */
  isTold(event: number): Formula;
  /** The threads of which a statement that the unrolling bound leaves out may write there. */
  writersBeyond(cell: Cell): readonly number[];
}
