import { type EventStructure, inProgramOrder } from '../events/events.js';
import { launchingCtas, startsTogether } from '../events/launching-ctas.js';
import { threadsOfGrids } from '../program/grids.js';
import { Relation } from '../relation/relation.js';
import type { RunThreads } from './run-threads.js';

/**
 * What lets dependent grids start (PTX ISA 9.7.15.14). Throws if a thread goes on before the grids that it waits for,
 * or stays though they are over: that it starts before that is nowhere promised.
 */
export function runGrids({ universe, executed, ended, kept }: RunThreads, firstTriggers: readonly number[]): Relation {
  const { structure } = universe;
  checkFirst(structure, executed, firstTriggers);
  const { events, program } = structure;
  const launches = new Relation(universe.events.length);
  const areOver = (grids: readonly number[]): boolean =>
    threadsOfGrids(program, grids).every(({ index }) => ended[index] === true);
  for (const { id, grid } of events) {
    if (grid === undefined || !executed.has(id)) continue;
    const launching = launchingCtas(structure).filter((one) => grid.launchedBy.includes(one.grid));
    const isLaunched = launching.every(
      ({ threads, triggers }) =>
        triggers.some((trigger) => firstTriggers.includes(trigger.id)) || threads.every((thread) => ended[thread]),
    );
    if (!kept.has(id) && !(isLaunched && areOver(grid.complete)))
      throw new Error(`a thread goes on too early at ${id}`);
    if (kept.has(id) && areOver([...grid.complete, ...grid.launchedBy])) throw new Error(`a thread is kept at ${id}`);
    if (kept.has(id)) continue;
    for (const { threads, triggers } of launching) {
      const first = triggers.find((trigger) => firstTriggers.includes(trigger.id));
      const before = first === undefined ? events.filter((event) => threads.includes(event.thread)) : [first];
      for (const event of before) if (executed.has(event.id)) launches.add(event.id, id);
    }
  }
  for (const starts of startsTogether(structure))
    if (new Set(starts.map(({ id }) => kept.has(id))).size > 1) throw new Error('a part of a cluster starts');
  return launches;
}

/** Of each CTA with a trigger one is the first, and none of its own thread comes before that. */
function checkFirst(
  structure: EventStructure,
  executed: { has(event: number): boolean },
  firstTriggers: readonly number[],
): void {
  for (const { cta, triggers } of launchingCtas(structure)) {
    const there = triggers.filter(({ id }) => executed.has(id));
    const [first, ...more] = triggers.filter(({ id }) => firstTriggers.includes(id));
    if (there.length === 0 && first === undefined) continue;
    if (first === undefined || more.length > 0 || !executed.has(first.id))
      throw new Error(`${cta} has no first trigger, or several`);
    if (there.some((other) => inProgramOrder(other, first))) throw new Error(`${first.id} is not the first trigger`);
  }
}
