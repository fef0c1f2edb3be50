import type { EventStructure } from '../events/events.js';

/** Throws if a thread of one execution goes on before the grids that it waits for, or stays though they are over. */
export function runGrids(
  { events, program }: EventStructure,
  executed: { has(event: number): boolean },
  ended: readonly boolean[],
  kept: ReadonlySet<number>,
): void {
  const threadsOf = (grids: readonly number[]) =>
    program.threads.filter(({ placement }) => placement.gpu !== undefined && grids.includes(placement.grid));
  for (const { id, grid } of events) {
    if (grid === undefined || !executed.has(id)) continue;
    const launching = threadsOf(grid.launchedBy);
    const launched = launching.every(
      ({ placement: { cta } }) =>
        launching.every(({ index, placement }) => placement.cta !== cta || ended[index] === true) ||
        events.some((event) => event.tags.has('LAUNCH') && event.placement.cta === cta && executed.has(event.id)),
    );
    const goesOn = launched && threadsOf(grid.complete).every(({ index }) => ended[index] === true);
    if (goesOn === kept.has(id)) throw new Error(`a thread ${goesOn ? 'is kept' : 'goes on too early'} at ${id}`);
  }
}
