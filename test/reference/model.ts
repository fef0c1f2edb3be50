import type { Instruction, Order, Scope } from './decode.js';
import { byteOf, type Place, type Thread } from './layout.js';

/**
 * The definitions of the PTX ISA chapter "Memory Consistency Model". An event is a memory operation, a fence, or an
 * operation on a barrier ("Operation types"). An atomic operation is one event that reads and, unless it is a failing
 * compare-and-swap, writes. Inferred, and not in the text: a scalar access is whole unless tearing is asked for, so a
 * read of exactly the bytes of a write mixes it neither with older bytes nor with another write of these bytes.
 */
type Access = Readonly<{ at: number; start: number; size: number; place?: Place }>;

/** An access is at a virtual address and starts at a physical byte. */
export interface Event extends Instruction, Access {
  /** Among the events of an execution, and among those of its thread. */
  readonly id: number;
  readonly index: number;
  readonly thread: Thread;
  /** The first event of its instruction: the parts of a vector have no program order among them. */
  readonly head: number;
  /** The events of the thread on whose results it depends whether and where this happens, and what it writes. */
  readonly needs: bigint;
  readonly feeds: bigint;
  /** Values of the operands and the sources. */
  readonly given: readonly bigint[];
  readonly data: readonly bigint[];
  /** What is read and written, and what the target receives. */
  readonly read?: bigint;
  readonly write?: bigint | undefined;
  readonly result?: bigint;
}

export type Events = readonly Event[];
export type Edge = readonly [from: Event, to: Event];

/**
 * A run ends at the thread's end; waiting at the barrier that is its last event; `withheld`, waiting for other grids;
 * after a round of a loop, from an event on, that left everything as it was; at the bound of rounds; at a trap; or by
 * behavior that the ISA leaves undefined.
 */
export interface Run extends Readonly<{ events: Events; registers: ReadonlyMap<string, bigint>; idleFrom: number }> {
  readonly ending: 'done' | 'blocked' | 'withheld' | 'idle' | 'cut' | 'trap' | 'fault';
}

/** Counts elementary steps; throws when there are too many. */
export type Step = (steps: number) => void;

/** What is asked of the search. */
export interface Setting extends Readonly<{ tearing: boolean; failingCasWrites: boolean; rounds: number }> {
  readonly initial: ReadonlyMap<number, number>;
  readonly step: Step;
}

const INITIAL = undefined;
type Write = Event | typeof INITIAL;
export const covers = (a: Event, byte: number): boolean => a.start <= byte && byte < a.start + a.size;
const sameBytes = (a: Event, b: Event): boolean => a.start === b.start && a.size === b.size;
const sameAddress = (a: Event, b: Event): boolean => a.at === b.at && a.size === b.size;
/** The same physical bytes are concerned: coherence and communication (PTX ISA "Coherence Order"). */
export const touches = (a: Event, b: Event): boolean => a.start < b.start + b.size && b.start < a.start + a.size;
/** The virtual addresses overlap (PTX ISA "Overlap"): not so of two aliases. */
const overlaps = (a: Event, b: Event): boolean => a.at < b.at + b.size && b.at < a.at + a.size;
/** A token of `mbarrier.arrive` stands for the arrival itself. */
export const tokenOf = (event: Event): bigint => (1n << 60n) + BigInt(event.thread.index * 65536 + event.index);
/** Program order (PTX ISA "Program Order"). */
export const po = (a: Event, b: Event): boolean => a.thread === b.thread && a.head < b.head;
export const holdsThread = (scope: Scope, of: Thread, other: Thread): boolean =>
  scope === 'sys' || of[scope] === other[scope];

/** Both are strong, and the scope of each holds the thread of the other. */
function mutuallyStrong(a: Event, b: Event): boolean {
  if (a.order === 'weak' || b.order === 'weak') return false;
  return holdsThread(a.scope, a.thread, b.thread) && holdsThread(b.scope, b.thread, a.thread);
}

/** PTX ISA "Morally strong operations". */
export function morallyStrong(a: Event, b: Event): boolean {
  if (a === b || [a, b].some(({ kind }) => kind === 'barrier' || kind === 'grid')) return false;
  if (a.kind === 'memory' && b.kind === 'memory' && !sameAddress(a, b)) return false;
  return po(a, b) || po(b, a) || mutuallyStrong(a, b);
}

export const releasing = (order: Order): boolean => ['release', 'acq_rel', 'sc'].includes(order);
const acquiring = (order: Order): boolean => ['acquire', 'acq_rel', 'sc'].includes(order);
export const isArrival = ({ kind, action }: Event): boolean => kind === 'mbarrier' && action.startsWith('arrive');
export const isTrueWait = ({ kind, action, result }: Event): boolean =>
  kind === 'mbarrier' && action === 'wait' && result === 1n;
