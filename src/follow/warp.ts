import type { Code } from '../kernel/code.js';
import type { Operand } from '../program/operation.js';
import type { ElectedLane } from './elected-lane.js';
import { LaneFacts } from './lane-facts.js';
import { at, each, type LaneValue, same } from './lane-value.js';
import { firstLanes, has, lanesIn } from './lanes.js';
import type { Accessor } from './memory-image.js';
import { OpenWays, type Told } from './open-ways.js';
import type { OpenWord } from './open-words.js';
import type { QueueRounds } from './queue-rounds.js';
import { Retries } from './retries.js';
import type { Growth } from './ticket-growth.js';
import type { FollowedThread, MbarrierSteps } from './trace.js';
import type { Bounds } from './value-bounds.js';
import type { ValueNumbers } from './value-numbers.js';

/** Lanes of a warp that are at one statement, as bits. */
export interface LaneGroup {
  readonly at: number;
  readonly lanes: number;
}

/** A try of an mbarrier that no loop makes again: whether it has found the phase complete is open. */
export type Tried = Pick<MbarrierSteps, 'object' | 'phase' | 'order' | 'scope'>;

/** A vote for which some lanes give what is made of what accesses have found; the others leave it to them. */
export interface Voted {
  /** What any lane has to give so that the vote comes to it, whatever the others give: 0 of all, 1 of any. */
  readonly decisive: bigint;
  readonly given: readonly (Derived & { readonly from: number })[];
}

/**
 * What of a register's value is known that depends on what an atomic or a try of an mbarrier finds, or on what is in
 * memory before the launch, which may be different in executions.
 */
export interface Derived {
  /** The access of the atomic, the try, the vote, or the word whose contents are open. */
  readonly from: number | Tried | Voted | OpenWord;
  /** What it finds in the run. */
  readonly now: bigint;
  readonly of: (result: bigint) => bigint | undefined;
}

/** What is made of the result of an atomic that counts upwards: no two of these find the same. */
export interface Ticket {
  /** The access of the atomic. */
  readonly from: number;
  /** What is made of the least result, and by how much it grows with the result; between how many results that is. */
  readonly first: bigint;
  readonly scale: bigint;
  readonly count: bigint;
  /** Of what all results are a multiple, from the least on. */
  readonly unit: bigint;
  /** If it does not grow evenly. */
  readonly growth: Growth | undefined;
}

/** A warp that is followed: lanes that are at one statement execute it together, the hindmost first. */
export class Warp {
  /** Its lanes. */
  readonly all: number;
  /** Those that have not exited. */
  present: number;
  readonly registers: LaneValue[];
  /** Of values that are open: what they are made of, but for what an atomic finds; and what they may be. */
  readonly derived = new LaneFacts<Derived>();
  readonly bounds = new LaneFacts<Bounds>();
  /** Of values that are open: the ticket that they are made of, if they are. */
  readonly tickets = new LaneFacts<Ticket>();
  /** If values are numbered: the numbers of those that are open. */
  readonly numbers = new LaneFacts<number>();
  numbering: ValueNumbers | undefined;
  /** What predicates that are open tell of others. */
  readonly told = new LaneFacts<readonly Told[]>();
  /** By register: how often it was written. */
  readonly versions: number[] = [];
  /** Lanes of which it is open where they go. */
  readonly ways = new OpenWays(this);
  readonly retries = new Retries(this);
  private ready = new Map<number, number>();
  /** Lanes that have exited after they did something alone. */
  private goneAlone = 0;
  /** By statement, the lanes that have done it; by lane, what it did last. */
  private readonly actors = new Map<number, number>();
  private readonly lastActs: (number | undefined)[] = [];
  /** Lanes that have done something alone since all have met. */
  private alone = 0;
  /** Lanes that have come to where lanes meet, and let the others go first. */
  private deferred = new Map<number, number>();
  /** By lane, where it has waited last. */
  readonly waitsAt: number[] = [];
  /** By lane: the try that has failed, for what the lane is to wait for next. */
  readonly due: (Tried | undefined)[] = [];
  /** Lanes that wait for an mbarrier, or for others of their warp. */
  private readonly parked = new Map<number, number>();
  /** The one of its lanes that elect.sync takes. */
  elected: ElectedLane | undefined;
  /** Of what such a lane does by itself: that. */
  lone: ElectedLane | undefined;
  /** If somebody asks: the registers that have been written since. */
  written: Set<number> | undefined;
  isCanceled = false;
  /** Nobody else can go on: those that let others go first do not any more. */
  private isHurried = false;
  private readonly rounds = new Map<
    number,
    { readonly lanes: number; readonly changes: number; readonly registers: readonly LaneValue[] }
  >();

