import { type EventStructure, inProgramOrder, isIssueOf } from '../events/events.js';
import { isOfLanes } from '../events/lane-groups.js';
import type { ProgramEvent } from '../events/program-event.js';
import { isToldBy } from './async-groups.js';
import { isAccess, isAcquire, isRelease } from './moral-strength.js';

/**
 * In which order the machine executes the operations of a thread. PTX orders nothing by program order alone, and
 * neither does the machine, but for this: synchronizing operations take their turn. A release waits for all that is
 * earlier, what is later waits for an acquire, and fences, barriers, mbarrier operations and the issue of asynchronous
 * operations take their turn both ways; a warp instruction is waited for, but leaves accesses behind (it orders no
 * memory), unless what lanes exchange does by the reading at hand. Operations on overlapping bytes do too; they are
 * found when their addresses are known. While it is open whether an operation is executed, what would wait for it may
 * go first, and the run is dropped if it is executed.
 */
export function findWaitedFor(structure: EventStructure, exchangesOrder: boolean): readonly (readonly number[])[] {
  const { events } = structure;
  return events.map((event) =>
    events
      .filter((earlier) => earlier !== event && mustWait(structure, event, earlier, exchangesOrder))
      .map(({ id }) => id),
  );
}

const TAKES_TURNS: ReadonlySet<ProgramEvent['kind']> = new Set([
  'fence',
  'barrier',
  'mbarrier',
  'group',
  'issue',
  'tensor-step',
  'exit',
  'grid',
]);
const takesTurns = ({ kind, tags }: ProgramEvent): boolean => TAKES_TURNS.has(kind) && !tags.has('ASY');

function mustWait(
  structure: EventStructure,
  event: ProgramEvent,
  earlier: ProgramEvent,
  exchangesOrder: boolean,
): boolean {
  if (event.tags.has('ASY')) return isIssueOf(earlier, event) || completesAfter(structure, event, earlier);
  if (!inProgramOrder(earlier, event) || earlier.tags.has('REPRESENTED')) return false;
  // Other threads have come to it by way of the barriers only.
  if (event.tags.has('REPRESENTED')) return earlier.kind === 'barrier' || earlier.grid !== undefined;
  // An atomic is one operation: as a release it waits, as an acquire it is waited for, with both halves.
  const halves = (one: ProgramEvent): readonly ProgramEvent[] =>
    structure.eventsOf(one.thread, one.node).filter(({ id }) => id === one.id || id === one.partner);
  const releases = isAccess(event) && (mayFail(structure, event) ? isRelease(event) : halves(event).some(isRelease));
  const acquires = isAccess(earlier) && halves(earlier).some(isAcquire);
  return (
    releases ||
    acquires ||
    (takesTurns(event) && (!isOfLanes(event) || (exchangesOrder && event.tags.has('EXCHANGE')))) ||
    (takesTurns(earlier) && earlier.kind !== 'issue')
  );
}

/**
 * A compare-and-swap that fails does not write, and so does not release: that it went too early shows when it has read.
 */
function mayFail({ threads, failingCasWrites }: EventStructure, { thread, node }: ProgramEvent): boolean {
  const operation = threads[thread]?.nodes[node]?.statement.operation;
  return !failingCasWrites && operation?.kind === 'atomic' && operation.operation === 'cas';
}

/**
 * complete-tx comes after the accesses of its operation; the arrival of cp.async.mbarrier.arrive after those of all
 * earlier cp.async.
 */
function completesAfter(structure: EventStructure, event: ProgramEvent, earlier: ProgramEvent): boolean {
  if (event.kind !== 'mbarrier' || earlier.thread !== event.thread || !earlier.tags.has('ASY') || !isAccess(earlier))
    return false;
  return event.mbarrier?.step === 'complete_tx'
    ? earlier.node === event.node
    : earlier.node < event.node && isToldBy(structure, earlier, event);
}
