import type { Result } from '../effects/effect.js';
import { type Code, spanAt } from '../kernel/code.js';
import type { GroupFamily } from '../program/async-operation.js';
import { computeArithmetic } from '../program/integer.js';
import { operandWidth } from '../program/operand-width.js';
import { registersRead, registersWritten } from '../program/operands.js';
import {
  type BarrierOperation,
  isComputation,
  isExchange,
  type Operand,
  type Operation,
  type ProgramStatement,
} from '../program/operation.js';
import type { TensorInstruction } from '../program/tensor-memory.js';
import { electionResult } from '../semantics/elections.js';
import { ByLeader } from './by-leader.js';
import type { Reduction } from './exchanges.js';
import { settled } from './lane-arithmetic.js';
import { OWN_MEMORY } from './lane-place.js';
import { at, each, type LaneValue } from './lane-value.js';
import { isKnownToAll } from './origins.js';
import type { Recorder } from './recorder.js';
import type { FollowedThread } from './trace.js';
import { lanesThat, NotFollowed, Turn } from './turn.js';
import { Warp } from './warp.js';

type Computation = Extract<Operation, { readonly kind: 'compute' | 'open' }>;

/**
 * The lane that elect.sync takes: one of its warp, always the same, and open which (PTX ISA 9.7.15.15). It is followed
 * beside all lanes of the warp, which do what those do that are not taken. Whichever lane it is, it does with the
 * others what that one does; where it goes a way of its own, it does that here, as a thread more.
 */
export class ElectedLane {
  /** Where it goes by itself. */
  readonly warp: Warp;
  /** The registers in which it has another value than it would have if another lane were taken. */
  private readonly own = new Set<number>();
  /** Of those that differ with which lane it is: what all lanes hold then. */
  private readonly byLeader = new Map<number, ByLeader>();
  /** Where it and the others come together again, while they go two ways. */
  private join: number | undefined;
  private hasCome = false;
  private mask: bigint | undefined;

  constructor(
    private readonly lanes: Warp,
    readonly thread: FollowedThread,
    private readonly recorder: Recorder,
  ) {
    const [accessor] = lanes.accessors;
    if (accessor === undefined) throw new Error('a warp without lanes');
    this.warp = new Warp(lanes.code, [thread], [{ ...accessor, thread: thread.id }], new Map());
    this.warp.take();
    this.warp.lone = this;
  }

  /** It and the others go two ways. */
  get isApart(): boolean {
    return this.join !== undefined;
  }

  /** Whether it has, or may have, something else in a register than it would have if another lane were taken. */
  owns(register: number): boolean {
    return this.own.has(register);
  }

  /** The same of an operand. */
  isOwn(operand: Operand): boolean {
    return operand.kind === 'register' && this.own.has(this.indexOf(operand.name));
  }

  /** It is taken: the result tells which it is, and that is open; and each lane whether it is that one. */
  take(turn: Turn, { register }: Result, mask: bigint): void {
    if (turn.lanes !== this.lanes.all) throw turn.notFollowed(SOME);
    // Of masks that differ in lanes that the warp has not, either may take another one.
    if (mask !== (this.mask ?? mask)) throw turn.notFollowed(TWICE);
    this.mask = mask;
    for (const one of [turn, this.turn(turn)]) one.give({ register, signed: false }, undefined, RESULT);
    this.isOther(this.indexOf(register), resultsOf(turn.size));
  }

  /**
   * All lanes give each other what is another value in it, or differs with which lane it is: what each of them gets is
   * known if it is the same whichever that is.
   */
  exchange(turn: Turn, { target, value, width, resultWidth }: Reduction, get: (given: LaneValue) => LaneValue): void {
    if (turn.lanes !== this.lanes.all) throw turn.notFollowed(ALONE);
    const [index, result] = [this.indexOf(target), { register: target, signed: false }];
    const given = this.heldBy(turn, value, width);
    const made = ByLeader.of(turn.size, (leader) => turn.fitted(result, get(given(leader)), resultWidth));
    this.lanes.set(index, turn.lanes, made.others);
    this.warp.set(index, this.warp.all, made.elected);
    this.isOther(index, made);
    this.settle(index);
  }

