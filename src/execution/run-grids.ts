import type { EventStructure } from '../events/events.js';
import { threadsOfGrids } from '../program/grids.js';

/** Throws if a thread of one execution goes on before the grids that it waits for, or stays though they are over. */
export function runGrids(
  { events, program }: EventStructure,
  executed: { has(event: number): boolean },
  ended: readonly boolean[],
  kept: ReadonlySet<number>,
): void {
  for (const { id, grid } of events) {
    if (grid === undefined || !executed.has(id)) continue;
    const launching = threadsOfGrids(program, grid.launchedBy);
    const launched = launching.every(
      ({ placement: { cta } }) =>
        launching.every(({ index, placement }) => placement.cta !== cta || ended[index] === true) ||
        events.some((event) => event.tags.has('LAUNCH') && event.placement.cta === cta && executed.has(event.id)),
    );
    const goesOn = launched && threadsOfGrids(program, grid.complete).every(({ index }) => ended[index] === true);
    if (goesOn === kept.has(id)) throw new Error(`a thread ${goesOn ? 'is kept' : 'goes on too early'} at ${id}`);
  }
}
