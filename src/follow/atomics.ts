import type { UpdateEffect } from '../effects/effect.js';
import { placeFor } from './lane-place.js';
import { lanesIn } from './lanes.js';
import type { MemoryImage, Place } from './memory-image.js';
import type { Recorder } from './recorder.js';
import type { Turn } from './turn.js';

/**
 * Of the lanes of a turn that come to an atomic, some wait; of the others, some find values that this case gives them,
 * as who waits does. Gives the accesses by which they find these, in order.
 */
export function holdBack(
  recorder: Recorder,
  turn: Turn,
  held: number,
  going: readonly { readonly lane: number; readonly finds: bigint }[],
): readonly number[] {
  if (held !== 0) turn.warp.park(turn.at, held);
  const others = lanesIn((turn.lanes & ~held) >>> 0);
  const { accesses, synchronizations } = recorder;
  return going.map(({ lane, finds }) => {
    const read = accesses.count + others.indexOf(lane);
    synchronizations.push({
      ...{ kind: 'poll', row: accesses.count, step: recorder.stepOf(turn, lane), read },
      ...{ ends: (found) => found === finds, after: undefined, isUsed: true, isChosen: true, isOpen: false },
      span: turn.statement.span,
    });
    return read;
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
