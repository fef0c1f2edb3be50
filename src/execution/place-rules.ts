import type { ProgramEvent } from '../events/program-event.js';
import type { PlaceRule } from '../program/async-operation.js';
import type { Located } from '../program/locations.js';

const ALIGNMENT = 16n;

/** Whether an access of an asynchronous operation, with its mbarrier if it has one, breaks a rule about places. */
export function breaksPlaceRule(
  rule: PlaceRule,
  event: ProgramEvent,
  place: Located,
  mbarrier: Located | undefined,
): boolean {
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
