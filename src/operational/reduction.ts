import { type EventStructure, inProgramOrder, type ProgramEvent } from '../program/events.js';
import type { PossibleTarget, ValueAnalysis } from '../program/value-analysis.js';
import { type Bits, bit, membersOf, NONE } from './bits.js';
import { shareBytes } from './location.js';
import type { Machine, Step } from './machine.js';
import { isAccess } from './moral-strength.js';
import type { State } from './state.js';

/**
 * The steps to explore from a state: all of them, or one operation alone where it makes no difference when that is
 * executed, because nothing that is still to come from elsewhere meets it (a persistent set of one).
 */
export function nextSteps(machine: Machine, state: State): readonly Step[] {
  const enabled = machine.enabled(state);
  // In program order, so that runs read well; what is earlier in the thread meets nothing here either.
  const alone = enabled.find((event) => isLocal(machine, state, event) && !overtakes(machine, state, event));
  const events = alone === undefined ? enabled : [alone];
  return events.map((event) => ({ event, states: machine.execute(state, event) }));
}

/** Something earlier in program order is still to come. */
export function overtakes({ setting }: Machine, state: State, { id, tags }: ProgramEvent): boolean {
  const earlier = (setting.earlier[id] ?? NONE) & ~state.done;
  return !tags.has('ASY') && membersOf(earlier).some((other) => setting.runOf(state, other)?.executed !== false);
}

function isLocal({ setting }: Machine, state: State, event: ProgramEvent): boolean {
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
      const group = setting.groupOf.get(event.id);
      return group === undefined || new Set(group.events.map(({ thread }) => thread)).size === group.arrivals;
    }
    default: {
      const meets = setting.meets[event.id] ?? NONE;
      const others = event.partner === undefined ? meets : meets | (setting.meets[event.partner] ?? NONE);
      return membersOf(others & ~state.done).every((other) => other === event.partner || setting.runOf(state, other)?.executed === false);
    }
  }
}

/** By event: those that may touch the same bytes, or the same mbarrier object, unless they only read; but what follows it in program order waits for it. */
export function findMeetings({ events }: EventStructure, { targets }: ValueAnalysis): readonly Bits[] {
  const touches = ({ kind }: ProgramEvent): boolean => kind === 'mbarrier';
  const meet = (a: ProgramEvent, b: ProgramEvent): boolean => {
    if (a === b || inProgramOrder(a, b)) return false;
    // Two reads do not meet, but one of a thread must not overtake an earlier one whose address is yet to come.
    if (a.kind === 'read' && b.kind === 'read' && !inProgramOrder(b, a)) return false;
    if (!(isAccess(a) || touches(a)) || !(isAccess(b) || touches(b))) return false;
    return (targets.get(a.id) ?? []).some((x) => (targets.get(b.id) ?? []).some((y) => shareBytes(located(x), located(y))));
  };
  return events.map((a) => events.reduce((all, b) => (meet(a, b) ? all | bit(b.id) : all), NONE));
}

const located = ({ range, offset, bytes, virtualAddress }: PossibleTarget) => ({ object: range.object, offset, bytes, virtualAddress });
