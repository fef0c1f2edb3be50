import type { Span } from '../diagnostics/source.js';
import type { MbarrierEffect } from '../effects/effect.js';
import type { Code } from '../kernel/code.js';
import type { Completion } from '../program/async-operation.js';
import { MBARRIER_BYTES, type MbarrierOperation } from '../program/mbarrier-operation.js';
import { registersRead } from '../program/operands.js';
import type { Address, ProgramStatement } from '../program/operation.js';
import type { PlacedAccess } from '../program/place-rules.js';
import { CONCRETE_VALUES, type ConcreteValue } from '../semantics/concrete-values.js';
import { MbarrierMachine, type MbarrierState, PHASE_WIDTH } from '../semantics/mbarrier-machine.js';
import type { ClusterCtas } from './cluster-ctas.js';
import type { Awaited } from './halts.js';
import { placeFor } from './lane-place.js';
import { at, each, type LaneValue } from './lane-value.js';
import { lanesIn } from './lanes.js';
import type { MemoryImage, Piece } from './memory-image.js';
import type { Recorder } from './recorder.js';
import type { FollowedObject, MbarrierSteps, Step, TensorCommit } from './trace.js';
import { NotFollowed, type Turn } from './turn.js';
import type { Derived, Tried, Warp } from './warp.js';

const MACHINE = new MbarrierMachine(CONCRETE_VALUES);
/** The machine counts phases in so many bits. */
const MOST_PHASES = 2 ** PHASE_WIDTH - 8;

/** An object, and who waits for its phase. */
interface LiveObject extends FollowedObject {
  readonly piece: Piece;
  readonly offset: number;
  /** By the name that it is first reached by. */
  readonly virtualAddress: bigint;
  state: MbarrierState<ConcreteValue, boolean>;
  readonly waiting: { readonly warp: Warp; readonly at: number; readonly lanes: number }[];
}

/** A try that a thread has made and that has failed. */
interface FailedTry {
  readonly at: number;
  /** The values that matter there. */
  readonly values: readonly (bigint | undefined)[];
}

type MbarrierCompletion = Extract<Completion, { readonly kind: 'mbarrier' }>;

/** What a wait does to its object: nothing. */
const WAIT = {
  ...{ step: 'wait', completes: false, pending: 0, bytes: 0, expected: 0, isAsync: false, noComplete: false },
  isUsed: true,
} as const satisfies Partial<MbarrierSteps>;
const TRIED = ['object', 'phase', 'order', 'scope'] as const satisfies readonly (keyof Tried)[];

/** What a step takes, and what it is. */
type Taken = Pick<MbarrierEffect, 'step' | 'operation'> & {
  readonly count: bigint;
  readonly bytes: bigint;
  readonly isAsync: boolean;
  readonly commit?: TensorCommit | undefined;
  readonly isUsed?: boolean;
};

/** Whether some statement reads a register. */
const READ = new WeakMap<Code, ReadonlySet<string>>();
function isRead(code: Code, register: string): boolean {
  const { statements } = code;
  const known = READ.get(code) ?? new Set(statements.flatMap((one) => [...readBy(one)]));
  READ.set(code, known);
  return known.has(register);
}
const readBy = ({ operation, guard }: ProgramStatement): readonly string[] => [
  ...registersRead(operation),
  ...(guard === undefined ? [] : [guard.register]),
];

/**
 * The mbarrier objects of a run: a state each, as the machine has them (PTX ISA, mbarrier). A wait must stand in a loop
 * that does nothing but wait: its first try fails, since any may; then the lane must come back as it was, and waits
 * until the phase is complete.
 */
