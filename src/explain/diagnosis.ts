import type { Model } from '../cat/model.js';
import { relationsOfModel } from '../cat/relations-of-model.js';
import { adviceFor } from '../check/race-hint.js';
import { inProgramOrder } from '../events/events.js';
import type { ExecutionEvent } from '../events/program-event.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { SCOPES, type Scope } from '../program/placement.js';
import type { Relation } from '../relation/relation.js';
import type { Missing, MissingSynchronization } from './missing.js';
import { type Reach, reachOf, smallestScope } from './synchronization.js';
import type { Hop } from './weak-cycle.js';

export interface Orders {
  readonly causality: Relation;
  readonly morallyStrong: Relation;
  readonly ordered: Relation;
}

/**
 * The relations of the model that the conditions speak of, by their names; undefined for a model that does not have
 * them.
 */
export function ordersOf(model: Model, execution: CandidateExecution): Orders | undefined {
  const defined = relationsOfModel(model, execution);
  const [causality, morallyStrong] = [defined.get('base-causality'), defined.get('morally-strong')];
  return causality === undefined || morallyStrong === undefined
    ? undefined
    : { causality, morallyStrong, ordered: defined.get('ordered') ?? causality };
}

/**
 * What the steps of a cycle lack as far as can be seen at once; undefined if nothing is found, or the model has no such
 * relations.
 */
export function diagnose(
  model: Model,
  execution: CandidateExecution,
  cycle: readonly Hop[],
): MissingSynchronization | undefined {
  const orders = ordersOf(model, execution);
  return orders === undefined ? undefined : new Diagnosis(model, execution, cycle, orders).result();
}

/**
 * A step that atomic operations hand on, with the pairs of writes and reads that it goes over: each must be morally
 * strong (8.9.2).
 */
interface JoinedHop extends Hop {
  readonly over?: readonly (readonly [write: number, read: number])[];
}

/** Sides of a hand-over that need nothing more: a fence is there, or would be, or only observation counts. */
interface Patterns {
  readonly release: boolean;
  readonly acquire: boolean;
}

