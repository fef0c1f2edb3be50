import type { EventUniverse } from '../../execution/candidate-execution.js';
import type { Cell } from '../../semantics/cells.js';
import type { ValueAnalysis } from '../../semantics/value-analysis.js';
import type { EventRun } from '../../semantics/value-domain.js';
import type { BitDomain, Bits } from '../formula/bits.js';
import type { Formula, FormulaBuilder } from '../formula/formula.js';
import type { PairFormulas } from '../relations/pair-formulas.js';
import type { AddressEncoding } from './encode-addresses.js';

/** What the parts of the encoding share: the events with their guards, addresses and values as formulas. */
export interface EncodingContext extends AddressEncoding {
  readonly builder: FormulaBuilder;
  readonly bits: BitDomain;
  readonly universe: EventUniverse;
  readonly cells: readonly Cell[];
  readonly analysis: ValueAnalysis;
  /** A relation of events to which nothing is added yet. */
  pairs(): PairFormulas;
  /** Adds a constraint on every execution. */
  assert(formula: Formula): void;
  executed(event: number): Formula;
  /** What the thread makes of an event; undefined for initial writes. */
  runOf(event: number): EventRun<Bits, Formula> | undefined;
  /** What a memory event reads or writes. */
  value(event: number): Bits;
  /** The thread runs to its end. */
  endedOf(thread: number): Formula;
  /** The event lets its thread go on. */
  passesAt(event: number): Formula;
  /** A barrier that keeps nobody, since all whom it waits for come straight there. */
  isCertain(event: number): boolean;
  /** The threads of which a statement that the unrolling bound leaves out may write there. */
  writersBeyond(cell: Cell): readonly number[];
}
