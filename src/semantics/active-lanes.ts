import type { EventStructure } from '../events/events.js';
import { reductionOf } from '../events/program-event.js';

/**
 * activemask names lanes that execute it together, so that each of them gets the same mask then; which are together is
 * open (PTX ISA 9.7.15.11): every lane of a mask gets it as often as the others of it.
 *
 * @param resultOf what an activemask has returned; undefined if it was not executed
 */
export function areTogether(
  { events, program }: EventStructure,
  resultOf: (event: number) => bigint | undefined,
): boolean {
  const masks = program.threads.map(({ index }) =>
    events.flatMap((event) => {
      const isOwn = event.thread === index && reductionOf(event)?.operation === 'active';
      const result = isOwn ? resultOf(event.id) : undefined;
      return result === undefined ? [] : [result];
    }),
  );
  const times = (thread: number, mask: bigint): number => masks[thread]?.filter((one) => one === mask).length ?? 0;
  return program.threads.every(({ index, placement: { warp } }) =>
    (masks[index] ?? []).every((mask) =>
      program.threads.every(
        (other) =>
          other.placement.warp !== warp ||
          ((mask >> BigInt(other.placement.lane)) & 1n) === 0n ||
          times(other.index, mask) === times(index, mask),
      ),
    ),
  );
}
