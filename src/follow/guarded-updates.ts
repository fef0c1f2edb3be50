import type { UpdateEffect } from '../effects/effect.js';
import { effectsOf } from '../effects/effects-of.js';
import type { WaitingRegion } from '../flow/polls.js';
import { atomicArithmetic } from '../program/integer.js';
import type { Atomic, Load } from '../program/operation.js';
import { fence } from './fences.js';
import { GuardedWait, type WayThrough } from './guarded-wait.js';
import { placeBy } from './lane-place.js';
import { at } from './lane-value.js';
import { lanesIn } from './lanes.js';
import type { MemoryImage, Place } from './memory-image.js';
import type { Comer } from './ordered-atomics.js';
import type { Recorder } from './recorder.js';
import type { Held, Word } from './region-walk.js';
import { type AccessKind, type Step, wordOf } from './trace.js';
import type { Turn } from './turn.js';

/** Values of which it is asked which of them end a wait, beside those that are there. */
const TRIED = [0n, 1n, 2n];

/** A lane at the first look of a wait that an update ends. */
interface Waiter {
  readonly region: WaitingRegion;
  readonly turn: Turn;
  readonly lane: number;
  readonly place: Place;
  readonly wait: GuardedWait;
  /** It takes a word that it finds free, and that others have the while. */
  readonly isLock: boolean;
}

/**
 * Waits that end by what an atomic puts there, such as one that takes from a semaphore: lanes that come to one let all
 * others go first; then one makes its update that finds what ends its wait.
 */
