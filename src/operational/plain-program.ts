import { overlap, sameBytes } from '../semantics/cells.js';
import type { PossibleTarget } from '../semantics/value-analysis.js';
import type { MachineContext } from './machine-context.js';
import { isAccess } from './moral-strength.js';

/**
 * Whether a program does nothing but read and write whole locations of the global memory by known addresses, with
 * fences of memory in between: then nothing in it can be undefined, and what operations know is which others came
 * before.
 */
export function isPlain({ events, analysis, structure, hasChoices }: MachineContext): boolean {
  if (hasChoices) return false;
  const places = new Map<string, PossibleTarget>();
  for (const event of events) {
    const { id, kind, proxyFence, tags } = event;
    if (kind === 'exit') continue;
    if (kind === 'fence') {
      if (proxyFence !== undefined || tags.has('RESTRICTED')) return false;
      continue;
    }
    if (!isAccess(event) || analysis.outside.has(id) || !tags.has('GEN')) return false;
    for (const place of analysis.targets.get(id) ?? [])
      places.set(`${place.range.object.id} ${place.offset} ${place.bytes}`, place);
  }
  const { ranges } = structure.program.locations;
  const all = [...places.values()];
  // Of each location one name, in no shared memory, and all accesses alike.
  return all.every(
    (place) =>
      place.range.object.cta === undefined &&
      place.range.object.mbarrier === undefined &&
      ranges.filter(({ object }) => object === place.range.object).length === 1 &&
      all.every((other) => !overlap(place, other) || sameBytes(place, other)),
  );
}
