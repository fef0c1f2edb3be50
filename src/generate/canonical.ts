import { at, type Cycle, printCycle, rotate, threadStarts } from './cycle.js';
import { type Place, type Places, printPlaces, renumber } from './places.js';
import { shapeOf } from './shapes.js';

/** A cycle that begins with the first event of a thread, with the place of each of its threads. */
export interface PlacedCycle {
  readonly cycle: Cycle;
  readonly places: Places;
}

/**
 * All ways to tell a cycle from the first event of a thread, with a communication at the end: that is where the outcome
 * closes it.
 */
function* rotations({ cycle, places }: PlacedCycle): Generator<PlacedCycle> {
  for (const [i, start] of threadStarts(cycle).entries()) {
    if (at(cycle.edges, start - 1).kind !== 'communication') continue;
    yield { cycle: rotate(cycle, start), places: renumber(places.map((_, thread): Place => at(places, thread + i))) };
  }
}

const keyOf = ({ cycle, places }: PlacedCycle): string => `${printCycle(cycle)} @ ${printPlaces(places)}`;

/**
 * The way to tell a cycle that stands for all: rotations of a cycle, with its threads and locations renamed, are one
 * test. It is the one whose shape has a name, so that MP begins with its writer; then the one first in the alphabet.
 */
export function canonical(placed: PlacedCycle): PlacedCycle | undefined {
  const all = [...rotations(placed)].map((one) => ({
    one,
    key: `${shapeOf(one.cycle) === undefined ? 1 : 0} ${keyOf(one)}`,
  }));
  all.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return all[0]?.one;
}
