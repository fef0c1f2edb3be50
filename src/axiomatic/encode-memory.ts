import type { ProgramEvent } from '../events/events.js';
import type { InitialWrite } from '../execution/candidate-execution.js';
import { type Cell, initialBytes, rangesOverlap } from '../semantics/cells.js';
import { sameBytes } from '../semantics/tearing.js';
import { overlap, type PossibleTarget } from '../semantics/value-analysis.js';
import type { Bits } from './bits.js';
import type { EncodingContext } from './encoding-context.js';
import { FALSE, type Formula, not, TRUE } from './formula.js';

/** How a possible access covers a cell: where in the value the cell's bytes are. */
interface Coverage {
  readonly event: ProgramEvent;
  readonly condition: Formula;
  /** In bytes, within the access. */
  readonly start: number;
}

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

/** The choices that make up memory: what each read takes from where, what is coherence-ordered, what is final. */
export interface MemoryEncoding {
  /** `rf`, cell by cell. */
  readonly sources: readonly Source[];
  coherence(a: number, b: number): Formula;
  readsFrom(write: number, read: number): Formula;
  /** `rf` where the read takes other bytes from another write. */
  partlyReadsFrom(write: number, read: number): Formula;
  fromReads(read: number, write: number): Formula;
  /** The pairs that these may relate. */
  readonly readsFromPairs: readonly (readonly [number, number])[];
  readonly partialReadsFromPairs: readonly (readonly [number, number])[];
  readonly coherencePairs: readonly (readonly [number, number])[];
  readonly fromReadsPairs: readonly (readonly [number, number])[];
  /** The bytes of a cell that are left when all threads are at their end. */
  finalBits(cell: Cell): Bits;
  /** Which write each observed cell's final value comes from. */
  readonly finals: readonly { readonly cell: Cell; readonly write: number; readonly formula: Formula }[];
  /** The bits of an initial byte that the test leaves unknown. */
  initialByte(objectId: number, offset: number): Bits;
  /** Of two writes of the same bytes one is last in all of them; TRUE where there is nothing to tear. */
  readonly finalsAreWhole: Formula;
  /** The end of the grid completes what no wait tells of; TRUE where that makes no difference. */
  readonly gridEndCompletes: Formula;
  /** The same of reads, for models that do not say it themselves. */
  readonly readsAreWhole: Formula;
  /** A read takes a value that a statement of a thread beyond the unrolling bound might write. */
  readonly fromBeyond: readonly { readonly read: number; readonly thread: number; readonly formula: Formula }[];
}

/** Encodes reads-from, partial coherence and final values, byte by byte where accesses have several sizes. */
export function encodeMemory(context: EncodingContext): MemoryEncoding {
  return new MemoryEncoder(context).encode();
}

class MemoryEncoder implements MemoryEncoding {
  readonly sources: Source[] = [];
  readonly readsFromPairs: (readonly [number, number])[] = [];
  readonly partialReadsFromPairs: (readonly [number, number])[] = [];
  readonly coherencePairs: (readonly [number, number])[] = [];
  readonly fromReadsPairs: (readonly [number, number])[] = [];
  readonly finals: { readonly cell: Cell; readonly write: number; readonly formula: Formula }[] = [];
  readonly fromBeyond: { readonly read: number; readonly thread: number; readonly formula: Formula }[] = [];
  private readonly coverage = new Map<number, readonly Coverage[]>();
  private readonly reads = new Map<number, readonly Coverage[]>();
  private readonly coherent = new Map<number, Formula>();
  private readonly initialBits = new Map<number, Bits>();
  private readonly finalOfCell = new Map<number, Bits>();
  private readonly rf = new Map<number, Formula[]>();
  private readonly writesOfRead = new Map<number, number[]>();
  private readonly size: number;

  constructor(private readonly context: EncodingContext) {
    this.size = context.universe.events.length;
  }

  encode(): MemoryEncoding {
    const { cells } = this.context;
    for (const cell of cells) {
      this.coverage.set(cell.id, this.accessesTo(cell, 'write'));
      this.reads.set(cell.id, this.accessesTo(cell, 'read'));
    }
    this.encodeCoherence();
    for (const cell of cells) this.encodeReadsOf(cell);
    for (const [key, formulas] of this.rf) {
      this.rf.set(key, [this.context.builder.any(formulas)]);
      this.readsFromPairs.push([Math.floor(key / this.size), key % this.size]);
    }
    this.findPartialReads();
    this.findFromReadsPairs();
    return this;
  }