  /** The number of its first lane among all threads. */
  readonly id: number;
  /** Its lanes as threads; on a way that what they have found decides they are others. */
  readonly threads: FollowedThread[];

  constructor(
    readonly code: Code,
    threads: readonly FollowedThread[],
    readonly accessors: readonly Accessor[],
    initial: ReadonlyMap<string, LaneValue>,
    /** Rounds of a queue, if these are followed. */
    readonly queue?: QueueRounds,
  ) {
    this.threads = [...threads];
    this.id = threads[0]?.id ?? 0;
    this.all = firstLanes(threads.length);
    this.present = this.all;
    this.registers = code.names.map((name) =>
      initial.has(name) ? initial.get(name) : (code.registers.get(name)?.initial ?? 0n),
    );
    this.put(0, this.all);
  }

  /** Takes the hindmost lanes that can go on: those ahead wait for them, where they may meet again. */
  take(): LaneGroup | undefined {
    if (this.isStuck) {
      for (const [at, lanes] of this.deferred) if (!this.isHeldUp(at, lanes)) this.put(at, lanes);
      for (const at of this.ready.keys()) this.deferred.delete(at);
    }
    const [first, ...others] = this.ready.keys();
    if (first === undefined) return undefined;
    const at = others.reduce((a, b) => Math.min(a, b), first);
    const lanes = this.ready.get(at) ?? 0;
    this.ready.delete(at);
    return { at, lanes };
  }

  /** No lane can go on but those that let others go first. */
  private get isStuck(): boolean {
    return this.ready.size === 0 && (this.parked.size === 0 || this.isHurried);
  }

  /** Lanes have come to where all of the warp must, and the others wait for something else. */
  private isHeldUp(at: number, lanes: number): boolean {
    const operation = this.code.statements[at]?.operation;
    if (operation?.kind === 'barrier' && operation.level === 'lanes') return this.waitForPolls(lanes, operation.id);
    const isOfAll =
      operation?.kind === 'cluster-barrier' || (operation?.kind === 'barrier' && operation.level === 'cta');
    const others = [...this.parked.values()].reduce((all, one) => (all | one) >>> 0, 0);
    return isOfAll && operation.aligned && others !== 0 && (lanes | others) >>> 0 === this.present;
  }

  /** Whether all of these lanes are to do something together with one that waits for what others write. */
  private waitForPolls(lanes: number, mask: Operand): boolean {
    const waiting = [...this.parked].reduce((all, [at, some]) => (this.code.polls.has(at) ? all | some : all), 0);
    const value = mask.kind === 'constant' ? mask.value : this.registers[this.code.indexOf.get(mask.name) ?? -1];
    return lanesIn(lanes).every((lane) => (Number(at(value, lane) ?? 0n) & waiting) !== 0);
  }

  /** Lets lanes go on at a statement. */
  put(at: number, lanes: number): void {
    if (lanes !== 0) this.ready.set(at, ((this.ready.get(at) ?? 0) | lanes) >>> 0);
  }

  /**
   * Lets lanes that have come to where lanes meet wait for others that can go on; whether there are any, or some that
   * wait there already.
   */
  defer(at: number, lanes: number): boolean {
    const others = this.deferred.get(at) ?? 0;
    if (this.isStuck && others === 0) return false;
    if (this.isStuck) {
      this.deferred.delete(at);
      this.put(at, (lanes | others) >>> 0);
    } else this.deferred.set(at, (lanes | others) >>> 0);
    for (const lane of lanesIn(lanes)) this.waitsAt[lane] = at;
    return true;
  }

  /** Lanes wait at a statement; the others of their warp go on. */
  park(at: number, lanes: number): void {
    if (lanes !== 0) this.parked.set(at, ((this.parked.get(at) ?? 0) | lanes) >>> 0);
  }

  parkedAt(at: number): number {
    return this.parked.get(at) ?? 0;
  }

