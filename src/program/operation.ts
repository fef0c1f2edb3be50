import type { Span } from '../diagnostics/source.js';
import type { AsyncOperation, GroupOperation } from './async-operation.js';
import type { DataType } from './data-type.js';
import type { FloatFunction } from './float-function.js';
import type { Window } from './locations.js';
import type { MbarrierOperation } from './mbarrier-operation.js';
import type { Scope } from './placement.js';
import type { PairStep, TensorStep, TensorUse } from './tensor-memory.js';
import type { UndefinedRule } from './undefined-rules.js';

/** Memory orders of a single access; `volatile` and `mmio` are relaxed at system scope with a tag of their own. */
export type Order = 'weak' | 'relaxed' | 'acquire' | 'release' | 'acq_rel';

/** The ways of access (PTX ISA 8.6): generic, async, tensormap, read-only, and the legacy ones of the 7.5 model. */
export type Proxy = 'generic' | 'async' | 'tensormap' | 'texture' | 'surface' | 'constant' | 'readonly';

export interface AccessQualifiers {
  readonly order: Order;
  /** Undefined exactly for weak accesses. */
  readonly scope: Scope | undefined;
  readonly proxy: Proxy;
  readonly volatile: boolean;
  readonly mmio: boolean;
}

export type Operand =
  | { readonly kind: 'register'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: bigint };

export const register = (name: string): Extract<Operand, { kind: 'register' }> => ({ kind: 'register', name });
export const constant = (value: bigint | number): Extract<Operand, { kind: 'constant' }> => ({
  kind: 'constant',
  value: BigInt(value),
});

export interface Address {
  readonly base: Operand;
  readonly offset: bigint;
  /** Where the instruction says that the address lies. */
  readonly window: Window;
}

/** What an arithmetic instruction computes from operands of `width` bits into `resultWidth` bits. */
export interface Arithmetic {
  readonly name: ArithmeticName;
  readonly signed: boolean;
  readonly width: number;
  readonly resultWidth: number;
}

export const ARITHMETIC_NAMES = [
  'move',
  'add',
  'subtract',
  'multiply',
  'multiply-high',
  'multiply-wide',
  'divide',
  'remainder',
  'and',
  'or',
  'xor',
  'not',
  'shift-left',
  'shift-right',
  'minimum',
  'maximum',
  'equal',
  'less',
  'less-or-equal',
  'select',
  'convert',
  'concatenate',
  'increment-modulo',
  'decrement-modulo',
  'count-ones',
  'leading-zeros',
  'reverse',
  'look-up',
] as const;
export type ArithmeticName = (typeof ARITHMETIC_NAMES)[number];

/** What one PTX instruction does. Everything that a memory model needs to know is in here; nothing of its syntax is. */
export type Operation =
  | {
      readonly kind: 'compute';
      readonly target: string;
      readonly type: DataType;
      readonly arithmetic: Arithmetic;
      readonly operands: readonly Operand[];
    }
  | OpenValue
  | Load
  | Store
  | Atomic
  | Fence
  | ProxyFence
  | BarrierOperation
  | ClusterBarrierOperation
  | MbarrierOperation
  | AsyncOperation
  | GroupOperation
  | TensormapCopy
  | RegionAccess
  | TensorAccess
  /** tcgen05.fence, and tcgen05.relinquish_alloc_permit, after which the CTA allocates no more (PTX ISA 9.7.18). */
  | { readonly kind: 'tensor-step'; readonly step: TensorStep }
  /** A warp of each CTA of a pair does that (.cta_group::2): one may wait for the other, which orders nothing. */
  | { readonly kind: 'pair-step'; readonly step: PairStep }
  | GridWait
  /**
   * The CTA is ready for dependent grids to be launched (PTX ISA, griddepcontrol.launch_dependents); `represented`:
   * threads for which the one shown stands say so too, each in its own time.
   */
  | { readonly kind: 'launch-dependents'; readonly represented?: true }
  /** The behavior is undefined, by that rule, unless the one-bit value is 1. */
  | { readonly kind: 'require'; readonly value: Operand; readonly rule: UndefinedRule }
  | { readonly kind: 'branch'; readonly label: string }
  | { readonly kind: 'exit' }
  /** Ends the grid: an execution that comes there has no final state (PTX ISA, trap). */
  | { readonly kind: 'trap' };

