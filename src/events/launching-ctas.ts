import { threadsOfGrids } from '../program/grids.js';
import { groupBy } from '../program/group-by.js';
import type { EventStructure } from './events.js';
import type { EventOf, ProgramEvent } from './program-event.js';

/**
 * A CTA of a grid that others depend on. These may start once a thread of each such CTA has executed
 * griddepcontrol.launch_dependents, or all of its threads have ended (PTX ISA 9.7.15.14).
 */
export interface LaunchingCta {
  readonly cta: string;
  readonly grid: number;
  /** By their indices. */
  readonly threads: readonly number[];
  readonly triggers: readonly EventOf<'grid'>[];
}

const found = new WeakMap<EventStructure, readonly LaunchingCta[]>();

export function launchingCtas(structure: EventStructure): readonly LaunchingCta[] {
  const known = found.get(structure);
  if (known !== undefined) return known;
  const { events, program } = structure;
  const grids = [...new Set(events.flatMap(({ grid }) => grid?.launchedBy ?? []))];
  const ctas = grids.flatMap((grid) => {
    const threads = threadsOfGrids(program, [grid]);
    return [...new Set(threads.map(({ placement }) => placement.cta))].map((cta): LaunchingCta => {
      const own = threads.filter(({ placement }) => placement.cta === cta).map(({ index }) => index);
      return {
        cta,
        grid,
        threads: own,
        triggers: events.filter(isTrigger).filter(({ thread }) => own.includes(thread)),
      };
    });
  });
  found.set(structure, ctas);
  return ctas;
}

export const isTrigger = (event: ProgramEvent): event is EventOf<'grid'> => event.tags.has('LAUNCH');

/**
 * Starts of one cluster of a dependent grid: its CTAs begin together (PTX ISA, Cluster of Cooperative Thread Arrays),
 * and so do all their threads.
 */
export function startsTogether({ events }: EventStructure): readonly (readonly EventOf<'grid'>[])[] {
  const starts = events.filter(
    (event): event is EventOf<'grid'> => event.grid !== undefined && event.grid.launchedBy.length > 0,
  );
  return [...groupBy(starts, ({ placement }) => `${placement.grid} ${placement.cluster}`).values()];
}
