import { effectsOf } from '../effects/effects-of.js';
import { mannerOf } from '../effects/event-tags.js';
import type { Poll } from '../flow/polls.js';
import { atomicArithmetic } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import type { Atomic } from '../program/operation.js';
import { EarlierRounds } from './earlier-rounds.js';
import type { Awaited } from './halts.js';
import { countOf, placeFor } from './lane-place.js';
import { at, each } from './lane-value.js';
import { lanesIn } from './lanes.js';
import type { MemoryImage, Place } from './memory-image.js';
import { type LaneOf, OTHERS_END, type Others, othersThan, type StoreForOthers } from './others-of-wait.js';
import type { Recorder } from './recorder.js';
import { besides, targetOf } from './region-walk.js';
import { barrierOf } from './rendezvous.js';
import { elementOf, type Round, roundOf } from './round-of-wait.js';
import type { TornVectors } from './torn-vectors.js';
import { type AccessKind, type Results, wordOf } from './trace.js';
import type { Turn } from './turn.js';
import { updated } from './updates.js';
import type { Derived, Warp } from './warp.js';
import type { Schedule } from './which-run.js';
import { WordValues } from './word-values.js';

/** A lane that waits in a poll. */
interface LaneWait {
  readonly lane: number;
  /** Where the vector begins that it looks at, and where its element is. */
  readonly whole: Place;
  readonly place: Place;
  readonly kind: AccessKind;
  readonly round: Round;
  /** What an atomic puts there, and what it compares with, if it does. */
  readonly given: bigint | undefined;
  readonly compared: bigint | undefined;
}

/** What has ended a wait; by which access, if it is open what that finds. */
interface Found {
  readonly value: bigint;
  readonly read: number | undefined;
  /** What the other elements of the vector hold, by their registers. */
  readonly beside: ReadonlyMap<string, bigint | undefined>;
  /** Where a lane goes on that is through with its round. */
  readonly next: number | undefined;
}

/**
 * Lanes that wait for what others write. The first look of each is taken for one that finds nothing, as any may; when
 * nobody else can go on, all look again at once.
 */
export class Polls {
  private readonly waiting = new Map<Warp, { readonly turn: Turn; readonly poll: Poll; lanes: LaneWait[] }[]>();

  readonly written: WordValues;
  private readonly earlier: EarlierRounds;
  /** By thread that has left a wait which nobody else may end: the others of its CTA, and what it has found. */
  private readonly relying = new Map<number, { readonly others: Others; readonly found: bigint }>();

  constructor(
    readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly torn: TornVectors,
    /** What may be found in words, where that is taken for open. */
    private readonly results: Results,
    private readonly warpsOfCta: readonly (readonly Warp[])[],
    private readonly schedule: Schedule | undefined,
  ) {
    this.written = new WordValues(recorder);
    this.earlier = new EarlierRounds(image, recorder);
  }

  /** Lets lanes look; they wait. Undefined: what an atomic does is not to wait, whatever it finds. */
  look(turn: Turn, poll: Poll): number | undefined {
    if (poll.region.tells && this.schedule === 'told rounds') return undefined;
    const { address, type } = poll.access;
    const isSame = poll.access.kind === 'atomic' && changesNothing(turn, poll.access);
    const takes = poll.access.kind === 'atomic' && TAKING.has(poll.access.operation);
    if (poll.access.kind === 'atomic' && !isSame && !takes) return undefined;
    const [first, kind] = this.kindsOf(turn, poll, isSame);
    const bytes = type.width / 8;
    const manner = mannerOf(kind.tags, kind.writes);
    const size = bytes * countOf(poll.access);
    const access = { base: turn.value(address.base, 64), address, bytes: size, alignment: size, manner } as const;
    const element = poll.region.looks.get(turn.at) ?? 0;
    const operands = poll.access.kind === 'atomic' ? poll.access.values.toReversed() : [];
    const [given, compared] = operands.map((operand) => turn.value(operand, type.width));
    const lanes = lanesIn(turn.lanes).map((lane): LaneWait => {
      const whole = placeFor(this.image, this.recorder, turn, lane, access);
      const place = elementOf(whole, poll.access, element);
      const round = roundOf(this, turn, poll, lane, { place, manner });
      return { lane, whole, place, kind, round, given: at(given, lane), compared: at(compared, lane) };
    });
    if (poll.access.kind === 'atomic' && !isSame && !lanes.every((one) => this.isWait(poll, one))) return undefined;
    for (const { lane, place, round } of lanes) {
      this.recorder.access(turn, lane, first, place, 0, bytes);
      this.earlier.takeDown(turn, lane, place, round.earlier());
    }
    this.recorder.advance(turn);
    const all = this.waiting.get(turn.warp) ?? [];
    this.waiting.set(turn.warp, all);
    all.push({ turn, poll, lanes });
    turn.warp.park(turn.at, turn.lanes);
    return turn.lanes;
  }

