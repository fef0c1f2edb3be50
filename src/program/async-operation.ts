import type { DataType } from './data-type.js';
import type { FloatFunction } from './float-function.js';
import type { AccessQualifiers, Address, AtomicOperation, Operand } from './operation.js';
import type { UndefinedRule } from './undefined-rules.js';

/** The size of a tensor descriptor (PTX ISA, tensormap.replace), and of the answer to try_cancel. */
export const DESCRIPTOR_BYTES = 128;
export const RESPONSE_BYTES = 16;

/**
 * An asynchronous operation (PTX ISA 8.9.1.1): cp.async, cp.async.bulk, cp.reduce.async.bulk, the tensor forms,
 * st.async, red.async, clusterlaunchcontrol.try_cancel. Its accesses come after the issuing instruction and are not in
 * program order.
 */
export interface AsyncOperation extends AccessQualifiers {
  readonly kind: 'async';
  readonly source: AsyncSource;
  /** Undefined: it only reads memory. */
  readonly destination: Address | undefined;
  /** The operation and type of a reduction; undefined: a plain write. */
  readonly reduction:
    | {
        readonly operation: AtomicOperation;
        readonly type: DataType;
        /** What makes the new value of an old one, where these are floating-point numbers. */
        readonly function?: FloatFunction;
      }
    | undefined;
  readonly completion: Completion;
  /** The ranks of the CTAs of the cluster that get a copy each, as bits; their mbarriers are at the same offset. */
  readonly multicast: Operand | undefined;
  readonly tile: Tile | undefined;
  readonly rules: readonly PlaceRule[];
}

/** A tensor's tile: the descriptor holds the address that is the source or the destination. */
export interface Tile {
  readonly descriptor: Address;
  /** In bytes, from where the tensor begins. */
  readonly coordinate: Operand;
  readonly side: 'source' | 'destination';
  /** Of a tensor with a shape, in elements, innermost first: it is still to be cut into runs of bytes. */
  readonly coordinates?: readonly Operand[];
  /** The coordinates are a column and four rows (tile::gather4, tile::scatter4). */
  readonly isOfRows?: true;
}

export type AsyncSource =
  /**
   * `given`: how many of the bytes are read, the others being 0 (src-size); `ignored`: whether none are (ignore-src).
   */
  | {
      readonly kind: 'memory';
      readonly address: Address;
      readonly bytes: Operand;
      readonly given: Operand | undefined;
      readonly ignored: Operand | undefined;
      /**
       * A matrix that a descriptor describes; as an event it is so many bytes from where it begins, unless its strides
       * are known.
       */
      readonly matrix?: MatrixOperands;
    }
  | { readonly kind: 'values'; readonly values: readonly Operand[]; readonly type: DataType }
  /** Of try_cancel: whether the launch was canceled, and the id of a CTA. */
  | { readonly kind: 'response' };

/** A matrix as an instruction takes it: a descriptor, and what its shape is made of (`program/matrix-layout.ts`). */
export interface MatrixOperands {
  readonly descriptor: Operand;
  readonly extent: Operand;
  readonly depth: number;
  readonly bits: number;
  /** 1 where it is. */
  readonly isTransposed: Operand;
}

/** Kinds of async-groups, which each thread commits and waits for apart. */
export type GroupFamily =
  | ('cp.async' | 'bulk' | 'wgmma')
  /** tcgen05.wait::ld and ::st wait for all loads and stores of the thread, tcgen05.commit for those of a CTA group. */
  | ('tcgen05.ld' | 'tcgen05.st' | 'tcgen05.cta_group::1' | 'tcgen05.cta_group::2');

export type Completion =
  | { readonly kind: 'group'; readonly family: GroupFamily }
  /** complete-tx on that object when done. */
  /** `times`: so many copies, of the threads of a launch that one stands for, are taken as one; 1 if not given. */
  /** `inPair`: of a multicast it is told in the CTA of the pair of each destination that the address says. */
  | { readonly kind: 'mbarrier'; readonly object: Address; readonly times?: number; readonly inPair?: true }
  | { readonly kind: 'none' };

/** Where destination and mbarrier must be, else the behavior is undefined. */
export type PlaceRule = Extract<
  UndefinedRule,
  | 'destination-in-other-cta'
  | 'mbarrier-with-destination'
  | 'mbarrier-in-pair'
  | 'cluster-of-several-ctas'
  | 'bulk-alignment'
  | 'tile-alignment'
>;

/** Commit and wait of async-groups. */
export type GroupOperation =
  | { readonly kind: 'group'; readonly action: 'commit'; readonly family: GroupFamily }
  /**
   * `pending`: so many of the newest groups need not be complete; undefined: every copy must be. `readsOnly`: their
   * sources read suffices.
   */
  | {
      readonly kind: 'group';
      readonly action: 'wait';
      readonly family: GroupFamily;
      readonly pending: number | undefined;
      readonly readsOnly: boolean;
    };
