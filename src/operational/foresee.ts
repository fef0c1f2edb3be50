import type { ProgramEvent } from '../events/program-event.js';
import { membersOf, NONE } from './bits.js';
import { knowledgeOf, toldByFences } from './learning.js';
import { isMemoryFence } from './moral-strength.js';
import { readStates } from './read-and-write.js';
import type { State } from './state.js';

/**
 * Whether some read that is still to come is bound to return what leads nowhere, of a plain program. Behind a fence.sc
 * of its thread it will know at least what the fences executed so far hand on, whenever that fence comes (8.9.3), and
 * so it takes one of the writes that are there by now; where a write of its location is yet to come, nothing is said.
 */
export function foreseesDeadEnd(state: State, mayLead: (next: State) => boolean): boolean {
  return state.context.events.some((fence) => isToCome(state, fence) && isBound(state, fence, mayLead));
}

const isToCome = (state: State, event: ProgramEvent): boolean =>
  !state.isDone(event.id) && state.runOf(event.id)?.executed === true;

function isBound(state: State, fence: ProgramEvent, mayLead: (next: State) => boolean): boolean {
  if (!isMemoryFence(fence) || !fence.tags.has('SC')) return false;
  const learned = toldByFences(state, fence);
  if (learned === NONE) return false;
  const { context } = state;
  return context.accesses.some((read) => {
    if (read.kind !== 'read' || read.partner !== undefined || !isToCome(state, read)) return false;
    if (!(context.waitedFor[read.id] ?? []).includes(fence.id) || isWritten(state, read)) return false;
    const news = context.facts.of(learned & ~knowledgeOf(state, read.id));
    if (!news.some(({ event }) => state.sharesBytes(event, read.id))) return false;
    const foreseen = state.copy();
    foreseen.learn(fence.id, learned);
    return !readStates(foreseen, read).some(mayLead);
  });
}

/** Something may still be written where it reads. */
const isWritten = (state: State, read: ProgramEvent): boolean =>
  membersOf((state.context.meets[read.id] ?? NONE) & ~state.done).some(
    (other) => state.context.event(other).kind === 'write' && state.runOf(other)?.executed !== false,
  );
