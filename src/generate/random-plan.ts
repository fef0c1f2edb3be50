import { problemOfCycle } from './check-cycle.js';
import type { Direction } from './copies.js';
import { accessOf, COMMUNICATIONS, type Communication, type Cycle, type CycleEvent, type Edge } from './cycle.js';
import type { CycleFamily } from './families.js';
import { layOut } from './layout.js';
import { DISTANCES, type Distance, type Place, type Places, placeNext } from './places.js';
import { type Link, PROFILES, type Profile } from './profiles.js';
import type { Random } from './random.js';
import { RandomWords } from './random-words.js';
import type { TestPlan } from './write-test.js';

/**
 * Draws a test of a family: first the links between threads, then the events of each thread, which the links demand in
 * part, then what stands between them and how each is performed. Some draws are no cycle, or none that can be written;
 * the caller draws again.
 */
export function randomPlan(random: Random, family: CycleFamily, mostEvents: number): TestPlan | undefined {
  const profile = PROFILES[family];
  const threads = random.weighted([
    [55, 2],
    [30, 3],
    [15, 4],
  ]);
  const links = Array.from({ length: threads }, () => random.weightedWord(profile.links));
  const places = randomPlaces(random, threads, profile);
  const words = new RandomWords(random, profile, widest(places));
  const events: CycleEvent[] = [];
  const edges: Edge[] = [];
  for (let thread = 0; thread < threads; thread++) {
    const before = links[(thread + threads - 1) % threads] ?? 'Rfe';
    const after = links[thread] ?? 'Rfe';
    const drawn = randomThread(random, words, before, after);
    events.push(...drawn.events);
    edges.push(...drawn.edges, words.link(after));
  }
  if (events.length > mostEvents) return undefined;
  const cycle: Cycle = { events: words.copiesForLinks(events, edges, places), edges };
  if (problemOfCycle(cycle) !== undefined || writesToOneLocation(cycle) > MOST_WRITES) return undefined;
  return { cycle, places, shared: random.chance(profile.shared), closing: !random.chance(4) };
}

/** More writes than these to one location have too many coherence orders for a test to be worth its time. */
const MOST_WRITES = 3;

function writesToOneLocation(cycle: Cycle): number {
  const { events, locations } = layOut(cycle);
  // The addition of 0 writes too.
  const writes = events.filter(({ event }) => event.direction === 'W' || accessOf(event).kind === 'atomic');
  return Math.max(
    ...Array.from({ length: locations }, (_, i) => writes.filter(({ location }) => location === i).length),
  );
}

interface DrawnThread {
  readonly events: readonly CycleEvent[];
  /** Between the events. */
  readonly edges: readonly Edge[];
}

function randomThread(random: Random, words: RandomWords, before: Link, after: Link): DrawnThread {
  const first = isCommunication(before) ? COMMUNICATIONS[before].to : undefined;
  const last = isCommunication(after) ? COMMUNICATIONS[after].from : undefined;
  if (first === undefined && last === undefined && after !== 'copy' && random.chance(25))
    return { events: [{ direction: 'R', access: 'nop', alias: false }], edges: [] };
  // What a hand-over passes on is mostly a write, and it is mostly read.
  const anyDirection = (percent: number): Direction => (random.chance(percent) ? 'W' : 'R');
  // One event can be both ends; the others stand between.
  const single =
    (first === undefined || last === undefined || first === last) &&
    random.chance(first !== undefined && last !== undefined ? 30 : 60);
  const directions = single
    ? [first ?? last ?? anyDirection(50)]
    : [first ?? anyDirection(40), last ?? anyDirection(70)];
  if (!single && random.chance(10)) directions.splice(1, 0, anyDirection(50));
  const flags = (i: number): boolean =>
    (i === 0 && before === 'Rfe') || (i === directions.length - 1 && after === 'Rfe');
  const events: CycleEvent[] = [];
  const edges: Edge[] = [];
  for (const [i, direction] of directions.entries()) {
    const previous = directions[i - 1];
    if (previous !== undefined) edges.push(words.between(previous, direction));
    const atomic = edges.at(-1)?.kind === 'atomic';
    events.push(atomic ? atomicHalf(direction) : words.event(direction, flags(i)));
    if (atomic && events.length > 1) events[events.length - 2] = atomicHalf('R');
    if (atomic || !words.repeats()) continue;
    edges.push({ kind: 'program', same: true, steps: [] });
    events.push(words.event(direction, flags(i)));
  }
  return { events, edges };
}

const atomicHalf = (direction: Direction): CycleEvent => ({ direction, access: 'weak', alias: false });

const isCommunication = (link: Link): link is Communication => link in COMMUNICATIONS;

function randomPlaces(random: Random, threads: number, profile: Profile): Places {
  const places: Place[] = [];
  for (let i = 0; i < threads; i++)
    places.push(placeNext(places, random.below(Math.max(i, 1)), random.weightedWord(profile.distances)));
  return places;
}

/** The scope that all threads are in. */
function widest(places: Places): Distance {
  const [first] = places;
  const within = (distance: Distance): boolean =>
    distance === 'sys' || places.every((place) => place[distance] === first?.[distance]);
  return DISTANCES.find(within) ?? 'sys';
}
