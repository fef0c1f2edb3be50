import type { FlagResult } from '../check/flags-of-model.js';
import { describeUndecided } from '../program/undecided.js';
import { describeEvent, eventName, placeInSource } from './describe-event.js';

/** What the flags of a model say of a test, in words. */

const MOST_MEMBERS = 8;

/** `a, d`: what a flag tells of, each by the letters of its events; initial writes as `init x = 0`. */
export function membersOfFlag({ witness, members }: FlagResult): readonly (readonly string[])[] {
  if (witness === undefined) return [];
  const name = (id: number): string => {
    const event = witness.universe.events[id];
    return eventName(witness, id, event === undefined ? 'init' : describeEvent(witness, event));
  };
  return members.map((events) => events.map(name));
}

/** `raised by (a, d), (c, b)`, `never raised`, `unknown: timeout`. */
export function describeFlag(flag: FlagResult): string {
  const { raised, undecided } = flag;
  if (undecided !== undefined) return `unknown: ${describeUndecided(undecided)}`;
  if (raised !== true) return 'never raised';
  const members = membersOfFlag(flag);
  if (members.length === 0) return 'raised';
  const shown = members
    .slice(0, MOST_MEMBERS)
    .map((names) => (names.length === 1 ? names[0] : `(${names.join(', ')})`));
  const more = members.length - shown.length;
  return `raised by ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `a  P0  line 8: st.weak.global.u32 [x], 1`: the events that a flag tells of, each once. */
export function placesOfFlag({ witness, members }: FlagResult): readonly string[] {
  if (witness === undefined) return [];
  const { threads } = witness.universe.structure.program;
  const told = new Set(members.slice(0, MOST_MEMBERS).flat());
  return [...told]
    .sort((a, b) => a - b)
    .flatMap((id) => {
      const event = witness.universe.events[id];
      if (event?.span === undefined || event.thread === undefined) return [];
      return [`${eventName(witness, id)}  ${threads[event.thread]?.name}  ${placeInSource(event)}`];
    });
}
