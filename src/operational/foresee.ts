import type { ProgramEvent } from '../events/program-event.js';
import { type Bits, bit, membersOf, NONE } from './bits.js';
import { toldByFences } from './learning.js';
import { isMemoryFence } from './moral-strength.js';
import { readStates } from './read-and-write.js';
import type { State } from './state.js';

/**
 * Whether some read that is still to come is bound to return what leads nowhere, of a plain program, since a fence.sc
 * was `executed`, or some were. Behind a fence.sc of its thread it will know at least what the fences executed so far
 * hand on, whenever that fence comes (8.9.3), and so it takes one of the writes that are there by now; where a write
 * of its location is yet to come, nothing is said.
 */
export function foreseesDeadEnd(
  state: State,
  executed: ProgramEvent | 'some fences',
  mayLead: (next: State) => boolean,
): boolean {
  const news = executed === 'some fences' ? writesToldBy(state, state.fences) : newsOf(state, executed);
  if (news === NONE) return false;
  const told = membersOf(news);
  return state.context.accesses.some((read) => {
    if (read.kind !== 'read' || read.partner !== undefined || !isToCome(state, read)) return false;
    return told.some((write) => state.sharesBytes(write, read.id)) && isBound(state, read, mayLead);
  });
}

/** The writes that a fence tells of, and none before it has. */
function newsOf(state: State, executed: ProgramEvent): Bits {
  if (!isFenceSc(executed)) return NONE;
  let news = writesToldBy(state, [executed.id]);
  for (const id of state.fences) {
    if (news === NONE) break;
    if (id !== executed.id) news &= ~writesToldBy(state, [id]);
  }
  return news;
}

const isFenceSc = (event: ProgramEvent): boolean => isMemoryFence(event) && event.tags.has('SC');

const isToCome = (state: State, event: ProgramEvent): boolean =>
  !state.isDone(event.id) && state.runOf(event.id)?.executed === true;

/** The writes that fences know of, or that something has observed of which they know. */
const writesToldBy = ({ context, links, released }: State, fences: readonly number[]): Bits => {
  const told = fences.reduce((all, id) => all | (released.get(id) ?? NONE), NONE);
  return context.facts.of(told).reduce((all, { event }) => {
    const known = context.event(event).kind === 'write' ? bit(event) : NONE;
    return all | known | (links.get(event) ?? NONE);
  }, NONE);
};

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
