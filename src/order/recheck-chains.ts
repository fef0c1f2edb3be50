import { FENCED_SPACES, type FencedSpace, type Step, type Trace } from '../follow/trace.js';
import { append as appendTo, groupBy } from '../program/group-by.js';
import { firstAbove } from '../program/sorted.js';
import { type Claims, type Link, linksOf, NOTHING, type Steps } from './recheck-links.js';

/** Where a chain begins: a step of a thread, or a phase of an mbarrier that is complete. */
export type ChainStart =
  | (Step & { readonly kind: 'step' })
  /** `launch`: of what it tells. */
  | { readonly kind: 'phase'; readonly object: number; readonly phase: number; readonly launch: number };

/** What must be on a chain: a fence of the async proxy by a thread of a CTA. */
export interface NeededFence {
  readonly ctaId: number;
  readonly space: FencedSpace;
}

/** A link of a chain: who comes to it, and who is behind it. */
export interface Hop {
  readonly link: Link;
  /** Undefined where a launch has ended, or a phase is complete. */
  readonly arrival: Step | undefined;
  readonly waiter: Step;
}

/** How a thread has come behind a start: from which step on, and by which of the links, of which it was the n-th. */
interface Reached {
  readonly link: Link;
  readonly step: number;
  readonly n: number;
}

/** Is told by which link a thread comes behind a start, or behind a fence, and from which step on. */
type Told = (thread: number, step: number, link: Link, isFenced: boolean) => void;

/** The links of a thread, in order, each with the largest of its steps up to there. */
interface LinksOfThread {
  readonly links: number[];
  readonly steps: number[];
}

/** The links of so many CTAs are looked for one by one; of more all are looked at. */
const MOST_LISTS = 8;
const NO_CTA = -1;

/** So many of the last links before a step are looked at for a barrier at which two threads meet. */
const MOST_MEETINGS = 4;

/** Searches of which the results are kept. */
const MOST_SEARCHES = 256;

/** Chains of barriers, mbarriers, grids and fences through a run, each looked for by itself. */
export class Chains {
  private readonly links: Link[];
  private readonly ctaOf: readonly number[];
  private readonly allCtas: ReadonlySet<number>;
  /** By link: the CTAs of those who wait there. */
  private readonly endsOf = new Map<number, ReadonlySet<number>>();
  /** By thread: the links that it arrives at, and those that it is behind. */
  private readonly arrivalsOf = new Map<number, LinksOfThread>();
  private readonly waitsOf = new Map<number, LinksOfThread>();
  /** By CTA: the links that threads of it arrive at; those behind the end of a launch. */
  private readonly ofCta = new Map<number, number[]>();
  private readonly intoWays = new Map<number, number[]>();
  /** Threads whose steps may be before a link in one case, and not in another. */
  private readonly inCases = new Set<number>();
  /** By object and phase: the first wait for it, or a later one. */
  private readonly waitsFor = new Map<string, number>();
  private readonly firstGrid: number | undefined;
  /** By start and last link, what searches for several steps have come to. */
  private readonly searched = new Map<string, Steps>();
  private readonly lastLinks = new WeakMap<readonly Step[], ReadonlyMap<number | undefined, readonly Step[]>>();
  /** By start and end, what was found. */
  private readonly found = new Map<string | number, Map<number, boolean>>();

