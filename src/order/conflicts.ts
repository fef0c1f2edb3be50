import type { Span } from '../diagnostics/source.js';
import { type BytesOfPieces, type Contested, NOT_CONTESTED } from '../follow/memory-image.js';
import { operationsIn } from '../follow/operations-of-run.js';
import { areOfSameBytes, fencedSpaceOf, kindOf, type Trace, threadOf } from '../follow/trace.js';
import { SparseList } from '../program/sparse-list.js';
import type { CheckBudget } from '../program/undecided.js';
import { isFenceNeeded, isKnownProxy, isOneOperation, isReadOnly } from './access-kinds.js';
import type { Before } from './before.js';
import { polledIn, unitsOf } from './bytes-of-run.js';
import { type Cell, copyOf, newCell, type Places, read, update, write } from './cell.js';
import type { Conflict, ConflictKind, Relay } from './conflict.js';
import { moreOpen } from './contested-bytes.js';
import { ExclusiveWays } from './exclusive-ways.js';
import { Locks } from './locks.js';
import { writeSameValue } from './same-value.js';
import { holds } from './scopes.js';
import { Tickets } from './tickets.js';
import type { OrderEdge } from './whole-run.js';

type CellsOfPieces = ReadonlyMap<number, ReadonlySet<number>>;

/** Keeps of each byte who has accessed it last, and finds what nothing orders. */
export class Conflicts {
  readonly found = new Map<string, Conflict>();
  /** Accesses that would need a fence if those of the async proxy counted as of the CTAs that issue them. */
  readonly byOwner = new Map<string, Conflict>();
  /** Accesses that race with others. */
  readonly racing = new Set<number>();
  private readonly cells: readonly SparseList<Cell>[];
  /** By piece: the cells that have conflicts, and what of them is open by that. */
  private readonly contestedCells = new Map<number, Map<number, keyof Contested>>();
  /** The place that is judged, of a cell that has one. */
  private here = 0;
  /** By piece and places: cells of several. */
  private readonly shared = new Map<string, Cell & { readonly places: Places }>();
  /** Something else is done to a lock than to take it and to give it back. */
  onLock: { readonly span: Span; readonly what: string } | undefined;
  /** Places of which all accesses are kept. */
  private readonly kept: readonly CellsOfPieces[];
  private readonly sameValue: CellsOfPieces;
  private readonly openResults: CellsOfPieces;
  private readonly ways: ExclusiveWays;
  /** Of the operation at hand, if it is of many: which others are before it. */
  private readonly settled = new Map<number, boolean>();
  private readonly settledInOwner = new Map<number, boolean>();
  private readonly bothSettled = [this.settled, this.settledInOwner];
  private readonly operations: Uint32Array;
  private current = -1;
  private entered = 0;
  /** It is of many bytes, or made in many accesses. */
  private isOfMany = false;
  /** The group of the access at hand, if it is such an update. */
  private group: string | undefined;
  /** By piece: how wide a cell is, in bytes; 0 where nothing is written. */
  private readonly units: readonly number[];

  constructor(
    private readonly trace: Trace,
    /** Bytes of which it is known that they have some; there, all are found. */
    known: Contested = NOT_CONTESTED,
    private readonly locks = new Locks(trace),
    private readonly tickets = new Tickets(trace),
    /** Whether the test asks about the thread of an access: conflicts of others are told apart. */
    readonly isAsked: (row: number) => boolean = () => true,
    private readonly checkBudget: CheckBudget = () => undefined,
  ) {
    this.cells = trace.pieces.map(() => new SparseList());
    this.units = unitsOf(trace);
    this.ways = new ExclusiveWays(trace);
    this.operations = operationsIn(trace);
    this.sameValue = this.cellsIn(known.sameValue);
    this.kept = [this.cellsIn(known.bytes), this.cellsIn(polledIn(trace)), this.sameValue];
    this.openResults = this.cellsIn(known.results);
  }

  private cellsIn(bytes: BytesOfPieces): CellsOfPieces {
    const unitOf = (piece: number): number => this.units[piece] || 1;
    const cells = (piece: number, [from, to]: readonly [number, number]): readonly number[] =>
      Array.from({ length: (to - from) / unitOf(piece) }, (_, i) => from / unitOf(piece) + i);
    return new Map([...bytes].map(([piece, ranges]) => [piece, new Set(ranges.flatMap((one) => cells(piece, one)))]));
  }

