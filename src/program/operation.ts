import type { Span } from '../diagnostics/source.js';
import type { DataType } from './data-type.js';
import type { Scope } from './placement.js';

/** Memory orders of a single access; `volatile` and `mmio` are relaxed at system scope with a tag of their own. */
export type Order = 'weak' | 'relaxed' | 'acquire' | 'release' | 'acq_rel';

/** The ways of access (PTX ISA 8.6): the generic proxy and the legacy ones of the 7.5 model. */
export type Proxy = 'generic' | 'texture' | 'surface' | 'constant';

export interface AccessQualifiers {
  readonly order: Order;
  /** Undefined exactly for weak accesses. */
  readonly scope: Scope | undefined;
  readonly proxy: Proxy;
  readonly volatile: boolean;
  readonly mmio: boolean;
}

export type Operand = { readonly kind: 'register'; readonly name: string } | { readonly kind: 'constant'; readonly value: bigint };

export interface Address {
  readonly base: Operand;
  readonly offset: bigint;
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
] as const;
export type ArithmeticName = (typeof ARITHMETIC_NAMES)[number];

/** What one PTX instruction does. Everything that a memory model needs to know is in here; nothing of its syntax is. */
export type Operation =
  | { readonly kind: 'compute'; readonly target: string; readonly type: DataType; readonly arithmetic: Arithmetic; readonly operands: readonly Operand[] }
  | Load
  | Store
  | Atomic
  | { readonly kind: 'fence'; readonly order: 'sc' | 'acq_rel' | 'acquire' | 'release'; readonly scope: Scope }
  | { readonly kind: 'proxy-fence'; readonly proxy: Proxy | 'alias' }
  | BarrierOperation
  | { readonly kind: 'branch'; readonly label: string }
  | { readonly kind: 'exit' };

/** One scalar read for each target, in unspecified order (PTX ISA 8.2.4); an undefined target discards the value. */
export interface Load extends AccessQualifiers {
  readonly kind: 'load';
  readonly type: DataType;
  readonly targets: readonly (string | undefined)[];
  readonly address: Address;
}

export interface Store extends AccessQualifiers {
  readonly kind: 'store';
  readonly type: DataType;
  readonly values: readonly Operand[];
  readonly address: Address;
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
}

/** `bar`/`barrier{.cta}` (PTX ISA, bar) and `bar.warp.sync`. */
export interface BarrierOperation {
  readonly kind: 'barrier';
  readonly action: 'sync' | 'arrive' | 'red';
  /** Which threads can meet here. */
  readonly level: 'cta' | 'warp';
  /** The barrier's number, 0 to 15; for a warp the mask of lanes. */
  readonly id: Operand;
  /** The number of participating threads, 32 for each thread of the test; undefined: the whole CTA. */
  readonly count: Operand | undefined;
  readonly reduction?: { readonly operation: 'popc' | 'and' | 'or'; readonly target: string; readonly predicate: Operand; readonly negated: boolean };
}

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
