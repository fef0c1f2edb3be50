import type { GroupFamily } from './async-operation.js';
import type { Address, Operand } from './operation.js';
import type { Scope } from './placement.js';
import type { UndefinedRule } from './undefined-rules.js';

/** `mbarrier.*`, `cp.async.mbarrier.arrive` and `tcgen05.commit` (PTX ISA, mbarrier). Counts are 32-bit operands. */
export type MbarrierOperation =
  | { readonly kind: 'mbarrier'; readonly action: 'init'; readonly object: Address; readonly count: Operand }
  | { readonly kind: 'mbarrier'; readonly action: 'inval'; readonly object: Address }
  | (MbarrierSemantics & {
      readonly action: 'expect_tx' | 'complete_tx';
      readonly object: Address;
      readonly bytes: Operand;
    })
  | MbarrierArrive
  | MbarrierWait
  /**
   * Arrive-on when all earlier operations of a family by the thread are complete: of cp.async.mbarrier.arrive and
   * tcgen05.commit. `increment`: the pending count grows by 1 at once.
   */
  | {
      readonly kind: 'mbarrier';
      readonly action: 'async_arrive';
      readonly family: GroupFamily;
      readonly object: Address;
      readonly increment: boolean;
      /** How many arrivals it makes: of the threads of a launch that one stands for. 1 if not given. */
      readonly arrivals?: number;
    };

interface MbarrierSemantics {
  readonly kind: 'mbarrier';
  readonly order: 'release' | 'acquire' | 'relaxed';
  readonly scope: Scope;
}

export interface MbarrierArrive extends MbarrierSemantics {
  readonly action: 'arrive';
  readonly object: Address;
  readonly count: Operand;
  /** expect-tx, before the arrive-on. */
  readonly expect: Operand | undefined;
  /** arrive_drop: the expected count shrinks as well. */
  readonly drop: boolean;
  readonly noComplete: boolean;
  /** Takes the token. */
  readonly target: string | undefined;
}

export interface MbarrierWait extends MbarrierSemantics {
  readonly action: 'wait';
  readonly object: Address;
  readonly target: string;
  readonly test: { readonly kind: 'token' | 'parity'; readonly operand: Operand };
}

/** The ways in which an operation on the object can be undefined (PTX ISA, mbarrier). */
export type MbarrierRule = Extract<UndefinedRule, `mbarrier-${string}`>;

/** An object's size (PTX ISA, mbarrier: .b64, aligned to 8 bytes). */
export const MBARRIER_BYTES = 8;

/** How a token is laid out here; its contents are implementation-specific (PTX ISA, mbarrier.arrive). */
export const TOKEN = { width: 64, pendingWidth: 20, noComplete: 20, object: 24, phase: 32 } as const;