  coherence(a: number, b: number): Formula {
    return this.coherent.get(a * this.size + b) ?? FALSE;
  }

  readsFrom(write: number, read: number): Formula {
    return this.rf.get(write * this.size + read)?.[0] ?? FALSE;
  }

  partlyReadsFrom(write: number, read: number): Formula {
    const others = (this.writesOfRead.get(read) ?? []).filter((other) => other !== write);
    const { builder } = this.context;
    return builder.and(this.readsFrom(write, read), builder.any(others.map((other) => this.readsFrom(other, read))));
  }

  fromReads(read: number, write: number): Formula {
    const { builder } = this.context;
    const ways: Formula[] = [];
    for (const { write: source, read: reader, cell, formula } of this.sources) {
      if (reader !== read) continue;
      const covers = builder.any(
        (this.coverage.get(cell.id) ?? []).filter(({ event }) => event.id === write).map(({ condition }) => condition),
      );
      if (covers !== FALSE) ways.push(builder.and(formula, this.coherence(source, write), covers));
    }
    return builder.any(ways);
  }

  finalBits(cell: Cell): Bits {
    let bits = this.finalOfCell.get(cell.id);
    if (bits === undefined) {
      bits = this.encodeFinal(cell);
      this.finalOfCell.set(cell.id, bits);
    }
    return bits;
  }

  initialByte(objectId: number, offset: number): Bits {
    const cell = this.context.cells.find(
      (one) => one.object.id === objectId && offset >= one.offset && offset < one.offset + one.bytes,
    );
    return cell === undefined
      ? []
      : this.bitsOfInitial(cell).slice((offset - cell.offset) * 8, (offset - cell.offset + 1) * 8);
  }

  gridEndCompletes: Formula = TRUE;
  /** An asynchronous write is sure to have happened when all threads are at their end. */
  private isComplete(event: ProgramEvent): Formula {
    const { builder } = this.context;
    if (!event.tags.has('ASY')) return TRUE;
    const told = this.context.isTold(event.id);
    if (told !== TRUE && this.gridEndCompletes === TRUE) this.gridEndCompletes = builder.variable('grid end completes');
    return builder.or(told, this.gridEndCompletes);
  }

  private wholeFinals: Formula | undefined;
  get finalsAreWhole(): Formula {
    this.wholeFinals ??= this.encodeWholeFinals();
    return this.wholeFinals;
  }

  private encodeWholeFinals(): Formula {
    const { builder } = this.context;
    const pairs: Formula[] = [];
    this.finals.forEach((one, i) => {
      for (const other of this.finals.slice(i + 1)) {
        if (one.cell === other.cell || one.write === other.write || one.cell.object !== other.cell.object) continue;
        const same = this.writeSameBytes(one.write, other.write, one.cell, other.cell);
        if (same !== FALSE) pairs.push(not(builder.and(same, one.formula, other.formula)));
      }
    });
    return builder.all(pairs);
  }

  get readsAreWhole(): Formula {
    const { builder } = this.context;
    const torn = this.partialReadsFromPairs.flatMap(([write, read]) => {
      const whole = this.accessSameBytes(write, read);
      if (whole === FALSE) return [];
      const others = (this.writesOfRead.get(read) ?? []).filter((other) => other !== write);
      return others.map((other) => {
        const excluded = builder.or(this.coherence(other, write), this.accessSameBytes(other, read));
        return builder.and(whole, this.readsFrom(write, read), this.readsFrom(other, read), excluded);
      });
    });
    return not(builder.any(torn));
  }

  private accessSameBytes(write: number, read: number): Formula {
    const { builder, analysis, accesses } = this.context;
    const targets = (event: number): readonly PossibleTarget[] => analysis.targets.get(event) ?? [];
    const ways = targets(write).flatMap((x) =>
      targets(read).flatMap((y) =>
        x.range.object === y.range.object && sameBytes(x, y)
          ? [builder.and(accesses(write, x), accesses(read, y))]
          : [],
      ),
    );
    return builder.any(ways);
  }