  /** Takes the next access of the run, of which it is known what is before it. */
  add(row: number, before: Before): void {
    const { pieces, starts, sizes } = this.trace.accesses;
    const [piece, kind] = [pieces.at(row), kindOf(this.trace, row)];
    const unit = this.units[piece] ?? 0;
    if (unit === 0) return;
    const operation = this.operations[row] ?? row;
    if (operation !== this.current) {
      for (const settled of this.bothSettled) if (settled.size > 0) settled.clear();
    }
    this.current = operation;
    this.isOfMany = sizes.at(row) > unit || kind.tags.has('ASY');
    this.group = this.tickets.groupOf(row) ?? (kind.commutes === undefined ? undefined : this.groupOf(row));
    const [from, to] = [starts.at(row) / unit, (starts.at(row) + sizes.at(row)) / unit];
    const shared = kind.unit === undefined ? undefined : this.sharedAt(piece, from, to);
    if (shared !== undefined) {
      this.enter(shared, row, before);
      for (const index of shared.places.apart) this.enterAt(piece, index, row, before);
    } else for (let index = from; index < to; index++) this.enterAt(piece, index, row, before);
  }

  private enterAt(piece: number, index: number, row: number, before: Before): void {
    const cells = this.cells[piece];
    const known = cells?.at(index) ?? this.cellAt(piece, index);
    known.places?.apart.add(index);
    const cell = known.places === undefined ? known : copyOf(known);
    if (cell !== cells?.at(index)) cells?.set(index, cell);
    this.here = index;
    this.enter(cell, row, before);
  }

  /** The cell of several places, if nothing else is known of any of them; many threads may access any of the same. */
  private sharedAt(piece: number, from: number, to: number): (Cell & { readonly places: Places }) | undefined {
    const key = `${piece} ${from} ${to}`;
    const known = this.shared.get(key);
    if (known !== undefined) return known;
    const cells = this.cells[piece];
    const isOfInterest = [...this.kept, this.openResults].some((of) => of.has(piece));
    if (cells === undefined || isOfInterest || !cells.isFree(from, to)) return undefined;
    const cell = { ...this.cellAt(piece, from), places: { from, to, apart: new Set<number>() } };
    for (let index = from; index < to; index++) cells.set(index, cell);
    this.shared.set(key, cell);
    return cell;
  }

  /** The places of a cell that is judged. */
  private placesOf({ places }: Cell): readonly number[] {
    if (places === undefined) return [this.here];
    const all = Array.from({ length: places.to - places.from }, (_, i) => places.from + i);
    return all.filter((index) => !places.apart.has(index));
  }

  private cellAt(piece: number, index: number): Cell {
    const isIn = (of: CellsOfPieces): boolean => of.get(piece)?.has(index) === true;
    return newCell(this.kept.some(isIn), isIn(this.sameValue));
  }

  /** What orders accesses that nothing else does. */
  get edges(): readonly OrderEdge[] {
    return this.byOwner.size > 0 ? ['async-owner'] : [];
  }

  /** The bytes that have conflicts. */
  get contested(): Contested {
    const [bytes, results] = [this.cellsOf('bytes'), this.cellsOf('results')];
    return { bytes, results, sameValue: this.cellsOf('sameValue') };
  }

  private cellsOf(what: keyof Contested): BytesOfPieces {
    const found = new Map<number, (readonly [number, number])[]>();
    for (const [piece, cells] of this.contestedCells) {
      const unit = this.units[piece] ?? 1;
      const own = [...cells].flatMap(([at, of]) => (of === what ? [[at * unit, (at + 1) * unit] as const] : []));
      if (own.length > 0) found.set(piece, own);
    }
    return found;
  }

