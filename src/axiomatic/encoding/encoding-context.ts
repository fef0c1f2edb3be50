import type { EventUniverse } from '../../execution/candidate-execution.js';
import type { Cell } from '../../semantics/cells.js';
import type { PossibleTarget, ValueAnalysis } from '../../semantics/value-analysis.js';
import type { EventRun } from '../../semantics/value-domain.js';
import type { BitDomain, Bits } from '../formula/bits.js';
import type { Formula, FormulaBuilder } from '../formula/formula.js';

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
  /** What the thread makes of an event; undefined for initial writes. */
  runOf(event: number): EventRun<Bits, Formula> | undefined;
  /** What a memory event reads or writes. */
  value(event: number): Bits;
  /** The places that an event may go to. */
  targetsOf(event: number): readonly PossibleTarget[];
  /** The event is executed and goes to that place. */
  accesses(event: number, target: PossibleTarget): Formula;
  /** Both are executed and their bytes intersect. */
  overlaps(a: number, b: number): Formula;
  /** The thread runs to its end. */
  endedOf(thread: number): Formula;
  /** The event lets its thread go on. */
  passesAt(event: number): Formula;
  /** The threads of which a statement that the unrolling bound leaves out may write there. */
  writersBeyond(cell: Cell): readonly number[];
}
