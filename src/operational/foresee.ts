import type { ProgramEvent } from '../events/program-event.js';
import { type Bits, bit, membersOf, NONE } from './bits.js';
import { toldByFences } from './learning.js';
import { isFenceSc } from './moral-strength.js';
import { readStates } from './read-and-write.js';
import type { State } from './state.js';

/**
 * Whether some read that is still to come is bound to return what leads nowhere, of a plain program, since some events
 * were `executed`. Behind a fence.sc of its thread it will know at least what the fences executed so far hand on,
 * whenever that fence comes (8.9.3), and so it takes one of the writes that are there by now; where a write of its
 * location is yet to come, nothing is said.
 */
export function foreseesDeadEnd(state: State, executed: readonly number[], mayLead: (next: State) => boolean): boolean {
  const news = membersOf(newsOf(state, executed));
  if (news.length === 0) return false;
  return state.context.accesses.some((read) => {
    if (read.kind !== 'read' || read.partner !== undefined || !isToCome(state, read)) return false;
    return news.some((write) => state.sharesBytes(write, read.id)) && isBound(state, read, mayLead);
  });
}

/** The writes that the fence.sc among some events tell of, and no other one has. */
function newsOf(state: State, executed: readonly number[]): Bits {
  const isNew = (fence: number): boolean => executed.includes(fence);
  let news = state.fences.filter(isNew).reduce((all, fence) => all | writesToldBy(state, fence), NONE);
  for (const fence of state.fences) {
    if (news === NONE) break;
    if (!isNew(fence)) news &= ~writesToldBy(state, fence);
  }
  return news;
}

const isToCome = (state: State, event: ProgramEvent): boolean =>
  !state.isDone(event.id) && state.runOf(event.id)?.executed === true;

/** The writes that a fence knows of, or that something has observed of which it knows. */
const writesToldBy = ({ context, links, released }: State, fence: number): Bits =>
  context.facts.of(released.get(fence) ?? NONE).reduce((all, { event }) => {
    const known = context.event(event).kind === 'write' ? bit(event) : NONE;
    return all | known | (links.get(event) ?? NONE);
  }, NONE);

function isBound(state: State, read: ProgramEvent, mayLead: (next: State) => boolean): boolean {
  const waitedFor = (state.context.waitedFor[read.id] ?? []).map((id) => state.context.event(id));
  const fence = waitedFor.find((event) => isFenceSc(event) && isToCome(state, event));
  if (fence === undefined || isWritten(state, read)) return false;
  const foreseen = state.copy();
  foreseen.learn(fence.id, toldByFences(state, fence));
  return !readStates(foreseen, read).some(mayLead);
}

/** Something may still be written where it reads. */
const isWritten = (state: State, read: ProgramEvent): boolean =>
  membersOf((state.context.meets[read.id] ?? NONE) & ~state.done).some(
    (other) => state.context.event(other).kind === 'write' && state.runOf(other)?.executed !== false,
  );