  private enter(cell: Cell, row: number, before: Before): void {
    if (this.entered++ % 128 === 0) this.checkBudget();
    const { writes, isPossible, tags } = kindOf(this.trace, row);
    const thread = this.trace.accesses.threads.at(row);
    const { group } = this;
    if (this.isBehindAll(cell, row, before)) {
      if (writes) write(cell, row);
      else read(cell, this.keyOfRead(row), row, tags.has('ASY'));
      return;
    }
    if (writes && group !== undefined && cell.behind?.get(thread) === group && tags.has('GEN') && !tags.has('ASY')) {
      cell.updates.get(group)?.set(thread, row);
      return;
    }
    let areOrdered = true;
    const judge = (other: number, isBehind = this.isOrdered(other, row, before)): boolean => {
      const isOrdered = this.judge(cell, other, row, isBehind, before);
      areOrdered &&= isOrdered;
      return isOrdered;
    };
    const isBehind = (isOrdered: (earlier: number) => boolean, other: number): boolean =>
      isOrdered(other) || isRelayed(this.trace, cell.relays.filter(isOrdered), other);
    const isBehindWrite = (other: number): boolean =>
      isBehind((earlier) => this.isOrderedAnyhow(earlier, row, before), other) ||
      isBehind((earlier) => this.isOrdered(earlier, row, before), other);
    /** Judges others; gives those that nothing orders before this one. */
    const beside = (others: Map<number, number>): Map<number, number> => {
      const left = new Map<number, number>();
      for (const [of, other] of others) if (!judge(other)) left.set(of, other);
      return left;
    };
    const written = cell.writes.filter((other) => !judge(other, isBehindWrite(other)));
    const updates = new Map<string, Map<number, number>>();
    for (const [name, others] of cell.updates) {
      const left = name === group ? undefined : beside(others);
      if (left !== undefined && left.size > 0) updates.set(name, left);
    }
    if (!writes || group === undefined) cell.behind?.clear();
    if (!writes) return read(cell, this.keyOfRead(row), row, tags.has('ASY') && areOrdered);
    const reads = beside(cell.reads);
    if (group !== undefined) return update(cell, group, thread, row, areOrdered);
    // What only some executions have stands for nothing before it.
    if (cell.isKept || isPossible) {
      const { threads, kinds, tellers } = this.trace.accesses;
      const isSame = (other: number): boolean =>
        threads.at(other) === thread &&
        [kinds, tellers].every((column) => column.at(other) === column.at(row)) &&
        (!cell.areValuesKept || writeSameValue(this.trace, other, row) === true);
      cell.writes = [...cell.writes.filter((other) => !isSame(other)), row];
      return;
    }
    // What comes beside this write is told in any case.
    write(cell, row, { writes: written, reads, updates });
  }

  /**
   * Whether all that may conflict with an access, and is kept of a cell, is before it, and nothing is to be told: as it
   * mostly is. Then a write stands for all, and a read is one more.
   */
  private isBehindAll(cell: Cell, row: number, before: Before): boolean {
    if (cell.updates.size > 0 || cell.behind !== undefined || this.group !== undefined) return false;
    const { writes, isPossible } = kindOf(this.trace, row);
    if (writes && (cell.isKept || isPossible)) return false;
    for (const other of cell.writes) if (!this.isPlainlyBefore(other, row, before)) return false;
    if (writes) for (const other of cell.reads.values()) if (!this.isPlainlyBefore(other, row, before)) return false;
    return true;
  }

  private isPlainlyBefore(first: number, second: number, before: Before): boolean {
    return this.isOrderedAnyhow(first, second, before) && this.conflictOf(first, second, true) === undefined;
  }

  /** Which reads of a cell the last one stands for. */
  private keyOfRead(row: number): number {
    const { threads, kinds, tellers } = this.trace.accesses;
    const of = tellers.at(row) * this.trace.kinds.length + kinds.at(row);
    return of * this.trace.threads.length + threads.at(row);
  }

  /** Whether an access that is no write may be before an asynchronous read that is before another one. */
  private relayOf({ reads }: Cell, first: number, second: number, before: Before): Relay {
    const between = [...reads.values()].filter((one) => one > first && kindOf(this.trace, one).tags.has('ASY'));
    const isBefore = (one: number): boolean => this.trace.retold.has(one) || this.isOrdered(one, second, before);
    return {
      isReadBetween: between.length > 0,
      mayBeRelayed: kindOf(this.trace, first).reads && between.some(isBefore),
    };
  }

