import { type BarrierOperation, constant, type Operand, register } from '../program/operation.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { B64 } from './typed-operands.js';

/** The lanes of a warp meet, and each takes something of what all of them give; no memory is ordered. */
type Reduction = NonNullable<BarrierOperation['reduction']>;

export function exchange(
  at: InstructionDecoder,
  mask: Operand,
  reduction: Omit<Reduction, 'signed'> & Partial<Reduction>,
  more: Partial<Pick<BarrierOperation, 'action' | 'aligned'>> = {},
): void {
  const meeting = {
    kind: 'barrier',
    action: 'red',
    level: 'lanes',
    id: mask,
    count: undefined,
    aligned: false,
  } as const;
  at.emit({ ...meeting, ...more, reduction: { signed: false, ...reduction } });
}

/** All lanes of the warp come to the instruction; each gives a word and takes that of another lane. */
export function exchanged(at: InstructionDecoder, word: Operand, from: Operand): Operand {
  const { warpLanes: lanes } = at.placement;
  const of = at.of(32);
  if (lanes === 1) return of.where(of.equal(from, at.lane), word);
  const target = at.temporary(B64);
  const value = of.concatenate([word, from]);
  const collective = { operation: 'collective', target, value, width: 64, resultWidth: 64 } as const;
  exchange(at, constant((1n << BigInt(lanes)) - 1n), collective, { aligned: true });
  const found = register(target);
  at.require(at.of(1).element(found, 64, 32), 'collective-lane');
  return of.element(found, 64, 0);
}

/** The lane after that of the thread, of so many; after the last one the first. */
export function nextLane(at: InstructionDecoder, lanes: number): Operand {
  const of = at.of(32);
  const next = of.add(at.lane, constant(1));
  return of.select(of.less(next, constant(lanes)), next, constant(0));
}

/** All lanes of the warp come to the instruction. */
export function together(at: InstructionDecoder): void {
  // Each looks for the next one: if one is missing, another notices.
  const { warpLanes: lanes } = at.placement;
  if (lanes > 1) exchanged(at, constant(0), nextLane(at, lanes));
}
