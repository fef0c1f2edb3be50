import type { Poll } from '../flow/polls.js';
import { at } from './lane-value.js';
import { lanesIn } from './lanes.js';
import { type Held, type Looking, type RegionWalk, type Telling, valueIn, type Word } from './region-walk.js';
import type { Warp } from './warp.js';

export const OTHERS_END = 'whether others end this wait is open';
const TOLD_AGAIN = 'what is told here may be stored again before all have loaded it';

/** A lane of a warp. */
export interface LaneOf {
  readonly warp: Warp;
  readonly lane: number;
}

/**
 * The other threads of a CTA, of which one waits: a vote tells them what it has found, or it does so itself, through
 * shared memory. Rounds that go on may be left out if they do nothing there but to meet and to be told.
 */
export class Others {
  /** What they hold where they are told, those that hold the same once. */
  private held: readonly Held[] | undefined;
  private at = -1;
  /** Where they are told what is found. */
  private words: ReadonlySet<Word> = new Set();
  /** The look of the one that waits. */
  private readonly start: Looking;
  /** Why it is open what they do, if that is so. */
  why = OTHERS_END;
  /** How each of these goes on that is told the end. */
  private readonly manners: (string | undefined)[] = [];

  constructor(
    private readonly poll: Poll,
    private readonly walk: RegionWalk,
    start: Looking,
    /** Where they are told. */
    readonly places: ReadonlySet<number>,
  ) {
    this.start = walk.inAnyRound(start);
  }

  /** Whether they are told through memory. */
  get isTold(): boolean {
    return this.poll.region.tells;
  }

  /** Takes down that all of them are at a place where they are told; whether none of them ends the wait by itself. */
  come(place: number, lanes: readonly LaneOf[]): boolean {
    const all = new Map<string, Held>();
    for (const { warp, lane } of lanes) {
      if (warp.code !== this.walk.code || warp.lone !== undefined || warp.elected?.isApart === true) return false;
      const { held, after } = heldBy(warp, this.poll, lane);
      if (after !== undefined) return false;
      all.set([...held.values()].join(), held);
    }
    this.at = place;
    this.held = [...all.values()];
    return this.isTold || this.held.every((held) => this.walk.isIdleAt(place, held));
  }

  /** Whether a value that is found, and told, ends the wait; undefined where they do not all go on as who has told. */
  ends(value: bigint): boolean | undefined {
    const own = this.walk.look(this.start, value);
    if (own === undefined || this.held === undefined) return undefined;
    if (storesIn(own.telling).some(({ word }) => !this.words.has(word))) return undefined;
    const told = new Map<Word, bigint>(storesIn(own.telling).map((one) => [one.word, one.value]));
    const areAlike = this.held.every((held, i) => {
      const next = this.walk.hear({ at: this.at, told }, held);
      if (next?.kind === 'round') return own.kind === 'look' && this.isRound(own.telling, next.telling);
      if (next === undefined || own.kind === 'look') return false;
      this.manners[i] ??= next.manner;
      return this.manners[i] === next.manner;
    });
    return areAlike ? own.kind === 'exit' : undefined;
  }

  /** What is stored for them if a value is found. */
  told(value: bigint): readonly StoreForOthers[] {
    return storesIn(this.walk.look(this.start, value)?.telling ?? []);
  }

  /** The stores of a round that finds a value first: each round is to store there, and nowhere else. */
  tell(value: bigint): readonly (StoreForOthers & { readonly isBehindBarrier: boolean })[] {
    const telling = this.walk.look(this.start, value)?.telling ?? [];
    const stores = storesIn(telling);
    this.words = new Set(stores.map(({ word }) => word));
    const isBehindBarrier = (one: StoreForOthers): boolean =>
      telling.slice(0, telling.indexOf(one)).some(({ kind }) => kind === 'barrier');
    return stores.map((one) => ({ ...one, isBehindBarrier: isBehindBarrier(one) }));
  }

  /** Whether who looks goes round again if it finds a value. */
  goesOn(value: bigint): boolean {
    return this.walk.look(this.start, value)?.kind === 'look';
  }

  /** Whether a round that goes on may be left out. */
  private isRound(own: readonly Telling[], theirs: readonly Telling[]): boolean {
    const isSameForAll = meetAtAll(own, theirs, this.at);
    if (isSameForAll && !isLoadedBefore(theirs)) this.why = TOLD_AGAIN;
    return isSameForAll && isLoadedBefore(theirs);
  }

  /** The number of the barrier at a place where they are told. */
  barrierAt(place: number): bigint | undefined {
    const { operation } = this.walk.code.statements[place] ?? {};
    return operation?.kind === 'barrier' ? valueIn(this.start.held, operation.id) : undefined;
  }
}

export type StoreForOthers = Extract<Telling, { readonly kind: 'store' }>;

const storesIn = (telling: readonly Telling[]): readonly StoreForOthers[] =>
  telling.flatMap((one) => (one.kind === 'store' ? [one] : []));

/** Whether in a round that goes on who tells comes to the same barriers as who is told, and the same threads to all. */
function meetAtAll(own: readonly Telling[], theirs: readonly Telling[], at: number): boolean {
  const [all, met] = [own, theirs].map((steps) => steps.flatMap((one) => (one.kind === 'barrier' ? [one] : [])));
  const first = all?.findIndex((one) => one.at === at) ?? -1;
  const behind = [...(all?.slice(first + 1) ?? []), ...(all?.slice(0, first) ?? [])];
  const places = (some: typeof all): string | undefined => some?.map((one) => one.at).join();
  return (
    first !== -1 && places(behind) === places(met) && all?.every(({ count }) => count === all[first]?.count) === true
  );
}

/** Whether who is told loads that before the last barrier on the way to the next store. */
const isLoadedBefore = (theirs: readonly Telling[]): boolean =>
  theirs.findLastIndex(({ kind }) => kind === 'load') < theirs.findLastIndex(({ kind }) => kind === 'barrier');

/**
 * What a lane holds that comes to a wait, and what of it is made of what an atomic has found; of several atomics it is
 * not known.
 */
export function heldBy({ code, registers, derived }: Warp, { region }: Poll, lane: number) {
  const held = new Map<string, bigint | undefined>();
  const of = new Map<string, (result: bigint) => bigint | undefined>();
  let after: number | 'several' | undefined;
  for (const name of region.read) {
    const index = code.indexOf.get(name) ?? -1;
    held.set(name, at(registers[index], lane));
    const from = region.written.includes(name) ? undefined : derived.in(index, lane);
    if (from === undefined) continue;
    after = typeof from.from !== 'number' || (after !== undefined && after !== from.from) ? 'several' : from.from;
    of.set(name, from.of);
    held.set(name, from.of(from.now));
  }
  return { held, derived: of, after };
}

/** The lanes of a CTA that have not exited, but for one. */
export const othersThan = (warps: readonly Warp[], { warp: own, lane: one }: LaneOf): readonly LaneOf[] =>
  warps.flatMap((warp) =>
    lanesIn(warp.present)
      .filter((lane) => warp !== own || lane !== one)
      .map((lane) => ({ warp, lane })),
  );