  /** Whether an access is before another one, as it is for all of one operation. */
  private isOrdered(first: number, second: number, before: Before): boolean {
    return this.isOrderedAnyhow(first, second, before) || this.isOrderedInOwner(first, second, before);
  }

  /** The same, in whatever CTA what goes through the async proxy does so. */
  private isOrderedAnyhow(first: number, second: number, before: Before): boolean {
    if (!this.isOfMany) return this.isBefore(first, second, before);
    const operation = this.operations[first] ?? first;
    const known = this.settled.get(operation) ?? this.isBefore(first, second, before);
    this.settled.set(operation, known);
    return known;
  }

  private isBefore(first: number, second: number, before: Before): boolean {
    if (isReadOnly(kindOf(this.trace, first)) || isReadOnly(kindOf(this.trace, second)))
      return before.isAcrossGrids(first);
    return isFenceNeeded(this.trace, first, second) ? before.isFenced(first) : before.isOrdered(first);
  }

  /** Whether two come in order, and go through the async proxy to shared memory, in the CTA whose it is. */
  private isOrderedInOwner(first: number, second: number, before: Before): boolean {
    const areAsync = [first, second].every((row) => kindOf(this.trace, row).tags.has('ASYNC'));
    if (!areAsync || fencedSpaceOf(this.trace, second) === 'global') return false;
    const operation = this.operations[first] ?? first;
    const settled = this.settledInOwner.get(operation);
    if (settled !== undefined) return settled;
    const found = before.isOrdered(first);
    this.settledInOwner.set(operation, found);
    if (!found) return false;
    const { kinds } = this.trace.accesses;
    const key = `${kinds.at(first)} ${kinds.at(second)} ${this.areAsked(first, second)}`;
    const isRelayed = { mayBeRelayed: false, isReadBetween: false };
    const order = { isFirstOrdered: true, areOrdered: true, isSameValue: false, ...isRelayed };
    const known = this.byOwner.get(key);
    if (known === undefined) this.byOwner.set(key, { kind: 'race', first: [first, second], pairs: 1, ...order });
    else known.pairs += 1;
    return true;
  }

  private readonly areAsked = (...pair: readonly [number, number]): boolean => pair.some(this.isAsked);

  /** Judges two accesses of a common byte; whether the earlier is before the later. */
  private judge(cell: Cell, first: number, second: number, isOrdered: boolean, before: Before): boolean {
    const { kinds, pieces } = this.trace.accesses;
    const piece = pieces.at(second);
    const found = this.conflictOf(first, second, isOrdered);
    if (found === undefined) return isOrdered;
    // What atomics find is not used any more, and still they do not come to the same.
    const isMore = found === 'results' && this.areOpenResults(piece, cell);
    const kind = isMore ? 'strong' : found;
    if (this.locks.isOfLock(second))
      this.onLock ??= { span: kindOf(this.trace, second).span, what: 'others than those who have a lock access it' };
    if (kind === 'race') this.racing.add(first).add(second);
    const own = this.contestedCells.get(piece) ?? new Map<number, keyof Contested>();
    this.contestedCells.set(piece, own);
    // Where values are numbered, what has no number may be any.
    const unknown = this.sameValue.size > 0 ? false : undefined;
    const isSameValue = kind === 'race' && (writeSameValue(this.trace, first, second) ?? unknown);
    const isOfResults = kind === 'results' || this.mayBeReset(cell, second);
    const open = isSameValue !== false ? 'sameValue' : isOfResults ? 'results' : 'bytes';
    for (const at of this.placesOf(cell)) own.set(at, moreOpen(open, own.get(at)));
    const isUninitialized = this.trace.pieces[piece]?.object.isUninitialized === true;
    const of = `${isUninitialized} ${isSameValue} ${this.areAsked(first, second)}`;
    const key = `${kind} ${kinds.at(first)} ${kinds.at(second)} ${of}`;
    const known = this.found.get(key);
    if (known === undefined) {
      const areOrdered = before.isOrdered(first);
      const order = { isFirstOrdered: areOrdered, areOrdered, ...this.relayOf(cell, first, second, before) };
      this.found.set(key, { kind, first: [first, second], pairs: 1, isSameValue, ...order });
    } else {
      known.pairs += 1;
      known.areOrdered &&= before.isOrdered(first);
    }
    return isOrdered;
  }

