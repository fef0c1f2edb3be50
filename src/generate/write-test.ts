import { copyForm } from './copies.js';
import { accessOf, type Cycle } from './cycle.js';
import { type Layout, layOut, type PlacedEvent } from './layout.js';
import { type Impossible, objectHome, type PlannedLocation, planMemory } from './memory-plan.js';
import type { Places } from './places.js';
import { printBody, printThread } from './print-body.js';
import { STEPS } from './steps.js';
import { aliasOf, printPlace, TestWriter } from './test-writer.js';
import type { ThreadWriter } from './thread-writer.js';
import { type AccessSite, operandOf, writeAccess, writeAtomic } from './write-access.js';
import { type Dependent, writeDependency } from './write-dependency.js';
import { type PlacedHandOver, placeHandOvers, writeClusterBarrier, writeGive, writeTake } from './write-hand-over.js';

/** A cycle with all that a test needs besides. */
export interface TestPlan {
  /** It begins with the first event of a thread, and ends with a communication. */
  readonly cycle: Cycle;
  readonly places: Places;
  /** Whether locations that may lie anywhere lie in shared memory, where one cluster holds their threads. */
  readonly shared: boolean;
  /**
   * Whether the threads of a cluster whose shared memory is accessed from another CTA meet at their end, so that no CTA
   * exits before.
   */
  readonly closing: boolean;
}

/** The text of the test of a cycle after its header, or the reason why there is none. */
export function writeTest(plan: TestPlan): string | Impossible {
  const layout = layOut(plan.cycle);
  const locations = planMemory(layout, plan.places, plan.shared);
  if ('cannot' in locations) return locations;
  const test = new TestWriter(plan.places);
  for (const [i, location] of locations.entries()) if (isUsed(layout, i)) test.location(location);
  const handOvers = placeHandOvers(test, layout.events, plan.places);
  if ('cannot' in handOvers) return handOvers;
  const bodies = new Bodies(test, plan, layout, locations, handOvers);
  for (const [i, thread] of test.threads.entries()) {
    const problem = bodies.write(i, thread);
    if (problem !== undefined) return problem;
  }
  bodies.close();
  const finals = finalValues(layout, locations);
  const outcome = [...test.threads.flatMap((thread) => thread.outcome), ...finals];
  const observed = [
    ...test.threads.flatMap((thread) => thread.observed),
    ...locations.flatMap((location, i) => (isUsed(layout, i) ? [term(location)] : [])),
  ];
  return printBody({
    declarations: test.declarations,
    lines: test.threads.flatMap(({ place, lines }, i) => printThread(i, printPlace(place), lines)),
    outcome: outcome.length === 0 ? 'true' : outcome.join(' /\\ '),
    observed,
  });
}

const isUsed = (layout: Layout, location: number): boolean =>
  layout.events.some((event) => event.location === location && accessOf(event.event).kind !== 'nothing');

const term = ({ name, tile }: PlannedLocation): string => (tile ? `${name}[0]` : name);

/** Of a location that is written more than once, the last value: it shows the coherence order of two writes. */
function finalValues(layout: Layout, locations: readonly PlannedLocation[]): readonly string[] {
  return locations.flatMap((location, i) => {
    const last = layout.events
      .filter((placed) => placed.location === i && placed.event.direction === 'W')
      .reduce((most, { value }) => Math.max(most, value), 0);
    return last > 1 ? [`${term(location)} == ${last}`] : [];
  });
}

/**
 * Writes the threads one after the other: what is taken over, the events with what stands between them, what is given.
 */
class Bodies {
  /** The barriers of the cluster that each thread has taken part in. */
  readonly #met = new Map<ThreadWriter, number>();

  constructor(
    readonly test: TestWriter,
    readonly plan: TestPlan,
    readonly layout: Layout,
    readonly locations: readonly PlannedLocation[],
    readonly handOvers: readonly PlacedHandOver[],
  ) {}

  write(index: number, thread: ThreadWriter): Impossible | undefined {
    const taken = this.handOvers.find(({ to }) => to === index);
    if (taken !== undefined) {
      if (taken.take.kind === 'cbar') this.#meet(thread, taken);
      writeTake(this.test, thread, taken);
    }
    for (const placed of this.layout.events.filter((event) => event.thread === index)) {
      const problem = this.#event(thread, placed);
      if (problem !== undefined) return problem;
    }
    thread.land();
    const given = this.handOvers.find(({ from }) => from === index);
    if (given === undefined) return undefined;
    if (given.give.kind === 'cbar') this.#meet(thread, given);
    writeGive(this.test, thread, given);
    return undefined;
  }