  constructor(
    private readonly trace: Trace,
    claims: Claims,
    /** Of what happens before what, whether data are ordered by that or not. */
    isOfExecution = false,
  ) {
    this.ctaOf = trace.threads.map(({ ctaId }) => ctaId);
    this.allCtas = new Set(this.ctaOf);
    this.links = linksOf(trace, claims).filter((link) => isOfExecution || !link.isOfExecution);
    this.links.forEach(({ ctas, after, intoWay }, at) => {
      const all = intoWay !== undefined ? [] : after.length > 0 ? [...ctas, NO_CTA] : ctas;
      for (const cta of all) appendTo(this.ofCta, cta, at);
      if (intoWay !== undefined) appendTo(this.intoWays, intoWay, at);
    });
    this.links.forEach(({ arrivals, waiters, cases, told, areGroups, needs }, at) => {
      if (!needs.every(({ from, to }) => this.leads({ kind: 'step', ...from }, to))) {
        this.links[at] = NOTHING;
        return;
      }
      for (const [thread, step] of arrivals) append(this.arrivalsOf, thread, at, step);
      for (const [thread, step] of waiters) append(this.waitsOf, thread, at, step);
      for (const one of cases) for (const thread of one.keys()) this.inCases.add(thread);
      if (told === undefined) return;
      // Groups are waited for with all before them, for which nobody need have waited.
      const first = areGroups === true ? 0 : told.phase;
      for (let { phase } = told; phase >= first && !this.waitsFor.has(`${told.object} ${phase}`); phase--)
        this.waitsFor.set(`${told.object} ${phase}`, at);
    });
    const grid = this.links.findIndex(({ after }) => after.length > 0);
    this.firstGrid = grid < 0 ? undefined : grid;
  }

  /** Whether a step comes after a start in every execution, with a fence between if one is needed. */
  leads(from: ChainStart, to: Step, fence?: NeededFence): boolean {
    if (from.kind === 'step' && from.thread === to.thread && fence === undefined) return from.position <= to.position;
    if (from.kind === 'step' && fence === undefined && this.isOnWayOf(from, to)) return true;
    const last = this.lastBefore(to, from);
    if (last === undefined) return false;
    if (from.kind === 'step' && fence === undefined && this.haveMet(from, to)) return true;
    // Who is on a way is behind all that its thread was before.
    const way = this.trace.threads[to.thread]?.way;
    if (way !== undefined && this.leads(from, way.of, fence)) return true;
    const first = this.firstBehind(from, fence !== undefined);
    if (first === undefined) return false;
    // Who comes together at a link is behind the same, and before the same.
    const ofAll = this.ctaOf.length;
    const isApart = from.kind === 'step' && this.inCases.has(from.thread);
    const isFirst = from.kind === 'step' && fence === undefined && !isApart && this.isPassed(first, from.thread);
    const end = this.isPassed(last, to.thread) ? ofAll : to.thread;
    const start =
      from.kind === 'step'
        ? isApart
          ? `${first} ${from.thread} step ${from.position}`
          : first * (ofAll + 1) + (isFirst ? ofAll : from.thread)
        : `${from.object} ${from.phase} ${from.launch}`;
    const spaces = FENCED_SPACES.length;
    const variant = fence === undefined ? 0 : 1 + spaces * fence.ctaId + FENCED_SPACES.indexOf(fence.space);
    const target = (spaces * ofAll + 1) * (last * (ofAll + 1) + end) + variant;
    const known = this.found.get(start) ?? new Map<number, boolean>();
    this.found.set(start, known);
    const isFound =
      known.get(target) ?? (this.search(from, first, last, fence).get(to.thread) ?? Infinity) <= to.position;
    known.set(target, isFound);
    return isFound;
  }

  /** Whether a step is on a way that a thread has begun behind another one. */
  private isOnWayOf(from: Step, to: Step): boolean {
    for (let way = this.trace.threads[to.thread]?.way; way !== undefined; way = this.trace.threads[way.of.thread]?.way)
      if (way.of.thread === from.thread) return from.position <= way.of.position;
    return false;
  }

  /** The last link that is before a step; what leads to it alone from ways is of no use to what is on none. */
  private lastBefore({ thread, position }: Step, from: ChainStart): number | undefined {
    const waits = this.waitsOf.get(thread);
    let at = waits === undefined ? -1 : firstAbove(waits.steps, itself, position) - 1;
    const isOnWay = from.kind === 'step' && this.trace.threads[from.thread]?.way !== undefined;
    while (!isOnWay && at >= 0 && this.links[waits?.links[at] ?? -1]?.isOfWay === true) at -= 1;
    return waits?.links[at];
  }