  /** Lets it go its own way, where all lanes come to a guard that is another one for it; the others go theirs. */
  part(turn: Turn): void {
    const { guard, operation } = turn.statement;
    if (guard === undefined || this.isApart || !this.own.has(this.indexOf(guard.register))) return;
    if (turn.lanes !== this.lanes.all) throw turn.notFollowed(ALONE);
    const others = lanesThat(turn, guard);
    if (others !== 0 && others !== turn.lanes) throw turn.notFollowed(ALONE);
    const isTaken = lanesThat(this.turn(turn), guard) !== 0;
    if (isTaken === (others !== 0)) return;
    for (const index of this.lanes.registers.keys()) this.fill(index);
    const goesOn = operation.kind !== 'branch' && operation.kind !== 'exit';
    this.join = goesOn ? turn.at + 1 : this.lanes.code.joins[turn.at];
    this.hasCome = false;
    this.lanes.written = new Set();
    this.warp.written = new Set();
    const { synchronizations, accesses } = this.recorder;
    const [step, lanes] = [this.recorder.stepOf(this.turn(turn), 0), this.recorder.steps(turn)];
    synchronizations.push({ kind: 'election', row: accesses.count, step, lanes });
    this.warp.put(turn.at, this.warp.all);
  }

  /** Whether lanes, or this one, have come to where they come together again: they wait there for each other. */
  meets(warp: Warp, here: number, lanes: number): boolean {
    if (this.join !== here) return false;
    if (warp === this.warp) this.hasCome = true;
    else this.lanes.park(here, lanes);
    if (!this.hasCome || this.lanes.parkedAt(here) !== this.lanes.present) return true;
    for (const index of [...(this.warp.written ?? []), ...(this.lanes.written ?? [])])
      if (this.agreed(index) === undefined || this.agreed(index) !== this.warp.registers[index]) this.isOther(index);
      else this.isSame(index);
    this.join = undefined;
    this.lanes.written = undefined;
    this.warp.written = undefined;
    this.lanes.unpark(here, this.lanes.present);
    return true;
  }

  /** Lanes, or this one, exit: the others must, too. */
  exit(warp: Warp, here: number, lanes: number): void {
    const end = warp.code.statements.length;
    if (this.join !== end) throw new NotFollowed(spanAt(warp.code, here), LEAVES);
    warp.put(end, lanes);
  }

  /** What can be followed of what its lanes do: not what they do otherwise than it does. */
  mustFollow(turn: Turn, operation: Operation): void {
    if (this.isApart && !isPlain(operation)) throw turn.notFollowed(OTHERS);
    const read = isPlain(operation) ? [] : registersRead(operation).map((name) => this.indexOf(name));
    for (const index of read) this.settle(index);
    if (read.some((index) => this.own.has(index))) {
      if (isExchangeOfLanes(operation) && !this.isOwn(operation.id)) return;
      throw turn.notFollowed(ALONE);
    }
    if (this.isApart || isComputation(operation)) return;
    for (const name of registersWritten(operation)) this.isAlike(this.indexOf(name), turn);
  }

  /** What can be followed of what it does by itself. */
  mustDoAlone(turn: Turn, operation: Operation): void {
    if (isOfWarp(operation)) throw turn.notFollowed(TOGETHER);
  }

  /** Where it and the others come together again, these do nothing any more that somebody could wait for. */
  get isLast(): boolean {
    const { join = 0 } = this;
    const { statements, targets } = this.lanes.code;
    const isQuiet = ({ operation }: ProgramStatement): boolean => isPlain(operation);
    return statements.slice(join).every(isQuiet) && targets.slice(join).every((to = join) => to >= join);
  }

