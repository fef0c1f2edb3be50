import type { ProgramEvent } from '../events/program-event.js';
import { overlap } from './location.js';
import { looksLast } from './mbarriers.js';
import { inEachOthersScope, isStrong } from './moral-strength.js';
import { INITIAL, type State } from './state.js';

/** How a thread stops where it has nothing more to execute, or is kept. */
export type Stop =
  | { readonly kind: 'ended' | 'trapped' | 'kept' }
  | { readonly kind: 'spins'; readonly round: readonly number[] };

/** How a thread has stopped; undefined: it goes on, or past the bound. */
export function stopOf(state: State, thread: number): Stop | undefined {
  const { run, ready } = state.view(thread);
  if (run.ended === true) return { kind: 'ended' };
  if (run.trapped === true) return { kind: 'trapped' };
  const round = lastRoundOf(state, thread);
  if (round !== undefined) return { kind: 'spins', round };
  return ready.some((event) => state.isKept(event)) ? { kind: 'kept' } : undefined;
}

/** The last round of the waiting loop that a thread goes round. */
function lastRoundOf(state: State, thread: number): readonly number[] | undefined {
  const spin = state.view(thread).run.spins.indexOf(true);
  return state.context.structure.threads[thread]?.spins[spin]?.round;
}

/** Whether a thread that has stopped stays so: its waiting loop would find nothing else. */
export function isForEver(state: State, thread: number): boolean {
  const stop = stopOf(state, thread);
  if (stop?.kind !== 'spins') return stop !== undefined;
  // Whoever writes in a round that is repeated for ever writes what is there: others find nothing new in it.
  const isRepeated = ({ thread: writer, node }: ProgramEvent): boolean =>
    lastRoundOf(state, writer)?.includes(node) === true;
  return isUpToDate(state, thread, stop.round, isRepeated);
}

/**
 * Going round once more would find nothing else: strong reads have the last writes of their scope, waits have looked
 * last.
 */
function isUpToDate(
  state: State,
  thread: number,
  round: readonly number[],
  isRepeated: (write: ProgramEvent) => boolean,
): boolean {
  return round.every((node) =>
    state.context.structure.eventsOf(thread, node).every((event) => {
      if (!state.isDone(event.id)) return true;
      if (event.mbarrier?.step === 'wait') return looksLast(state, event.id);
      if (event.kind !== 'read' || !isStrong(event)) return true;
      return (state.sources.get(event.id) ?? []).every(({ cell, write }) => {
        const newer = state
          .writesTo(state.context.cell(cell))
          .filter((other) => write === INITIAL || state.isAfter(write, other));
        const isNews = (other: number): boolean =>
          other !== event.partner && !isRepeated(state.context.event(other)) && comesToBeSeen(state, other, event);
        return !newer.some(isNews);
      });
    }),
  );
}

/**
 * 8.6.1, and (inferred) within one proxy: strong operations in each other's scope, of one address, or of .sys scope,
 * or of .gpu scope through the generic and the async proxy.
 */
function comesToBeSeen(state: State, write: number, read: ProgramEvent): boolean {
  const writer = state.context.event(write);
  if (!isStrong(writer) || !isStrong(read) || !inEachOthersScope(writer, read)) return false;
  const [from, to] = [state.locationOf(write), state.locationOf(read.id)];
  const through = (proxy: 'GEN' | 'ASYNC'): number => [writer, read].filter(({ tags }) => tags.has(proxy)).length;
  const [generic, asynchronous] = [through('GEN'), through('ASYNC')];
  if ((generic === 2 || asynchronous === 2) && from !== undefined && to !== undefined && overlap(from, to)) return true;
  const both = generic + asynchronous === 2;
  return (
    both &&
    ((writer.scope === 'sys' && read.scope === 'sys') ||
      (generic === 1 &&
        writer.scope !== 'cta' &&
        writer.scope !== 'cluster' &&
        read.scope !== 'cta' &&
        read.scope !== 'cluster'))
  );
}