/** The part of a cycle between two steps from a read or write to one that overwrites: what must order its ends. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly hops: readonly Hop[];
}

class Diagnosis {
  private readonly events: readonly ExecutionEvent[];
  /** Steps that go back in time: what was overlooked or overwritten. */
  private readonly back: readonly Hop[];

  constructor(
    private readonly model: Model,
    private readonly execution: CandidateExecution,
    private readonly cycle: readonly Hop[],
    private readonly order: Orders,
  ) {
    this.events = execution.universe.events;
    this.back = cycle.filter(
      ({ by, from, to }) => (by === 'fr' || by === 'co' || by === 'left') && !this.sameThread(from, to),
    );
  }

  result(): MissingSynchronization | undefined {
    const lacking = this.lacking().filter((missing) => missing.length > 0);
    if (lacking.length > 0) return { steps: lacking, oneIsEnough: lacking.length > 1 };
    const across = this.acrossProxies();
    return across.length === 0 ? undefined : { steps: [across], oneIsEnough: false };
  }

  private lacking(): readonly (readonly Missing[])[] {
    const unordered = this.cycle.flatMap(({ by, from, to }) =>
      by === 'overtaken' ? this.sourcesOf(from).flatMap((source) => this.notMorallyStrong(source, to)) : [],
    );
    if (unordered.length > 0) return [unordered];
    if (this.isOfOneLocation())
      return [this.cycle.flatMap(({ from, to }) => (this.sameThread(from, to) ? [] : this.notMorallyStrong(from, to)))];
    if (this.back.length >= 2) return [this.missingFences()];
    const handOvers = this.missingHandOvers();
    if (this.back.length > 0) return [handOvers.flat()];
    // Round a cycle of reads-from all but one must synchronize: whichever is left out.
    const lacking = handOvers.filter((missing) => missing.length > 0);
    return lacking.map((_, left) => lacking.filter((_, i) => i !== left).flat()).reverse();
  }

  private sameThread(a: number, b: number): boolean {
    return this.events[a]?.thread === this.events[b]?.thread;
  }

  /** Accesses to one location: moral strength is enough to exclude the cycle (8.10.3, 8.10.5). */
  private isOfOneLocation(): boolean {
    const { sameLocation } = this.execution.relations;
    return this.cycle.every(({ from, to }) => sameLocation.has(from, to));
  }

  private sourcesOf(read: number): readonly number[] {
    return this.executed(({ id }) => this.execution.relations.readsFrom.has(id, read)).map(({ id }) => id);
  }

  private notMorallyStrong(a: number, b: number): readonly Missing[] {
    const [x, y] = [this.events[a], this.events[b]];
    if (
      x === undefined ||
      y === undefined ||
      x.thread === undefined ||
      y.thread === undefined ||
      this.order.morallyStrong.has(a, b)
    )
      return [];
    // In one thread program order stands for strength and scope (8.7).
    const weak = this.sameThread(a, b)
      ? []
      : [x, y].filter((event) => event.tags.has('WEAK')).map(({ id }): Missing => ({ kind: 'weak', event: id }));
    if (weak.length > 0) return weak;
    const scopes = reachOf(x, y).filter(({ reaches }) => !reaches);
    return scopes.length > 0
      ? scopes.map((reach) => ({ kind: 'scope', reach }))
      : [{ kind: 'proxy', first: a, second: b }];
  }

  /** With one step back, every other step from thread to thread must synchronize; with none, all but one. */
  private missingHandOvers(): readonly (readonly Missing[])[] {
    const hops = this.withAtomicsJoined(this.cycle);
    return hops.map((hop, i): readonly Missing[] => {
      if (hop.by === 'po' || hop.by === 'issue' || this.back.includes(hop)) return [];
      const [before, after] = [hops[(i - 1 + hops.length) % hops.length], hops[(i + 1) % hops.length]];
      const from = before !== undefined && (before.by === 'po' || before.by === 'issue') ? before.from : hop.from;
      const to = after?.by === 'po' ? after.to : hop.to;
      if (hop.by === 'done')
        return this.order.ordered.has(hop.from, to) || to === hop.to
          ? []
          : [{ kind: 'not-told', operation: hop.from, wait: hop.to }];
      if (this.sameThread(hop.from, hop.to) || this.order.causality.has(from, to) || this.order.ordered.has(from, to))
        return [];
      if (hop.by !== 'rf' && hop.by !== 'mbo') return [];
      return [
        ...(hop.over ?? []).flatMap(([write, read]) => this.notMorallyStrong(write, read)),
        ...this.handOver(from, hop.from, hop.to, to),
      ];
    });
  }

  /** Reads and writes of atomic operations hand on what they read: they need not synchronize themselves (8.9.2). */
  private withAtomicsJoined(hops: readonly Hop[]): readonly JoinedHop[] {
    const joined: JoinedHop[] = [];
    for (const hop of hops) {
      const [last, previous] = [joined[joined.length - 1], joined[joined.length - 2]];
      if (hop.by === 'rf' && last?.by === 'po' && this.events[last.from]?.partner === last.to && previous?.by === 'rf')
        joined.splice(-2, 2, {
          ...hop,
          from: previous.from,
          over: [...(previous.over ?? [[previous.from, previous.to]]), [hop.from, hop.to]],
        });
      else joined.push(hop);
    }
    return joined;
  }

  /**
   * What keeps a read that takes a write from ordering what comes before the write before what comes after the read.
   */
  private handOver(
    from: number,
    write: number,
    read: number,
    to: number,
    has: Patterns = this.observation(from, write, read, to),
  ): readonly Missing[] {
    const [w, r] = [this.events[write], this.events[read]];
    if (w === undefined || r === undefined) return [];
    const missing: Missing[] = [w, r]
      .filter((event) => event.tags.has('WEAK'))
      .map(({ id }) => ({ kind: 'weak', event: id }));
    if (r.tags.has('RED')) missing.push({ kind: 'red', event: read });
    const heads = has.release ? [] : this.heads(from, w);
    const tails = has.acquire ? [] : this.tails(r, to);
    if (!has.release && heads.length === 0 && !w.tags.has('WEAK'))
      missing.push({ kind: 'no-release', write, after: from });
    if (!has.acquire && tails.length === 0 && !r.tags.has('WEAK') && !r.tags.has('RED'))
      missing.push({ kind: 'no-acquire', read, before: to });
    if (missing.length > 0) return missing;
    const pairs = heads.flatMap((head) => tails.map((tail) => reachOf(head, tail).filter(({ reaches }) => !reaches)));
    // What atomic operations hand on is observed step by step.
    const observed = this.execution.relations.readsFrom.has(write, read);
    const meeting = w.kind === 'mbarrier' || !observed ? [] : reachOf(w, r).filter(({ reaches }) => !reaches);
    const best = pairs.length === 0 ? [] : pairs.reduce((a, b) => (b.length < a.length ? b : a));
    const scopes = [...best, ...meeting].filter(
      ({ from: at, to: other }, i, all) => all.findIndex((one) => one.from === at && one.to === other) === i,
    );
    if (scopes.length > 0) return scopes.map((reach) => ({ kind: 'scope', reach }));
    return w.kind === 'write' && observed && !this.order.morallyStrong.has(write, read)
      ? [{ kind: 'proxy', first: write, second: read }]
      : [];
  }

  /**
   * What begins or ends with the observation itself takes moral strength only (8.9.2, 8.10.5: observation order in
   * causality).
   */
  private observation(from: number, write: number, read: number, to: number): Patterns {
    const observes = from === write || to === read;
    return { release: observes, acquire: observes };
  }

  /** What may begin a release pattern that the write ends. */
  private heads(from: number, write: ExecutionEvent): readonly ExecutionEvent[] {
    const [issuer = write] = this.executed(
      ({ thread, node, tags }) => thread === write.thread && node === write.node && !tags.has('ASY'),
    );
    const start = this.events[from];
    return this.executed((event) => {
      if (event.id === write.id) return event.tags.has('REL');
      if (!inProgramOrder(event, issuer) || (start !== undefined && event.id !== from && !inProgramOrder(start, event)))
        return false;
      if (event.kind === 'fence')
        return event.proxyFence === undefined && ['REL', 'ACQ_REL', 'SC'].some((tag) => event.tags.has(tag as 'REL'));
      return event.kind === 'write' && event.tags.has('REL') && this.order.morallyStrong.has(event.id, write.id);
    });
  }

  /** What may end an acquire pattern that the read begins. */
  private tails(read: ExecutionEvent, to: number): readonly ExecutionEvent[] {
    const end = this.events[to];
    return this.executed((event) => {
      if (event.id === read.id) return event.tags.has('ACQ');
      if (!inProgramOrder(read, event) || (end !== undefined && event.id !== to && !inProgramOrder(event, end)))
        return false;
      if (event.kind === 'fence')
        return event.proxyFence === undefined && ['ACQ', 'ACQ_REL', 'SC'].some((tag) => event.tags.has(tag as 'ACQ'));
      return event.kind === 'read' && event.tags.has('ACQ') && this.order.morallyStrong.has(read.id, event.id);
    });
  }

  private executed(wanted: (event: ExecutionEvent) => boolean): readonly ExecutionEvent[] {
    return this.events.filter(
      (event) => event.thread !== undefined && this.execution.executed.has(event.id) && wanted(event),
    );
  }

  /**
   * Between two steps back, only a fence.sc orders what comes before it and after it for all threads (8.9.3, 8.10.3).
   */
  private missingFences(): readonly Missing[] {
    const segments = [...this.segments()].sort((a, b) => a.from - b.from);
    const fencesOf = segments.map(({ from, to, hops: [first] }) => {
      // A segment may begin by observing its first write.
      const starts = first?.by === 'rf' ? [from, first.to] : [from];
      return this.executed(
        (event) =>
          event.tags.has('SC') &&
          event.kind === 'fence' &&
          starts.some((start) => this.order.causality.has(start, event.id)) &&
          this.order.causality.has(event.id, to),
      );
    });
    const places = segments.map((segment) => this.placeForFence(segment));
    const lacking = segments.flatMap((segment, i): readonly Missing[] => {
      const place = places[i];
      if ((fencesOf[i] ?? []).length > 0 || place === undefined) return [];
      const others = this.executed(
        (event) => event.kind === 'fence' && event.proxyFence === undefined && this.on(segment, event),
      );
      return [
        {
          kind: 'no-fence-sc',
          ...place,
          scope: this.scopeFor(
            place.from,
            places.flatMap((one) => one?.from ?? []),
          ),
          fences: others.map(({ id }) => id),
        },
      ];
    });
    // Those that are there must reach the threads in which the others stand, or would.
    const fences = fencesOf.flatMap(([first]) => first ?? []);
    const ends = [
      ...fences,
      ...places.flatMap((place, i) => ((fencesOf[i] ?? []).length > 0 ? [] : (this.events[place?.from ?? -1] ?? []))),
    ];
    const unreached = fences.flatMap((fence) =>
      ends.flatMap((other) =>
        other === fence ? [] : reachOf(fence, other).filter(({ from, reaches }) => from === fence.id && !reaches),
      ),
    );
    const widest = new Map<number, Reach>();
    for (const reach of unreached) {
      const known = widest.get(reach.from);
      if (known === undefined || SCOPES.indexOf(reach.needed) > SCOPES.indexOf(known.needed))
        widest.set(reach.from, reach);
    }
    const handOvers = segments.flatMap((segment, i) => this.handOversIn(segment, places[i]));
    return [...lacking, ...handOvers, ...[...widest.values()].map((reach): Missing => ({ kind: 'scope', reach }))];
  }

  /**
   * Steps from thread to thread in a segment must synchronize, the fence at its place helping; the first may be an
   * observation.
   */
  private handOversIn(
    { hops }: Segment,
    place: { readonly from: number; readonly to: number } | undefined,
  ): readonly Missing[] {
    const isPlace = (hop: Hop | undefined): boolean =>
      hop !== undefined && hop.from === place?.from && hop.to === place.to;
    return hops.flatMap((hop, i): readonly Missing[] => {
      const [before, after] = [hops[i - 1], hops[i + 1]];
      if ((hop.by !== 'rf' && hop.by !== 'mbo') || this.sameThread(hop.from, hop.to)) return [];
      const from = before?.by === 'po' ? before.from : hop.from;
      const to = after?.by === 'po' ? after.to : hop.to;
      if (i > 0 && this.order.causality.has(from, to)) return [];
      return this.handOver(from, hop.from, hop.to, to, {
        release: i === 0 || isPlace(before),
        acquire: i === 0 || isPlace(after),
      });
    });
  }

  /**
   * The accesses of one thread between which a fence would order a segment: the last ones that program order leads
   * through.
   */
  private placeForFence({ hops, from, to }: Segment): { readonly from: number; readonly to: number } | undefined {
    return hops.findLast(({ by }) => by === 'po') ?? (from === to ? undefined : { from, to });
  }

  /** The smallest scope that holds the threads of all these events. */
  private scopeFor(from: number, others: readonly number[]): Scope {
    const mine = this.events[from]?.placement;
    const scopes = others.flatMap((other) => {
      const theirs = this.events[other]?.placement;
      return mine === undefined || theirs === undefined ? [] : [smallestScope(mine, theirs)];
    });
    return SCOPES.findLast((scope) => scopes.includes(scope)) ?? 'sys';
  }

  /** Whether a fence stands in the program order of a step of a segment. */
  private on({ hops }: Segment, fence: ExecutionEvent): boolean {
    return hops.some(({ from, to, by }) => {
      const [a, b] = [this.events[from], this.events[to]];
      return by === 'po' && a !== undefined && b !== undefined && inProgramOrder(a, fence) && inProgramOrder(fence, b);
    });
  }

  private segments(): readonly Segment[] {
    const starts = this.cycle.flatMap((hop, i) => (this.back.includes(hop) ? [i] : []));
    return starts.map((start, n) => {
      const end = starts[(n + 1) % starts.length] ?? start;
      const hops =
        end > start ? this.cycle.slice(start + 1, end) : [...this.cycle.slice(start + 1), ...this.cycle.slice(0, end)];
      return { from: this.cycle[start]?.to ?? 0, to: this.cycle[end]?.from ?? 0, hops };
    });
  }

  /** All is synchronized, and yet two accesses are not ordered: they meet memory through different proxies. */
  private acrossProxies(): readonly Missing[] {
    const meetings = this.cycle.filter(({ by }) => ['fr', 'co', 'left', 'rf'].includes(by));
    return meetings.slice(-1).flatMap(({ from, to }): readonly Missing[] => {
      const advice = adviceFor(this.model, this.execution, [to, from])?.advice;
      return advice === undefined ? [] : [{ kind: 'across-proxies', from: to, to: from, advice }];
    });
  }
}