  /** What the looks that find nothing are, and the last one. */
  private kindsOf(turn: Turn, { access }: Poll, isSame: boolean): readonly [AccessKind, AccessKind] {
    const [effect] = effectsOf(access);
    if (effect?.kind === 'update') {
      const { scope, tags, readTags, writeTags } = effect;
      const both = { reads: true, writes: true, tags: [...tags, ...readTags, ...writeTags], scope, isPoll: true };
      if (isSame) {
        const kind = this.recorder.kind(turn, 2, { ...both, change: 'same' });
        return [kind, kind];
      }
      const looks = { reads: true, writes: false, tags: readTags, scope, isPoll: true };
      const change = effect.compared === undefined ? atomicArithmetic(effect.operation, effect.at.type) : undefined;
      return [this.recorder.kind(turn, 0, looks), this.recorder.kind(turn, 1, { ...both, change: change ?? 'set' })];
    }
    if (effect?.kind !== 'read') throw new Error('a poll that reads nothing');
    const { tags, scope } = effect;
    const kind = this.recorder.kind(turn, 0, { reads: true, writes: false, tags, scope, isPoll: true });
    return [kind, kind];
  }

  /** Lets all who wait look again, before any of them does something; whether one goes on. */
  wake(): boolean {
    let isWoken = false;
    for (const [warp, all] of this.waiting) {
      for (const one of all) {
        const all = one.lanes.map((waiting) => ({ waiting, found: this.find(one.turn, one.poll, waiting) }));
        const ended = all.filter(({ found }) => found !== undefined);
        if (ended.length === 0) continue;
        one.lanes = all.flatMap(({ waiting, found }) => (found === undefined ? [waiting] : []));
        const values = new Map(ended.map(({ waiting, found }) => [waiting.lane, found]));
        const mask = ended.reduce((lanes, { waiting }) => lanes | (1 << waiting.lane), 0) >>> 0;
        const turn = one.turn.of(mask);
        this.recorder.advance(turn);
        this.goOn(turn, one.poll, values);
        isWoken = true;
      }
      const left = all.filter(({ lanes }) => lanes.length > 0);
      if (left.length === 0) this.waiting.delete(warp);
      else this.waiting.set(warp, left);
    }
    return isWoken;
  }

  /**
   * By thread, the value that it waits for; nothing is told where that depends on what an atomic has found, or where
   * who finds it takes it. Where others might end a wait, nothing is known of it; who is told waits for who tells.
   */
  *awaited(): Iterable<readonly [number, Awaited]> {
    for (const [warp, all] of this.waiting)
      for (const { turn, poll, lanes } of all)
        for (const { lane, place, kind, round } of lanes) {
          if (round.others.places.size > 0) yield* this.told(turn, { warp, lane }, round.others);
          if (round.after !== undefined || (kind.writes && kind.change !== 'same')) continue;
          const bytes = poll.access.type.width / 8;
          const { offset } = place;
          const ends = (value: bigint): boolean | undefined => round.ends(value, undefined);
          // What nobody knows may be anything for who looks before the first write.
          const isKnown = initialValue(place.piece.object, offset, bytes) !== undefined;
          const values = isKnown ? this.written.at(place, bytes) : undefined;
          const awaited = { kind: 'value', piece: place.piece.id, offset, bytes, values, ends } as const;
          yield [warp.threads[lane]?.id ?? -1, awaited];
        }
  }

  /** All others of the CTA have come to where they are told what a lane finds, and wait there. */
  private *told(turn: Turn, own: LaneOf, others: Others): Iterable<readonly [number, Awaited]> {
    const cta = own.warp.threads[own.lane]?.ctaId ?? -1;
    const all = othersThan(this.warpsOfCta[cta] ?? [], own);
    const [at, ...more] = new Set(all.map(({ warp, lane }) => warp.waitsAt[lane]));
    if (at === undefined || more.length > 0 || !others.places.has(at) || !others.come(at, all))
      throw turn.notFollowed(OTHERS_END);
    const number = others.barrierAt(at);
    if (number === undefined) return;
    const awaited = { kind: 'barrier', barrier: barrierOf(cta, number) } as const;
    for (const { warp, lane } of all) yield [warp.threads[lane]?.id ?? -1, awaited];
  }

