import type { ProgramEvent } from '../../events/program-event.js';
import type { InitialWrite } from '../../execution/candidate-execution.js';
import { type Cell, initialBytes } from '../../semantics/cells.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, TRUE } from '../formula/formula.js';
import { remembered } from '../formula/remembered.js';
import type { EncodingContext } from './encoding-context.js';

/** How a possible access covers a cell: where in the value the cell's bytes are. */
export interface CellAccess {
  readonly event: ProgramEvent;
  readonly condition: Formula;
  /** In bytes, within the access. */
  readonly start: number;
}

/** The reads and writes that may cover each cell, and what the cells hold at first. */
export interface CellAccesses {
  readsOf(cell: Cell): readonly CellAccess[];
  writesOf(cell: Cell): readonly CellAccess[];
  initialOf(cell: Cell): InitialWrite;
  /** What the initial write of a cell leaves; bits that the test does not give are variables. */
  initialBits(cell: Cell): Bits;
  /** The same, of one byte of an object; nothing where no formula speaks of its cell. */
  initialByte(objectId: number, offset: number): Bits;
  /** The bits of a cell within the value of an access. */
  part(access: CellAccess, cell: Cell): Bits;
}

export function findCellAccesses(context: EncodingContext): CellAccesses {
  const { builder, cells, universe } = context;
  const writes = new Map<number, readonly CellAccess[]>();
  const reads = new Map<number, readonly CellAccess[]>();
  const accessing = { write: accessesTo(context, 'write'), read: accessesTo(context, 'read') };
  for (const cell of cells) {
    builder.checkBudget();
    writes.set(cell.id, accessing.write(cell));
    reads.set(cell.id, accessing.read(cell));
  }
  const initial = new Map<number, Bits>();
  const bitsOf = (cell: Cell): Bits => {
    const bits: Formula[] = [];
    for (const [i, byte] of initialBytes(cell.object, cell.offset, cell.bytes).entries())
      for (let bit = 0; bit < 8; bit++)
        bits.push(
          byte === undefined
            ? builder.variable(`init(${cell.object.name}+${cell.offset + i})`, bit)
            : ((byte >> bit) & 1) === 1
              ? TRUE
              : FALSE,
        );
    return bits;
  };
  // Bytes are asked for one behind the other.
  let last: Cell | undefined;
  const cellAt = (objectId: number, offset: number): Cell | undefined => {
    const covers = (one: Cell): boolean =>
      one.object.id === objectId && offset >= one.offset && offset < one.offset + one.bytes;
    if (last === undefined || !covers(last)) last = cells.find(covers);
    return last;
  };
  const initialBits = (cell: Cell): Bits => remembered(initial, cell.id, () => bitsOf(cell));
  return {
    readsOf: (cell) => reads.get(cell.id) ?? [],
    writesOf: (cell) => writes.get(cell.id) ?? [],
    initialOf: (cell) => {
      const write = universe.initialWrites[cell.id];
      if (write === undefined) throw new Error('a cell without its initial write');
      return write;
    },
    initialBits,
    initialByte: (objectId, offset) => {
      const cell = cellAt(objectId, offset);
      const start = (offset - (cell?.offset ?? 0)) * 8;
      return initial.get(cell?.id ?? -1)?.slice(start, start + 8) ?? [];
    },
    part: ({ event, start }, cell) => context.value(event.id).slice(start * 8, (start + cell.bytes) * 8),
  };
}

function accessesTo(context: EncodingContext, kind: 'read' | 'write'): (cell: Cell) => readonly CellAccess[] {
  const events = context.universe.structure.events.filter(
    (event) => event.kind === kind && context.executed(event.id) !== FALSE,
  );
  return (cell) =>
    events
      .flatMap((event) =>
        context
          .targetsMeeting(event.id, cell)
          .filter(({ offset, bytes }) => cell.offset >= offset && cell.offset + cell.bytes <= offset + bytes)
          .map((target) => ({
            event,
            condition: context.accesses(event.id, target),
            start: cell.offset - target.offset,
          })),
      )
      .filter(({ condition }) => condition !== FALSE);
}
