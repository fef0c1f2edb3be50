import { effectsOf } from '../effects/effects-of.js';
import { mannerOf } from '../effects/event-tags.js';
import { computed } from '../flow/evaluate.js';
import type { Poll } from '../flow/polls.js';
import type { Code } from '../kernel/code.js';
import { resize } from '../program/integer.js';
import { registersRead, registersWritten } from '../program/operands.js';
import { type Atomic, isComputation, type Operand } from '../program/operation.js';
import { placeFor } from './lane-place.js';
import { at, each } from './lane-value.js';
import { lanesIn } from './lanes.js';
import type { MemoryImage, Place } from './memory-image.js';
import type { Recorder } from './recorder.js';
import { type AccessKind, type PollStep, type Results, wordOf } from './trace.js';
import type { Turn } from './turn.js';
import type { Derived, Warp } from './warp.js';

/** A lane that waits in a poll. */
interface Waiting {
  readonly lane: number;
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
  /** Where a lane goes on that is through with its round. */
  readonly next: number | undefined;
}

/** How a round of a poll ends, by what it finds, and by what an atomic has found that it depends on. */
interface Round {
  readonly after: number | undefined;
  /** Where the loop is left to; undefined: it is not. */
  readonly exit: (found: bigint, result?: bigint) => number | 'again' | undefined;
}

/**
 * Lanes that wait for what others write. The first look of each is taken for one that finds nothing, as any may; when
 * nobody else can go on, all look again at once.
 */
