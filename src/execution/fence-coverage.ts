import type { ProgramEvent } from '../events/program-event.js';
import type { Located, MemoryObject, Window } from '../program/locations.js';
import type { ProxyFence } from '../program/operation.js';
import type { Placement } from '../program/placement.js';

/**
 * Whether a fence orders an access there (PTX ISA, fence). A plain fence orders all; .op_restrict and .sync_restrict
 * limit it to some objects; a proxy fence has a state space, or 128 bytes from an address (`at`), and if it is
 * uni-directional a side: what its release form orders is generic, what its acquire form orders goes through its proxy.
 */
export function fenceCovers(
  fence: ProgramEvent,
  at: Located | undefined,
  access: ProgramEvent,
  place: Located,
): boolean {
  const { placement, restriction, proxyFence } = fence;
  if (fence.kind !== 'fence' || placement === undefined) return false;
  if (restriction === 'mbarrier_init') return access.tags.has('INIT') && access.thread === fence.thread;
  if (restriction !== undefined) return inSpace(place.object, restriction, placement);
  if (proxyFence === undefined) return true;
  if (proxyFence.space !== undefined && !inSpace(place.object, proxyFence.space, placement)) return false;
  if (proxyFence.readsOnly && access.kind !== 'read') return false;
  if (
    at !== undefined &&
    (place.virtualAddress < at.virtualAddress ||
      place.virtualAddress + BigInt(place.bytes) > at.virtualAddress + BigInt(at.bytes))
  )
    return false;
  return proxyFence.order === undefined ? meets(proxyFence, access) : ofSide(proxyFence, access);
}

function inSpace(object: MemoryObject, space: Exclude<Window, 'generic'>, placement: Placement): boolean {
  if (space === 'global') return object.space === 'global';
  return (
    object.space === 'shared' &&
    (space === 'shared::cta' ? object.cta === placement.cta : object.cluster === placement.cluster)
  );
}

/**
 * A bi-directional fence joins its proxy and the generic one; the alias fence orders accesses through whatever address.
 */
function meets({ proxy }: ProxyFence, access: ProgramEvent): boolean {
  return proxy !== 'async' || access.tags.has('GEN') || access.tags.has('ASYNC');
}

function ofSide({ proxy, order }: ProxyFence, access: ProgramEvent): boolean {
  if (order === 'release' || proxy === 'alias') return access.tags.has('GEN');
  return access.tags.has(proxy === 'tensormap' ? 'TMAP' : 'ASYNC');
}
