import { type Access, memoryOf } from './accesses.js';
import { copyForm } from './copies.js';
import { accessOf } from './cycle.js';
import type { Layout, PlacedEvent } from './layout.js';
import type { Places } from './places.js';

/** Where the locations of a test lie. */
export interface PlannedLocation {
  readonly name: string;
  /** The CTA whose shared memory holds it; undefined in global memory. */
  readonly home: number | undefined;
  /** 16 bytes, for bulk copies, or one word. */
  readonly tile: boolean;
  readonly aliased: boolean;
}

/** What cannot be written as a test, with the reason. */
export interface Impossible {
  readonly cannot: string;
}

const NAMES = ['x', 'y', 'z', 'a', 'b', 'c', 'd', 'e'];

/**
 * Puts each location where its accesses need it; those that may lie anywhere go to shared memory if `shared` and one
 * cluster holds their threads.
 */
export function planMemory(layout: Layout, places: Places, shared: boolean): readonly PlannedLocation[] | Impossible {
  const planned: PlannedLocation[] = [];
  for (let location = 0; location < layout.locations; location++) {
    const name = NAMES[location];
    if (name === undefined) return { cannot: `more than ${NAMES.length} locations` };
    const events = layout.events.filter(
      (event) => event.location === location && accessOf(event.event).kind !== 'nothing',
    );
    const home = homeOf(name, events, places, shared, layout.threads);
    if (typeof home === 'object') return home;
    const aliased = events.some(({ event }) => event.alias);
    if (aliased && home !== undefined)
      return { cannot: `${name} lies in shared memory and has an alias: aliases are for global memory here` };
    planned.push({ name, home, aliased, tile: events.some(({ event }) => bytesOf(accessOf(event)) === 16) });
  }
  return planned;
}

const bytesOf = (access: Access): number => (access.kind === 'copy' ? copyForm(access.copy).bytes : 4);

function homeOf(
  name: string,
  events: readonly PlacedEvent[],
  places: Places,
  shared: boolean,
  threads: number,
): number | undefined | Impossible {
  const ctas = new Set(events.map(({ thread }) => places[thread]?.cta));
  const clusters = new Set(events.map(({ thread }) => places[thread]?.cluster));
  const needs = new Set(events.map(({ event }) => memoryOf(accessOf(event), event.direction)));
  const wantsShared = needs.has('own') || needs.has('cluster');
  if (needs.has('global') && wantsShared)
    return { cannot: `one access needs ${name} in global memory, another one in shared memory` };
  if (needs.has('global') || (!wantsShared && (!shared || clusters.size > 1))) return undefined;
  if (clusters.size > 1) return { cannot: `${name} lies in shared memory, and is accessed from several clusters` };
  const forced = new Set(events.flatMap((event) => forcedHome(event, places, threads) ?? []));
  if (forced.size > 1) return { cannot: `${name} would have to lie in the shared memory of several CTAs` };
  const [home] = [...forced, ...ctas];
  return home;
}

/** The CTA that an access needs its location in: its own, or the one whose mbarrier is told of the end of the copy. */
function forcedHome(placed: PlacedEvent, places: Places, threads: number): number | undefined {
  const access = accessOf(placed.event);
  if (access.kind !== 'copy') return undefined;
  const memory = memoryOf(access, placed.event.direction);
  if (memory === 'own') return places[placed.thread]?.cta;
  return memory === 'cluster' ? objectHome(placed, places, threads) : undefined;
}

/** The CTA of the mbarrier of a copy: that of the thread which waits for it. */
export function objectHome({ thread, outgoing }: PlacedEvent, places: Places, threads: number): number | undefined {
  const waits = outgoing.kind === 'handOver' && outgoing.give.startsWith('tx');
  return places[waits ? (thread + 1) % threads : thread]?.cta;
}