  /** Computes in it and in its lanes what these compute. */
  compute(turn: Turn, operation: Computation, compute: (turn: Turn) => void): void {
    const read = this.isApart ? [] : registersRead(operation).map((name) => this.indexOf(name));
    const target = this.indexOf(operation.target);
    const predicate = (own: Turn, bits: bigint): void =>
      this.takesPredicate(operation) ? own.give({ register: operation.target, signed: false }, bits, 1) : compute(own);
    if (!read.some((index) => this.own.has(index))) {
      if (!this.isApart) this.isAlike(target, turn);
      return compute(turn);
    }
    const made = turn.lanes === this.lanes.all ? this.computed(turn, operation) : undefined;
    if (turn.lanes === this.lanes.all) {
      for (const index of read) this.fill(index);
      predicate(this.turn(turn), 1n);
    } else this.warp.registers[target] = undefined;
    predicate(turn, 0n);
    this.isOther(target, made);
    const [own, others] = [this.warp, this.lanes].map(({ registers }) => registers[target]);
    if (operation.type.width === 1 && !(isKnownToAll(own) && isKnownToAll(others))) this.tell(target);
  }

  /** What a computation makes of what differs with which lane is elected, by that. */
  private computed(turn: Turn, operation: Computation): ByLeader | undefined {
    if (operation.kind !== 'compute' || this.takesPredicate(operation)) return undefined;
    const { arithmetic, operands, target, type } = operation;
    const tables = registersRead(operation).flatMap((name) => this.byLeader.get(this.indexOf(name)) ?? []);
    const given = operands.map((operand, i) => this.heldBy(turn, operand, operandWidth(arithmetic, i)));
    const { name, width, resultWidth } = arithmetic;
    const result = { register: target, signed: type.kind === 's' };
    const compute = (own: readonly bigint[]): bigint => computeArithmetic(arithmetic, own);
    return ByLeader.ofOthers(turn.size, tables, (leader) => {
      const values = given.map((of) => of(leader));
      return turn.fitted(result, settled(turn.size, values, name, width, compute), resultWidth);
    });
  }

  /** A predicate is known to those of which it does not matter which lane is elected. */
  private tell(index: number): void {
    this.settle(index);
    const { others, elected } = this.byLeader.get(index) ?? {};
    if (others !== undefined && isKnownToAll(others)) this.lanes.set(index, this.lanes.all, others);
    if (elected !== undefined) this.warp.set(index, this.warp.all, elected);
  }

  /**
   * What all lanes hold alike, whichever is elected, is nothing that differs with that. Nor is what is open anyway: it
   * may be another value in the elected lane, as in each.
   */
  private settle(index: number): void {
    const made = this.byLeader.get(index);
    if (made === undefined || !(made.isOpen || isKnownToAll(made.alike))) return;
    this.lanes.set(index, this.lanes.all, made.alike);
    this.isSame(index);
  }

  /** Whether it takes the predicate out of the result of elect.sync. */
  private takesPredicate(operation: Computation): boolean {
    if (operation.kind !== 'compute' || operation.arithmetic.name !== 'shift-right') return false;
    const [from, by] = operation.operands;
    if (from?.kind !== 'register' || by?.kind !== 'constant' || by.value !== PREDICATE) return false;
    return this.byLeader.get(this.indexOf(from.name)) === resultsOf(this.lanes.threads.length);
  }

  /** So many low bits of what all lanes hold in an operand, by the lane that is elected. */
  private heldBy(turn: Turn, operand: Operand, width: number): (leader: number) => LaneValue {
    const value = turn.value(operand, width);
    if (operand.kind === 'constant' || !this.isOwn(operand)) return () => value;
    const index = this.indexOf(operand.name);
    const made = this.byLeader.get(index);
    if (made !== undefined) return (leader) => turn.low(operand.name, made.if(leader), width);
    const own = at(this.turn(turn).value(operand, width), 0);
    return (leader) => each(turn.size, (lane) => (lane === leader ? own : at(value, lane)));
  }

  /** The same turn, of it alone. */
  turn({ at: here, statement }: Turn): Turn {
    return new Turn(this.warp, here, this.warp.all, statement);
  }

  /** It has something else in a register, or may have, than the lane has that it is. */
  private isOther(index: number, made?: ByLeader): void {
    this.own.add(index);
    if (made === undefined) this.byLeader.delete(index);
    else this.byLeader.set(index, made);
  }

  private isSame(index: number): void {
    this.own.delete(index);
    this.byLeader.delete(index);
  }

