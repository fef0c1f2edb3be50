import type { GridOrder, LitmusFile } from '../../src/syntax/litmus-ast.js';
import type { Thread } from './layout.js';
import type { Edge, Event, Events, Relation, Run } from './model.js';
import { holdsThread, po, product, releasing } from './model.js';

/**
 * Several grids: stream order (PTX ISA "Causality Order", synchronization by the CUDA API) and programmatic dependent
 * launch (PTX ISA "griddepcontrol"). A grid in a stream begins when the one before has completed, which is then
 * visible. A dependent grid may begin when each CTA of the primary has triggered, by the first
 * `griddepcontrol.launch_dependents` of one of its threads, or has ended; a release fence before that trigger
 * synchronizes with the beginning, and nothing else does: one in its thread, or one before another trigger of the CTA
 * that comes before the first in base causality (docs/decisions/dependent-grids.md). It is only promised to begin after
 * the end of the primary.
 */
export interface Start {
  /** Which events the starts and ends of grids order. */
  readonly edges: readonly Edge[];
  /** What had to happen, each with the start of a grid or the `griddepcontrol.wait` that it let go. */
  readonly before: readonly Edge[];
  /** The first trigger of a CTA, each with the others. */
  readonly first: readonly Edge[];
  /** Release fences before another trigger of their thread, each with what it orders if it comes before the first. */
  readonly early: readonly { readonly fence: Event; readonly first: Event; readonly begin: Event }[];
}

type Orders = readonly GridOrder[];

export const gridOrders = ({ declarations }: LitmusFile): Orders =>
  declarations.filter((one) => one.kind === 'grid-order');

const isBegin = ({ kind, action }: Event): boolean => kind === 'grid' && action === 'begin';
const isTrigger = ({ kind, action }: Event): boolean => kind === 'grid' && action === 'launch_dependents';
const isGridWait = ({ kind, action }: Event): boolean => kind === 'grid' && action === 'wait';

export class Grids {
  constructor(
    private readonly orders: Orders,
    private readonly threads: readonly Thread[],
  ) {}

  private prerequisites(grid: number, order?: GridOrder['order']): readonly number[] {
    const own = this.orders.filter((one) => one.grid === grid && (order === undefined || one.order === order));
    return own.map(({ on }) => on);
  }

  /** The grids that have completed when these have: those that come before them in their streams. */
  private withEarlier(grids: readonly number[]): readonly number[] {
    const all = new Set(grids);
    for (const grid of all) for (const earlier of this.prerequisites(grid, 'after')) all.add(earlier);
    return [...all];
  }

  private readonly threadsOf = (grids: readonly number[]): readonly Thread[] =>
    this.threads.filter(({ grid }) => grids.includes(grid));

  private isComplete(grids: readonly number[], runs: readonly Run[]): boolean {
    return this.threadsOf(grids).every(({ index }) => runs[index]!.ending === 'done');
  }

  /** Whether all that wait for other grids may wait for ever; the CTAs of a cluster start together. */
  mayStay(runs: readonly Run[]): boolean {
    const hasBegun = ({ index }: Thread): boolean => runs[index]!.events.some(isBegin);
    return this.threads.every((thread) => {
      if (runs[thread.index]!.ending !== 'withheld') return true;
      const mates = this.threads.filter(({ cluster }) => cluster === thread.cluster);
      if (hasBegun(thread)) return !this.isComplete(this.prerequisites(thread.grid, 'dependent'), runs);
      return !mates.some(hasBegun) && !this.isComplete(this.prerequisites(thread.grid), runs);
    });
  }