  /** What a lane finds, if that ends its wait: this is taken down. */
  private find(turn: Turn, poll: Poll, waiting: LaneWait): Found | undefined {
    const { access, region } = poll;
    const { lane, place, kind, round } = waiting;
    const bytes = access.type.width / 8;
    // Who waits for one value finds it in other executions too, or order says that it may not.
    const found = this.image.find(place.piece, place.offset, bytes);
    const exit = found === undefined ? undefined : round.exit();
    if (found === undefined || exit === undefined)
      throw turn.notFollowed('whether a thread goes on waiting depends on an open value');
    const takes = kind.writes && kind.change !== 'same';
    const left = takes ? leftBy(access, waiting, found, exit) : found;
    if (left === undefined) throw turn.notFollowed('a loop that waits for others');
    if (exit === 'again') return undefined;
    const thread = turn.warp.threads[lane]?.id ?? -1;
    if (round.others.places.size > 0) this.relying.set(thread, { others: round.others, found });
    const { code } = turn.warp;
    const live = code.liveAt(exit);
    const isOpen = !takes && this.results.has(wordOf(place.piece, place.offset));
    const beside = this.beside(turn, poll, waiting);
    const own = region.written.filter((name) => !beside.has(name));
    // What is told is in memory. Who compares takes one value.
    const isOfOne = takes && access.kind === 'atomic' && access.operation === 'cas';
    const isLive = region.tells || own.some((name) => live.includes(code.indexOf.get(name) ?? -1));
    const isUsed = !isOpen && !isOfOne && isLive;
    const step = this.recorder.stepOf(turn, lane);
    const read = this.recorder.access(turn, lane, kind, place, 0, bytes);
    const why = region.tells ? () => round.others.why : undefined;
    const entry = { row: read + 1, step, read, isUsed, ends: round.ends, why, span: turn.statement.span };
    const { synchronizations, accesses } = this.recorder;
    if (takes) {
      if (round.after !== undefined) throw turn.notFollowed('an atomic that waits by what another one has found');
      this.image.write(place.piece, place.offset, bytes, left);
      accesses.values.set(read, waiting.given);
      synchronizations.push({ kind: 'take', ...entry });
    } else synchronizations.push({ kind: 'poll', after: round.after, isOpen, ...entry });
    // What ends it may be another value in other executions: nobody looks at it again.
    const next = round.after !== undefined && !isUsed ? exit : undefined;
    return { value: found, read: isOpen ? read : undefined, beside, next };
  }

  /** What the last look finds in the other elements of its vector: these are read in no order with its own. */
  private beside(turn: Turn, { access, region }: Poll, { lane, whole, kind: own }: LaneWait): Found['beside'] {
    const bytes = access.type.width / 8;
    const found = new Map<string, bigint | undefined>();
    if (access.kind !== 'load' || access.targets.length === 1) return found;
    const elements = { ...whole, count: access.targets.length, bytes };
    const kind = this.recorder.kind(turn, 1, { ...own, tags: [...own.tags], isPoll: false });
    for (const [part, register] of access.targets.entries()) {
      if (part === region.looks.get(turn.at)) continue;
      const row = this.recorder.access(turn, lane, kind, whole, part * bytes, bytes);
      const old = this.torn.find(turn.warp.threads[lane]?.id ?? 0, row - part, elements, part);
      if (register !== undefined)
        found.set(register, old ?? this.image.read(whole.piece, whole.offset + part * bytes, bytes));
    }
    return found;
  }

  /** Whether an atomic that sets bits, or takes them away, waits as long as that changes nothing of what is there. */
  private isWait({ access }: Poll, waiting: LaneWait): boolean {
    const { place, round } = waiting;
    const found = this.image.find(place.piece, place.offset, access.type.width / 8);
    const exit = found === undefined ? undefined : round.exit();
    const isOfBits = access.kind === 'atomic' && (access.operation === 'or' || access.operation === 'and');
    return (
      !isOfBits || (found !== undefined && exit !== undefined && leftBy(access, waiting, found, exit) !== undefined)
    );
  }

