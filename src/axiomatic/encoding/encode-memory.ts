import type { ExecutionEvent } from '../../events/program-event.js';
import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import { groupBy } from '../../program/group-by.js';
import { type Cell, sameBytes } from '../../semantics/cells.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import type { FormulaRelation } from '../relations/pair-formulas.js';
import { type CellAccess, type CellAccesses, findCellAccesses } from './cell-accesses.js';
import { type Certainly, encodeCoherence } from './encode-coherence.js';
import type { EncodingContext } from './encoding-context.js';

/**
 * A read takes a cell from a write. Where the address of either is uncertain, the cell may be in several places of the
 * value: each place is a source of its own.
 */
export interface Source {
  readonly write: number;
  readonly read: number;
  readonly cell: Cell;
  readonly formula: Formula;
}

/** A read takes a value that a statement of a thread beyond the unrolling bound might write. */
export interface BeyondSource {
  readonly read: number;
  readonly thread: number;
  readonly formula: Formula;
}

/** The choices that make up memory: what each read takes from where, and what is coherence-ordered. */
export interface MemoryEncoding
  extends Pick<ExecutionRelationsOf<FormulaRelation>, 'readsFrom' | 'partialReadsFrom' | 'coherence' | 'fromReads'> {
  readonly accesses: CellAccesses;
  /** The inferred definitions of the model that are built into coherence. */
  readonly inferred: readonly string[];
  /** `rf`, cell by cell. */
  readonly sources: readonly Source[];
  readonly fromBeyond: readonly BeyondSource[];
  /** No read takes some bytes from one of two writes of the same bytes, for models that do not say it themselves. */
  readsAreWhole(): Formula;
}

/** Encodes reads-from and partial coherence, cell by cell where accesses have several sizes. */
export function encodeMemory(context: EncodingContext, certainly: Certainly): MemoryEncoding {
  const accesses = findCellAccesses(context);
  const { coherence, inferred } = encodeCoherence(context, certainly);
  const { sources, fromBeyond } = encodeSources(context, accesses);
  const readsFrom = readsFromOf(context, sources);
  const partialReadsFrom = partialReadsFromOf(context, accesses, readsFrom);
  return {
    accesses,
    inferred,
    sources,
    fromBeyond,
    coherence,
    readsFrom,
    partialReadsFrom,
    fromReads: fromReadsOf(context, accesses, sources, coherence),
    readsAreWhole: () => encodeWholeReads(context, coherence, readsFrom, partialReadsFrom),
  };
}

/** Each read takes each of its cells from exactly one write, and the value is that write's. */
function encodeSources(
  context: EncodingContext,
  accesses: CellAccesses,
): { readonly sources: readonly Source[]; readonly fromBeyond: readonly BeyondSource[] } {
  const { builder, bits } = context;
  const sources: Source[] = [];
  const fromBeyond: BeyondSource[] = [];
  for (const cell of context.cells) {
    const place = `${cell.object.name}+${cell.offset}`;
    for (const access of accesses.readsOf(cell)) {
      const { event: read, condition } = access;
      const taken = accesses.part(access, cell);
      const choices: Formula[] = [];
      const offer = (write: ExecutionEvent, available: Formula, offered: Bits): void => {
        const agrees = write.tags.has('UNSTABLE') ? TRUE : bits.equal(taken, offered);
        const possible = builder.and(condition, available, agrees);
        if (possible === FALSE) return;
        const formula = builder.variable(`rf(${write.id},${read.id},${place})`);
        context.assert(builder.implies(formula, possible));
        sources.push({ write: write.id, read: read.id, cell, formula });
        choices.push(formula);
      };
      offer(accesses.initialOf(cell).event, TRUE, accesses.initialBits(cell));
      for (const write of accesses.writesOf(cell))
        if (write.event.id !== read.partner) offer(write.event, write.condition, accesses.part(write, cell));
      for (const thread of context.writersBeyond(cell)) {
        const formula = builder.variable(`beyond(${thread},${read.id},${place})`);
        fromBeyond.push({ read: read.id, thread, formula });
        choices.push(formula);
      }
      context.assert(builder.implies(condition, builder.exactlyOne(choices)));
    }
  }
  return { sources, fromBeyond };
}

