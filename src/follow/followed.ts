import type { Span } from '../diagnostics/source.js';
import type { MemoryImage } from './memory-image.js';
import type { Registers } from './registers.js';
import type { Trace } from './trace.js';
import type { NotFollowed } from './turn.js';

/** What a followed run comes to. */
export interface Followed {
  readonly trace: Trace;
  readonly image: MemoryImage;
  /** The registers of a thread at its end. */
  readonly register: Registers;
  /** By launch: the first instructions of lines that none of its threads comes to. */
  readonly unreached: readonly (readonly Span[])[];
  /** Why it was not followed to its end. */
  readonly stopped: NotFollowed | undefined;
  /** Statements that warps have executed. */
  readonly steps: number;
  /** Ways have ended although registers that differ there say what is accessed behind them. */
  readonly areWaysCut: boolean;
}