  /** Nearly always two threads meet at one barrier, the last before the later one, or the last before ways. */
  private haveMet(from: Step, to: Step): boolean {
    const waits = this.waitsOf.get(to.thread);
    const end = waits === undefined ? 0 : firstAbove(waits.steps, itself, to.position);
    for (let at = end - 1; at >= Math.max(0, end - MOST_MEETINGS); at--)
      if (isMet(this.links[waits?.links[at] ?? -1], from)) return true;
    return false;
  }

  /** Whether all of some steps, of threads that do something together, come after a start. */
  leadsToAll(from: ChainStart, steps: readonly Step[], fence?: NeededFence): boolean {
    const first = this.firstBehind(from, fence !== undefined);
    return [...this.byLastLink(steps)].every(([last, own]) => {
      if (first === undefined || last === undefined) return false;
      const start = from.kind === 'step' ? `${from.thread} ${from.position}` : `${from.object} ${from.phase}!`;
      const key = `${start} ${last} ${fence?.ctaId} ${fence?.space}`;
      if (!this.searched.has(key) && this.searched.size >= MOST_SEARCHES) this.searched.clear();
      const reached = this.searched.get(key) ?? this.search(from, first, last, fence);
      this.searched.set(key, reached);
      return own.every(({ thread, position }) => (reached.get(thread) ?? Infinity) <= position);
    });
  }

  /** Steps, by the last link that each is behind. */
  private byLastLink(steps: readonly Step[]): ReadonlyMap<number | undefined, readonly Step[]> {
    const known = this.lastLinks.get(steps);
    if (known !== undefined) return known;
    const found = groupBy(steps, ({ thread, position }) => {
      const waits = this.waitsOf.get(thread);
      return waits?.links[firstAbove(waits.steps, itself, position) - 1];
    });
    this.lastLinks.set(steps, found);
    return found;
  }

  /** Whether a thread arrives at a link and is behind it with its next step: as all are who come together there. */
  private isPassed(at: number, thread: number): boolean {
    const { arrivals, waiters, cases } = this.links[at] ?? {};
    const arrival = cases?.length === 0 ? arrivals?.get(thread) : undefined;
    return arrival !== undefined && waiters?.get(thread) === arrival + 1;
  }

  /** The first link that is behind a start, if it is on a chain. */
  private firstBehind(from: ChainStart, mayFence: boolean): number | undefined {
    if (from.kind === 'phase') return this.waitsFor.get(`${from.object} ${from.phase}`) ?? this.firstGrid;
    const { thread, position } = from;
    const first = (of: LinksOfThread | undefined, step: number): number =>
      of?.links[firstAbove(of.steps, itself, step)] ?? Infinity;
    const own = first(this.arrivalsOf.get(thread), position - 1);
    const fence = mayFence ? first(this.waitsOf.get(thread), position) : Infinity;
    const all = Math.min(own, fence, this.firstGrid ?? Infinity);
    return all === Infinity ? undefined : all;
  }

  /** By thread: from which step on it is behind one of some steps that every execution has. */
  behind(steps: readonly Step[]): Steps {
    const first = Math.min(...steps.map((step) => this.firstBehind({ kind: 'step', ...step }, false) ?? Infinity));
    return this.search({ kind: 'steps', steps }, first, this.links.length - 1, undefined);
  }

