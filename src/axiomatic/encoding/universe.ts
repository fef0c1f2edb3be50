import type { EventStructure } from '../../events/events.js';
import type { InitialWriteEvent } from '../../events/program-event.js';
import type { EventUniverse } from '../../execution/candidate-execution.js';
import type { Cell } from '../../semantics/cells.js';

/** The events of the threads, and after them the initial write of each cell. */
export function universeOf(structure: EventStructure, cells: readonly Cell[]): EventUniverse {
  const initialWrites = cells.map((cell) => {
    const { id, object, offset, bytes } = cell;
    return { event: initialWriteEvent(structure.events.length + id, cell), object, offset, bytes };
  });
  return { structure, initialWrites, events: [...structure.events, ...initialWrites.map(({ event }) => event)] };
}

function initialWriteEvent(id: number, { bytes, object }: Cell): InitialWriteEvent {
  const type = { kind: 'b', width: bytes * 8 } as const;
  const access = {
    type,
    window: 'generic',
    alignment: 1,
    scope: undefined,
    partner: undefined,
    chunk: undefined,
  } as const;
  const tags: InitialWriteEvent['tags'] = new Set([
    ...(['W', 'IW', 'WEAK', 'GEN'] as const),
    ...(object.isUninitialized === true ? (['UNINIT'] as const) : []),
  ]);
  return { id, kind: 'write', node: -1, tags, span: undefined, ...access };
}
