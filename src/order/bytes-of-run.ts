import type { BytesOfPieces } from '../follow/memory-image.js';
import type { Trace } from '../follow/trace.js';

/** Bytes that threads wait for. */
export function polledIn({ synchronizations, accesses: { pieces, starts, sizes } }: Trace): BytesOfPieces {
  const bytes = new Map<number, Map<number, readonly [number, number]>>();
  for (const one of synchronizations) {
    if (one.kind !== 'poll') continue;
    const [piece, start] = [pieces.at(one.read), starts.at(one.read)];
    const own = bytes.get(piece) ?? new Map<number, readonly [number, number]>();
    bytes.set(piece, own.set(start, [start, start + sizes.at(one.read)]));
  }
  return new Map([...bytes].map(([piece, own]) => [piece, [...own.values()]]));
}

/** By piece, the largest number of bytes into whose multiples all its accesses fall; 0 where nothing is written. */
export function unitsOf({ accesses, kinds, pieces }: Trace): readonly number[] {
  const units = pieces.map(() => 0);
  const written = pieces.map(() => false);
  for (let row = 0; row < accesses.count; row++) {
    const piece = accesses.pieces.at(row);
    units[piece] = gcd(gcd(units[piece] ?? 0, accesses.starts.at(row)), accesses.sizes.at(row));
    if (kinds[accesses.kinds.at(row)]?.writes === true) written[piece] = true;
  }
  return units.map((unit, piece) => (written[piece] ? unit : 0));
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