  /** By thread: from which step on it is behind the start, and behind a fence if one is needed. */
  private search(
    from: ChainStart | { readonly kind: 'steps'; readonly steps: readonly Step[] },
    first: number,
    last: number,
    fence: NeededFence | undefined,
    told: Told = () => undefined,
  ): Steps {
    // By thread, from which step on it is behind the start, and behind a fence; the launches that end behind it.
    const reached = new Map<number, number>();
    const fenced = new Map<number, number>();
    const starts = from.kind === 'step' ? [from] : from.kind === 'steps' ? from.steps : [];
    for (const { thread, position } of starts) reached.set(thread, Math.min(reached.get(thread) ?? Infinity, position));
    const ended = new Set(from.kind === 'phase' ? [from.launch] : starts.map(({ thread }) => this.launchOf(thread)));
    /** The ways of the start, and who goes them. */
    const line = new Set(starts.map(({ thread }) => thread));
    const ends = from.kind === 'steps' ? this.allCtas : this.ctasBehind(last);
    /** Where threads are that are reached: what nobody of them arrives at is of no use. */
    const ctas = new Set(starts.map(({ thread }) => this.ctaOf[thread] ?? -1));
    const pass = (steps: Map<number, number>, link: Link): void => {
      for (const [thread, step] of link.waiters) {
        if (!steps.has(thread)) {
          steps.set(thread, step);
          told(thread, step, link, steps === fenced);
        }
        ctas.add(this.ctaOf[thread] ?? -1);
      }
    };
    for (let at = first; at <= last; at = from.kind === 'phase' ? at + 1 : this.next(at, ctas, ends)) {
      const link = this.links[at];
      if (link === undefined) continue;
      const isGrid = link.after.some((one) => ended.has(one));
      // What is behind the first wait for a phase waits for that one or a later one.
      const isTold = from.kind === 'phase' && link.told?.object === from.object;
      if (!isGrid && !isTold && !overlap(link.ctas, ctas)) continue;
      if (link.intoWay !== undefined && !ends.has(link.intoWay)) continue;
      if (link.isOfWay) {
        if (!overlap(link.arrivals.keys(), line)) continue;
        for (const thread of link.waiters.keys()) line.add(thread);
      }
      if (link.fences.length > 0) {
        if (fence !== undefined) this.passFence(link, fence, reached, fenced, told);
        continue;
      }
      if (isGrid || comesBehind(fenced, link)) pass(fenced, link);
      if (!isGrid && !isTold && !comesBehind(reached, link)) continue;
      pass(reached, link);
      for (const thread of link.waiters.keys()) ended.add(this.launchOf(thread));
    }
    return fence === undefined ? reached : fenced;
  }

  /** Where those are who wait at a link. */
  private ctasBehind(at: number): ReadonlySet<number> {
    const known = this.endsOf.get(at);
    if (known !== undefined) return known;
    const found = new Set<number>();
    for (const thread of this.links[at]?.waiters.keys() ?? []) found.add(this.ctaOf[thread] ?? -1);
    this.endsOf.set(at, found);
    return found;
  }

  /** A chain from a start to a step, with a fence between if one is needed; undefined where none is found. */
  chain(from: ChainStart, to: Step, fence?: NeededFence): readonly Hop[] | undefined {
    if (from.kind === 'step' && from.thread === to.thread && fence === undefined) return [];
    const [first, last] = [this.firstBehind(from, fence !== undefined), this.lastBefore(to, from)];
    if (first === undefined || last === undefined) return undefined;
    const [plain, fenced] = [new Map<number, Reached>(), new Map<number, Reached>()];
    let n = 0;
    this.search(from, first, last, fence, (thread, step, link, isFenced) =>
      (isFenced ? fenced : plain).set(thread, { link, step, n: n++ }),
    );
    const end = (fence === undefined ? plain : fenced).get(to.thread);
    if (end === undefined || end.step > to.position) return undefined;
    const hops: Hop[] = [];
    let level = fence === undefined ? plain : fenced;
    for (let [at, thread] = [end as Reached | undefined, to.thread]; at !== undefined; ) {
      const { link, step } = at;
      if (link.fences.length > 0) level = plain;
      const isStart = (one: number, until: number): boolean =>
        level === plain && from.kind === 'step' && one === from.thread && from.position <= until;
      const { n: before } = at;
      const comesBehind = (one: number, until: number): boolean => {
        const known = level.get(one);
        return known !== undefined && known.n < before && known.step <= until;
      };
      // Who executes a fence is behind it; who acquires what it has released, too.
      const isOwnFence = link.fences.length > 0 && link.needs.length === 0;
      const arrivals = [...link.arrivals].filter(([one]) => !isOwnFence || one === thread);
      const [arrival] = arrivals.find((one) => isStart(...one)) ?? arrivals.find((one) => comesBehind(...one)) ?? [];
      const position = arrival === undefined ? undefined : link.arrivals.get(arrival);
      hops.unshift({
        link,
        arrival: arrival === undefined || position === undefined ? undefined : { thread: arrival, position },
        waiter: { thread, position: step },
      });
      at = arrival === undefined || isStart(arrival, position ?? -1) ? undefined : level.get(arrival);
      thread = arrival ?? thread;
    }
    return hops;
  }