/**
 * A value that PTX leaves open, or that this tool does not know: any of its width, chosen once for each execution of
 * the instruction. With a function it depends on the operands, of the function's widths, and is exact where they are
 * known.
 */
export interface OpenValue {
  readonly kind: 'open';
  readonly target: string;
  readonly type: DataType;
  readonly function: FloatFunction | undefined;
  readonly operands: readonly Operand[];
}

/** One scalar read for each target, in unspecified order (PTX ISA 8.2.4); an undefined target discards the value. */
export interface Load extends AccessQualifiers {
  readonly kind: 'load';
  readonly type: DataType;
  readonly targets: readonly (string | undefined)[];
  readonly address: Address;
  /** It is a part of what a warp accesses together. */
  readonly matrix?: true;
  /** The address is any element of an object, of which nobody knows whether it is accessed (a texture or surface). */
  readonly somewhere?: true;
}

export interface Store extends AccessQualifiers {
  readonly kind: 'store';
  readonly type: DataType;
  readonly values: readonly Operand[];
  readonly address: Address;
  readonly matrix?: true;
  readonly somewhere?: true;
}

export const ATOMIC_OPERATIONS = ['add', 'sub', 'inc', 'dec', 'min', 'max', 'and', 'or', 'xor', 'exch', 'cas'] as const;
export type AtomicOperation = (typeof ATOMIC_OPERATIONS)[number];

/** A read-modify-write. `reduction`: a `red`, whose read never acquires (PTX ISA 8.8, 8.11.1). */
export interface Atomic extends AccessQualifiers {
  readonly kind: 'atomic';
  readonly type: DataType;
  readonly operation: AtomicOperation;
  readonly reduction: boolean;
  readonly target: string | undefined;
  readonly address: Address;
  /** One, or for cas two: the value compared with, then the new value. */
  readonly values: readonly Operand[];
  /** What makes the new value of an old one, where these are floating-point numbers. */
  readonly function?: FloatFunction;
  /** The further elements of a vector, one after the other in memory, each an atomic by itself in no order (8.2.4). */
  readonly more?: readonly { readonly target: string | undefined; readonly value: Operand }[];
}

/** What a fence is limited to (PTX ISA, fence: .op_restrict and .sync_restrict). */
export type FenceRestriction = 'mbarrier_init' | 'shared::cta' | 'shared::cluster';

export interface Fence {
  readonly kind: 'fence';
  readonly order: 'sc' | 'acq_rel' | 'acquire' | 'release';
  readonly scope: Scope;
  readonly restriction: FenceRestriction | undefined;
}

/**
 * `fence.proxy`: bi-directional between a proxy and the generic one, or, with an order, from generic to the proxy (PTX
 * ISA 8.6).
 */
export interface ProxyFence {
  readonly kind: 'proxy-fence';
  readonly proxy: Proxy | 'alias';
  /** Uni-directional forms. */
  readonly order: 'release' | 'acquire' | undefined;
  readonly scope: Scope | undefined;
  /** The state space to which it is limited. */
  readonly space: Exclude<Window, 'generic'> | undefined;
  /** Covers reads only, and what precedes it in its own thread only (`::read`, 9.4). */
  readonly readsOnly: boolean;
  /** The 128 bytes to which the acquire form for descriptors is limited. */
  readonly address: Address | undefined;
}

/** `barrier.cluster.arrive` and `.wait`: all threads of the cluster that have not exited (PTX ISA, barrier.cluster). */
export interface ClusterBarrierOperation {
  readonly kind: 'cluster-barrier';
  readonly action: 'arrive' | 'wait';
  readonly order: 'release' | 'relaxed' | 'acquire';
  /** All threads of the warp that have not exited execute this same instruction. */
  readonly aligned: boolean;
}

/** `tensormap.cp_fenceproxy`: a generic copy of 128 bytes, then a release proxy fence for descriptors. */
export interface TensormapCopy {
  readonly kind: 'tensormap-copy';
  readonly source: Address;
  readonly destination: Address;
  readonly scope: Scope;
}

/**
 * Weak generic accesses to a run of bytes by one instruction, in no order: st.bulk, discard, and what a warp loads and
 * stores together. It is cut where other accesses of the test tell its parts apart.
 */