  /**
   * Whether a thread that counts with an atomic writes the count behind that: it may do so only where it comes last.
   * That is seen once it is not known what the atomics find.
   */
  private mayBeReset(cell: Cell, row: number): boolean {
    const { writes, updates } = cell;
    const { pieces, threads } = this.trace.accesses;
    const isAtomic = (one: number): boolean => kindOf(this.trace, one).tags.has('RMW');
    const { change, tags } = kindOf(this.trace, row);
    if (change !== 'set' || isAtomic(row) || tags.has('ASY')) return false;
    if (this.areOpenResults(pieces.at(row), cell)) return false;
    const thread = threads.at(row);
    return (
      writes.some((other) => threads.at(other) === thread && isAtomic(other)) ||
      [...updates.values()].some((of) => of.has(thread))
    );
  }

  /** Whether a look before this one has found, all over a cell, that it is open what atomics find. */
  private areOpenResults(piece: number, cell: Cell): boolean {
    const known = this.openResults.get(piece);
    return known !== undefined && this.placesOf(cell).every((at) => known.has(at));
  }

  private conflictOf(first: number, second: number, isOrdered: boolean): ConflictKind | undefined {
    const { ranges } = this.trace.accesses;
    const [a, b] = [kindOf(this.trace, first), kindOf(this.trace, second)];
    if (ranges.at(first) !== ranges.at(second) || !isKnownProxy(a) || !isKnownProxy(b)) return 'proxies';
    if (!isOrdered && (isReadOnly(a) || isReadOnly(b))) return 'proxies';
    if (isOrdered || this.locks.areOfLock(first, second)) return undefined;
    if (this.areApart(first, second) || this.ways.exclude(first, second)) return undefined;
    if (this.locks.exclude(first, second)) return 'locked';
    if (!this.areMorallyStrong(first, second)) return 'race';
    // Whom a poll sees is said elsewhere.
    if ((a.isPoll || b.isPoll) && !this.locks.isOfLock(second)) return undefined;
    if (a.commutes !== undefined && a.commutes === b.commutes) return undefined;
    return isOneOperation(a, b) ? 'results' : 'strong';
  }

  /** Whether two are at other places, by what their threads have drawn. */
  private areApart(first: number, second: number): boolean {
    const group = this.tickets.groupOf(first);
    return group !== undefined && group === this.tickets.groupOf(second);
  }

  /** Strong, in one proxy and scopes that hold each other, of the same bytes (PTX ISA 8.7). */
  private areMorallyStrong(first: number, second: number): boolean {
    if (kindOf(this.trace, first).tags.has('ASYNC') !== kindOf(this.trace, second).tags.has('ASYNC')) return false;
    if (!areOfSameBytes(this.trace, first, second)) return false;
    const [a, b] = [threadOf(this.trace, first), threadOf(this.trace, second)];
    return [kindOf(this.trace, first), kindOf(this.trace, second)].every(
      ({ tags, scope }) => !tags.has('WEAK') && scope !== undefined && holds(scope, a, b),
    );
  }

  /** Updates of one group are morally strong with each other, and do the same. */
  private groupOf(row: number): string {
    const { starts, sizes, ranges } = this.trace.accesses;
    const { scope, commutes, isPossible, unit } = kindOf(this.trace, row);
    const { ctaId, clusterId, gpu } = threadOf(this.trace, row);
    if (scope === undefined) return `alone ${row}`;
    const place = { cta: ctaId, cluster: clusterId, gpu, sys: 0 }[scope];
    return `${commutes} ${isPossible} ${unit} ${scope} ${place} ${starts.at(row)} ${sizes.at(row)} ${ranges.at(row)}`;
  }
}

/**
 * Whether a write is before an asynchronous read that is before what comes next: then it is too, though completion is
 * not cumulative (8.9.5; models/ptx-9.4.cat, through-asynchronous).
 */
function isRelayed({ accesses: { ranges } }: Trace, relays: readonly number[], write: number): boolean {
  return relays.some((read) => read > write && ranges.at(read) === ranges.at(write));
}
