import { type AccessKind, kindOf, type Trace, threadOf } from '../follow/trace.js';
import { holdEachOther } from './scopes.js';

/**
 * The coherence order that the case of a run has: atomics of a word, all morally strong with each other, of which each
 * finds what the one before has left (PTX ISA 8.9.5 Coherence, Atomicity).
 */
export class CoherenceOrder {
  /** By access: all of its word, in order. */
  private readonly allOf = new Map<number, readonly number[]>();

  constructor(trace: Trace) {
    for (const { rows } of trace.coherence)
      if (areOfOneOrder(trace, rows)) for (const row of rows) this.allOf.set(row, rows);
  }

  /** Whether an access has its place in an order. */
  has(row: number): boolean {
    return this.allOf.has(row);
  }

  /** Whether the earlier of two comes before the later in coherence order. */
  areInOrder(earlier: number, later: number): boolean {
    return earlier < later && this.allOf.has(earlier) && this.allOf.get(earlier) === this.allOf.get(later);
  }
}

/** Whether atomics are of the same bytes, and strong in scopes that hold each other. */
function areOfOneOrder(trace: Trace, rows: readonly number[]): boolean {
  const { starts, sizes, ranges, pieces } = trace.accesses;
  const [first = 0] = rows;
  const isWhole = (row: number): boolean =>
    [starts, sizes, ranges, pieces].every((column) => column.at(row) === column.at(first));
  const isStrong = ({ tags, isPossible }: AccessKind): boolean =>
    tags.has('RMW') && tags.has('GEN') && !tags.has('ASY') && !tags.has('WEAK') && !isPossible;
  return (
    rows.every((row) => isWhole(row) && isStrong(kindOf(trace, row))) &&
    holdEachOther(rows.map((row) => ({ scope: kindOf(trace, row).scope, thread: threadOf(trace, row) })))
  );
}
