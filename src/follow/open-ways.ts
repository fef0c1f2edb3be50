import type { Code } from '../kernel/code.js';
import { isComputation, type Operation } from '../program/operation.js';
import type { LaneFacts } from './lane-facts.js';
import { agreed, at, type LaneValue } from './lane-value.js';
import { has, lanesIn } from './lanes.js';
import type { Cut } from './open-words.js';
import type { FollowedThread } from './trace.js';
import type { Turn } from './turn.js';
import { type Bounds, boundsOfKnown, boundsOfWidth, commonBounds, joinedBounds, readAs } from './value-bounds.js';
import type { Derived, Ticket, Warp } from './warp.js';
import type { Decided, WayThreads } from './way-threads.js';

/** What a predicate tells of a register that holds an open value. */
export interface Told {
  readonly register: number;
  /** It tells of what the register held when it had been written so often. */
  readonly version: number;
  /** If the predicate is this, the register holds what is within these bounds. */
  readonly if: bigint;
  readonly bounds: Bounds;
  readonly width: number;
  readonly signed: boolean;
}

/** What the registers of a warp hold at some point. */
interface Held {
  readonly registers: readonly LaneValue[];
  readonly derived: LaneFacts<Derived>;
  readonly bounds: LaneFacts<Bounds>;
  readonly tickets: LaneFacts<Ticket>;
}

/** What a lane knows of a register on one of two ways. */
interface Learned {
  readonly lane: number;
  readonly register: number;
  readonly bounds: Bounds;
}

/** Lanes go two ways, the one after the other, up to where these come together. */
interface Parting {
  readonly lanes: number;
  readonly join: number;
  /** Where the second way begins, and what is known there. */
  readonly second: number;
  readonly learned: readonly Learned[];
  readonly before: Held;
  /** What has been found decides which. */
  readonly found?: ByFound;
  /** Values of an open word that decide which. */
  readonly cut?: Cut | undefined;
  /** At the end of the first way, once the second is gone. */
  after: Held | undefined;
  arrived: number;
}

/** Lanes go two ways by what has been found; each of them is another thread on each. */
interface ByFound {
  readonly turn: Turn;
  readonly predicate: number;
  /** What the predicate is on the second way. */
  readonly bit: bigint;
  readonly ways: WayThreads;
  readonly byLane: ReadonlyMap<number, { readonly thread: FollowedThread; readonly decided: Decided }>;
  /** Those that have begun. */
  readonly begun: (readonly [lane: number, thread: number])[];
}

/** Whether a branch leaves out what is left of a round, and the next one follows in any case: `if (…) continue;`. */
export const skipsToHead = ({ targets, joins, retries }: Code, at: number): boolean =>
  targets[at] !== undefined && targets[at] === joins[at] && !retries.has(at);

/**
 * Where it is open which of two ways lanes take, they go both: what they do there some executions have, and others have
 * not. Of what it makes of their registers that is known which is the same on both.
 */
export class OpenWays {
  private readonly all: Parting[] = [];
  /** By statement: how many of them come together there. */
  private readonly joins = new Map<number, number>();
  /** The lanes on such ways; those on one that nothing found decides. */
  lanes = 0;
  private undecided = 0;
  /** Second ways by what has been found: they are begun when nobody else can go on. */
  private readonly held: Parting[] = [];

  constructor(private readonly warp: Warp) {}

  /** Lets lanes of which it is open where they go from a statement go both ways; gives those that execute it first. */
  partAt(turn: Turn, ways: WayThreads): number {
    const { warp } = this;
    const { at: here, statement } = turn;
    const { operation, guard } = statement;
    if (guard === undefined) throw turn.notFollowed(OPEN_GUARD);
    if (warp.elected !== undefined || warp.lone !== undefined || operation.kind === 'trap')
      throw turn.notFollowed(OPEN_GUARD, turn.cutAt(guard.register));
    const { code } = warp;
    const end = code.statements.length;
    const predicate = code.indexOf.get(guard.register) ?? -1;
    const holds = guard.negated ? 0n : 1n;
    const lanes = this.partByFound(turn, guard.register, ways);
    if (lanes === 0) return 0;
    const cut = turn.of(lanes).cutAt(guard.register);
    if (operation.kind !== 'branch' && operation.kind !== 'exit') {
      this.part({ lanes, join: here + 1, second: here + 1, cut }, predicate, holds);
      return lanes;
    }
    const [target, join] = [code.targets[here] ?? end, code.joins[here] ?? end];
    // Where the end of the loop is open too, rounds within rounds would have no end.
    const isRest = skipsToHead(code, here) && !this.isUndecided(lanes);
    if (target <= here && !isRest) return warp.retries.goOn(turn.of(lanes), target);
    this.part({ lanes, join, second: target, cut }, predicate, 1n - holds);
    warp.put(here + 1, lanes);
    return 0;
  }

