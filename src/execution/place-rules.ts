import type { ProgramEvent } from '../events/program-event.js';
import type { PlaceRule } from '../program/async-operation.js';
import type { Located } from '../program/locations.js';
import { breaksPlaceRule } from '../program/place-rules.js';

/** Whether an access of an asynchronous operation, with its mbarrier if it has one, breaks a rule about places. */
export function isMisplaced(
  rule: PlaceRule,
  { kind, placement, chunk }: ProgramEvent,
  { object, virtualAddress }: Located,
  mbarrier: Located | undefined,
): boolean {
  const isDestination = kind === 'write';
  const isFirst = chunk?.offset === 0;
  return breaksPlaceRule(rule, {
    object,
    virtualAddress,
    isDestination,
    isFirst,
    placement,
    mbarrier,
  });
}
