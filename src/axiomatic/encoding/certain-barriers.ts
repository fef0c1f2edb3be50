import { type BarrierGroup, type BarrierGroups, warpsIn } from '../../events/barrier-groups.js';
import type { EventStructure } from '../../events/events.js';
import type { ProgramEvent } from '../../events/program-event.js';
import { canBlock } from '../../semantics/interpret.js';

const TURNS: ReadonlySet<string> = new Set(['branch', 'exit', 'trap']);

/**
 * The barriers that keep no thread for ever: every thread that they wait for comes there without a branch before, and
 * past nothing but such barriers.
 */
export function certainBarriers(structure: EventStructure, { groups }: BarrierGroups): ReadonlySet<number> {
  const groupOf = new Map(groups.flatMap((group) => group.events.map(({ id }) => [id, group] as const)));
  const ahead = structure.threads.map((_, thread) => straightAhead(structure, thread));
  const certain = new Set<number>();
  const next = (thread: number): ProgramEvent | undefined => ahead[thread]?.[0];
  const meets = (group: BarrierGroup): boolean =>
    waitsForAll(group) &&
    // An arrival that waits for nobody may be the one of that phase.
    group.events.every(({ barrier }) => barrier?.action !== 'arrive') &&
    group.parties.every(({ threads }) =>
      threads.every((thread) => {
        const event = next(thread);
        return event !== undefined && groupOf.get(event.id) === group;
      }),
    );
  for (;;) {
    const met = groups.find(meets);
    if (met === undefined) return certain;
    for (const { threads } of met.parties)
      for (const thread of threads) {
        const event = ahead[thread]?.shift();
        if (event !== undefined) certain.add(event.id);
      }
  }
}

/** Where all parties are needed each time. */
export function waitsForAll({ parties, events, needs }: BarrierGroup): boolean {
  const all = warpsIn(parties);
  return !parties.some(({ isCut }) => isCut) && events.every(({ id }) => (needs.get(id) ?? all) === all);
}

/** What may keep a thread before its first branch. */
function straightAhead(structure: EventStructure, thread: number): ProgramEvent[] {
  const { nodes = [] } = structure.threads[thread] ?? {};
  const found: ProgramEvent[] = [];
  for (const { id, statement } of nodes) {
    if (TURNS.has(statement.operation.kind)) break;
    const waiting = structure.eventsOf(thread, id).filter(canBlock);
    if (waiting.length > 1 || (waiting.length > 0 && statement.guard !== undefined)) break;
    found.push(...waiting);
  }
  return found;
}