  /** Lets lanes go both ways where what they have found decides which; gives those of which it does not. */
  private partByFound(turn: Turn, register: string, ways: WayThreads): number {
    const { at: here, statement, lanes } = turn;
    const { code } = this.warp;
    const byBit = new Map<bigint, Map<number, Decided>>();
    const predicate = code.indexOf.get(register) ?? -1;
    let left = lanes;
    for (const lane of lanesIn(lanes)) {
      const decided = ways.decidedBy(turn, lane, register);
      if (decided === undefined) continue;
      left = (left & ~(1 << lane)) >>> 0;
      if (decided.always !== undefined) {
        this.warp.set(predicate, (1 << lane) >>> 0, decided.always);
        this.warp.put(here, (1 << lane) >>> 0);
        continue;
      }
      byBit.set(decided.now, (byBit.get(decided.now) ?? new Map()).set(lane, decided));
    }
    const isLeaving = statement.operation.kind === 'branch' || statement.operation.kind === 'exit';
    const join = isLeaving ? (code.joins[here] ?? code.statements.length) : here + 1;
    const later = ways.endOf(turn, join);
    for (const [now, decided] of byBit) {
      const own = [...decided.keys()].reduce((all, lane) => all | (1 << lane), 0) >>> 0;
      const byLane = new Map(
        [...decided].map(([lane, one]) => [lane, { thread: this.warp.threads[lane] as FollowedThread, decided: one }]),
      );
      const found: ByFound = { turn: turn.of(own), predicate, bit: 1n - now, ways, byLane, begun: [] };
      const learned = this.learn(own, predicate, 1n - now);
      const knownFirst = this.learn(own, predicate, now);
      const end = this.endWithin(own, join, later);
      this.add({
        ...{ lanes: own, join: end, second: here, learned, before: this.state(), found },
        ...{ after: undefined, arrived: 0 },
      });
      this.begin(found, now, knownFirst);
    }
    return left;
  }

  /** Ways end later than where they come together, but no later than the ways that they are on. */
  private endWithin(lanes: number, join: number, later: number): number {
    const { joins } = this.warp.code;
    const isEnd = (at: number): boolean => this.all.some((one) => one.join === at && (one.lanes & lanes) !== 0);
    let at = join;
    while (at !== later && !isEnd(at)) at = joins[at] ?? later;
    return at;
  }

  /** Lanes begin a way, each as another thread, with what the predicate is on it. */
  private begin({ turn, predicate, ways, byLane, begun }: ByFound, bit: bigint, learned: readonly Learned[]): void {
    const { warp } = this;
    for (const [lane, { decided }] of byLane) {
      const thread = ways.begin(turn, lane, decided, bit);
      begun.push([lane, thread.id]);
      warp.threads[lane] = thread;
    }
    warp.set(predicate, turn.lanes, bit);
    this.know(learned);
    warp.put(turn.at, turn.lanes);
  }

  /** Lanes go on behind their ways, as the threads that have begun them. */
  private endWays(found: ByFound): void {
    this.goBack(found);
    for (const lane of found.byLane.keys())
      found.ways.end(
        found.turn,
        lane,
        found.begun.flatMap(([of, thread]) => (of === lane ? [thread] : [])),
      );
  }

  /** Lanes are the threads again that have begun the ways. */
  private goBack({ byLane }: ByFound): void {
    for (const [lane, { thread }] of byLane) this.warp.threads[lane] = thread;
  }

  /** Begins second ways that what is there now leads to, or all; whether there are any. */
  release(areAll: boolean): boolean {
    const isDue = ({ found }: Parting): boolean =>
      [...(found?.byLane.values() ?? [])].every(({ decided }) => found?.ways.isDue(decided, found.bit));
    const due = this.held.filter((one) => areAll || isDue(one));
    for (const one of due) {
      this.held.splice(this.held.indexOf(one), 1);
      this.restore(one);
      this.warp.unpark(one.join, one.lanes, one.second);
      if (one.found !== undefined) this.begin(one.found, one.found.bit, one.learned);
    }
    return due.length > 0;
  }