const isStrongWrite = (event: Event): boolean =>
  isArrival(event) || (event.write !== undefined && event.order !== 'weak');
/** The read half of a reduction is no part of an acquire pattern. */
const isStrongRead = (event: Event): boolean =>
  isTrueWait(event) || (event.read !== undefined && event.order !== 'weak' && event.reduction !== true);

/** Whether `head` and `write` are the two ends of a release pattern (PTX ISA "Release and Acquire Patterns"). */
export function isRelease(head: Event, write: Event): boolean {
  if (!isStrongWrite(write) || !releasing(head.order)) return false;
  if (head.kind === 'fence') return po(head, write);
  return head === write || (isStrongWrite(head) && po(head, write) && sameAddress(head, write));
}

export function isAcquire(read: Event, tail: Event): boolean {
  if (!isStrongRead(read) || !acquiring(tail.order)) return false;
  if (tail.kind === 'fence') return po(read, tail);
  return read === tail || (isStrongRead(tail) && po(read, tail) && sameAddress(read, tail));
}

type Node = Readonly<{ id: number }>;

/** A binary relation over numbered things: just enough of the algebra to write the definitions down. */
export class Relation {
  constructor(
    private readonly size: number,
    private readonly bits = new Uint8Array(size * size),
  ) {}
  readonly has = (from: Node, to: Node): boolean => this.bits[from.id * this.size + to.id] === 1;
  readonly copy = (): Relation => new Relation(this.size, this.bits.slice());
  add(from: Node, to: Node): this {
    this.bits[from.id * this.size + to.id] = 1;
    return this;
  }
  /** The transitive closure, in place. */
  close(): this {
    const { size, bits } = this;
    for (let middle = 0; middle < size; middle++)
      for (let from = 0; from < size; from++)
        if (bits[from * size + middle] === 1)
          for (let to = 0; to < size; to++) bits[from * size + to]! |= bits[middle * size + to]!;
    return this;
  }
  /** Of a relation that is closed. */
  readonly isIrreflexive = (): boolean => this.bits.every((bit, i) => bit === 0 || i % (this.size + 1) !== 0);
}

/** One of each, in all ways. */
export function* product<T>(lists: readonly (readonly T[])[], chosen: readonly T[] = []): Generator<readonly T[]> {
  const list = lists[chosen.length];
  if (list === undefined) yield chosen;
  else for (const one of list) yield* product(lists, [...chosen, one]);
}

/** By read: the write of each byte. */
type ReadsFrom = ReadonlyMap<Event, readonly Write[]>;
const byteFrom = (write: Write, byte: number, initial: Setting['initial']): number =>
  write === INITIAL ? initial.get(byte)! : byteOf(write.write!, byte - write.start);

/**
 * All ways in which a read can take its bytes from such writes, and, if it has one, return its value. Of the writes of
 * its own thread it sees only the last before it (axioms Coherence and Causality), but for those through aliases.
 */
export function waysToRead(read: Event, writes: Events, { initial, tearing }: Setting): readonly Write[][] {
  const isWhole = (write: Write): boolean => write === INITIAL || sameBytes(write, read);
  const covering = writes.filter((write) => touches(write, read) && write !== read);
  const own = covering.filter((write) => write.thread === read.thread && overlaps(write, read));
  let ways: Write[][] = [[]];
  for (let byte = read.start; byte < read.start + read.size; byte++) {
    const before = own.filter((write) => covers(write, byte) && po(write, read));
    const last = before.filter((write) => !before.some((other) => po(write, other)));
    const others = covering.filter((write) => covers(write, byte) && !own.includes(write));
    const value = read.read === undefined ? undefined : byteOf(read.read, byte - read.start);
    const sources = [...(before.length > 0 ? [] : [INITIAL]), ...last, ...others];
    const choices = sources.filter((write) => value === undefined || value === byteFrom(write, byte, initial));
    const fits = (one: Write, way: Write[]): boolean =>
      tearing || !isWhole(one) || way.every((other) => other === one || !isWhole(other));
    ways = ways.flatMap((way) => choices.filter((one) => fits(one, way)).map((one) => [...way, one]));
  }
  return ways;
}

