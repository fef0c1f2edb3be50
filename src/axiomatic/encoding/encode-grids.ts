import { threadsOfGrids } from '../../program/grids.js';
import { type Formula, TRUE } from '../formula/formula.js';
import type { EncodingContext } from './encoding-context.js';

/**
 * Where threads are kept: the start of a grid, and griddepcontrol.wait, let a thread go when all threads of the grids
 * before have ended; a dependent grid starts when each CTA of the other has let it, or has ended.
 */
export function encodeGrids(context: EncodingContext): Formula {
  const { builder, universe } = context;
  const { events, program } = universe.structure;
  const released: Formula[] = [];
  for (const { id, grid } of events) {
    if (grid === undefined) continue;
    const launching = threadsOfGrids(program, grid.launchedBy);
    const ctas = [...new Set(launching.map(({ placement }) => placement.cta))];
    const launched = ctas.map((cta) => {
      const own = launching.filter(({ placement }) => placement.cta === cta);
      const letting = events.filter(({ tags, placement }) => tags.has('LAUNCH') && placement.cta === cta);
      return builder.or(
        builder.all(own.map(({ index }) => context.endedOf(index))),
        ...letting.map((event) => context.executed(event.id)),
      );
    });
    const over = threadsOfGrids(program, grid.complete).map(({ index }) => context.endedOf(index));
    const goesOn = builder.all([...over, ...launched]);
    const here = context.executed(id);
    released.push(builder.implies(here, goesOn));
    const passes = context.passesAt(id);
    if (passes !== TRUE) context.assert(builder.implies(here, builder.iff(passes, goesOn)));
  }
  return builder.all(released);
}
