import type { PlaceRule } from './async-operation.js';
import { type MemoryObject, rankIn } from './locations.js';
import type { Placement } from './placement.js';

const ALIGNMENT = 16n;

/** An access of an asynchronous operation, as far as the rules about places speak of it. */
export interface PlacedAccess {
  readonly object: MemoryObject;
  readonly virtualAddress: bigint;
  readonly isDestination: boolean;
  /** It is the first of the accesses to this place. */
  readonly isFirst: boolean;
  readonly placement: Placement | undefined;
  /** Where the mbarrier is that the operation has. */
  readonly mbarrier: { readonly object: MemoryObject; readonly virtualAddress: bigint } | undefined;
}

/** Whether an access of an asynchronous operation, with its mbarrier if it has one, breaks a rule about places. */
export function breaksPlaceRule(rule: PlaceRule, access: PlacedAccess): boolean {
  const { object, virtualAddress, isDestination, isFirst, placement, mbarrier } = access;
  switch (rule) {
    case 'destination-in-other-cta':
      return isDestination && object.cta === placement?.cta;
    case 'mbarrier-with-destination':
      return isDestination && mbarrier !== undefined && mbarrier.object.cta !== object.cta;
    case 'mbarrier-in-pair':
      return isDestination && mbarrier !== undefined && !areInPair(mbarrier.virtualAddress, virtualAddress);
    case 'cluster-of-several-ctas':
      return placement?.clusterSize === 1;
    case 'bulk-alignment':
      return isFirst && virtualAddress % ALIGNMENT !== 0n;
    case 'tile-alignment':
      return isFirst && object.space === 'shared' && virtualAddress % ALIGNMENT !== 0n;
  }
}

/** Whether the CTAs of a cluster in whose shared memory two addresses lie are a pair, or one (PTX ISA 9.7.18.5). */
export const areInPair = (a: bigint, b: bigint): boolean => rankIn(a) >> 1 === rankIn(b) >> 1;