export interface RegionAccess {
  readonly kind: 'region';
  readonly action: 'read' | 'write';
  readonly address: Address;
  /** How many; it must be known before the test is run. */
  readonly bytes: Operand;
  /** What is written: zeros, something, or something else at each read (PTX ISA, discard). */
  readonly contents: 'zero' | 'open' | 'unstable';
}

/**
 * One instruction of tcgen05 accesses a run of columns in one band of the lanes of tensor memory, in no order of the
 * memory consistency model (PTX ISA 9.7.18.6).
 */
export interface TensorAccess extends TensorUse {
  readonly kind: 'tensor';
  readonly action: 'read' | 'write';
  /** The window is `tensor`. */
  readonly address: Address;
  /** How many; it must be known before the test is run. */
  readonly bytes: Operand;
  /** How many rows the accumulator of a pair of CTAs has, in both. */
  readonly rows?: Operand;
  /** What is stored; undefined: something. */
  readonly value: Operand | undefined;
  /** Takes what is loaded, as one value. */
  readonly target: string | undefined;
}

/**
 * The start of a thread in a grid that is launched after others, or griddepcontrol.wait: grids that are complete then,
 * and grids that it may be launched by before they are (PTX ISA 8.9.4; griddepcontrol).
 */
export interface GridWait {
  readonly kind: 'grid-wait';
  readonly complete: readonly number[];
  readonly launchedBy: readonly number[];
}

/** What a rendezvous of threads, such as a warp collective, computes from a value that each of them gives. */
export type Collective =
  | 'popc'
  | 'and'
  | 'or'
  | 'xor'
  | 'uniform'
  | 'ballot'
  | 'match-any'
  | 'match-all'
  | 'shuffle-up'
  | 'shuffle-down'
  | 'shuffle-bfly'
  | 'shuffle-idx'
  | 'collective'
  | 'add'
  | 'minimum'
  | 'maximum'
  | 'active'
  | 'elect'
  | 'converge';

const NO_EXCHANGES: readonly Collective[] = ['collective', 'active', 'elect', 'converge'];

/** Whether lanes of a warp exchange values: by a vote, a shuffle, a match or a reduction. */
export const isExchange = (reduction: BarrierOperation['reduction']): boolean =>
  reduction !== undefined && !NO_EXCHANGES.includes(reduction.operation);

/**
 * `bar`/`barrier{.cta}` (PTX ISA, bar), `bar.warp.sync`, and, at level `lanes`, the warp instructions, which order no
 * memory.
 */
export interface BarrierOperation {
  readonly kind: 'barrier';
  readonly action: 'sync' | 'arrive' | 'red';
  /** Which threads can meet here. */
  readonly level: 'cta' | 'warp' | 'lanes';
  /** The barrier's number, 0 to 15; for a warp the mask of lanes. */
  readonly id: Operand;
  /**
   * The number of participating threads, 32 for each warp of the test; undefined: all of the CTA that have not exited.
   */
  readonly count: Operand | undefined;
  /** Of the Dat3M dialect: only instructions of one instance meet, and all threads of the CTA that have one must. */
  readonly instance?: bigint;
  /** Of the Dat3M dialect: its number is a name, of which there are more than a CTA has barriers. */
  readonly named?: true;
  /** All threads of the warp that have not exited execute this same instruction. */
  readonly aligned: boolean;
  readonly reduction?: {
    readonly operation: Collective;
    readonly target: string;
    readonly value: Operand;
    /** Of the value given, in bits; its sign counts for minimum and maximum. */
    readonly width: number;
    readonly signed: boolean;
    readonly resultWidth: number;
    /** Lanes that take part and that the test does not show, with what they give. */
    readonly represented?: readonly { readonly lane: number; readonly value: Operand }[];
  };
}

/** An operation that computes a register from registers, without an event. */
export const isComputation = (operation: Operation): operation is Extract<Operation, { kind: 'compute' | 'open' }> =>
  operation.kind === 'compute' || operation.kind === 'open';

export interface Guard {
  readonly register: string;
  readonly negated: boolean;
}

/** A statement of a thread: an operation under an optional guard. */
export interface ProgramStatement {
  readonly operation: Operation;
  readonly guard: Guard | undefined;
  /** The place and text to show for it. */
  readonly span: Span;
}
