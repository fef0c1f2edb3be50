import type { ProgramEvent } from '../events/program-event.js';
import type { MemoryObject, Window } from '../program/locations.js';
import type { Placement } from '../program/placement.js';
import type { Location } from './location.js';

/** Which accesses a fence speaks of (PTX ISA, fence), stated from the text. */

/** Whether a proxy fence or a restricted fence speaks of an access; `at`: the bytes that the fence names. */
export function speaksOf(
  fence: ProgramEvent,
  at: Location | undefined,
  access: ProgramEvent,
  location: Location,
): boolean {
  const { restriction, proxyFence, placement } = fence;
  if (placement === undefined) return false;
  // .mbarrier_init: the objects that this very thread has initialized.
  if (restriction === 'mbarrier_init') return access.thread === fence.thread && access.tags.has('INIT');
  if (restriction !== undefined) return lies(location.object, restriction, placement);
  if (proxyFence === undefined) return true;
  if (!spaceOf(fence, location.object)) return false;
  if (proxyFence.readsOnly && access.kind !== 'read') return false;
  if (
    at !== undefined &&
    !(
      location.virtualAddress >= at.virtualAddress &&
      location.virtualAddress - at.virtualAddress + BigInt(location.bytes) <= BigInt(at.bytes)
    )
  )
    return false;
  // What a uni-directional fence releases is generic; what it acquires goes through its proxy, or by an alias.
  const generic = access.tags.has('GEN');
  if (proxyFence.order === 'release') return generic;
  if (proxyFence.order === 'acquire')
    return proxyFence.proxy === 'alias'
      ? generic
      : access.tags.has(proxyFence.proxy === 'tensormap' ? 'TMAP' : 'ASYNC');
  return proxyFence.proxy !== 'async' || generic || access.tags.has('ASYNC');
}

/** Whether an object is in the state space that a proxy fence is limited to. */
export function spaceOf({ proxyFence, placement }: ProgramEvent, object: MemoryObject): boolean {
  return proxyFence?.space === undefined || placement === undefined || lies(object, proxyFence.space, placement);
}

/**
 * .shared::cta is the shared memory of the executing thread's CTA, .shared::cluster that of all CTAs of its cluster.
 */
function lies(object: MemoryObject, space: Exclude<Window, 'generic'>, placement: Placement): boolean {
  switch (space) {
    case 'global':
    case 'const':
    case 'param':
    case 'local':
    case 'tensor':
      return object.space === space;
    case 'shared::cta':
      return object.space === 'shared' && object.cta === placement.cta;
    case 'shared::cluster':
      return object.space === 'shared' && object.cluster === placement.cluster;
  }
}
