import type { EventUniverse } from '../../execution/candidate-execution.js';
import { interpretThread } from '../../semantics/interpret.js';
import type { EventRun, ThreadRun } from '../../semantics/value-domain.js';
import type { BitDomain, Bits } from '../formula/bits.js';
import { FALSE, type Formula, TRUE } from '../formula/formula.js';
import type { ChosenValues } from './chosen-values.js';

/** What the threads do by themselves, in terms of the values that an execution chooses for them. */
export interface ThreadEncoding {
  readonly threads: readonly ThreadRun<Bits, Formula>[];
  /** By event; undefined for initial writes. */
  readonly runs: readonly (EventRun<Bits, Formula> | undefined)[];
  /** By event, whether it is executed. */
  readonly executed: readonly Formula[];
  /** The thread runs to its end. */
  endedOf(thread: number): Formula;
}

/** Executes the threads over formulas: their events, values and addresses, and how they end. */
export function encodeThreads(
  bits: BitDomain,
  { structure, events }: EventUniverse,
  chosen: ChosenValues,
): ThreadEncoding {
  const interpret = (index: number): ThreadRun<Bits, Formula> =>
    interpretThread<Bits, Formula>(structure, index, bits, chosen);
  const threads = structure.threads.map((_, index) => {
    const run = interpret(index);
    // What ends a waiting loop is known beforehand: then nothing that follows depends on it.
    return chosen.settle(run.assumed) ? interpret(index) : run;
  });
  const runs: EventRun<Bits, Formula>[] = [];
  for (const thread of threads) for (const run of thread.events) runs[run.event.id] = run;
  const executed = events.map(({ id, thread }) => (thread === undefined ? TRUE : (runs[id]?.executed ?? FALSE)));
  return {
    threads,
    runs,
    executed,
    endedOf: (thread) => threads[thread]?.ended ?? FALSE,
  };
}
