import { BULK_ALIGNMENT_RULE, type PlaceRule } from '../program/async-operation.js';
import type { ProgramEvent } from '../program/events.js';
import type { MemoryObject } from '../program/locations.js';

/** The words of the report for each rule (PTX ISA, cp.async.bulk, st.async, red.async). */
export const PLACE_RULES: Readonly<Record<PlaceRule, string>> = {
  'destination-in-other-cta': "asynchronous operation whose destination is the issuing CTA's own shared memory: it must be another CTA's",
  'mbarrier-with-destination': 'asynchronous operation whose destination and mbarrier are in different CTAs',
  'cluster-of-several-ctas': 'st.async in a cluster of one CTA',
  'bulk-alignment': BULK_ALIGNMENT_RULE,
  'tile-alignment': 'tensor copy whose tile in shared memory does not start at a multiple of 16 bytes',
};

export interface Place {
  readonly object: MemoryObject;
  readonly virtualAddress: bigint;
}

const ALIGNMENT = 16n;

/** Whether an access of an asynchronous operation, with its mbarrier if it has one, breaks a rule about places. */
export function breaksPlaceRule(rule: PlaceRule, event: ProgramEvent, place: Place, mbarrier: Place | undefined): boolean {
  const { placement, chunk } = event;
  const destination = event.kind === 'write';
  switch (rule) {
    case 'destination-in-other-cta':
      return destination && place.object.cta === placement?.cta;
    case 'mbarrier-with-destination':
      return destination && mbarrier !== undefined && mbarrier.object.cta !== place.object.cta;
    case 'cluster-of-several-ctas':
      return placement?.clusterSize === 1;
    case 'bulk-alignment':
      return chunk?.offset === 0 && place.virtualAddress % ALIGNMENT !== 0n;
    case 'tile-alignment':
      return chunk?.offset === 0 && place.object.space === 'shared' && place.virtualAddress % ALIGNMENT !== 0n;
  }
}
