import type { EventOf, ProgramEvent } from '../events/program-event.js';
import type { FloatFunction } from '../program/float-function.js';
import type { Arithmetic } from '../program/operation.js';
import type { Node } from '../unroll/unroll.js';
import type { RegisterFile } from './register-file.js';

/**
 * What an execution of a thread computes with: bit patterns and truth values. With bigints and booleans it is a run;
 * with sets of values it is the value analysis; with formulas it is the encoding. The semantics of PTX is written once,
 * in interpret.ts.
 */
export interface ValueDomain<V, C> {
  readonly yes: C;
  readonly no: C;
  and(a: C, b: C): C;
  or(a: C, b: C): C;
  not(a: C): C;
  /** Whether a truth value is certainly false, so that what depends on it can be left out. */
  isNo(a: C): boolean;
  constant(bits: bigint, width: number): V;
  compute(arithmetic: Arithmetic, operands: readonly V[]): V;
  /** Cuts or widens, by sign or zeros. */
  resize(value: V, width: number, signed: boolean): V;
  choose(condition: C, whenTrue: V, whenFalse: V): V;
  /** Whether a one-bit value is 1. */
  truth(value: V): C;
}

/** Where the values that a thread does not compute itself come from. */
export interface Environment<V> {
  /** The value that a read takes, of the width of its type. */
  read(event: EventOf<'read'>): V;
  /** The result of a barrier reduction or of a warp instruction. */
  barrierResult(event: EventOf<'barrier'>): V;
  /** What an mbarrier operation returns: a token, or of a wait one bit. */
  mbarrierResult(event: EventOf<'mbarrier'>): V;
  /**
   * A value that is left open, by the step of a thread that needs it; with a function, what the operands settle of its
   * result.
   */
  open(step: string, width: number, of: FloatFunction | undefined, operands: readonly V[]): V;
  /** 64 bits that PTX leaves open: one half of what try_cancel answers, or what an mbarrier.init leaves in memory. */
  unspecified(event: EventOf<'write'>): V;
}

/** What executions choose between. */
export interface Choosing<V, C> {
  /** One of two values, by the step of a thread that takes it, and the condition under which it is executed. */
  either(step: string, values: readonly [V, V], executed: C): V;
}

/** Where a thread may be kept for ever: whether it gets past this event. `executed`: whether it comes to it. */
export interface Blocking<C> {
  passes(event: ProgramEvent, executed: C): C;
  /**
   * Where threads may stop for good since nothing promises that they go on: whether this one does so before a node, or
   * before its end, which has the number of nodes; `reached`: whether it comes there.
   */
  halts?(thread: number, node: number, reached: C): C;
  /** Hears what registers hold where control comes to a node. */
  visits?(node: Node, registers: RegisterFile<{ readonly value: unknown }>, reached: C): void;
  /**
   * Only executions in which every waiting loop is left are of interest: what follows one is executed if the loop is.
   */
  readonly leavesLoops?: boolean;
}

/** All that a thread takes from outside of itself. */
export type Surroundings<V, C> = Environment<V> & Blocking<C> & Choosing<V, C>;

/** The reads that a value comes from, each with the condition under which it does. */
export type Dependencies<C> = ReadonlyMap<number, C>;

export interface EventRun<V, C> {
  /** Of a warp instruction: what lanes give that the test does not show. */
  readonly represented?: readonly { readonly lane: number; readonly present: C; readonly value: V }[];
  readonly event: ProgramEvent;
  readonly executed: C;
  /** 64 bits; of memory events. */
  readonly address?: V;
  /** What is read or written; of a barrier reduction the predicate given. */
  readonly value?: V;
  /** The number (or mask) of a barrier, and its count of threads. */
  readonly barrierId?: V;
  readonly barrierCount?: V;
  /** What a barrier reduction or an mbarrier operation returns. */
  readonly result?: V;
  /** Of an mbarrier operation: its count; of a copy: the src-size. 32 bits. */
  readonly count?: V;
  /** Of an mbarrier operation: the bytes expected or completed; of the issue of a copy: its size. 32 bits. */
  readonly bytes?: V;
  readonly addressDependencies: Dependencies<C>;
  readonly dataDependencies: Dependencies<C>;
  readonly controlDependencies: Dependencies<C>;
}

export interface ThreadRun<V, C> {
  readonly events: readonly EventRun<V, C>[];
  /** Registers at the end, of the width of their type. */
  readonly registers: ReadonlyMap<string, V>;
  /** The thread ran to its end. */
  readonly ended: C;
  /** It would go round a loop more often than the bound allows. */
  readonly cut: C;
  /** The reads that this depends on. */
  readonly cutDependencies: Dependencies<C>;
  /** It came to a trap. */
  readonly trapped: C;
  /** Of each edge that goes round a spin loop: the thread is taken to go round it for ever. */
  readonly spins: readonly C[];
  /** An event at which the thread is kept for ever. */
  readonly blocked: C;
  /** The thread stops for good, since nothing promises that it goes on. */
  readonly halted: C;
  /** What was taken for granted: that waiting loops are left, if `leavesLoops`. */
  readonly assumed: C;
}

export interface RegisterValue<V, C> {
  readonly value: V;
  readonly from: Dependencies<C>;
}

export interface State<V, C> {
  readonly condition: C;
  readonly registers: RegisterFile<RegisterValue<V, C>>;
  /** The branches whose ways have not joined yet. */
  readonly control: ReadonlyMap<number, OpenBranch<C>>;
}

/** A branch that still decides what is executed. */
export interface OpenBranch<C> {
  /** The reads that it depends on. */
  readonly from: Dependencies<C>;
  /** The condition under which control comes to it. */
  readonly reached: C;
  /** No execution is here that did not come to it. */
  readonly isPassedByAll: boolean;
}
