import { isOfShared, type ProgramEvent } from '../events/program-event.js';
import { pairOf } from '../program/placement.js';
import { type Bits, bitsOf, has, membersOf } from './bits.js';
import { speaksOf } from './fence-reach.js';
import { type Location, overlap, shareBytes } from './location.js';
import type { Readings } from './moral-strength.js';

/**
 * For what an earlier operation is ready (PTX ISA 8.6, 8.9.5): plainly known; at the generic proxy, though it went
 * through another; at a proxy in a CTA; at all aliases of its address; or released and acquired by uni-directional
 * proxy fences.
 */
export type Readiness =
  | { readonly kind: 'known' }
  /** `by`: for the thread of that fence only. */
  | { readonly kind: 'generic'; readonly by?: number | undefined }
  /** `cta` undefined: in whichever CTA. */
  | {
      readonly kind: 'proxy';
      readonly proxy: 'ASYNC' | 'TEX' | 'SUR' | 'CON';
      readonly cta: string | undefined;
      /** That CTA's pair. */
      readonly pair: string;
      readonly aliases: boolean;
    }
  | { readonly kind: 'aliases'; readonly by?: number | undefined }
  /** Its grid has ended: for any access but that of a descriptor. */
  | { readonly kind: 'grid' }
  | { readonly kind: 'acquired'; readonly by: number };

/**
 * How far the knowledge goes on from here. What came by a restricted fence binds only the accesses of which the
 * acquiring fence speaks (`only`), or everything after, but no further restricted fence takes it along (`onward`).
 */
export type Reach = 'freely' | 'onward' | { readonly only: number };

/** That an operation comes before all that its knower does next. */
export interface Fact {
  readonly event: number;
  readonly readiness: Readiness;
  readonly reach: Reach;
}

/**
 * What an operation knows: a set of facts, by their numbers. The fact that event e is known, freely, has the number e.
 */
export type Knowledge = Bits;

/** Where the operations of a run went; undefined before. */
export interface Places {
  locationOf(event: number): Location | undefined;
}

/** All facts that came up, with their numbers. */
export class FactTable {
  private readonly facts: Fact[];
  private readonly numbers = new Map<string, number>();

  constructor(
    private readonly events: readonly ProgramEvent[],
    private readonly readings: Readings,
  ) {
    this.facts = events.map(({ id }): Fact => ({ event: id, readiness: { kind: 'known' }, reach: 'freely' }));
  }

  number(fact: Fact): number {
    const { event, readiness, reach } = fact;
    if (readiness.kind === 'known' && reach === 'freely') return event;
    const way =
      readiness.kind === 'proxy'
        ? `${readiness.proxy}@${readiness.cta}${readiness.aliases ? '*' : ''}`
        : readiness.kind === 'acquired'
          ? `by${readiness.by}`
          : readiness.kind === 'grid' || readiness.kind === 'known'
            ? readiness.kind
            : `${readiness.kind}${readiness.by ?? ''}`;
    const key = `${event} ${way} ${typeof reach === 'string' ? reach : reach.only}`;
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.facts.length;
      this.facts.push(fact);
      this.numbers.set(key, number);
    }
    return number;
  }

  of(knowledge: Knowledge): Fact[] {
    return membersOf(knowledge).flatMap((number) => this.facts[number] ?? []);
  }

  get size(): number {
    return this.facts.length;
  }

  /** All facts about some events. */
  about(events: Bits): Knowledge {
    return bitsOf(this.facts.flatMap(({ event }, number) => (has(events, event) ? [number] : [])));
  }

  with(facts: readonly Fact[]): Knowledge {
    return bitsOf(facts.map((fact) => this.number(fact)));
  }

  /**
   * Whether a fact says anything to an operation: what a restricted fence acquired is told only to what it speaks of.
   */
  reaches({ reach }: Fact, places: Places, operation: ProgramEvent, at: Location | undefined): boolean {
    if (typeof reach === 'string') return true;
    const fence = this.events[reach.only];
    return fence !== undefined && at !== undefined && speaksOf(fence, places.locationOf(reach.only), operation, at);
  }

  /**
   * Whether a fact binds an access: what its event wrote or read cannot be undone for it (8.9.5, proxy-preserved base
   * causality).
   */
  binds(fact: Fact, places: Places, access: ProgramEvent, at: Location): boolean {
    const earlier = this.events[fact.event];
    const location = places.locationOf(fact.event);
    if (
      earlier === undefined ||
      location === undefined ||
      !shareBytes(location, at) ||
      !this.reaches(fact, places, access, at)
    )
      return false;
    const { readiness } = fact;
    const sameAddress = overlap(location, at);
    const isFor = (by: number | undefined): boolean => by === undefined || this.events[by]?.thread === access.thread;
    switch (readiness.kind) {
      case 'known':
        return (
          sameAddress &&
          (this.throughOneProxyInOneCta(earlier, access) || (access.tags.has('GEN') && this.meetsGeneric(earlier)))
        );
      case 'generic':
        return sameAddress && access.tags.has('GEN') && isFor(readiness.by);
      case 'proxy':
        return (sameAddress || readiness.aliases) && access.tags.has(readiness.proxy) && this.isNear(readiness, access);
      case 'aliases':
        return access.tags.has('GEN') && isFor(readiness.by);
      case 'grid':
        return !access.tags.has('TMAP');
      case 'acquired': {
        const fence = this.events[readiness.by];
        if (fence === undefined || !speaksOf(fence, places.locationOf(readiness.by), access, at)) return false;
        return fence.proxyFence?.proxy === 'alias' ? !sameAddress : sameAddress;
      }
    }
  }

  /** A proxy fence was executed in the CTA of an access, or counts there. */
  isNear(
    fence: { readonly cta: string | undefined; readonly pair: string },
    { placement, tags }: ProgramEvent,
  ): boolean {
    if (fence.cta === undefined || fence.cta === placement.cta) return true;
    return this.readings.proxyFencesOfPair && tags.has('CTA_PAIR') && fence.pair === pairOf(placement);
  }

  /** To shared memory the async proxy goes in the CTA whose it is: in one CTA, if that is one place. */
  private throughOneProxyInOneCta(a: ProgramEvent, b: ProgramEvent): boolean {
    const { asyncAtIssuer } = this.readings;
    if (!asyncAtIssuer && [a, b].every((event) => event.tags.has('ASYNC') && isOfShared(event))) return true;
    return (
      a.placement !== undefined &&
      a.placement.cta === b.placement?.cta &&
      (['GEN', 'ASYNC', 'SUR'] as const).some((proxy) => a.tags.has(proxy) && b.tags.has(proxy))
    );
  }

  /**
   * Known is ready for the generic proxy: generic itself; or asynchronous, since only its completion makes it known,
   * and an implicit proxy fence follows that (9.7.10.28.2).
   */
  meetsGeneric({ tags, kind }: ProgramEvent): boolean {
    if (tags.has('GEN')) return true;
    return this.readings.completionOfResultsOnly
      ? tags.has('ASYNC') && kind === 'write'
      : tags.has('ASYNC') || tags.has('TMAP');
  }
}