  /** What lanes do on such ways: nothing that others may notice but by memory. */
  mustStay(turn: Turn, operation: Operation): void {
    const isAccess = operation.kind === 'load' || operation.kind === 'store' || operation.kind === 'atomic';
    if (isComputation(operation) || operation.kind === 'exit') return;
    if (this.isUndecided(turn.lanes)) {
      if (!isAccess || turn.warp.code.polls.has(turn.at)) throw turn.notFollowed(OPEN_GUARD, this.cutFor(turn));
    } else if (!isAccess && operation.kind !== 'fence' && !this.meetOnOneWay(turn, operation))
      throw turn.notFollowed(OPEN_GUARD, this.cutFor(turn));
  }

  /** Values of an open word that decide a way that lanes are on. */
  private cutFor({ lanes }: Turn): Cut | undefined {
    return this.all.find((one) => (one.lanes & lanes) !== 0 && one.cut !== undefined)?.cut;
  }

  /**
   * Whether lanes come to a barrier, each on a way; that it is the same for all who meet there is seen by order. Of
   * what they exchange nothing is ordered, so that it is seen here.
   */
  private meetOnOneWay({ warp, lanes }: Turn, operation: Operation): boolean {
    if (operation.kind !== 'barrier' || operation.action === 'arrive') return false;
    const threads = lanesIn(lanes).map((lane) => warp.threads[lane]);
    if (operation.level === 'lanes') return this.all.some(({ found }) => found?.ways.areTogether(threads) === true);
    const isOfAll = operation.level === 'warp' || lanes === warp.present;
    return isOfAll && threads.every((one) => one?.way !== undefined);
  }

  /** Whether lanes are on a way that nothing found decides. */
  isUndecided(lanes: number): boolean {
    return (lanes & this.undecided) !== 0;
  }

  /** Of lanes that have come to a statement, those that go on with it together; others come again. */
  take(here: number, lanes: number): number {
    const left = this.meet(here, lanes);
    const possible = (left & this.lanes) >>> 0;
    if (possible === left || possible === 0) return left;
    this.warp.put(here, possible);
    return (left & ~possible) >>> 0;
  }

  /** Lanes begin the first of two ways, on which a predicate has a value; whoever calls puts them there. */
  private part(of: Pick<Parting, 'lanes' | 'join' | 'second' | 'cut'>, predicate: number, value: bigint): void {
    const learned = this.learn(of.lanes, predicate, 1n - value);
    this.add({ ...of, learned, before: this.state(), after: undefined, arrived: 0 });
    this.know(this.learn(of.lanes, predicate, value));
  }

  private add(one: Parting): void {
    this.all.push(one);
    this.joins.set(one.join, (this.joins.get(one.join) ?? 0) + 1);
    this.count();
  }

  private count(): void {
    const lanesOf = (some: readonly Parting[]): number => some.reduce((all, { lanes }) => (all | lanes) >>> 0, 0);
    this.lanes = lanesOf(this.all);
    this.undecided = lanesOf(this.all.filter(({ found }) => found === undefined));
  }

  /** Takes those of some lanes that have come to the end of a way; gives the others. */
  private meet(here: number, lanes: number): number {
    let left = lanes;
    if ((this.joins.get(here) ?? 0) === 0) return left;
    for (const one of this.all.toReversed()) {
      const own = (left & one.lanes) >>> 0;
      if (one.join !== here || own === 0) continue;
      left = (left & ~own) >>> 0;
      one.arrived = (one.arrived | own) >>> 0;
      if (one.arrived !== one.lanes) continue;
      if (one.after === undefined) this.turnBack(one);
      else this.come(one, one.after);
    }
    return left;
  }

  /** The second way begins as the first did, or when nobody else can go on. */
  private turnBack(one: Parting): void {
    one.after = this.state();
    one.arrived = 0;
    if (one.found !== undefined) {
      this.goBack(one.found);
      this.held.push(one);
      this.warp.park(one.join, one.lanes);
      return;
    }
    this.restore(one);
    this.know(one.learned);
    this.warp.put(one.second, one.lanes);
  }

