import type { GroupOperation, Tile } from '../program/async-operation.js';
import type { DataType } from '../program/data-type.js';
import type { FloatFunction } from '../program/float-function.js';
import type { MbarrierOperation } from '../program/mbarrier-operation.js';
import type {
  Address,
  AtomicOperation,
  BarrierOperation,
  ClusterBarrierOperation,
  FenceRestriction,
  GridWait,
  Operand,
  ProxyFence,
} from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { TensorUse } from '../program/tensor-memory.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { Tag } from './event-tags.js';

/** An operand, of which so many bits are taken. */
export interface Sized {
  readonly operand: Operand;
  readonly width: number;
}

/** A run of bytes, by its offset from where an effect begins. */
export interface Chunk {
  readonly offset: number;
  readonly bytes: number;
}

/** Where in memory an effect is. */
export interface MemoryOperand {
  readonly address: Address;
  /** How many bytes; undefined: as many as a box of the tensor has that a descriptor describes. */
  readonly bytes: Operand | undefined;
  readonly what: 'data' | 'mbarrier' | 'descriptor';
  /** Of each of its accesses; undefined: as wide as its part. */
  readonly type: DataType | undefined;
  /** In bytes, of the first of its accesses; undefined: each is as aligned as it is wide. */
  readonly alignment?: number;
  /**
   * The accesses that it is made of, in no order: so many elements of its type, given parts, or those into which it is
   * cut where other accesses of the test tell its bytes apart.
   */
  readonly parts: number | readonly Chunk[] | 'moved' | 'descriptor';
  /** No such cut is within an element of so many bytes; `whole`: there is none, since a register holds it. */
  readonly element?: number | 'whole';
  /** The ranks of the CTAs of the cluster that are accessed, each at the same offset, as bits. */
  readonly multicast?: Operand | undefined;
  /** Of those, one in the pair of each, whose rank has the last bit of that in the address. */
  readonly inPair?: boolean | undefined;
  /** The address is that of a descriptor: accessed is a tile of the tensor that it describes. */
  readonly tile?: Tile | undefined;
  readonly tensor?: TensorUse;
}

/** One whose accesses have a type. */
export type Typed<Of extends MemoryOperand> = Of & { readonly type: DataType };

/** What is written: operands by element; what the read of the same operation has found there; or something. */
export type Data =
  | { readonly kind: 'operands'; readonly operands: readonly Operand[] }
  | { readonly kind: 'moved' | 'zero' | 'open' | 'unspecified' };

/** Operands that an effect takes beside its address and its data. */
export interface Taken {
  /** What a wait tests, what a check looks at. */
  readonly value?: Sized;
  readonly count?: Sized;
  readonly bytes?: Sized;
}

/** The register that takes a result, and whether its sign counts where the register is wider. */
export interface Result {
  readonly register: string;
  readonly signed: boolean;
}

interface Common {
  readonly tags: readonly Tag[];
  readonly scope?: Scope | undefined;
  readonly takes?: Taken;
}

/** Where a copy reads: those bytes alone that are below `below`, and none where `unless` holds. */
export interface Condition {
  readonly below: Operand | undefined;
  readonly unless: Operand | undefined;
}

export interface ReadEffect extends Common {
  readonly kind: 'read';
  readonly at: MemoryOperand;
  /** By element. */
  readonly results: readonly (Result | undefined)[];
  readonly when?: Condition;
}

export interface WriteEffect extends Common {
  readonly kind: 'write';
  readonly at: MemoryOperand;
  readonly data: Data;
}

/** Read-modify-writes, one for each element. */
export interface UpdateEffect extends Common {
  readonly kind: 'update';
  readonly at: Typed<MemoryOperand>;
  /** Of the read and of the write of each, beside those of both. */
  readonly readTags: readonly Tag[];
  readonly writeTags: readonly Tag[];
  readonly operation: AtomicOperation;
  /** What makes the new value of an old one, where these are floating-point numbers. */
  readonly function: FloatFunction | undefined;
  /** Of cas the new value. */
  readonly data: Data;
  readonly compared: Operand | undefined;
  readonly results: readonly (Result | undefined)[];
}

/** What a step on an mbarrier object does. */
export type MbarrierStep = 'init' | 'inval' | 'expect_tx' | 'complete_tx' | 'arrive' | 'increment' | 'wait';

export interface MbarrierEffect extends Common {
  readonly kind: 'mbarrier';
  readonly at: Typed<MemoryOperand>;
  readonly step: MbarrierStep;
  /** Undefined: complete-tx of a copy. */
  readonly operation: MbarrierOperation | undefined;
  /** So many of the bytes that it takes, one after the other. */
  readonly times?: number;
  readonly result?: Result | 'discarded';
}

export interface BarrierEffect extends Common {
  readonly kind: 'barrier';
  readonly barrier: BarrierOperation | ClusterBarrierOperation;
  /** Before it the threads of the warp come together, where the test shows several. */
  readonly meets: boolean;
}

/**
 * One thing that an operation does to memory or to a synchronization object, or that it needs: what an event of the
 * memory consistency model is made of. All that follows from an operation for memory follows from its effects.
 */
export type Effect =
  | ReadEffect
  | WriteEffect
  | UpdateEffect
  | MbarrierEffect
  | BarrierEffect
  /** A fence of a descriptor names its place. */
  | (Common & {
      readonly kind: 'fence';
      readonly at?: MemoryOperand;
      readonly proxyFence?: ProxyFence;
      readonly restriction?: FenceRestriction | undefined;
    })
  | (Common & { readonly kind: 'group'; readonly group: GroupOperation })
  | (Common & { readonly kind: 'grid'; readonly grid: GridWait | undefined })
  /** The behavior is undefined, by that rule, unless the value is 1. */
  | (Common & { readonly kind: 'check'; readonly rule: UndefinedRule })
  /** The instruction that issues asynchronous accesses, which are not in program order. */
  | (Common & { readonly kind: 'issue'; readonly at?: MemoryOperand })
  | (Common & { readonly kind: 'tensor-step' });

export type EffectKind = Effect['kind'];