  /** All ways in which the grids of these runs start; none where one could not have started. */
  starts(runs: readonly Run[], events: Events): readonly Start[] {
    const begins = events.filter(isBegin);
    const waits = events.filter(isGridWait);
    const of = ({ thread }: Event, order: GridOrder['order']): readonly number[] =>
      this.withEarlier(this.prerequisites(thread.grid, order));
    const edges: Edge[] = [];
    const before: Edge[] = [];
    for (const [waiters, order] of [[begins, 'after'] as const, [waits, 'dependent'] as const])
      for (const waiter of waiters) {
        const ended = of(waiter, order);
        if (!this.isComplete(ended, runs)) return [];
        for (const event of events.filter(({ thread }) => ended.includes(thread.grid))) {
          edges.push([event, waiter]);
          if (returns(event)) before.push([event, waiter]);
        }
      }
    return (
      this.triggers(begins, runs, events)?.map((chosen) => ({
        edges: [...edges, ...chosen.flatMap(({ edges }) => edges)],
        before: [...before, ...chosen.flatMap((one) => one.before)],
        first: chosen.flatMap(({ first }) => first),
        early: chosen.flatMap(({ early }) => early),
      })) ?? []
    );
  }

  /** By CTA of primary grids which dependent ones have begun, what triggers it. */
  private triggers(begins: Events, runs: readonly Run[], events: Events): readonly (readonly Start[])[] | undefined {
    const primaries = new Set(begins.flatMap(({ thread }) => this.prerequisites(thread.grid, 'dependent')));
    const choices: Start[][] = [];
    for (const primary of primaries) {
      const begun = begins.filter(({ thread }) => this.prerequisites(thread.grid, 'dependent').includes(primary));
      for (const cta of new Set(this.threadsOf([primary]).map((thread) => thread.cta))) {
        const own = events.filter(({ thread }) => thread.cta === cta);
        const triggers = own.filter(isTrigger);
        if (triggers.length > 0) choices.push(triggers.flatMap((one) => firstTrigger(one, triggers, begun, events)));
        else if (this.threads.some((one) => one.cta === cta && runs[one.index]!.ending !== 'done')) return undefined;
        else {
          const ended = own.filter(returns).flatMap((event) => begun.map((begin): Edge => [event, begin]));
          choices.push([{ edges: [], before: ended, first: [], early: [] }]);
        }
      }
    }
    return [...product(choices)];
  }
}

/** A thread has ended when its reads have returned, and its waits. */
const returns = ({ kind, read, action }: Event): boolean =>
  read !== undefined ||
  (kind === 'mbarrier' && action === 'wait') ||
  (kind === 'grid' && action !== 'launch_dependents');

/** That a trigger is the first of its CTA; not where it comes after another of its thread. */
function firstTrigger(trigger: Event, triggers: Events, begun: Events, events: Events): readonly Start[] {
  if (triggers.some((other) => po(other, trigger))) return [];
  const all = events.filter((one) => one.kind === 'fence' && releasing(one.order));
  const fences = all.filter((one) => po(one, trigger));
  const others = all.filter((one) => !fences.includes(one) && triggers.some((other) => po(one, other)));
  const reaches = ({ scope, thread }: Event, begin: Event): boolean =>
    (scope === 'gpu' || scope === 'sys') && holdsThread(scope, thread, begin.thread);
  return [
    {
      edges: begun.flatMap((begin) =>
        fences.filter((fence) => reaches(fence, begin)).map((fence): Edge => [fence, begin]),
      ),
      before: begun.map((begin): Edge => [trigger, begin]),
      first: triggers.filter((other) => other !== trigger).map((other): Edge => [trigger, other]),
      early: begun.flatMap((begin) =>
        others.filter((fence) => reaches(fence, begin)).map((fence) => ({ fence, first: trigger, begin })),
      ),
    },
  ];
}

/**
 * Whether an order of events by base causality lets the grids start so: no end comes after what waited for it, no first
 * trigger after another. A trigger is no memory operation, and need not wait for what comes before it in its thread, be
 * it an acquire: what its execution depends on is asked with No-Thin-Air.
 */
export const agreesWithStart = ({ before, first }: Start, base: Relation): boolean =>
  !before.some(([from, waiter]) => !isTrigger(from) && base.has(waiter, from)) &&
  !first.some(([one, other]) => base.has(other, one));