  /** Lanes have what they had before the first way. */
  private restore(one: Parting): void {
    const { registers, derived, bounds, tickets } = one.before;
    const size = this.warp.threads.length;
    this.eachChanged(one.before, (register) => {
      const facts = <T>(of: LaneFacts<T>): readonly (T | undefined)[] =>
        Array.from({ length: size }, (_, lane) => of.in(register, lane));
      const before = { derived: facts(derived), bounds: facts(bounds), tickets: facts(tickets) };
      this.put(register, one.lanes, registers[register], before);
    });
    this.warp.forgetWay(one.lanes);
  }

  /** Both ways come together. */
  private come(one: Parting, first: Held): void {
    this.all.splice(this.all.indexOf(one), 1);
    this.joins.set(one.join, (this.joins.get(one.join) ?? 0) - 1);
    this.count();
    const { warp } = this;
    if (one.found !== undefined) this.endWays(one.found);
    const size = warp.threads.length;
    this.eachChanged(first, (register) => {
      const [value, other] = [warp.registers[register], first.registers[register]];
      const inBoth = <T>(now: LaneFacts<T>, then: LaneFacts<T>): readonly (T | undefined)[] =>
        Array.from({ length: size }, (_, lane) => {
          const fact = now.in(register, lane);
          return fact === then.in(register, lane) ? fact : undefined;
        });
      const bounds = Array.from({ length: size }, (_, lane) => {
        const now = boundsIn(at(value, lane), warp.bounds.in(register, lane));
        const then = boundsIn(at(other, lane), first.bounds.in(register, lane));
        return now === undefined || then === undefined ? undefined : joinedBounds(now, then);
      });
      const [derived, tickets] = [inBoth(warp.derived, first.derived), inBoth(warp.tickets, first.tickets)];
      this.put(register, one.lanes, agreed(size, value, other), { derived, bounds, tickets });
    });
    warp.forgetWay(one.lanes);
    warp.put(one.join, one.lanes);
  }

  /** The registers of which now something else is known. */
  private eachChanged({ registers, derived, bounds }: Held, of: (register: number) => void): void {
    const { warp } = this;
    for (const register of warp.registers.keys()) {
      const hasFacts = [warp.derived, warp.bounds, derived, bounds].some((facts) => facts.has(register));
      if (hasFacts || registers[register] !== warp.registers[register]) of(register);
    }
  }

  private put(
    register: number,
    lanes: number,
    value: LaneValue,
    facts: {
      readonly derived: readonly (Derived | undefined)[];
      readonly bounds: readonly (Bounds | undefined)[];
      readonly tickets: readonly (Ticket | undefined)[];
    },
  ): void {
    const { warp } = this;
    const ofOpen = <T>(all: readonly (T | undefined)[]): readonly (T | undefined)[] =>
      all.map((one, lane) => (has(lanes, lane) && at(value, lane) === undefined ? one : undefined));
    warp.set(register, lanes, value);
    warp.derived.add(register, ofOpen(facts.derived));
    warp.bounds.add(register, ofOpen(facts.bounds));
    warp.tickets.add(register, ofOpen(facts.tickets));
  }

  /** What lanes know of what a predicate was computed from, if it has a value. */
  private learn(lanes: number, predicate: number, value: bigint): readonly Learned[] {
    const { warp } = this;
    const known = new Map<string, Learned>();
    for (const lane of lanesIn(lanes))
      for (const { if: of, bounds, register, version, width, signed } of warp.told.in(predicate, lane) ?? []) {
        if (of !== value || warp.versions[register] !== version) continue;
        const key = `${lane} ${register}`;
        const now = known.get(key)?.bounds ?? warp.bounds.in(register, lane) ?? boundsOfWidth(width);
        const both = commonBounds(readAs(now, width, signed), bounds);
        if (both !== undefined) known.set(key, { lane, register, bounds: both });
      }
    return [...known.values()];
  }

  private know(learned: readonly Learned[]): void {
    for (const { lane, register, bounds } of learned) {
      const own: Bounds[] = [];
      own[lane] = bounds;
      this.warp.bounds.add(register, own);
    }
  }

  private state(): Held {
    const { registers, derived, bounds, tickets } = this.warp;
    return { registers: [...registers], derived: derived.copy(), bounds: bounds.copy(), tickets: tickets.copy() };
  }
}

const OPEN_GUARD = 'whether this is executed depends on an open value';

const boundsIn = (value: bigint | undefined, bounds: Bounds | undefined): Bounds | undefined =>
  value === undefined ? bounds : boundsOfKnown(value);