/** The values that a read may return when its thread runs alone, after these events: bytes that any run writes. */
export function candidates(read: Event, earlier: Events, writes: Events, setting: Setting): ReadonlySet<bigint> {
  const others = writes.filter((write) => write.thread !== read.thread || !overlaps(write, read));
  const own = earlier.filter((event) => event.write !== undefined);
  const valueOf = (way: readonly Write[]): bigint =>
    way.reduceRight((value, write, i) => value * 256n + BigInt(byteFrom(write, read.start + i, setting.initial)), 0n);
  return new Set(waysToRead(read, [...own, ...others], setting).map(valueOf));
}

/** Against PTX ISA "No Thin Air": a cycle of what events learn and tell by dependencies, reads-from and barriers. */
export function isCircular(
  events: Events,
  readsFrom: ReadsFrom,
  barriers: readonly Edge[],
  orders: readonly Events[],
  before: readonly Edge[],
): boolean {
  const learns = ({ id }: Event): Node => ({ id: 2 * id });
  const tells = ({ id }: Event): Node => ({ id: 2 * id + 1 });
  const flow = new Relation(2 * events.length);
  for (const event of events) {
    for (let i = 0; i < event.index; i++) {
      const source = learns(events[event.id - event.index + i]!);
      if ((event.needs >> BigInt(i)) & 1n) flow.add(source, learns(event)).add(source, tells(event));
      if ((event.feeds >> BigInt(i)) & 1n) flow.add(source, tells(event));
    }
    if (event.reduce !== undefined) flow.add(tells(event), learns(event));
    if (event.read !== undefined && event.update !== 'exch') flow.add(learns(event), tells(event));
  }
  for (const [read, writes] of readsFrom)
    for (const write of writes) if (write !== INITIAL) flow.add(tells(write), learns(read));
  for (const [from, to] of barriers) if (to.reduce !== undefined) flow.add(tells(from), learns(to));
  // What follows a barrier comes after that for which it waited: arrivals, what a thread that exited has read. So does
  // what follows the start of a grid, and that start itself.
  for (const [from, waiter] of before) {
    if (waiter.kind === 'grid') flow.add(learns(from), learns(waiter));
    for (const later of events.filter((one) => po(waiter, one)))
      flow.add(learns(from), learns(later)).add(learns(from), tells(later));
  }
  // What an operation finds of an mbarrier object comes from those that changed it before: not from a wait.
  for (const order of orders)
    order.forEach((to, i) => {
      for (const from of order.slice(0, i).filter(({ action }) => !action.includes('wait')))
        for (const source of [learns(from), tells(from)]) flow.add(source, learns(to)).add(source, tells(to));
    });
  return !flow.close().isIrreflexive();
}

/**
 * All relations that a transitive one can grow to so that it orders the morally strong pairs of some events: from base
 * causality and of `fence.sc` the axiom Fence-SC (over base causality); of writes, what coherence orders are made of.
 */
export function* orderStrong(relation: Relation, events: Events): Generator<Relation> {
  const pairs = events.flatMap((a) =>
    events.filter((b) => a.id < b.id && morallyStrong(a, b)).map((b) => [a, b] as const),
  );
  if (pairs.some(([a, b]) => relation.has(a, b) && relation.has(b, a))) return;
  const open = pairs.find(([a, b]) => !relation.has(a, b) && !relation.has(b, a));
  if (open === undefined) yield relation;
  else for (const [a, b] of [open, open.toReversed()]) yield* orderStrong(relation.copy().add(a!, b!).close(), events);
}

/** Causality order: proxy-preserved base causality, or an observation followed by it. */
export function causalityOrder(events: Events, memory: Events, base: Relation, observation: Relation): Relation {
  const aliasFences = events.filter((event) => event.alias === true);
  const preserved = new Relation(events.length);
  for (const x of memory)
    for (const y of memory)
      if (base.has(x, y) && touches(x, y))
        if (overlaps(x, y) || aliasFences.some((fence) => base.has(x, fence) && base.has(fence, y)))
          preserved.add(x, y);
  const causality = preserved.copy();
  for (const x of memory)
    for (const y of memory) if (memory.some((z) => observation.has(x, z) && preserved.has(z, y))) causality.add(x, y);
  return causality;
}

/** PTX ISA "Conflict and Data-races", "Limitations on Mixed-size Data-races": the latter void all axioms. */
export function findRaces(memory: Events, causality: Relation): { race: boolean; mixedSize: boolean } {
  const found = { race: false, mixedSize: false };
  for (const x of memory) {
    for (const y of memory) {
      if (x.id >= y.id || !overlaps(x, y) || (x.write === undefined && y.write === undefined)) continue;
      if (causality.has(x, y) || causality.has(y, x) || morallyStrong(x, y)) continue;
      found.race = true;
      if (!sameAddress(x, y)) found.mixedSize = true;
    }
  }
  return found;
}