export class GuardedUpdates {
  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly letWait: (one: Comer) => void,
    /** Locks are waits of this kind, too. */
    private readonly areLocksOrdered = false,
  ) {}

  /** Lets lanes wait; undefined where they do not come to such a wait. */
  look(turn: Turn): number | undefined {
    const { warp } = turn;
    const { code } = warp;
    const region = (this.areLocksOrdered ? code.lockUpdates() : code.guardedUpdates).get(turn.at);
    const access = turn.statement.operation;
    if (region === undefined || (access.kind !== 'load' && access.kind !== 'atomic')) return undefined;
    if (turn.isPossible || warp.elected !== undefined || warp.lone !== undefined) return undefined;
    const waiters: Waiter[] = [];
    for (const lane of lanesIn(turn.lanes)) {
      const waiter = this.waiterAt(turn, lane, region, access);
      if (waiter === undefined) return undefined;
      waiters.push(waiter);
    }
    for (const waiter of waiters) this.letWait(this.comerOf(waiter, access));
    warp.park(turn.at, turn.lanes);
    return turn.lanes;
  }

  private waiterAt(turn: Turn, lane: number, region: WaitingRegion, first: Load | Atomic): Waiter | undefined {
    const { code, registers, accessors } = turn.warp;
    const valueOf = (name: string): bigint | undefined => at(registers[code.indexOf.get(name) ?? -1], lane);
    const held: Held = new Map(region.read.map((name) => [name, valueOf(name)]));
    const placeOf = (access: Load | Atomic, by: Held): Place | undefined =>
      placeBy(this.image, accessors[lane], access, by, 'synchronizes');
    const wordAt = (access: Load | Atomic, by: Held): Word | undefined => {
      const place = placeOf(access, by);
      const isAlike = access.type.width === first.type.width;
      return place === undefined || !isAlike ? undefined : `${wordOf(place.piece, place.offset)} ${place.range}`;
    };
    const place = placeOf(first, held);
    const now = place && this.image.find(place.piece, place.offset, first.type.width / 8);
    if (place === undefined || now === undefined) return undefined;
    const wait = new GuardedWait(code, region, turn.at, held, wordAt);
    const tried = [...new Set([now, ...TRIED])];
    const updates = wait.updates(tried);
    // Who is done whatever is there waits for nobody.
    const isWait = updates !== undefined && updates.size > 0 && updates.size < tried.length;
    const isLock = !isWait && !code.polls.has(turn.at) && wait.takes(now) !== undefined;
    return isWait || isLock ? { region, turn, lane, place, wait, isLock } : undefined;
  }

  private comerOf(waiter: Waiter, { type }: Load | Atomic): Comer {
    const { turn, lane, place, wait, isLock } = waiter;
    const found = (): bigint | undefined => this.image.find(place.piece, place.offset, type.width / 8);
    return {
      thread: turn.warp.threads[lane]?.id ?? -1,
      word: wordOf(place.piece, place.offset),
      isDue: () => {
        const value = found();
        const ends = value === undefined ? undefined : isLock ? wait.takes(value) : wait.updates([value])?.has(value);
        // Where it does more with this value than to wait, it need not wait for ever.
        if (ends === undefined) throw turn.notFollowed('a loop that waits for others');
        return ends;
      },
      go: () => this.make(waiter, found() ?? 0n),
    };
  }

  /** A lane goes through its wait, all of whose looks find one value, and makes its update. */
  private make({ region, turn, lane, place, wait, isLock }: Waiter, value: bigint): number | undefined {
    const { warp } = turn;
    const through = wait.through(value);
    if (through === undefined) throw new Error('an update that is not made');
    const { steps, held } = through;
    const own = (1 << lane) >>> 0;
    const from = this.recorder.stepOf(turn, lane);
    const last = steps.at(-1);
    for (const step of steps) {
      warp.act(own, step.at);
      for (const fenced of step.fences) this.fence(turn.elsewhere(fenced, own));
      if (step !== last) this.lookAt(turn.elsewhere(step.at, own), lane, place);
    }
    if (last === undefined) throw new Error('a wait without looks');
    const at = turn.elsewhere(last.at, own);
    const row =
      isLock && !this.areLocksOrdered
        ? this.take(at, lane, { place, wait }, through)
        : this.update(at, lane, { place, wait, from }, value, through.given);
    for (const name of region.written) {
      const index = warp.code.indexOf.get(name);
      if (index !== undefined && held.has(name)) warp.set(index, own, held.get(name));
    }
    warp.unpark(turn.at, own, last.at + 1);
    return row;
  }

  private fence(turn: Turn): void {
    const [effect] = effectsOf(turn.statement.operation);
    if (effect?.kind === 'fence') fence(this.recorder, turn, effect);
  }

  /** A look that finds what there is, and goes on. */
  private lookAt(turn: Turn, lane: number, place: Place): void {
    const [effect] = effectsOf(turn.statement.operation);
    if (effect?.kind !== 'read' && effect?.kind !== 'update') throw new Error('a look that reads nothing');
    const tags = effect.kind === 'read' ? effect.tags : effect.readTags;
    const bytes = (effect.at.type?.width ?? 0) / 8;
    const what = { reads: true, writes: false, tags, scope: effect.scope, isPoll: true };
    this.recorder.access(turn, lane, this.recorder.kind(turn, LOOK, what), place, 0, bytes);
    this.recorder.advance(turn);
  }

  /** The update that ends a wait, where it finds a value. */
  private update(
    turn: Turn,
    lane: number,
    { place, wait, from }: Pick<Waiter, 'place' | 'wait'> & { readonly from: Step },
    value: bigint,
    given: bigint,
  ): number {
    const effect = updateOf(turn);
    const { width } = effect.at.type;
    const step = BigInt.asUintN(width, given - value);
    const puts = isSum(wait, value, step, width) ? undefined : given;
    const { accesses, synchronizations } = this.recorder;
    const updates = (values: readonly bigint[]): ReturnType<GuardedWait['updates']> => wait.updates(values);
    synchronizations.push({
      ...{ kind: 'poll', row: accesses.count, step: this.recorder.stepOf(turn, lane), read: accesses.count },
      ...{ ends: (found) => updates([found])?.has(found), after: undefined, isUsed: false, isOpen: false },
      ...{ makes: { from, updates }, span: turn.statement.span },
    });
    const row = this.recorder.access(turn, lane, this.kindOf(turn, effect, puts), place, 0, width / 8);
    this.image.write(place.piece, place.offset, width / 8, given);
    accesses.values.set(row, puts ?? step);
    this.recorder.advance(turn);
    return row;
  }

  /** The atomic that takes a word which is free. */
  private take(turn: Turn, lane: number, { place, wait }: Pick<Waiter, 'place' | 'wait'>, way: WayThrough): number {
    const { given, isUsed = true } = way;
    const effect = updateOf(turn);
    const { accesses, synchronizations } = this.recorder;
    const bytes = effect.at.type.width / 8;
    const endsAmong = (values: readonly bigint[]): ReadonlySet<bigint> | undefined => {
      const updates = wait.updatesBy(way, values);
      return updates && new Set(updates.keys());
    };
    synchronizations.push({
      ...{ kind: 'take', row: accesses.count + 1, step: this.recorder.stepOf(turn, lane), read: accesses.count },
      ...{ ends: (found) => endsAmong([found, given])?.has(found), endsAmong, isUsed, span: turn.statement.span },
    });
    const row = this.recorder.access(turn, lane, this.kindOf(turn, effect, given), place, 0, bytes);
    this.image.write(place.piece, place.offset, bytes, given);
    accesses.values.set(row, given);
    this.recorder.advance(turn);
    return row;
  }

  private kindOf(
    turn: Turn,
    { at: { type }, tags, readTags, writeTags, scope }: UpdateEffect,
    puts: bigint | undefined,
  ): AccessKind {
    const all = { reads: true, writes: true, tags: [...tags, ...readTags, ...writeTags], scope } as const;
    const sum = puts === undefined ? atomicArithmetic('add', type) : undefined;
    if (sum === undefined) return this.recorder.kind(turn, PUT, { ...all, change: 'set' });
    return this.recorder.kind(turn, ADD, { ...all, change: sum, commutes: 'add' });
  }
}

function updateOf({ statement }: Turn): UpdateEffect {
  const [effect] = effectsOf(statement.operation);
  if (effect?.kind !== 'update') throw new Error('an update that updates nothing');
  return effect;
}

/** Kinds of accesses that no effect of such a statement has. */
const [LOOK, PUT, ADD] = [3, 4, 5];

/** Whether what is put there differs from what is found by as much, whatever that is. */
function isSum(wait: GuardedWait, value: bigint, step: bigint, width: number): boolean {
  const tried = [value, value + 1n, ...TRIED].map((one) => BigInt.asUintN(width, one));
  const updates = wait.updates([...new Set(tried)]);
  if (updates === undefined || updates.size < 2) return false;
  return [...updates].every(([found, { given }]) => BigInt.asUintN(width, given - found) === step);
}