function readsFromOf({ builder, universe }: EncodingContext, sources: readonly Source[]): FormulaRelation {
  const size = universe.events.length;
  const ways = groupBy(sources, ({ write, read }) => write * size + read);
  const formulas = new Map([...ways].map(([key, own]) => [key, builder.any(own.map(({ formula }) => formula))]));
  return {
    pairs: [...formulas.keys()].map((key) => [Math.floor(key / size), key % size]),
    at: (write, read) => formulas.get(write * size + read) ?? FALSE,
  };
}

/** By read, each write that it may take a cell from, as a pair. */
const sourcesOfReads = ({ pairs }: FormulaRelation): ReadonlyMap<number, FormulaRelation['pairs']> =>
  groupBy(pairs, ([, read]) => read);

function partialReadsFromOf(
  { builder, cells }: EncodingContext,
  accesses: CellAccesses,
  readsFrom: FormulaRelation,
): FormulaRelation {
  const severalCells = new Set<number>();
  for (const cell of cells)
    for (const { event, start } of accesses.readsOf(cell))
      if (start > 0 || cell.bytes * 8 < (event.type?.width ?? 0)) severalCells.add(event.id);
  const from = sourcesOfReads(readsFrom);
  return {
    pairs: readsFrom.pairs.filter(([, read]) => severalCells.has(read)),
    at: (write, read) => {
      const others = (from.get(read) ?? []).filter(([other]) => other !== write);
      return builder.and(readsFrom.at(write, read), builder.any(others.map(([other]) => readsFrom.at(other, read))));
    },
  };
}

/** A read comes before the writes that are coherence-ordered after what it takes of a cell that they cover. */
function fromReadsOf(
  { builder, universe }: EncodingContext,
  accesses: CellAccesses,
  sources: readonly Source[],
  coherence: FormulaRelation,
): FormulaRelation {
  const size = universe.events.length;
  const after = groupBy(coherence.pairs, ([write]) => write);
  const pairs = new Set<number>();
  for (const { write, read } of sources) for (const [, later] of after.get(write) ?? []) pairs.add(read * size + later);
  const covers = (write: number, cell: Cell): Formula =>
    builder.any(
      accesses
        .writesOf(cell)
        .filter(({ event }: CellAccess) => event.id === write)
        .map(({ condition }) => condition),
    );
  return {
    pairs: [...pairs].map((pair) => [Math.floor(pair / size), pair % size]),
    at: (read, write) => {
      const ways: Formula[] = [];
      for (const source of sources) {
        if (source.read !== read) continue;
        const covered = covers(write, source.cell);
        const later = covered === FALSE ? FALSE : coherence.at(source.write, write);
        if (later !== FALSE) ways.push(builder.and(source.formula, later, covered));
      }
      return builder.anyInOrder(ways);
    },
  };
}

function encodeWholeReads(
  context: EncodingContext,
  coherence: FormulaRelation,
  readsFrom: FormulaRelation,
  partialReadsFrom: FormulaRelation,
): Formula {
  const { builder } = context;
  const accessSameBytes = (write: number, read: number): Formula =>
    builder.any(
      context.targetsOf(write).flatMap((x) =>
        context
          .targetsOf(read)
          .filter((y) => x.object === y.object && sameBytes(x, y))
          .map((y) => builder.and(context.accesses(write, x), context.accesses(read, y))),
      ),
    );
  const from = sourcesOfReads(readsFrom);
  const torn = partialReadsFrom.pairs.flatMap(([write, read]) => {
    const whole = accessSameBytes(write, read);
    if (whole === FALSE) return [];
    const others = (from.get(read) ?? []).filter(([other]) => other !== write);
    return others.map(([other]) => {
      const excluded = builder.or(coherence.at(other, write), accessSameBytes(other, read));
      return builder.and(whole, readsFrom.at(write, read), readsFrom.at(other, read), excluded);
    });
  });
  return not(builder.any(torn));
}