  /** Lanes that wait at a statement go on at another, or look there again whether what they wait for is complete. */
  unpark(at: number, lanes: number, next = at): void {
    const left = ((this.parked.get(at) ?? 0) & ~lanes) >>> 0;
    if (left === 0) this.parked.delete(at);
    else this.parked.set(at, left);
    this.put(next, lanes);
  }

  /** Whether those that let others go first go on, or wait as long as these wait. */
  hurry(isHurried: boolean): void {
    this.isHurried = isHurried;
  }

  /** Lanes do something; whether others of the warp, which have not exited, do it with them, counts until all meet. */
  act(lanes: number, at: number): void {
    const arePossible = (lanes & this.ways.lanes) !== 0;
    this.actors.set(at, ((this.actors.get(at) ?? 0) | lanes) >>> 0);
    // Of what only some executions have it is not certain that a lane did it, nor that the others did it with it.
    for (const lane of lanesIn(arePossible ? (lanes & ~this.alone) >>> 0 : lanes))
      this.lastActs[lane] = arePossible ? undefined : at;
    if (lanes !== this.present || arePossible) this.alone = (this.alone | lanes) >>> 0;
  }

  /** The statements that lanes of it have done something at. */
  get acted(): Iterable<number> {
    return this.actors.keys();
  }

  /** All lanes that have not exited have met. */
  meet(): void {
    this.alone = 0;
  }

  /** Its CTA is canceled before it starts: no thread of it does anything. */
  cancel(): void {
    this.ready.clear();
    this.present = 0;
    this.isCanceled = true;
  }

  /** Lanes exit; those that have done something alone since all have met may have gone past the others. */
  exit(lanes: number): void {
    this.present = (this.present & ~lanes) >>> 0;
    if (this.present !== 0) this.goneAlone = (this.goneAlone | (lanes & this.alone)) >>> 0;
  }

  /**
   * Whether lanes have exited that did something alone: for certain, if what they did last is nothing that these lanes
   * have done.
   */
  pastOf(lanes: number): 'none' | 'perhaps' | 'certainly' {
    if (this.goneAlone === 0) return 'none';
    const isPast = (lane: number): boolean => {
      const last = this.lastActs[lane];
      return last !== undefined && (lanes & ~(this.actors.get(last) ?? 0)) !== 0;
    };
    return lanesIn(this.goneAlone).some(isPast) ? 'certainly' : 'perhaps';
  }

  /** The threads that wait, and where; of a warp whose elected lane the others wait for, that one. */
  get waiting(): readonly { readonly thread: FollowedThread; readonly at: number }[] {
    if (this.elected?.isApart === true) return this.elected.warp.waiting;
    return lanesIn(this.present).flatMap((lane) => {
      const [thread, at = this.code.statements.length] = [this.threads[lane], this.waitsAt[lane]];
      return thread === undefined ? [] : [{ thread, at }];
    });
  }

  /** Where the lanes are that do not wait at a barrier. */
  get places(): readonly number[] {
    return [...this.ready.keys(), ...this.deferred.keys(), ...this.parked.keys()];
  }

  /** Whether lanes come to a branch back as they came there before, and memory is as it was. */
  goesInCircles(at: number, lanes: number, changes: number): boolean {
    const last = this.rounds.get(at);
    const isSame =
      last?.lanes === lanes &&
      last.changes === changes &&
      last.registers.every((value, i) => same(value, this.registers[i]));
    if (!isSame) this.rounds.set(at, { lanes, changes, registers: [...this.registers] });
    return isSame;
  }

  /** Lanes may have come another way, or come back: what is known of one way is no more so. */
  forgetWay(lanes: number): void {
    this.told.dropAll(lanes);
    this.numbers.dropAll(lanes);
  }

  /** Puts values into a register of some lanes. */
  set(register: number, lanes: number, value: LaneValue): void {
    this.written?.add(register);
    this.versions[register] = (this.versions[register] ?? 0) + 1;
    for (const facts of [this.derived, this.bounds, this.tickets, this.numbers, this.told]) facts.drop(register, lanes);
    if (lanes === this.all) {
      this.registers[register] = value;
      return;
    }
    const old = this.registers[register];
    this.registers[register] = each(this.threads.length, (lane) => at(has(lanes, lane) ? value : old, lane));
  }
}