  /** The next link at which a thread of some CTAs arrives, that is behind a launch, or leads to ways of others. */
  private next(at: number, ctas: ReadonlySet<number>, ends: ReadonlySet<number>): number {
    if (ctas.size + ends.size > MOST_LISTS) return at + 1;
    let next = firstBehind(this.ofCta.get(NO_CTA), at);
    for (const cta of ctas) next = Math.min(next, firstBehind(this.ofCta.get(cta), at));
    for (const cta of ends) next = Math.min(next, firstBehind(this.intoWays.get(cta), at));
    return next;
  }

  private passFence(
    link: Link,
    { ctaId, space }: NeededFence,
    reached: ReadonlyMap<number, number>,
    fenced: Map<number, number>,
    told: Told,
  ): void {
    const { arrivals, waiters, needs, fences } = link;
    if (!fences.includes(space)) return;
    for (const [thread, step] of arrivals) {
      if (this.trace.threads[thread]?.ctaId !== ctaId || (reached.get(thread) ?? Infinity) > step) continue;
      // One that acquires what another has released.
      const behind = needs.length === 0 ? [[thread, step + 1] as const] : waiters;
      for (const [waiter, from] of behind) {
        if (fenced.has(waiter)) continue;
        fenced.set(waiter, from);
        told(waiter, from, link, true);
      }
    }
  }

  private launchOf(thread: number): number {
    return this.trace.threads[thread]?.launch ?? -1;
  }
}

const itself = (step: number): number => step;

/** The first link of a list that is behind one. */
const firstBehind = (links: readonly number[] | undefined, at: number): number =>
  links?.[firstAbove(links, itself, at)] ?? Infinity;

const overlap = (some: Iterable<number>, others: ReadonlySet<number>): boolean => {
  for (const one of some) if (others.has(one)) return true;
  return false;
};

/** Whether a thread has done something before it arrives at a link. */
const isMet = (link: Link | undefined, { thread, position }: Step): boolean =>
  link !== undefined && link.cases.length + link.fences.length === 0 && (link.arrivals.get(thread) ?? -1) >= position;

/** Whether a link comes after a step that is reached, whichever write was found. */
const comesBehind = (reached: Steps, { arrivals, cases }: Link): boolean =>
  cases.length === 0 ? isBehind(reached, arrivals) : cases.every((one) => isBehind(reached, one));

/** Whether an arrival comes after a step that is reached. */
function isBehind(reached: Steps, arrivals: Steps): boolean {
  const [some, others] = reached.size < arrivals.size ? [reached, arrivals] : [arrivals, reached];
  for (const thread of some.keys())
    if (others.has(thread) && (reached.get(thread) ?? Infinity) <= (arrivals.get(thread) ?? -1)) return true;
  return false;
}

function append(lists: Map<number, LinksOfThread>, thread: number, link: number, step: number): void {
  const own = lists.get(thread) ?? { links: [], steps: [] };
  lists.set(thread, own);
  own.links.push(link);
  own.steps.push(Math.max(own.steps.at(-1) ?? 0, step));
}
