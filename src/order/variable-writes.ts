import { type FollowedThread, kindOf, rowsTouching, type Step, type Trace, wordOf } from '../follow/trace.js';
import { initialValue } from '../program/locations.js';
import type { Scope } from '../program/placement.js';
import type { Clock } from './clocks.js';
import { CoherenceOrder } from './coherence.js';
import type { Knowledge, Known } from './knowledge.js';
import { areAlike, type Change, changedByAll } from './reachable-values.js';
import { holdEachOther, holds } from './scopes.js';

/** What is before the first operation of a release pattern (PTX ISA 8.8), and how far that operation reaches. */
export interface Handed {
  readonly scope: Scope;
  readonly thread: FollowedThread;
  readonly known: Known;
}

/** A write of a synchronization variable. */
export interface Write extends Change {
  readonly row: number;
  readonly step: Step;
  readonly thread: FollowedThread;
  /** What is before it. */
  readonly known: Known;
  readonly handed: readonly Handed[];
}

/** Some bytes that threads wait for, or count with. */
export interface Variable {
  readonly piece: number;
  readonly range: number;
  readonly start: number;
  readonly size: number;
  /** Something else than whole accesses to it is made, by threads that share it. */
  isMixed: boolean;
  readonly writes: Write[];
  /** By thread: its writes that release, which release by later ones of it too. */
  readonly released: Map<number, Handed[]>;
}

