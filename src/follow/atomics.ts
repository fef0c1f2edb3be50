import type { UpdateEffect } from '../effects/effect.js';
import { placeFor } from './lane-place.js';
import type { MemoryImage, Place } from './memory-image.js';
import type { Recorder } from './recorder.js';
import type { Turn } from './turn.js';

/** An atomic finds a value in this case, as who waits does: it is the access of the turn with some number. */
export function tellFound(recorder: Recorder, turn: Turn, lane: number, number: number, finds: bigint): void {
  const { accesses, synchronizations } = recorder;
  synchronizations.push({
    ...{ kind: 'poll', row: accesses.count, step: recorder.stepOf(turn, lane), read: accesses.count + number },
    ...{ ends: (found) => found === finds, after: undefined, isUsed: true, isChosen: true, isOpen: false },
    span: turn.statement.span,
  });
}

/** Where an atomic of a lane is. */
export function placeOfUpdate(
  image: MemoryImage,
  recorder: Recorder,
  turn: Turn,
  lane: number,
  { address, type }: UpdateEffect['at'],
): Place {
  const bytes = type.width / 8;
  const base = turn.value(address.base, 64);
  const access = { base, address, bytes, alignment: bytes, manner: 'synchronizes' } as const;
  return placeFor(image, recorder, turn, lane, access);
}
