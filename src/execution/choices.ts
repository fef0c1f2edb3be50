import type { Relation } from '../relation/relation.js';
import type { BarrierPhase } from './barrier-phases.js';
import type { FinalWrite, ThreadEnd } from './candidate-execution.js';
import type { MbarrierChoice } from './mbarrier-histories.js';

/** What determines an execution: the choices that an engine makes, and nothing that follows from them. */
export interface Choices {
  /** The value that each executed read takes. */
  readonly readValues: ReadonlyMap<number, bigint>;
  readonly barrierResults: ReadonlyMap<number, bigint>;
  /** The states that arrivals return, and what waits answer. */
  readonly mbarrierResults: ReadonlyMap<number, bigint>;
  readonly unspecified: ReadonlyMap<number, bigint>;
  /** By step, where its operands do not settle its value. */
  readonly open: ReadonlyMap<string, bigint>;
  readonly mbarriers: readonly MbarrierChoice[];
  /** How the threads stop. */
  readonly ends: readonly ThreadEnd[];
  /** For each run of bytes that a read takes from one write. */
  readonly sources: readonly {
    readonly write: number;
    readonly read: number;
    readonly objectId: number;
    readonly offset: number;
    readonly bytes: number;
  }[];
  readonly coherence: Relation;
  readonly fenceSc: Relation;
  /** Which barrier instructions met, of CTA and warp barriers together. */
  readonly barrierPhases: readonly BarrierPhase[];
  /** Of each CTA with a trigger for dependent grids, the first one. */
  readonly firstTriggers: readonly number[];
  /** For observed bytes, the write whose value is left at the end. */
  readonly finals: readonly FinalWrite[];
  /** Initial bytes that the test leaves unknown. */
  readonly initialByte: (objectId: number, offset: number) => number;
}
