import { type EventStructure, inProgramOrder, isIssueOf, type ProgramEvent } from '../program/events.js';
import { isAccess, isAcquire, isRelease } from './moral-strength.js';

/**
 * In which order the machine executes the operations of a thread. PTX orders nothing by program order alone, and neither
 * does the machine, but for this: synchronising operations take their turn. A release waits for all that is earlier, what
 * is later waits for an acquire, and fences, barriers, mbarrier operations and the issue of asynchronous operations take
 * their turn both ways. Operations on overlapping bytes do too; they are found when their addresses are known.
 */
export function findWaitedFor(structure: EventStructure): readonly (readonly number[])[] {
  const { events } = structure;
  return events.map((event) => events.filter((earlier) => earlier !== event && mustWait(structure, event, earlier)).map(({ id }) => id));
}

const TAKES_TURNS: ReadonlySet<ProgramEvent['kind']> = new Set(['fence', 'barrier', 'mbarrier', 'group', 'issue', 'exit']);
const takesTurns = ({ kind, tags }: ProgramEvent): boolean => TAKES_TURNS.has(kind) && !tags.has('ASY');

function mustWait(structure: EventStructure, event: ProgramEvent, earlier: ProgramEvent): boolean {
  if (event.tags.has('ASY')) return isIssueOf(earlier, event) || completesAfter(structure, event, earlier);
  if (!inProgramOrder(earlier, event)) return false;
  const other = (one: ProgramEvent): ProgramEvent | undefined => (one.partner === undefined ? undefined : structure.events[one.partner]);
  // An atomic is one operation: as a release it waits, as an acquire it is waited for, with both halves.
  const releases = isAccess(event) && (isRelease(event) || (other(event) !== undefined && isRelease(other(event) as ProgramEvent)));
  const acquires = isAccess(earlier) && (isAcquire(earlier) || (other(earlier) !== undefined && isAcquire(other(earlier) as ProgramEvent)));
  return releases || acquires || takesTurns(event) || (takesTurns(earlier) && earlier.kind !== 'issue');
}

/** complete-tx comes after the accesses of its operation; the arrival of cp.async.mbarrier.arrive after those of all earlier cp.async. */
function completesAfter({ threads }: EventStructure, event: ProgramEvent, earlier: ProgramEvent): boolean {
  if (event.kind !== 'mbarrier' || earlier.thread !== event.thread || !earlier.tags.has('ASY') || !isAccess(earlier)) return false;
  if (event.mbarrier?.step === 'complete_tx') return earlier.node === event.node;
  const operation = threads[earlier.thread ?? 0]?.nodes[earlier.node]?.statement.operation;
  return earlier.node < event.node && operation?.kind === 'async' && operation.completion.kind === 'group' && !operation.completion.bulk;
}