export class Mbarriers {
  readonly objects: FollowedObject[] = [];
  private readonly byPlace = new Map<string, LiveObject>();
  private readonly failed = new Map<number, FailedTry>();
  private open: { readonly turn: Turn; readonly steps: Step[]; readonly entry: MbarrierSteps } | undefined;

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly ctas: ClusterCtas,
  ) {}

  /** Lets lanes do a step; gives those that wait. */
  step(turn: Turn, effect: MbarrierEffect): number {
    const { step, operation, at: where, takes, result, tags } = effect;
    if (operation?.action === 'wait') return this.wait(turn, operation, turn.value(operation.test.operand, 64));
    const [counts, bytes] = [takes?.count, takes?.bytes].map((one) =>
      one === undefined ? 0n : turn.value(one.operand, one.width),
    );
    const isAsync = tags.includes('ASY');
    if (operation?.action === 'arrive' && operation.order !== 'release') this.recorder.isRelaxed = true;
    // How many arrivals are missing, as a token of .noComplete tells, may be another number in another execution.
    const hasToken = operation?.action === 'arrive' && !operation.noComplete;
    const isUsed = typeof result === 'object' && isRead(turn.warp.code, result.register);
    const tokens: (bigint | undefined)[] = [];
    for (const lane of lanesIn(turn.lanes)) {
      const [count, size] = [at(counts, lane), at(bytes, lane)];
      if (count === undefined || size === undefined) throw turn.notFollowed('a count of an mbarrier that is open');
      const object = this.objectAt(turn, lane, where.address);
      if (hasToken) tokens[lane] = MACHINE.token(object.state, object.id, false).bits;
      this.change(turn, lane, object, { step, operation, count, bytes: size, isAsync, isUsed });
    }
    if (typeof result === 'object')
      turn.give(
        result,
        each(turn.size, (lane) => tokens[lane]),
        64,
      );
    // What an init leaves in memory is written by it.
    if (step !== 'init') this.recorder.advance(turn);
    return 0;
  }

  /** A copy of so many bytes is issued by a lane; gives what makes it complete, which gives what tells of that. */
  completion(
    turn: Turn,
    lane: number,
    of: MbarrierCompletion,
    bytes: number,
    rank?: number,
  ): () => { object: number; phase: number } {
    const object = this.objectAt(turn, lane, of.object, rank, of.inPair);
    const size = BigInt(bytes);
    const what = { step: 'complete_tx', operation: undefined, count: 0n, bytes: size, isAsync: true } as const;
    return () => {
      const { phase } = object.state;
      this.change(turn, lane, object, what);
      return { object: object.id, phase: Number(phase.bits) };
    };
  }

  /** The variable that tells of a copy, and where that is. */
  placeOf(turn: Turn, lane: number, of: MbarrierCompletion, rank?: number): PlacedAccess['mbarrier'] {
    const { piece, virtualAddress } = this.objectAt(turn, lane, of.object, rank, of.inPair);
    return { object: piece.object, virtualAddress };
  }

  /** The copies of a lane are complete, and arrive. */
  arrive(
    turn: Turn,
    lane: number,
    operation: MbarrierOperation,
    commit?: TensorCommit,
  ): { object: number; phase: number } {
    const object = this.objectAt(turn, lane, operation.object);
    const taken = { operation, count: 1n, bytes: 0n };
    if (operation.action === 'async_arrive' && operation.increment)
      this.change(turn, lane, object, { ...taken, step: 'increment', isAsync: false });
    const { phase } = object.state;
    this.change(turn, lane, object, { ...taken, step: 'arrive', isAsync: true, commit });
    return { object: object.id, phase: Number(phase.bits) };
  }

  /** Lanes do something else: a try of theirs that has failed was no wait. */
  mustNotTry(warp: Warp, lanes: number, span: Span): void {
    if (this.failed.size === 0) return;
    if (lanesIn(lanes).some((lane) => this.failed.has(warp.threads[lane]?.id ?? -1)))
      throw new NotFollowed(span, 'a try of an mbarrier that may fail, and is not made again');
  }

  /** Something else that tells of what is complete, as the phases of an object do. */
  addTeller(ctaId: number): number {
    const id = this.objects.length;
    this.objects.push({ id, ctaId, declared: undefined });
    return id;
  }

  /** By thread, the phase that it waits for. */
  *awaited(): Iterable<readonly [number, Awaited]> {
    for (const { id, state, waiting } of this.byPlace.values()) {
      const awaited = { kind: 'phase', object: id, phase: Number(state.phase.bits) } as const;
      for (const { warp, lanes } of waiting)
        for (const lane of lanesIn(lanes)) yield [warp.threads[lane]?.id ?? -1, awaited];
    }
  }

  private wait(turn: Turn, operation: Extract<MbarrierOperation, { action: 'wait' }>, tested: LaneValue): number {
    const { warp } = turn;
    if (operation.order !== 'acquire') this.recorder.isRelaxed = true;
    let [waiting, answered] = [0, 0];
    const results: (bigint | undefined)[] = [];
    const tried: (Derived | undefined)[] = [];
    for (const lane of lanesIn(turn.lanes)) {
      const object = this.objectAt(turn, lane, operation.object);
      const bits = at(tested, lane);
      if (bits === undefined) throw turn.notFollowed('what phase is waited for is open');
      const { kind } = operation.test;
      const operand = { bits: kind === 'token' ? bits : BigInt.asUintN(32, bits), width: kind === 'token' ? 64 : 32 };
      const { complete, broken } = MACHINE.test(object.state, kind, operand, object.id);
      this.mustBeRight(turn, lane, broken);
      const { order, scope } = operation;
      const waited = { object: object.id, phase: Number(object.state.phase.bits) - (complete ? 1 : 0), order, scope };
      const isLone = !warp.code.tries.repeated.has(turn.at);
      if (isLone) tried[lane] = { from: waited, now: 0n, of: (found) => found };
      if (isLone) this.record(turn, lane, { ...WAIT, ...waited, isTry: true });
      else if (!this.isTriedAgain(turn, lane)) {
        this.mustBeDue(turn, lane, waited);
        results[lane] = 0n;
      } else if (!complete) {
        object.waiting.push({ warp, at: turn.at, lanes: (1 << lane) >>> 0 });
        waiting = (waiting | (1 << lane)) >>> 0;
        continue;
      } else {
        results[lane] = 1n;
        this.failed.delete(this.threadOf(turn, lane));
        this.record(turn, lane, { ...WAIT, ...waited, isTry: false });
        this.recorder.advance(turn.of((1 << lane) >>> 0));
      }
      answered = (answered | (1 << lane)) >>> 0;
    }
    const own = turn.of(answered);
    const result = { register: operation.target, signed: false };
    if (answered !== 0)
      own.give(
        result,
        each(turn.size, (lane) => results[lane]),
        1,
      );
    if (tried.length > 0) own.derive(result, tried, 1);
    warp.park(turn.at, waiting);
    return waiting;
  }

  /** A lane that comes to a wait since a try has failed waits for the same. */
  private mustBeDue(turn: Turn, lane: number, waited: Tried): void {
    const due = turn.warp.due[lane];
    turn.warp.due[lane] = undefined;
    const isSame = (key: keyof Tried): boolean => due?.[key] === waited[key];
    if (due !== undefined && !TRIED.every(isSame)) throw turn.notFollowed('a wait for another phase than was tried');
  }

  /** Whether a lane has come back to a try that has failed, as it was then; if it has not tried yet, this one fails. */
  private isTriedAgain(turn: Turn, lane: number): boolean {
    const { warp, at: here } = turn;
    const thread = this.threadOf(turn, lane);
    const values = warp.code.liveAt(here).map((register) => at(warp.registers[register], lane));
    const before = this.failed.get(thread);
    if (before === undefined) {
      this.failed.set(thread, { at: here, values });
      return false;
    }
    if (before.at !== here) throw turn.notFollowed('a try of an mbarrier that may fail, and is not made again');
    if (before.values.some((value, i) => value !== values[i]))
      throw turn.notFollowed('a loop that may give up waiting for an mbarrier');
    return true;
  }

  private change(turn: Turn, lane: number, object: LiveObject, taken: Taken): void {
    const { step, operation, isAsync, commit } = taken;
    const input = MACHINE.input(taken, {
      count: { bits: taken.count, width: 32 },
      bytes: { bits: taken.bytes, width: 32 },
    });
    const before = object.state;
    const { after, completes, broken } = MACHINE.step(before, input);
    this.mustBeRight(turn, lane, broken);
    const [from, to] = [Number(before.phase.bits), Number(after.phase.bits)];
    if (to > MOST_PHASES) throw turn.notFollowed(`more than ${MOST_PHASES} phases of an mbarrier`);
    object.state = after;
    this.image.changes += 1;
    const { piece, offset } = object;
    if (step === 'init') {
      piece.mbarriers.add(offset);
      this.recorder.initFences.set(this.threadOf(turn, lane), undefined);
    }
    if (step === 'inval') piece.mbarriers.delete(offset);
    const count = Number(taken.count);
    this.record(turn, lane, {
      ...{ object: object.id, step, phase: step === 'init' ? to : from, completes, isAsync, isTry: false, commit },
      noComplete: operation?.action === 'arrive' && operation.noComplete,
      isUsed: taken.isUsed === true,
      pending: step === 'arrive' ? -count : count,
      bytes: step === 'complete_tx' ? -Number(taken.bytes) : Number(taken.bytes),
      expected: operation?.action === 'arrive' && operation.drop ? -count : 0,
      order: operation?.action === 'arrive' ? operation.order : undefined,
      scope: operation?.action === 'arrive' ? operation.scope : undefined,
    });
    if (!completes) return;
    for (const { warp, at: there, lanes } of object.waiting.splice(0)) warp.unpark(there, lanes);
  }

  private mustBeRight(turn: Turn, lane: number, broken: ReturnType<typeof MACHINE.test>['broken']): void {
    for (const [rule, holds] of broken) {
      if (!holds) continue;
      this.recorder.find(turn, lane, rule);
      throw turn.notFollowed('an operation on an mbarrier that is undefined');
    }
  }

  /** Takes down what a lane does; what lanes of a turn do alike stands in one entry. */
  private record(turn: Turn, lane: number, of: Omit<MbarrierSteps, 'kind' | 'row' | 'steps' | 'span'>): void {
    const step = this.recorder.stepOf(turn, lane);
    const row = this.recorder.accesses.count;
    const known = this.open;
    const isAlike =
      known !== undefined &&
      known.turn === turn &&
      known.entry.row === row &&
      (Object.keys(of) as (keyof typeof of)[]).every((key) => key === 'completes' || known.entry[key] === of[key]);
    const steps = isAlike ? [...known.steps, step] : [step];
    const entry: MbarrierSteps = { kind: 'mbarrier', row, ...of, steps, span: turn.statement.span };
    if (isAlike) this.recorder.synchronizations.pop();
    this.recorder.synchronizations.push(entry);
    this.open = { turn, steps, entry };
  }

  private threadOf({ warp }: Turn, lane: number): number {
    return warp.threads[lane]?.id ?? -1;
  }

  private objectAt(turn: Turn, lane: number, address: Address, rank?: number, inPair = false): LiveObject {
    const base = turn.value(address.base, 64);
    const size = { bytes: MBARRIER_BYTES, alignment: MBARRIER_BYTES };
    const access = { base, address, ...size, manner: 'synchronizes', rank, inPair, isOnObject: true } as const;
    const place = placeFor(this.image, this.recorder, turn, lane, access);
    const { piece, offset } = place;
    if (piece.object.space !== 'shared') throw turn.notFollowed('an mbarrier that is not in shared memory');
    const key = `${piece.id} ${offset}`;
    const known = this.byPlace.get(key);
    if (known !== undefined) return known;
    const { mbarrier } = piece.object;
    const [id, thread] = [this.objects.length, turn.warp.threads[lane]];
    const declared = mbarrier === undefined ? undefined : Number(mbarrier);
    const made: LiveObject = {
      ...{ id, ctaId: this.ctas.ownerOf(piece) ?? thread?.ctaId ?? 0, declared, piece, offset },
      ...{ state: MACHINE.initial(mbarrier), waiting: [], virtualAddress: this.image.addressOf(place) },
    };
    this.byPlace.set(key, made);
    this.objects.push(made);
    return made;
  }
}
