import { isComputation, type Operation } from '../program/operation.js';
import type { LaneFacts } from './lane-facts.js';
import { agreed, at, type LaneValue } from './lane-value.js';
import { has, lanesIn } from './lanes.js';
import type { Turn } from './turn.js';
import { type Bounds, boundsOfKnown, boundsOfWidth, commonBounds, joinedBounds, readAs } from './value-bounds.js';
import type { Derived, Ticket, Warp } from './warp.js';

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
  /** At the end of the first way, once the second is gone. */
  after: Held | undefined;
  arrived: number;
}

/**
 * Where it is open which of two ways lanes take, they go both: what they do there some executions have, and others have
 * not. Of what it makes of their registers that is known which is the same on both.
 */
export class OpenWays {
  private readonly all: Parting[] = [];
  /** The lanes on such ways. */
  lanes = 0;

  constructor(private readonly warp: Warp) {}

  /** Lets lanes of which it is open where they go from a statement go both ways; gives those that execute it first. */
  partAt(turn: Turn): number {
    const { warp } = this;
    const { at: here, lanes, statement } = turn;
    const { operation, guard } = statement;
    if (guard === undefined || warp.elected !== undefined || warp.lone !== undefined || operation.kind === 'trap')
      throw turn.notFollowed(OPEN_GUARD);
    const { code } = warp;
    const end = code.statements.length;
    const predicate = code.indexOf.get(guard.register) ?? -1;
    const holds = guard.negated ? 0n : 1n;
    if (operation.kind !== 'branch' && operation.kind !== 'exit') {
      this.part(lanes, here + 1, here + 1, predicate, holds);
      return lanes;
    }
    const target = code.targets[here] ?? end;
    if (target <= here) throw turn.notFollowed('how often a loop is gone through depends on an open value');
    this.part(lanes, code.joins[here] ?? end, target, predicate, 1n - holds);
    warp.put(here + 1, lanes);
    return 0;
  }

  /** What lanes do on such ways: nothing that others may notice but by memory. */
  mustStay(turn: Turn, operation: Operation): void {
    const isAccess = operation.kind === 'load' || operation.kind === 'store' || operation.kind === 'atomic';
    const isPoll = turn.warp.code.polls.has(turn.at);
    if (!isComputation(operation) && operation.kind !== 'exit' && (!isAccess || isPoll))
      throw turn.notFollowed(OPEN_GUARD);
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
  private part(lanes: number, join: number, second: number, predicate: number, value: bigint): void {
    const learned = this.learn(lanes, predicate, 1n - value);
    this.all.push({ lanes, join, second, learned, before: this.held(), after: undefined, arrived: 0 });
    this.lanes = (this.lanes | lanes) >>> 0;
    this.know(this.learn(lanes, predicate, value));
  }

  /** Takes those of some lanes that have come to the end of a way; gives the others. */
  private meet(here: number, lanes: number): number {
    let left = lanes;
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

  /** The second way begins as the first did. */
  private turnBack(one: Parting): void {
    one.after = this.held();
    one.arrived = 0;
    const { registers, derived, bounds, tickets } = one.before;
    const size = this.warp.threads.length;
    this.eachChanged(one.before, (register) => {
      const facts = <T>(of: LaneFacts<T>): readonly (T | undefined)[] =>
        Array.from({ length: size }, (_, lane) => of.in(register, lane));
      const before = { derived: facts(derived), bounds: facts(bounds), tickets: facts(tickets) };
      this.put(register, one.lanes, registers[register], before);
    });
    this.warp.told.dropAll(one.lanes);
    this.know(one.learned);
    this.warp.put(one.second, one.lanes);
  }

  /** Both ways come together. */
  private come(one: Parting, first: Held): void {
    this.all.splice(this.all.indexOf(one), 1);
    this.lanes = this.all.reduce((lanes, { lanes: own }) => (lanes | own) >>> 0, 0);
    const { warp } = this;
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
    warp.told.dropAll(one.lanes);
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

  private held(): Held {
    const { registers, derived, bounds, tickets } = this.warp;
    return { registers: [...registers], derived: derived.copy(), bounds: bounds.copy(), tickets: tickets.copy() };
  }
}

const OPEN_GUARD = 'whether this is executed depends on an open value';

const boundsIn = (value: bigint | undefined, bounds: Bounds | undefined): Bounds | undefined =>
  value === undefined ? bounds : boundsOfKnown(value);
