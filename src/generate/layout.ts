import { accessOf, at, type Cycle, type CycleEvent, type Edge, isExternal, staysAtLocation } from './cycle.js';

/** What follows from a cycle alone: which thread and location each event has, and the value it would write or read. */
export interface Layout {
  readonly events: readonly PlacedEvent[];
  readonly threads: number;
  /** The number of locations. */
  readonly locations: number;
}

export interface PlacedEvent {
  readonly event: CycleEvent;
  readonly thread: number;
  readonly location: number;
  /** Written, or read if the outcome of the cycle comes about. */
  readonly value: number;
  /** The edges before and after it. */
  readonly incoming: Edge;
  readonly outgoing: Edge;
}

/**
 * Lays a cycle out, that begins with the first event of a thread. Writes to a location take 1, 2, … in the order of the
 * cycle, which is their coherence order; a read takes the value of the write it reads from, or the one before the write
 * that it precedes.
 */
export function layOut(cycle: Cycle): Layout {
  const { events, edges } = cycle;
  const count = events.length;
  const locations = locationsOf(cycle);
  const values = valuesOf(cycle);
  let thread = 0;
  const placed = events.map((event, i): PlacedEvent => {
    if (i > 0 && isExternal(at(edges, i - 1))) thread++;
    return {
      event,
      thread,
      location: locations[i] ?? 0,
      value: values[i] ?? 0,
      incoming: at(edges, i - 1),
      outgoing: at(edges, i),
    };
  });
  return { events: placed, threads: thread + 1, locations: count === 0 ? 0 : Math.max(...locations) + 1 };
}

/** Each edge that changes the location leads to the next one, the last such edge back to the first. */
function locationsOf({ events, edges }: Cycle): readonly number[] {
  const changes = edges.filter((edge) => !staysAtLocation(edge)).length;
  let location = 0;
  return events.map((_, i) => {
    if (i > 0 && !staysAtLocation(at(edges, i - 1))) location = (location + 1) % Math.max(changes, 1);
    return location;
  });
}

function valuesOf({ events, edges }: Cycle): readonly number[] {
  const start = firstOfItsLocation({ events, edges });
  const values: number[] = [];
  let current = 0;
  for (let step = 0; step < events.length; step++) {
    const i = (start + step) % events.length;
    if (!staysAtLocation(at(edges, i - 1))) current = 0;
    if (at(events, i).direction === 'W' && accessOf(at(events, i)).kind !== 'nothing') current++;
    values[i] = current;
  }
  return values;
}

/**
 * An event that begins a run at one location. In a cycle that never leaves its location, the coherence order that the
 * communications make must contradict one of the other edges, and the run begins after that one.
 */
function firstOfItsLocation({ events, edges }: Cycle): number {
  const after = (holds: (edge: Edge, index: number) => boolean): number | undefined => {
    const index = events.findIndex((_, i) => holds(at(edges, i - 1), i));
    return index < 0 ? undefined : index;
  };
  const isWrite = (index: number): boolean => at(events, index).direction === 'W';
  return (
    after((edge) => !staysAtLocation(edge)) ??
    after((edge) => edge.kind === 'handOver') ??
    after((edge, i) => edge.kind === 'program' && !(isWrite(i - 1) && isWrite(i))) ??
    after((edge) => edge.kind === 'program') ??
    0
  );
}
