import type { Address, Operand } from './operation.js';
import type { Scope } from './placement.js';

/** `mbarrier.*` and `cp.async.mbarrier.arrive` (PTX ISA, mbarrier). Counts are 32-bit operands. */
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
   * Arrive-on when all earlier cp.async of the thread are complete; `increment`: the pending count grows by 1 at once.
   */
  | {
      readonly kind: 'mbarrier';
      readonly action: 'async_arrive';
      readonly object: Address;
      readonly increment: boolean;
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

/** The words of the report for accesses to objects that are in use all the time (PTX ISA, mbarrier: lifecycle). */
export const LIVE_OBJECT_RULE = 'an access other than by mbarrier operations to an mbarrier object that is in use';

/** The ways in which an operation on the object can be undefined (PTX ISA, mbarrier), with the words of the report. */
export const MBARRIER_RULES = {
  uninitialized:
    'mbarrier operation on an object that is not initialized, or whose mbarrier.init is not ordered before the ' +
    'operation',
  live: 'mbarrier.init of an object that is in use: mbarrier.inval comes first',
  overrun: 'more arrivals in one phase of an mbarrier than its pending count',
  count: 'mbarrier count out of range (1 to 1048575)',
  bytes: 'tx-count of an mbarrier out of range (-1048575 to 1048575)',
  dropped: 'mbarrier.arrive_drop lowers the expected count to 0',
  noComplete: 'mbarrier operation with .noComplete completes the phase',
  unawaited: 'arrival in a phase of an mbarrier before any wait has returned True for the phase before it',
  token: 'mbarrier wait with a state that is not of the current or the immediately preceding phase of this object',
  parity: 'mbarrier wait with a phase parity other than 0 or 1',
  noToken: 'mbarrier.pending_count of a state that no .noComplete operation returned',
} as const;
export type MbarrierRule = keyof typeof MBARRIER_RULES;

/** How a token is laid out here; its contents are implementation-specific (PTX ISA, mbarrier.arrive). */
export const TOKEN = { width: 64, pendingWidth: 20, noComplete: 20, object: 24, phase: 32 } as const;
