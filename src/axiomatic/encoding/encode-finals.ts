import type { ExecutionEvent } from '../../events/program-event.js';
import type { Observable } from '../../program/program.js';
import type { Cell } from '../../semantics/cells.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import type { CellAccess } from './cell-accesses.js';
import type { MemoryEncoding } from './encode-memory.js';
import type { EncodingContext } from './encoding-context.js';

/** The final value of a cell comes from that write. */
interface Final {
  readonly cell: Cell;
  readonly write: number;
  readonly formula: Formula;
}

/** What memory holds when all threads are at their end. */
export interface FinalsEncoding {
  readonly finals: readonly Final[];
  /** The bytes of an observed cell. */
  bitsOf(cell: Cell): Bits;
  /** Of two writes of the same bytes one is last in all of them; TRUE where there is nothing to tear. */
  readonly areWhole: Formula;
  /** The end of the grid completes what no wait tells of; TRUE where that makes no difference. */
  readonly gridEndCompletes: Formula;
}

/**
 * Encodes the final values of all memory that a test observes: each that of any coherence-maximal write
 * (docs/decisions/final-memory.md); what is in flight is completed by the end of the grid (docs/decisions/grid-end.md).
 * `isTold`: some wait tells that an asynchronous access is complete.
 */
export function encodeFinals(
  context: EncodingContext,
  memory: MemoryEncoding,
  isTold: (event: number) => Formula,
  observed: readonly Observable[],
): FinalsEncoding {
  const { builder } = context;
  let gridEndCompletes: Formula = TRUE;
  const isComplete = (event: ExecutionEvent): Formula => {
    if (!event.tags.has('ASY')) return TRUE;
    const told = isTold(event.id);
    if (told !== TRUE && gridEndCompletes === TRUE) gridEndCompletes = builder.variable('grid end completes');
    return builder.or(told, gridEndCompletes);
  };
  const finals: Final[] = [];
  const bits = new Map<Cell, Bits>();
  for (const observable of observed) {
    for (const cell of cellsOf(context, observable)) {
      if (bits.has(cell)) continue;
      const choices = encodeFinal(context, memory, cell, isComplete);
      finals.push(...choices.map(({ write, formula }) => ({ cell, write, formula })));
      bits.set(
        cell,
        Array.from({ length: cell.bytes * 8 }, (_, bit) =>
          builder.any(choices.map(({ formula, left }) => builder.and(formula, left[bit] ?? FALSE))),
        ),
      );
    }
  }
  return {
    finals,
    bitsOf: (cell) => {
      const known = bits.get(cell);
      if (known === undefined) throw new Error(`the final value of ${cell.object.name} is not observed`);
      return known;
    },
    areWhole: encodeWhole(context, memory, finals),
    gridEndCompletes,
  };
}

/** The cells of an observed place, in the order of their addresses. */
export function cellsOf({ cells }: Pick<EncodingContext, 'cells'>, observable: Observable): readonly Cell[] {
  if (observable.kind === 'register') return [];
  const end = observable.offset + observable.type.width / 8;
  return cells.filter(
    ({ object, offset, bytes }) => object === observable.object && offset >= observable.offset && offset + bytes <= end,
  );
}

/** The writes that may be last to a cell, with what each leaves there; exactly one of them is chosen. */
function encodeFinal(
  context: EncodingContext,
  { accesses, coherence }: MemoryEncoding,
  cell: Cell,
  isComplete: (event: ExecutionEvent) => Formula,
): readonly { readonly write: number; readonly formula: Formula; readonly left: Bits }[] {
  const { builder } = context;
  const candidates = [
    { event: accesses.initialOf(cell).event, condition: TRUE, left: accesses.initialBits(cell) },
    ...accesses
      .writesOf(cell)
      .map((access) => ({ event: access.event, condition: access.condition, left: accesses.part(access, cell) })),
  ];
  const possible = candidates
    .map((candidate) => {
      const later = candidates.map((other) =>
        other.event === candidate.event
          ? FALSE
          : builder.and(coherence.at(candidate.event.id, other.event.id), other.condition, isComplete(other.event)),
      );
      return { ...candidate, isMaximal: builder.and(candidate.condition, not(builder.any(later))) };
    })
    .filter(({ isMaximal }) => isMaximal !== FALSE);
  const choices = possible.map(({ event, isMaximal, left }) => {
    if (possible.length === 1) return { write: event.id, formula: isMaximal, left };
    const formula = builder.variable(`final(${event.id},${cell.object.name}+${cell.offset})`);
    context.assert(builder.implies(formula, isMaximal));
    return { write: event.id, formula, left };
  });
  context.assert(builder.exactlyOne(choices.map(({ formula }) => formula)));
  return choices;
}

function encodeWhole({ builder }: EncodingContext, { accesses }: MemoryEncoding, finals: readonly Final[]): Formula {
  const covering = (write: number, cell: Cell): readonly CellAccess[] =>
    accesses.writesOf(cell).filter(({ event }) => event.id === write);
  /** Two writes go to the same bytes, and a cell is among them. */
  const writeSameBytes = (a: number, b: number, cell: Cell): Formula =>
    builder.any(
      covering(a, cell).flatMap((x) =>
        covering(b, cell)
          .filter((y) => x.start === y.start && x.event.type?.width === y.event.type?.width)
          .map((y) => builder.and(x.condition, y.condition)),
      ),
    );
  const pairs: Formula[] = [];
  finals.forEach((one, i) => {
    for (const other of finals.slice(i + 1)) {
      if (one.cell === other.cell || one.write === other.write || one.cell.object !== other.cell.object) continue;
      const same = builder.and(
        writeSameBytes(one.write, other.write, one.cell),
        writeSameBytes(one.write, other.write, other.cell),
      );
      if (same !== FALSE) pairs.push(not(builder.and(same, one.formula, other.formula)));
    }
  });
  return builder.all(pairs);
}