  /**
   * All threads of a CTA come to a barrier together: where one of them has left a wait that its looks alone end, all
   * others must have been idle there, as they would in each round that is left out.
   */
  meet(turns: readonly Turn[]): void {
    if (this.relying.size === 0) return;
    for (const turn of turns)
      for (const lane of lanesIn(turn.lanes)) {
        const thread = turn.warp.threads[lane]?.id ?? -1;
        const { others, found } = this.relying.get(thread) ?? {};
        if (others?.places.has(turn.at) !== true || found === undefined) continue;
        this.relying.delete(thread);
        const areThere = turns.every(({ at: place }) => place === turn.at);
        const warps = turns.map(({ warp }) => warp);
        if (!areThere || !others.come(turn.at, othersThan(warps, { warp: turn.warp, lane })))
          throw turn.notFollowed(OTHERS_END);
        const isKept = (one: StoreForOthers): boolean => this.isThere(turn, lane, one);
        if (others.isTold && (others.ends(found) !== true || !others.told(found).every(isKept)))
          throw turn.notFollowed(others.why);
      }
  }

  /** Whether nobody else has stored where a lane has told its CTA something. */
  private isThere({ warp }: Turn, lane: number, { address, bytes, value }: StoreForOthers): boolean {
    const who = warp.accessors[lane];
    const place = who && this.image.locate(address, bytes, 'shared::cta', 'reads', who);
    return place !== undefined && this.image.read(place.piece, place.offset, bytes) === value;
  }

  private goOn(turn: Turn, { access, region }: Poll, found: ReadonlyMap<number, Found | undefined>): void {
    const { warp } = turn;
    const { type } = access;
    const register = targetOf(access, region.looks.get(turn.at));
    for (const other of besides(access, register)) {
      const valueIn = (lane: number): bigint | undefined => found.get(lane)?.beside.get(other);
      turn.give({ register: other, signed: type.kind === 's' }, each(turn.size, valueIn), type.width);
    }
    if (register !== undefined) {
      const result = { register, signed: type.kind === 's' };
      const valueIn = (lane: number): bigint | undefined =>
        found.get(lane)?.read === undefined ? found.get(lane)?.value : undefined;
      turn.give(result, each(turn.size, valueIn), type.width);
      const derived: Derived[] = [];
      for (const [lane, one] of found)
        if (one?.read !== undefined) derived[lane] = { from: one.read, now: one.value, of: (value) => value };
      if (derived.length > 0) turn.derive(result, derived, type.width);
    }
    for (const lane of lanesIn(turn.lanes))
      warp.unpark(turn.at, (1 << lane) >>> 0, found.get(lane)?.next ?? turn.at + 1);
  }
}

/** What an atomic leaves: as long as it goes on waiting what it finds; then it does what it is for. */
function leftBy(
  access: Poll['access'],
  { given, compared }: LaneWait,
  found: bigint,
  exit: number | 'again',
): bigint | undefined {
  const [effect] = effectsOf(access);
  if (effect?.kind !== 'update') throw new Error('a lock that is taken by no atomic');
  const left = updated(effect, found, given, compared);
  const isDone = effect.compared === undefined ? left !== found : found === compared;
  return given !== undefined && isDone === (exit !== 'again') ? left : undefined;
}

/** Atomics that take what they find to be free: those that set bits, or take them away, leave others. */
const TAKING: ReadonlySet<Atomic['operation']> = new Set(['cas', 'exch', 'or', 'and']);

/** Whether an atomic leaves what it finds, whatever that is, as atomicAdd(p, 0) does. */
function changesNothing(turn: Turn, { operation, type, values }: Atomic): boolean {
  const { width, kind } = type;
  const [ones, isSigned] = [BigInt.asUintN(width, -1n), kind === 's'];
  const neutral = { add: 0n, sub: 0n, or: 0n, xor: 0n, and: ones, max: isSigned ? undefined : 0n } as const;
  const [given, compared] = values.toReversed().map((operand) => turn.value(operand, width));
  const wanted = operation in neutral ? neutral[operation as keyof typeof neutral] : undefined;
  return lanesIn(turn.lanes).every((lane) => {
    const own = at(given, lane);
    return own !== undefined && own === (operation === 'cas' ? at(compared, lane) : wanted);
  });
}
