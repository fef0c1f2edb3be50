import type { MachineContext } from './machine-context.js';

/**
 * Whether a program does nothing but read and write whole locations of the global memory by known addresses, with
 * fences of memory in between: then nothing in it can be undefined, and what operations know is which others came
 * before.
 */
export function isPlain({ events, analysis, structure }: MachineContext): boolean {
  const places = new Map<string, number>();
  return events.every(({ id, kind, proxyFence, tags }) => {
    if (kind === 'exit') return true;
    if (kind === 'fence') return proxyFence === undefined && !tags.has('RESTRICTED');
    if ((kind !== 'read' && kind !== 'write') || analysis.outside.has(id) || !tags.has('GEN')) return false;
    return (analysis.targets.get(id) ?? []).every(({ range: { object }, offset, bytes, virtualAddress }) => {
      if (object.cta !== undefined || object.mbarrier !== undefined) return false;
      const ranges = structure.program.locations.ranges.filter((other) => other.object === object);
      // Of each location one name, and all accesses alike.
      const key = `${object.id}+${offset}`;
      const place = places.get(key) ?? bytes;
      places.set(key, place);
      const apart = [...places].every(([other, size]) => {
        const [owner, start] = other.split('+').map(Number);
        return other === key || owner !== object.id || (start ?? 0) + size <= offset || offset + bytes <= (start ?? 0);
      });
      return ranges.length === 1 && place === bytes && apart && virtualAddress >= 0n;
    });
  });
}