/** A candidate execution but for its coherence order (co), which has the initial writes before all others. */
export type Execution = Readonly<{ events: Events; readsFrom: ReadsFrom; causality: Relation; tearing: boolean }>;
type Coherence = (earlier: Write, later: Write) => boolean;

/**
 * All coherence orders of memory operations that satisfy the axioms. An order holds what causality forces and a choice
 * for each morally strong pair; other pairs stay unrelated, since relating more of them only forbids more.
 */
export function* coherenceOrders(execution: Execution, memory: Events, step: Step): Generator<Coherence> {
  const { events, causality } = execution;
  const writes = memory.filter((event) => event.write !== undefined);
  const forced = new Relation(events.length);
  for (const w of writes) for (const v of writes) if (causality.has(w, v)) forced.add(w, v);
  if (!forced.close().isIrreflexive()) return;
  for (const order of orderStrong(forced, writes)) {
    step(10 + memory.length ** 2 * 2);
    const co: Coherence = (earlier, later) =>
      later?.write !== undefined && (earlier === INITIAL || (order.has(earlier, later) && touches(earlier, later)));
    if (satisfiesAxioms(execution, memory, co)) yield co;
  }
}

function satisfiesAxioms({ readsFrom, causality, tearing }: Execution, memory: Events, co: Coherence): boolean {
  const sources = (read: Event): readonly Write[] => readsFrom.get(read) ?? [];
  const rf = (write: Event, read: Event): boolean => sources(read).includes(write);
  const fr = (read: Event, write: Event): boolean =>
    read !== write && sources(read).some((source, i) => covers(write, read.start + i) && co(source, write));
  for (const read of readsFrom.keys()) {
    for (const write of memory) {
      if (write.write === undefined || read === write || !touches(read, write)) continue;
      // Causality.
      if (causality.has(read, write) && rf(write, read)) return false;
      if (causality.has(write, read) && fr(read, write)) return false;
      // Atomicity: single copy, and of an atomic operation.
      const breaks = rf(write, read) || (read.write !== undefined && co(write, read));
      if (breaks && morallyStrong(read, write) && fr(read, write)) return false;
      // A scalar read of exactly the bytes of a write mixes it with nothing older (inferred).
      const whole = !tearing && sameBytes(read, write) && rf(write, read);
      if (whole && sources(read).some((other) => other !== write && co(other, write))) return false;
    }
  }
  return isScPerLocation(memory, (a, b) => po(a, b) || rf(a, b) || co(a, b) || fr(a, b));
}

/** SC-per-Location: no cycle of program order and communication among operations that are pairwise morally strong. */
function isScPerLocation(memory: Events, related: (a: Event, b: Event) => boolean): boolean {
  const closes = (path: Events): boolean => {
    const [first, last] = [path[0]!, path.at(-1)!];
    if (path.length > 1 && related(last, first)) return true;
    const next = memory.filter((one) => one.id > first.id && path.every((other) => morallyStrong(other, one)));
    return next.some((one) => related(last, one) && closes([...path, one]));
  };
  return !memory.some((start) => closes([start]));
}

/** Whether each strong read of a round that repeats for ever keeps its source: no write it must see comes later. */
export function readsLast({ readsFrom }: Execution, writes: Events, co: Coherence, repeated: Events): boolean {
  return repeated.every((read) => {
    const mustSee = writes.filter((write) => write.thread !== read.thread && mutuallyStrong(read, write));
    const isLast = (source: Write, byte: number): boolean =>
      mustSee.every((write) => !covers(write, byte) || !co(source, write));
    return readsFrom.get(read)!.every((source, i) => isLast(source, read.start + i));
  });
}

/** The values that given bytes may have in the end: those of coherence-maximal writes, of each scalar size one. */
export function finalBytes(writes: Events, co: Coherence, bytes: readonly number[], tearing: boolean) {
  let ways: readonly (readonly (readonly [number, Event])[])[] = [[]];
  for (const byte of bytes) {
    const covering = writes.filter((write) => covers(write, byte));
    const last = covering.filter((write) => !covering.some((other) => co(write, other)));
    if (last.length === 0) continue;
    const fits = (one: Event, other: Event): boolean => tearing || one === other || !sameBytes(one, other);
    ways = ways.flatMap((way) => {
      const choices = last.filter((one) => way.every(([, other]) => fits(one, other)));
      return choices.map((one) => [...way, [byte, one] as const]);
    });
  }
  return ways.map((way) => new Map(way.map(([byte, { write, start }]) => [byte, byteOf(write!, byte - start)])));
}