/** Synchronization variables: bytes that threads wait for, or count with, and what is written there. */
export class VariableWrites {
  private readonly byPlace = new Map<number, Map<number, Variable>>();
  /** By write: those who have found it in any case. */
  private readonly observers = new Map<number, Step[]>();
  /** By update: the writes that it finds in any case. */
  private readonly foundBy = new Map<number, ReadonlySet<number>>();
  /** The same, by what is found. */
  private readonly finders = new Map<number, readonly number[]>();
  private readonly rowsOf = new Map<Variable, readonly number[]>();
  readonly coherence: CoherenceOrder;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly trace: Trace,
  ) {
    for (const one of trace.synchronizations)
      if (one.kind === 'poll') for (const row of [one.read, one.after]) if (row !== undefined) this.declare(row);
    for (const one of trace.synchronizations) if (one.kind === 'last') this.declare(one.read);
    for (const { row } of trace.assumptions) this.declare(row);
    for (const { way } of trace.threads) if (way !== undefined) this.declare(way.row);
    this.coherence = new CoherenceOrder(trace);
  }

  /** The variable that an access is of. */
  of(row: number): Variable {
    const { pieces, starts } = this.trace.accesses;
    const found = this.byPlace.get(pieces.at(row))?.get(starts.at(row));
    if (found === undefined) throw new Error(`no variable at access ${row}`);
    return found;
  }

  /** The word that an access is of, and that a variable is, in every run. */
  wordAt(row: number): string {
    return this.wordOf(this.of(row));
  }

  wordOf({ piece, start }: Variable): string {
    const own = this.trace.pieces[piece];
    return own === undefined ? '' : wordOf(own, start);
  }

  initialOf({ piece, start, size }: Variable): bigint | undefined {
    const object = this.trace.pieces[piece]?.object;
    return object && initialValue(object, start, size);
  }

  /** What may be in a variable behind some writes: what is there if there are no others, and what others store. */
  valuesBehind(variable: Variable, before: readonly Write[]): readonly bigint[] {
    const { accesses } = this.trace;
    const rows = new Set(before.map(({ row }) => row));
    const base = this.baseOf(variable, before, []);
    const stored = this.allOf(variable).flatMap((row) => {
      const isStored = kindOf(this.trace, row).change === 'set' && isWhole(variable, this.trace, row);
      return isStored && !rows.has(row) ? [accesses.values.at(row)] : [];
    });
    return [base, ...stored].filter((value) => value !== undefined);
  }

  /** Whether all writes of a variable in the run have been met. */
  areAllMade(variable: Variable): boolean {
    return this.allOf(variable).length === variable.writes.length;
  }

  private allOf(variable: Variable): readonly number[] {
    const known = this.rowsOf.get(variable);
    if (known !== undefined) return known;
    const rows = rowsTouching(this.trace, variable.piece, variable.start, variable.size).filter((row) => {
      const { writes, change } = kindOf(this.trace, row);
      return writes && change !== 'same';
    });
    this.rowsOf.set(variable, rows);
    return rows;
  }

  /** The variables whose bytes an access touches. */
  touchedBy(row: number): ReadonlySet<Variable> {
    const { pieces, starts, sizes } = this.trace.accesses;
    const here = this.byPlace.get(pieces.at(row));
    if (here === undefined) return NOTHING;
    const touched = new Set<Variable>();
    const [start, size] = [starts.at(row), sizes.at(row)];
    for (let at = start; at < start + size; at++) {
      const variable = here.get(at);
      if (variable !== undefined) touched.add(variable);
    }
    return touched;
  }

  /** Writes are found in any case by a step. */
  observe(writes: readonly Write[], step: Step): void {
    for (const { row } of writes) this.observers.set(row, [...(this.observers.get(row) ?? []), step]);
  }

  /** An update of a variable finds writes in any case. */
  find(row: number, writes: readonly Write[]): void {
    this.foundBy.set(row, new Set(writes.map((one) => one.row)));
    for (const one of writes) this.finders.set(one.row, [...(this.finders.get(one.row) ?? []), row]);
  }

  /** Whether two are atomics of one order, or the later is, or comes behind, an update that finds the earlier. */
  areInOrder(earlier: number, later: number): boolean {
    if (this.coherence.areInOrder(earlier, later) || this.foundBy.get(later)?.has(earlier) === true) return true;
    return this.finders.get(earlier)?.some((row) => this.coherence.areInOrder(row, later)) === true;
  }

  /** Whether a write is found by a thread before it, or one that knows of it, comes to a step (PTX ISA 8.9.5). */
  isObserved(row: number, { thread, position }: Step, clock: Clock): boolean {
    const observers = this.observers.get(row) ?? [];
    return observers.some((of) =>
      of.thread === thread ? of.position < position : this.knowledge.steps(clock, of.thread) > of.position,
    );
  }

  /** What is in a variable when some writes have been made, and others, which come behind them all, have not. */
  baseOf(variable: Variable, before: readonly Write[], beside: readonly Write[]): bigint | undefined {
    const last = before.findLastIndex(({ kind }) => kind.change === 'set');
    const anchor = before[last];
    const updates = before.slice(last + 1);
    if (updates.length > 1 && !areAlike(updates) && !this.areAllInOrder(updates)) return undefined;
    if (anchor !== undefined) {
      const isRight =
        before.slice(0, last).every((one) => this.isBefore(one, anchor)) &&
        [...updates, ...beside].every((one) => this.isBefore(anchor, one));
      if (!isRight) return undefined;
    }
    const first = anchor === undefined ? this.initialOf(variable) : anchor.value;
    return first === undefined ? undefined : changedByAll(first, updates);
  }

  /** Whether a write, which the run makes earlier, comes before another one in coherence order. */
  isBefore(a: Write, b: Write): boolean {
    return this.areInOrder(a.row, b.row) || this.isKnownBefore(a, b);
  }

  /** The same, by causality. */
  isKnownBefore(a: Write, b: Write): boolean {
    return a.row < b.row && this.comes(a, b.step, b.known.clock);
  }

  private areAllInOrder(writes: readonly Write[]): boolean {
    return writes.every((one, at) => at === 0 || this.isBefore(writes[at - 1] as Write, one));
  }

  /** Whether a write comes before a step of which something is known. */
  comes(write: Write, to: Step, clock: Clock): boolean {
    return this.isStep(write.step, to, clock) || this.isObserved(write.row, to, clock);
  }

  /** Whether a step does. */
  isStep({ thread, position }: Step, to: Step, clock: Clock): boolean {
    return to.thread === thread ? position < to.position : this.knowledge.steps(clock, thread) > position;
  }

  private declare(row: number): void {
    const { pieces, ranges, starts, sizes } = this.trace.accesses;
    const [piece, range, start, size] = [pieces, ranges, starts, sizes].map((column) => column.at(row)) as Four;
    const here = this.byPlace.get(piece) ?? new Map<number, Variable>();
    this.byPlace.set(piece, here);
    const known = here.get(start);
    const of = { piece, range, start, size, isMixed: false, writes: [], released: new Map() };
    if (known === undefined) for (let at = start; at < start + size; at++) here.set(at, of);
    else if (!isWhole(known, this.trace, row)) known.isMixed = true;
  }
}

const NOTHING: ReadonlySet<Variable> = new Set();

type Four = [number, number, number, number];

export const isWhole = ({ range, start, size }: Variable, { accesses }: Trace, row: number): boolean =>
  accesses.ranges.at(row) === range && accesses.starts.at(row) === start && accesses.sizes.at(row) === size;

export const isStrong = ({ kind, thread }: Write, other: FollowedThread): boolean =>
  !kind.tags.has('WEAK') && kind.scope !== undefined && holds(kind.scope, thread, other);

export const areStrong = (writes: readonly Write[]): boolean =>
  writes.every(({ kind }) => !kind.tags.has('WEAK')) &&
  holdEachOther(writes.map(({ kind: { scope }, thread }) => ({ scope, thread })));

export function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  const [first, second]: [T[], T[]] = [[], []];
  for (const one of all) (isFirst(one) ? first : second).push(one);
  return [first, second];
}