  /** Every thread of a CTA or cluster takes part in all of its barriers. */
  close(): void {
    const barriers = (thread: ThreadWriter): number =>
      thread.lines.filter((line) => line.endsWith('bar.sync 0;')).length;
    for (const thread of this.test.threads) {
      const most = Math.max(...this.test.threads.filter(({ place }) => place.cta === thread.place.cta).map(barriers));
      for (let missing = most - barriers(thread); missing > 0; missing--) thread.line('bar.sync 0;');
      this.#meet(thread, undefined);
      if (this.plan.closing && this.#isReached(thread.place.cluster)) writeClusterBarrier(thread, 'release');
    }
  }

  /** Takes part in the barriers of the cluster before a hand-over, that are between other threads. */
  #meet(thread: ThreadWriter, before: PlacedHandOver | undefined): void {
    const relevant = this.handOvers.filter(
      ({ give, from, to }) =>
        give.kind === 'cbar' &&
        [from, to].some((member) => this.test.threads[member]?.place.cluster === thread.place.cluster),
    );
    const target = before === undefined ? relevant.length : relevant.indexOf(before);
    for (let met = this.#met.get(thread) ?? 0; met < target; met++) writeClusterBarrier(thread, 'relaxed');
    this.#met.set(thread, before === undefined ? target : target + 1);
  }

  /** Whether shared memory of this cluster is accessed from another CTA than its own. */
  #isReached(cluster: number): boolean {
    const members = this.test.threads.filter(({ place }) => place.cluster === cluster);
    if (new Set(members.map(({ place }) => place.cta)).size === 1) return false;
    return members.some(({ lines }) =>
      lines.some((line) => line.includes('shared::cluster.') && !line.includes('fence.')),
    );
  }

  #event(thread: ThreadWriter, placed: PlacedEvent): Impossible | undefined {
    const location = this.locations[placed.location];
    if (location === undefined) throw new Error('an event without location');
    if (accessOf(placed.event).kind === 'nothing') return undefined;
    if (
      location.home !== undefined &&
      !this.test.threads.some(({ place }) => place.cta === location.home && place.cluster === thread.place.cluster)
    )
      return {
        cannot: `P${placed.thread} cannot reach ${location.name}: it is in the shared memory of another cluster`,
      };
    const name = placed.event.alias ? aliasOf(location.name) : location.name;
    const { incoming, outgoing } = placed;
    if (outgoing.kind === 'atomic') {
      const before = this.#steps(thread, placed, name);
      if ('cannot' in before) return before;
      if (before.guard !== '' || before.operand !== undefined || before.address !== name)
        return { cannot: 'a dependency leads to a load or a store, not to an atomic operation of an Amo edge' };
      writeAtomic(thread, outgoing, location, name, placed.value + 1);
      return undefined;
    }
    if (incoming.kind === 'atomic') return undefined;
    const site = this.#steps(thread, placed, name);
    if ('cannot' in site) return site;
    return writeAccess(this.test, thread, { ...site, placed, location, object: this.#object(placed, thread) });
  }

  /** The object that a copy tells of its end. */
  #object(placed: PlacedEvent, thread: ThreadWriter): AccessSite['object'] {
    const home = objectHome(placed, this.plan.places, this.layout.threads) ?? 0;
    const handOver = this.handOvers.find(({ last }) => last === placed);
    if (handOver?.give.kind === 'bytes') return { name: `bar${handOver.number}`, own: home === thread.place.cta };
    const access = accessOf(placed.event);
    const name = `done${this.layout.events.indexOf(placed)}`;
    if (access.kind === 'copy' && copyForm(access.copy).completion === 'mbarrier') this.test.object(name, home, 1);
    return { name, own: true };
  }

  /** Writes what stands before an event, and says how the event itself is affected. */
  #steps(thread: ThreadWriter, placed: PlacedEvent, name: string): Dependent | Impossible {
    const { incoming, event } = placed;
    let site: Dependent = { address: name, operand: undefined, guard: '' };
    if (incoming.kind !== 'program') return site;
    for (const word of incoming.steps) {
      const step = STEPS.get(word);
      if (step === undefined) throw new Error(`no step ${word}`);
      if (step.kind === 'dependency') {
        const dependent = writeDependency(
          thread,
          step,
          name,
          event.direction === 'W' ? operandOf(placed) : undefined,
          this.locations[placed.location]?.home === undefined,
        );
        if ('cannot' in dependent) return dependent;
        site = { ...site, ...dependent };
      } else if (step.kind === 'branch') {
        if (!thread.branch()) return { cannot: 'a branch needs a read before it whose value is in a register' };
      } else {
        thread.line(step.kind === 'fence' ? step.text : 'bar.sync 0;');
      }
    }
    return site;
  }
}
