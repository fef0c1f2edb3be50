import type { ProgramEvent } from '../../events/program-event.js';
import { mustComeToSee } from '../../execution/progress.js';
import { liveAmong, promisedTo, promisesIn } from '../../program/forward-progress.js';
import type { ThreadRun } from '../../semantics/value-domain.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import type { ChosenValues } from './chosen-values.js';
import type { MemoryEncoding } from './encode-memory.js';
import type { EncodingContext } from './encoding-context.js';
import type { MbarrierEncoding } from './mbarrier-places.js';

/** Executions in which all threads have stopped, and some of them never end. */
export interface DeadlockEncoding {
  readonly deadlock: Formula;
  /** The same, if no read ever had to come to see a write. */
  readonly withoutProgress: Formula;
}

/** What decides whether a thread goes on. */
export interface Surrounding {
  readonly memory: MemoryEncoding;
  readonly mbarriers: MbarrierEncoding;
  readonly chosen: ChosenValues;
}

/**
 * A deadlock, where all threads have stopped: some thread never ends, though nobody else can do anything more. It is
 * kept by a barrier, or goes round a waiting loop whose reads no longer change: waits on an mbarrier look when all
 * operations on it are done, and a read finds nothing older than the writes that it must come to see (see progress.ts).
 */
export function encodeDeadlock(
  context: EncodingContext,
  threads: readonly ThreadRun<Bits, Formula>[],
  { memory, mbarriers, chosen }: Surrounding,
): DeadlockEncoding {
  const { builder } = context;
  const { structure } = context.universe;
  const rounds = threads.flatMap((thread, index) =>
    thread.spins.map((spins, i) => ({
      spins,
      events: (structure.threads[index]?.spins[i]?.round ?? []).flatMap((node) => structure.eventsOf(index, node)),
    })),
  );
  const inRounds = (upToDate: (event: ProgramEvent) => Formula): Formula =>
    builder.all(
      rounds.map(({ spins, events }) =>
        builder.implies(
          spins,
          builder.all(events.map((event) => builder.implies(context.executed(event.id), upToDate(event)))),
        ),
      ),
    );
  /** Whoever writes in a round that is repeated for ever writes what is there: others find nothing new in it. */
  const isRepeated = (write: number): Formula =>
    builder.any(rounds.flatMap(({ spins, events }) => (events.some(({ id }) => id === write) ? [spins] : [])));
  const looksLast = (event: ProgramEvent): Formula =>
    event.mbarrier?.step === 'wait' ? mbarriers.looksLast(event.id) : TRUE;
  const trapped = builder.any(threads.map((thread) => thread.trapped));
  const someWaits = builder.and(
    not(builder.all(threads.map((thread) => thread.ended))),
    not(trapped),
    mayHalt(context, threads, chosen),
  );
  return {
    deadlock: builder.and(
      inRounds((event) => builder.and(looksLast(event), seesLast(context, event, memory, isRepeated))),
      someWaits,
    ),
    withoutProgress: builder.and(inRounds(looksLast), someWaits),
  };
}

/**
 * Who stops for good is not promised to go on; and as long as threads can, some thread goes on: another one goes round
 * for ever.
 */
function mayHalt(
  { builder, universe: { structure } }: EncodingContext,
  threads: readonly ThreadRun<Bits, Formula>[],
  chosen: ChosenValues,
): Formula {
  if (structure.halts === undefined) return TRUE;
  const truths = {
    yes: TRUE,
    no: FALSE,
    and: (a: Formula, b: Formula) => builder.and(a, b),
    or: (a: Formula, b: Formula) => builder.or(a, b),
  };
  const promises = promisesIn(structure.program);
  const promised = promisedTo(
    promises,
    threads.length,
    truths,
    (thread) => not(chosen.halts(thread, 0)),
    (thread) => threads[thread]?.ended ?? FALSE,
  );
  const of = (own: readonly number[], what: (thread: ThreadRun<Bits, Formula>) => readonly Formula[]): Formula =>
    builder.any(own.flatMap((one) => threads[one] ?? []).flatMap(what));
  return builder.and(
    builder.all(threads.map((thread, i) => builder.implies(thread.halted, not(promised[i] ?? TRUE)))),
    ...liveAmong(promises, threads.length).map((own) =>
      builder.implies(
        of(own, ({ halted }) => [halted]),
        of(own, ({ spins }) => spins),
      ),
    ),
  );
}

/** What a read of the last round finds is not going to change. */
function seesLast(
  context: EncodingContext,
  read: ProgramEvent,
  memory: MemoryEncoding,
  isRepeated: (write: number) => Formula,
): Formula {
  const { builder, universe } = context;
  if (read.kind !== 'read') return TRUE;
  const oneAddress = (write: number): boolean => {
    const bases = (event: number): readonly bigint[] => context.targetsOf(event).map(({ range }) => range.base);
    return bases(write).some((base) => bases(read.id).includes(base));
  };
  const awaited = memory.fromReads.pairs.filter(([reader, write]) => {
    const event = universe.events[write];
    return (
      reader === read.id &&
      event !== undefined &&
      write !== read.partner &&
      mustComeToSee(event, read, oneAddress(write))
    );
  });
  return builder.all(
    awaited.map(([reader, write]) => builder.or(not(memory.fromReads.at(reader, write)), isRepeated(write))),
  );
}