  /** Two writes go to the same bytes, and two cells are among them. */
  private writeSameBytes(a: number, b: number, first: Cell, second: Cell): Formula {
    const { builder } = this.context;
    const of = (write: number, cell: Cell): readonly Coverage[] =>
      (this.coverage.get(cell.id) ?? []).filter(({ event }) => event.id === write);
    const among = (cell: Cell): readonly Formula[] =>
      of(a, cell).flatMap((x) =>
        of(b, cell).flatMap((y) =>
          x.start === y.start && x.event.type?.width === y.event.type?.width
            ? [builder.and(x.condition, y.condition)]
            : [],
        ),
      );
    return builder.and(builder.any(among(first)), builder.any(among(second)));
  }

  private accessesTo(cell: Cell, kind: 'read' | 'write'): readonly Coverage[] {
    const { context } = this;
    const found: Coverage[] = [];
    for (const event of context.universe.structure.events) {
      if (event.kind !== kind || context.executed(event.id) === FALSE) continue;
      for (const target of context.analysis.targets.get(event.id) ?? []) {
        if (
          target.range.object !== cell.object ||
          cell.offset < target.offset ||
          cell.offset + cell.bytes > target.offset + target.bytes
        )
          continue;
        found.push({ event, condition: context.accesses(event.id, target), start: cell.offset - target.offset });
      }
    }
    return found.filter(({ condition }) => condition !== FALSE);
  }

  private initialOf(cell: Cell): InitialWrite {
    const initial = this.context.universe.initialWrites[cell.id];
    if (initial === undefined) throw new Error('a cell without its initial write');
    return initial;
  }

  private bitsOfInitial(cell: Cell): Bits {
    let bits = this.initialBits.get(cell.id);
    if (bits === undefined) {
      bits = initialBytes(cell.object, cell.offset, cell.bytes).flatMap((byte, i) =>
        Array.from({ length: 8 }, (_, bit) =>
          byte === undefined
            ? this.context.builder.variable(`init(${cell.object.name}+${cell.offset + i}).${bit}`)
            : ((byte >> bit) & 1) === 1
              ? TRUE
              : FALSE,
        ),
      );
      this.initialBits.set(cell.id, bits);
    }
    return bits;
  }

  /** The bits of a cell within the value of an access. */
  private part(access: Coverage, cell: Cell): Bits {
    return this.context.value(access.event.id).slice(access.start * 8, (access.start + cell.bytes) * 8);
  }

  private encodeReadsOf(cell: Cell): void {
    const { context } = this;
    const { builder, bits } = context;
    const writes = this.coverage.get(cell.id) ?? [];
    for (const access of this.reads.get(cell.id) ?? []) {
      const { event: read, condition } = access;
      const taken = this.part(access, cell);
      const choices: Formula[] = [];
      const offer = (write: ProgramEvent, available: Formula, offered: Bits): void => {
        const same = bits.equal(taken, offered);
        const possible = builder.and(condition, available, same);
        if (possible === FALSE) return;
        const formula = builder.variable(`rf(${write.id},${read.id},${cell.object.name}+${cell.offset})`);
        context.assert(builder.implies(formula, possible));
        this.sources.push({ write: write.id, read: read.id, cell, formula });
        const pair = write.id * this.size + read.id;
        this.rf.set(pair, [...(this.rf.get(pair) ?? []), formula]);
        choices.push(formula);
      };
      offer(this.initialOf(cell).event, TRUE, this.bitsOfInitial(cell));
      for (const write of writes)
        if (write.event.id !== read.partner) offer(write.event, write.condition, this.part(write, cell));
      for (const thread of context.writersBeyond(cell)) {
        const formula = builder.variable(`beyond(${thread},${read.id},${cell.object.name}+${cell.offset})`);
        this.fromBeyond.push({ read: read.id, thread, formula });
        choices.push(formula);
      }
      context.assert(builder.implies(condition, builder.exactlyOne(choices)));
    }
  }

