import type { MemoryRange } from '../program/locations.js';
import { MBARRIER_BYTES } from '../program/mbarrier-operation.js';

/** Whether an access touches an mbarrier object that the test declares, and that nothing in it ever invalidates. */
export function touchesLiveObject(
  { object, offset, bytes }: MemoryRange,
  invalidated: readonly MemoryRange[],
): boolean {
  if (object.mbarrier === undefined) return false;
  for (let at = offset - (offset % MBARRIER_BYTES); at < offset + bytes; at += MBARRIER_BYTES) {
    if (!invalidated.some((one) => one.object === object && one.offset === at)) return true;
  }
  return false;
}
