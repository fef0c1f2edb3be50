import type { ProgramEvent } from '../program/events.js';
import { scopeIncludes } from '../program/placement.js';
import type { ThreadRun } from '../program/value-domain.js';
import type { Bits } from './bits.js';
import type { MbarrierEncoding } from './encode-mbarriers.js';
import type { MemoryEncoding } from './encode-memory.js';
import type { EncodingContext } from './encoding-context.js';
import { type Formula, not, TRUE } from './formula.js';

/**
 * A deadlock, where all threads have stopped: some thread never ends, though nobody else can do anything more. It is kept by a barrier, or goes round a
 * waiting loop whose reads no longer change: waits on an mbarrier look when all operations on it are done, and a strong
 * read finds a last one among the writes of the threads in its scope (PTX ISA 8.6.1 promises as much of strong
 * operations). A weak read may find an old value for ever.
 */
export function encodeDeadlock(context: EncodingContext, threads: readonly ThreadRun<Bits, Formula>[], memory: MemoryEncoding, mbarriers: MbarrierEncoding): Formula {
  const { builder } = context;
  const { structure } = context.universe;
  const fair = threads.flatMap((thread, index) =>
    thread.spins.map((spins, i) => {
      const round = structure.threads[index]?.spins[i]?.round ?? [];
      const events = round.flatMap((node) => structure.eventsOf(index, node));
      return builder.implies(spins, builder.all(events.map((event) => builder.implies(context.executed(event.id), upToDate(context, event, memory, mbarriers)))));
    }),
  );
  const someWaits = not(builder.all(threads.map((thread) => thread.ended)));
  return builder.all([...fair, someWaits]);
}

/** What an event of the last round finds is not going to change. */
function upToDate(context: EncodingContext, event: ProgramEvent, memory: MemoryEncoding, mbarriers: MbarrierEncoding): Formula {
  const { builder } = context;
  if (event.mbarrier?.step === 'wait') return mbarriers.looksLast(event.id);
  if (event.kind !== 'read' || event.scope === undefined || event.placement === undefined) return TRUE;
  const { scope, placement } = event;
  const visible = memory.fromReadsPairs.filter(([read, write]) => {
    const writer = context.universe.events[write]?.placement;
    return read === event.id && writer !== undefined && write !== event.partner && scopeIncludes(scope, placement, writer);
  });
  return builder.all(visible.map(([read, write]) => not(memory.fromReads(read, write))));
}
