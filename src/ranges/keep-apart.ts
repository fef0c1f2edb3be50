import { kindOf, type Trace } from '../follow/trace.js';
import type { Interval } from './interval.js';

/** Bytes that are accessed: they begin at `at + by*t`. */
interface Bytes {
  readonly at: bigint;
  readonly by: bigint;
  readonly size: bigint;
  readonly writes: boolean;
}

/** More pairs are not looked at. */
const MOST_PAIRS = 4_000_000;

/**
 * Keeps the t for which all that moves stays in its memory, and meets what it meets and nothing else; false where there
 * is too much of it.
 *
 * @param moves - By row: how far it moves from t = 0 to t = 1.
 */
export function keepApart(interval: Interval, trace: Trace, moves: ReadonlyMap<number, bigint>): boolean {
  if (moves.size === 0) return true;
  const touched = new Set([...moves.keys()].map((row) => trace.accesses.pieces.at(row)));
  let pairs = 0;
  for (const piece of touched) {
    const { moving, still } = accessesOf(trace, piece, moves);
    const size = BigInt(trace.pieces[piece]?.object.size ?? 0);
    pairs += moving.length * (moving.length + still.length);
    if (pairs > MOST_PAIRS) return false;
    for (const [i, one] of moving.entries()) {
      keepInside(interval, one, size);
      for (const other of [...moving.slice(i + 1), ...still]) keepPair(interval, one, other);
    }
    if (interval.bounds === undefined) return false;
  }
  return true;
}

/** The bytes that accesses of a piece have, each once. */
function accessesOf(
  trace: Trace,
  piece: number,
  moves: ReadonlyMap<number, bigint>,
): { readonly moving: readonly Bytes[]; readonly still: readonly Bytes[] } {
  const { accesses } = trace;
  const [moving, still] = [new Map<string, Bytes>(), new Map<string, Bytes>()];
  for (let row = 0; row < accesses.count; row++) {
    if (accesses.pieces.at(row) !== piece) continue;
    const { writes } = kindOf(trace, row);
    const [at, by, size] = [accesses.starts.at(row), moves.get(row), accesses.sizes.at(row)];
    const one = { at: BigInt(at), by: by ?? 0n, size: BigInt(size), writes };
    (by === undefined ? still : moving).set(`${at} ${by} ${size} ${writes}`, one);
  }
  return { moving: [...moving.values()], still: [...still.values()] };
}

/** What is aligned at t = 0 and at t = 1 is so for all t. */
function keepInside(interval: Interval, { at, by, size }: Bytes, bytes: bigint): void {
  interval.keep(at, by);
  interval.keep(bytes - size - at, -by);
}

function keepPair(interval: Interval, one: Bytes, other: Bytes): void {
  if (!one.writes && !other.writes) return;
  const [at, by] = [one.at - other.at, one.by - other.by];
  if (at >= other.size) interval.keep(at - other.size, by);
  else if (-at >= one.size) interval.keep(-at - one.size, -by);
  // They meet: only while they move together it is at the same bytes.
  else if (by !== 0n) interval.none();
}