  /** A register has been written alike: by all, or by some lanes of which it may be one. */
  private isAlike(index: number, turn: Turn): void {
    if (!this.own.has(index)) return;
    if (turn.lanes === this.lanes.all) return this.isSame(index);
    this.warp.registers[index] = undefined;
    this.byLeader.delete(index);
  }

  /** Where it has what the lane has that it is: that, if it is the same in all lanes. */
  private fill(index: number): void {
    if (!this.own.has(index)) this.warp.registers[index] = this.agreed(index);
  }

  private agreed(index: number): LaneValue {
    const value = this.lanes.registers[index];
    if (typeof value !== 'object') return value;
    const first = at(value, 0);
    return value.every((one) => one === first) ? first : undefined;
  }

  private indexOf(name: string): number {
    return this.lanes.code.indexOf.get(name) ?? -1;
  }
}

/** Adds the lane that elect.sync takes, as a thread of its own, to a warp whose lanes elect one. */
export function addElected(warp: Warp, recorder: Recorder): void {
  const [first, ...others] = warp.threads;
  if (first === undefined || others.length === 0 || !elects(warp.code)) return;
  const thread = { ...first, id: recorder.threads.length, isElected: true };
  recorder.add([thread]);
  warp.elected = new ElectedLane(warp, thread, recorder);
}

/** Whether lanes elect one of theirs. */
const elects = ({ statements }: Code): boolean =>
  statements.some(({ operation }) => operation.kind === 'barrier' && operation.reduction?.operation === 'elect');

/** Why what the lane does that is elected is not followed, and what the others do. */
const ALONE = 'what depends on which lane is elected';
const OTHERS = 'what only those lanes do that are not elected';
const SOME = 'elect.sync that not all lanes of a warp execute';
const TWICE = 'elect.sync with another mask than before';
const TOGETHER = 'one lane of a warp at what all do together';
const LEAVES = 'an exit of some lanes of a warp';
export const WAITS = 'the elected lane waits, which others of its warp may end';

/** What cannot be followed of a lane that may be any, and may be where it is one. */
export const OF_ANY_LANE: ReadonlySet<string> = new Set([
  ...[ALONE, OTHERS, SOME, TWICE, TOGETHER, LEAVES, WAITS, OWN_MEMORY],
]);

/** The width of the result of elect.sync: the number of the lane, and a predicate (semantics/elections.ts). */
const RESULT = 64;
const PREDICATE = 32n;

/** What elect.sync gives the lanes of warps, by how many these are. */
const RESULTS = new Map<number, ByLeader>();

function resultsOf(lanes: number): ByLeader {
  const made =
    RESULTS.get(lanes) ?? ByLeader.of(lanes, (leader) => each(lanes, (lane) => electionResult(leader, lane)));
  RESULTS.set(lanes, made);
  return made;
}

/** Whether it computes, or goes somewhere else. */
export const isPlain = (operation: Operation): boolean =>
  isComputation(operation) || operation.kind === 'branch' || operation.kind === 'exit';

/** Whether lanes of a warp give each other words, which `exchange` follows. */
const isExchangeOfLanes = (operation: Operation): operation is BarrierOperation =>
  operation.kind === 'barrier' && operation.level === 'lanes' && isExchange(operation.reduction);

/** Whether lanes of a warp do it together. */
const isOfWarp = (operation: Operation): boolean =>
  operation.kind === 'barrier' ||
  operation.kind === 'cluster-barrier' ||
  operation.kind === 'pair-step' ||
  (operation.kind === 'async' && operation.completion.kind === 'group' && operation.completion.family === 'wgmma') ||
  (operation.kind === 'group' && !OF_THREADS.includes(operation.family)) ||
  (operation.kind === 'tensor' && !OF_LANES.includes(operation.instruction)) ||
  ('matrix' in operation && operation.matrix !== undefined);

/** Groups that each thread has for itself; instructions on tensor memory that it executes by itself. */
const OF_THREADS: readonly GroupFamily[] = ['cp.async', 'bulk'];
const OF_LANES: readonly TensorInstruction[] = ['mma', 'cp', 'shift'];
