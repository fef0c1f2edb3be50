import type { Result } from '../effects/effect.js';
import { type Code, spanAt } from '../kernel/code.js';
import type { GroupFamily } from '../program/async-operation.js';
import { registersRead, registersWritten } from '../program/operands.js';
import { isComputation, type Operation, type ProgramStatement } from '../program/operation.js';
import type { TensorInstruction } from '../program/tensor-memory.js';
import { at, type LaneValue } from './lane-value.js';
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
  /** The registers that take the results of elect.sync. */
  private readonly results = new Set<string>();
  /** Where it and the others come together again, while they go two ways. */
  private join: number | undefined;
  private hasCome = false;

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

  /** It is taken: the result tells which it is, and that is open; and each lane whether it is that one. */
  take(turn: Turn, { register }: Result): void {
    if (turn.lanes !== this.lanes.all) throw turn.notFollowed('elect.sync that not all lanes of a warp execute');
    this.results.add(register);
    for (const one of [turn, this.turn(turn)]) one.give({ register, signed: false }, undefined, RESULT);
    this.own.add(this.indexOf(register));
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
      if (this.agreed(index) === undefined || this.agreed(index) !== this.warp.registers[index]) this.own.add(index);
      else this.own.delete(index);
    this.join = undefined;
    this.lanes.written = undefined;
    this.warp.written = undefined;
    this.lanes.unpark(here, this.lanes.present);
    return true;
  }

  /** Lanes, or this one, exit: the others must, too. */
  exit(warp: Warp, here: number, lanes: number): void {
    const end = warp.code.statements.length;
    if (this.join !== end) throw new NotFollowed(spanAt(warp.code, here), 'an exit of some lanes of a warp');
    warp.put(end, lanes);
  }

  /** What can be followed of what its lanes do: not what they do otherwise than it does. */
  mustFollow(turn: Turn, operation: Operation): void {
    if (this.isApart && !isPlain(operation)) throw turn.notFollowed(OTHERS);
    if (!isPlain(operation) && registersRead(operation).some((name) => this.own.has(this.indexOf(name))))
      throw turn.notFollowed(ALONE);
    if (this.isApart || isComputation(operation)) return;
    for (const name of registersWritten(operation)) this.isAlike(this.indexOf(name), turn);
  }

  /** What can be followed of what it does by itself. */
  mustDoAlone(turn: Turn, operation: Operation): void {
    if (isOfWarp(operation)) throw turn.notFollowed('one lane of a warp at what all do together');
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
      takesPredicate(operation, this.results)
        ? own.give({ register: operation.target, signed: false }, bits, 1)
        : compute(own);
    if (!read.some((index) => this.own.has(index))) {
      if (!this.isApart) this.isAlike(target, turn);
      return compute(turn);
    }
    if (turn.lanes === this.lanes.all) {
      for (const index of read) this.fill(index);
      predicate(this.turn(turn), 1n);
    } else this.warp.registers[target] = undefined;
    this.own.add(target);
    predicate(turn, 0n);
  }

  /** The same turn, of it alone. */
  turn({ at: here, statement }: Turn): Turn {
    return new Turn(this.warp, here, this.warp.all, statement);
  }

  /** A register has been written alike: by all, or by some lanes of which it may be one. */
  private isAlike(index: number, turn: Turn): void {
    if (!this.own.has(index)) return;
    if (turn.lanes === this.lanes.all) this.own.delete(index);
    else this.warp.registers[index] = undefined;
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

/** Whether lanes elect one of theirs. */
export const elects = ({ statements }: Code): boolean =>
  statements.some(({ operation }) => operation.kind === 'barrier' && operation.reduction?.operation === 'elect');

/** Why what the lane does that is elected is not followed, and what the others do. */
const ALONE = 'what depends on which lane is elected';
const OTHERS = 'what only those lanes do that are not elected';

/** The width of the result of elect.sync: the number of the lane, and a predicate (semantics/elections.ts). */
const RESULT = 64;
const PREDICATE = 32n;

/** Whether it computes, or goes somewhere else. */
export const isPlain = (operation: Operation): boolean =>
  isComputation(operation) || operation.kind === 'branch' || operation.kind === 'exit';

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

/** Whether it takes the predicate out of the result of elect.sync. */
function takesPredicate(operation: Computation, results: ReadonlySet<string>): boolean {
  if (operation.kind !== 'compute' || operation.arithmetic.name !== 'shift-right') return false;
  const [from, by] = operation.operands;
  return from?.kind === 'register' && results.has(from.name) && by?.kind === 'constant' && by.value === PREDICATE;
}
