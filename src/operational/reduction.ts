import type { ProgramEvent } from '../program/events.js';
import type { Machine, Step } from './machine.js';
import type { State } from './state.js';

/** The steps to explore from a state: all of them, or one operation alone where it makes no difference when that is executed. */
export function nextSteps(machine: Machine, state: State): readonly Step[] {
  const enabled = machine.enabled(state);
  const alone = enabled.find((event) => isLocal(machine, event));
  const events = alone === undefined ? enabled : [alone];
  return events.map((event) => ({ event, states: machine.execute(state, event) }));
}

/** What a thread does for itself: no other thread's step can tell whether it has happened. */
function isLocal(machine: Machine, event: ProgramEvent): boolean {
  switch (event.kind) {
    case 'fence':
      return !event.tags.has('SC');
    case 'issue':
    case 'group':
    case 'check':
    case 'exit':
      return true;
    case 'barrier': {
      // Where all threads of a group are needed each time, it does not matter who comes first.
      const group = machine.setting.groupOf.get(event.id);
      return group === undefined || new Set(group.events.map(({ thread }) => thread)).size === group.arrivals;
    }
    default:
      return false;
  }
}