export class Polls {
  private readonly waiting = new Map<Warp, { readonly turn: Turn; readonly poll: Poll; lanes: Waiting[] }[]>();

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    /** What may be found in words, where that is taken for open. */
    private readonly results: Results,
  ) {}

  /** Lets lanes look; they wait. Undefined: what an atomic does is not to wait, whatever it finds. */
  look(turn: Turn, poll: Poll): number | undefined {
    const { address, type } = poll.access;
    const isSame = poll.access.kind === 'atomic' && changesNothing(turn, poll.access);
    const takes = poll.access.kind === 'atomic' && TAKING.has(poll.access.operation);
    if (poll.access.kind === 'atomic' && !isSame && !takes) return undefined;
    const [first, kind] = this.kindsOf(turn, poll, isSame);
    const bytes = type.width / 8;
    const manner = mannerOf(kind.tags, kind.writes);
    const access = { base: turn.value(address.base, 64), address, bytes, alignment: bytes, manner } as const;
    const operands = poll.access.kind === 'atomic' ? poll.access.values.toReversed() : [];
    const [given, compared] = operands.map((operand) => turn.value(operand, type.width));
    const lanes = lanesIn(turn.lanes).map((lane): Waiting => {
      const place = placeFor(this.image, this.recorder, turn, lane, access);
      this.recorder.access(turn, lane, first, place, 0, bytes);
      const round = roundOf(turn, poll, lane);
      return { lane, place, kind, round, given: at(given, lane), compared: at(compared, lane) };
    });
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
      return [this.recorder.kind(turn, 0, looks), this.recorder.kind(turn, 1, both)];
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

  /** What a lane finds, if that ends its wait: this is taken down. */
  private find(turn: Turn, { access, written }: Poll, waiting: Waiting): Found | undefined {
    const { lane, place, kind, round } = waiting;
    const bytes = access.type.width / 8;
    // Who waits for one value finds it in other executions too, or order says that it may not.
    const found = this.image.find(place.piece, place.offset, bytes);
    const exit = found === undefined ? undefined : round.exit(found);
    if (found === undefined || exit === undefined)
      throw turn.notFollowed('whether a thread goes on waiting depends on an open value');
    const takes = kind.writes && kind.change !== 'same';
    if (takes) this.mustBeSilent(turn, access, waiting, found, exit);
    if (exit === 'again') return undefined;
    const { code } = turn.warp;
    const live = code.liveAt(exit);
    const isOpen = !takes && this.results.has(wordOf(place.piece, place.offset));
    const isUsed = !isOpen && written.some((name) => live.includes(code.indexOf.get(name) ?? -1));
    const step = this.recorder.stepOf(turn, lane);
    const read = this.recorder.access(turn, lane, kind, place, 0, bytes);
    const ends: PollStep['ends'] = (value, result) => {
      const to = round.exit(value, result);
      return to === undefined ? undefined : to !== 'again';
    };
    const entry = { row: read + 1, step, read, isUsed, ends, span: turn.statement.span };
    const { synchronizations, accesses } = this.recorder;
    if (takes) {
      if (round.after !== undefined) throw turn.notFollowed('an atomic that waits by what another one has found');
      this.image.write(place.piece, place.offset, bytes, waiting.given);
      accesses.values.set(read, waiting.given);
      synchronizations.push({ kind: 'take', ...entry });
    } else synchronizations.push({ kind: 'poll', after: round.after, isOpen, ...entry });
    // What ends it may be another value in other executions: nobody looks at it again.
    const next = round.after !== undefined && !isUsed ? exit : undefined;
    return { value: found, read: isOpen ? read : undefined, next };
  }

  /** An atomic that goes on waiting leaves what it finds; one that does not, does what it is for. */
  private mustBeSilent(
    turn: Turn,
    access: Poll['access'],
    { given, compared }: Waiting,
    found: bigint,
    exit: number | 'again',
  ): void {
    if (access.kind !== 'atomic') return;
    const isDone = access.operation === 'exch' ? found !== given : found === compared;
    if (given === undefined || isDone !== (exit !== 'again')) throw turn.notFollowed('a loop that waits for others');
  }

  private goOn(turn: Turn, { access }: Poll, found: ReadonlyMap<number, Found | undefined>): void {
    const { warp } = turn;
    const { type } = access;
    const register = targetOf(access);
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

const targetOf = (access: Poll['access']): string | undefined =>
  access.kind === 'load' ? access.targets[0] : access.target;

/** Atomics that take what they find to be free. */
const TAKING: ReadonlySet<Atomic['operation']> = new Set(['cas', 'exch']);

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

/** How the rounds of a lane end that has come to the load of a poll. */
function roundOf({ warp, at: here }: Turn, poll: Poll, lane: number): Round {
  const { code } = warp;
  const held = new Map<string, bigint | undefined>();
  const derived = new Map<string, (result: bigint) => bigint | undefined>();
  let after: number | undefined;
  let isMixed = false;
  /** What the round writes before it reads it. */
  const own = new Set([targetOf(poll.access)]);
  for (let i = here + 1; i <= poll.from; i++) {
    const { operation, guard } = code.statements[i] ?? {};
    if (operation === undefined) continue;
    for (const name of [...registersRead(operation), ...(guard === undefined ? [] : [guard.register])]) {
      if (own.has(name)) continue;
      const index = code.indexOf.get(name) ?? -1;
      held.set(name, at(warp.registers[index], lane));
      const from = warp.derived.in(index, lane);
      if (from === undefined) continue;
      if (typeof from.from !== 'number' || (after !== undefined && after !== from.from)) isMixed = true;
      else after = from.from;
      derived.set(name, from.of);
      held.set(name, from.of(from.now));
    }
    if (guard === undefined) for (const name of registersWritten(operation)) own.add(name);
  }
  const exit = (found: bigint, result?: bigint): number | 'again' | undefined => {
    const registers = new Map(held);
    if (isMixed) return undefined;
    if (result !== undefined) for (const [name, of] of derived) registers.set(name, of(result));
    return exitOf(code, poll, here, registers, found);
  };
  return { after, exit };
}

/** Goes on with a round from behind its load. */
function exitOf(
  code: Code,
  { access, target, from }: Poll,
  here: number,
  registers: Map<string, bigint | undefined>,
  found: bigint,
): number | 'again' | undefined {
  const valueOf = (operand: Operand): bigint | undefined =>
    operand.kind === 'constant' ? operand.value : registers.get(operand.name);
  const own = targetOf(access);
  const width = code.registers.get(own ?? '')?.type.width ?? access.type.width;
  if (own !== undefined) registers.set(own, resize(found, access.type.width, width, access.type.kind === 's'));
  for (let at = here + 1; ; ) {
    if (at === target) return 'again';
    if (at < target || at > from) return at;
    const { operation, guard } = code.statements[at] ?? {};
    if (operation === undefined) return undefined;
    const taken = guard === undefined ? 1n : registers.get(guard.register);
    if (taken === undefined && (operation.kind !== 'branch' || !code.idleBranches.has(at))) return undefined;
    const isTaken = guard === undefined || ((taken ?? 0n) & 1n) === (guard.negated ? 0n : 1n);
    at += 1;
    if (!isTaken) continue;
    if (operation.kind === 'branch') at = code.targets[at - 1] ?? code.statements.length;
    else if (operation.kind === 'exit' || operation.kind === 'trap') return at - 1;
    else if (operation.kind === 'compute')
      registers.set(operation.target, computed(operation, code.registers, valueOf));
    else if (isComputation(operation)) registers.set(operation.target, undefined);
  }
}
