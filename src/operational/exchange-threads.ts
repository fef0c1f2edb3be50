import type { EventStructure } from '../events/events.js';
import { type Bits, bit, has, membersOf, NONE } from './bits.js';
import type { Forgotten, State } from './state.js';

/**
 * One of the states that differ by an exchange of like threads only: of each group those come first that have done and
 * found less. Groups are as `interchangeableThreads` has them, of a plain program.
 */
export class ThreadExchange {
  private readonly eventsOf: readonly (readonly number[])[];
  private readonly placeOf = new Map<number, number>();

  constructor(
    { events, threads }: EventStructure,
    private readonly groups: readonly (readonly number[])[],
  ) {
    this.eventsOf = threads.map((_, thread) => events.filter((event) => event.thread === thread).map(({ id }) => id));
    for (const ids of this.eventsOf) for (const [place, id] of ids.entries()) this.placeOf.set(id, place);
  }

  key(state: State, forgotten: Forgotten): string {
    const target = new Map<number, number>();
    for (const group of this.groups) {
      const signed = group.map((thread) => ({ thread, signature: this.signature(state, thread) }));
      signed.sort((a, b) => (a.signature < b.signature ? -1 : a.signature > b.signature ? 1 : a.thread - b.thread));
      for (const [i, { thread }] of signed.entries()) target.set(thread, group[i] ?? thread);
    }
    if ([...target].every(([from, to]) => from === to)) return state.key(forgotten);
    const events = new Map<number, number>();
    for (const [from, to] of target)
      for (const [i, id] of (this.eventsOf[from] ?? []).entries()) events.set(id, this.eventsOf[to]?.[i] ?? id);
    const bits = (set: Bits): Bits => renamed(set, events);
    return exchanged(state, events).key({
      events: bits(forgotten.events),
      values: bits(forgotten.values),
      facts: bits(forgotten.facts),
      learners: bits(forgotten.learners),
      heads: bits(forgotten.heads),
    });
  }

  /** What a thread has done and found, without its name. */
  private signature(state: State, thread: number): string {
    return (this.eventsOf[thread] ?? [])
      .map((id) => (has(state.done, id) ? `d${state.answers.get(id) ?? ''}` : '-'))
      .join();
  }
}

function renamed(set: Bits, events: ReadonlyMap<number, number>): Bits {
  return membersOf(set).reduce((all, id) => all | bit(events.get(id) ?? id), NONE);
}

/** The same state with events renamed. */
function exchanged(state: State, events: ReadonlyMap<number, number>): State {
  const name = (id: number): number => events.get(id) ?? id;
  const other = state.copy();
  other.done = renamed(state.done, events);
  other.passed = renamed(state.passed, events);
  const move = <T>(from: ReadonlyMap<number, T>, to: Map<number, T>, value: (one: T) => T): void => {
    to.clear();
    for (const [id, one] of from) to.set(name(id), value(one));
  };
  move(state.answers, other.answers, (value) => value);
  move(state.sources, other.sources, (sources) => sources.map(({ cell, write }) => ({ cell, write: name(write) })));
  for (const [from, to] of [
    [state.after, other.after],
    [state.neverAfter, other.neverAfter],
    [state.learned, other.learned],
    [state.released, other.released],
    [state.packets, other.packets],
    [state.observed, other.observed],
    [state.links, other.links],
    [state.completions, other.completions],
    [state.orderedBefore, other.orderedBefore],
  ] as const)
    move(from, to, (set) => renamed(set, events));
  return other;
}