  /**
   * A strict partial order on the writes that overlap; the initial write comes first
   * (docs/decisions/initial-writes.md).
   */
  private encodeCoherence(): void {
    const { context } = this;
    const { builder } = context;
    const { initialWrites } = context.universe;
    const writes = context.universe.structure.events.filter(
      (event) => event.kind === 'write' && context.executed(event.id) !== FALSE,
    );
    const targets = (event: ProgramEvent): readonly PossibleTarget[] => context.analysis.targets.get(event.id) ?? [];
    const neighbours = new Map<number, number[]>();
    for (const a of writes) {
      for (const b of writes) {
        if (a.id >= b.id || !targets(a).some((x) => targets(b).some((y) => overlap(x, y)))) continue;
        const both = context.overlaps(a.id, b.id);
        const forth = builder.variable(`co(${a.id},${b.id})`);
        const back = builder.variable(`co(${b.id},${a.id})`);
        context.assert(builder.implies(forth, both));
        context.assert(builder.implies(back, both));
        context.assert(builder.or(not(forth), not(back)));
        this.relate(a.id, b.id, forth);
        this.relate(b.id, a.id, back);
        neighbours.set(a.id, [...(neighbours.get(a.id) ?? []), b.id]);
        neighbours.set(b.id, [...(neighbours.get(b.id) ?? []), a.id]);
      }
    }
    for (const [middle, around] of neighbours) {
      for (const a of around) {
        for (const b of around) {
          if (a === b) continue;
          const direct = this.coherence(a, b);
          // Writes that only overlap with one in the middle need no order of their own.
          if (direct !== FALSE)
            context.assert(
              builder.implies(
                builder.and(this.coherence(a, middle), this.coherence(middle, b), context.overlaps(a, b)),
                direct,
              ),
            );
        }
      }
    }
    for (const { event, object, offset, bytes } of initialWrites) {
      for (const write of writes) {
        const covers = targets(write).filter(
          (target) => target.range.object === object && rangesOverlap(target, { offset, bytes }),
        );
        const formula = builder.any(covers.map((target) => context.accesses(write.id, target)));
        if (formula !== FALSE) this.relate(event.id, write.id, formula);
      }
    }
  }

  private relate(a: number, b: number, formula: Formula): void {
    this.coherent.set(a * this.size + b, formula);
    this.coherencePairs.push([a, b]);
  }

  /** The pairs of reads that may take several cells. */
  private findPartialReads(): void {
    for (const [write, read] of this.readsFromPairs)
      this.writesOfRead.set(read, [...(this.writesOfRead.get(read) ?? []), write]);
    const severalCells = new Set<number>();
    for (const cell of this.context.cells)
      for (const { event, start } of this.reads.get(cell.id) ?? [])
        if (start > 0 || cell.bytes * 8 < (event.type?.width ?? 0)) severalCells.add(event.id);
    this.partialReadsFromPairs.push(...this.readsFromPairs.filter(([, read]) => severalCells.has(read)));
  }

  private findFromReadsPairs(): void {
    const pairs = new Set<number>();
    const after = new Map<number, number[]>();
    for (const [a, b] of this.coherencePairs) after.set(a, [...(after.get(a) ?? []), b]);
    for (const { write, read } of this.sources)
      for (const later of after.get(write) ?? []) pairs.add(read * this.size + later);
    for (const pair of pairs) this.fromReadsPairs.push([Math.floor(pair / this.size), pair % this.size]);
  }

  /** A final value is that of any coherence-maximal write; what is in flight is completed by the end of the grid. */
  private encodeFinal(cell: Cell): Bits {
    const { context } = this;
    const { builder } = context;
    const initial = this.initialOf(cell).event;
    const candidates = [
      { event: initial, condition: TRUE, bits: this.bitsOfInitial(cell) },
      ...(this.coverage.get(cell.id) ?? []).map((access) => ({
        event: access.event,
        condition: access.condition,
        bits: this.part(access, cell),
      })),
    ];
    const maximal = candidates.map((candidate) => {
      const later = candidates.map((other) =>
        other.event === candidate.event
          ? FALSE
          : builder.and(
              this.coherence(candidate.event.id, other.event.id),
              other.condition,
              this.isComplete(other.event),
            ),
      );
      return builder.and(candidate.condition, not(builder.any(later)));
    });
    const possible = candidates
      .map((candidate, i) => ({ candidate, maximal: maximal[i] ?? FALSE }))
      .filter((entry) => entry.maximal !== FALSE);
    const choices = possible.map(({ candidate, maximal: isMaximal }) => {
      if (possible.length === 1) return isMaximal;
      const formula = builder.variable(`final(${candidate.event.id},${cell.object.name}+${cell.offset})`);
      context.assert(builder.implies(formula, isMaximal));
      return formula;
    });
    context.assert(builder.exactlyOne(choices));
    possible.forEach(({ candidate }, i) =>
      this.finals.push({ cell, write: candidate.event.id, formula: choices[i] ?? FALSE }),
    );
    return Array.from({ length: cell.bytes * 8 }, (_, bit) =>
      builder.any(possible.map(({ candidate }, i) => builder.and(choices[i] ?? FALSE, candidate.bits[bit] ?? FALSE))),
    );
  }
}
