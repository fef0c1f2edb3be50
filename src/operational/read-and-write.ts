import type { ProgramEvent } from '../events/program-event.js';
import { initialBytes } from '../semantics/cells.js';
import { type Bits, bit, has, membersOf, NONE } from './bits.js';
import { noticeAccess } from './findings.js';
import {
  acquireFrom,
  causalityBefore,
  knowledgeOf,
  observedBy,
  orderedBefore,
  release,
  releasePacketsOf,
  rememberBefore,
} from './learning.js';
import type { Bytes, Location } from './location.js';
import { canAcquire, isAcquire, isRelease, isStrong } from './moral-strength.js';
import { INITIAL, type Source, type State } from './state.js';
import { meetInExecution } from './tensor-memory.js';

/** The states after a read: one for each choice of the writes that its bytes come from. */
export function readStates(state: State, read: ProgramEvent): readonly State[] {
  const at = state.locationOf(read.id);
  if (at === undefined) throw new Error(`read ${read.id} has no location`);
  const knowledge = knowledgeOf(state, read.id);
  const acquires = isAcquire(read) && canAcquire(read);
  const learnedBefore = acquires ? acquireFrom(state, observedBy(state, read), read) : NONE;
  return choices(state, at).flatMap((sources) => {
    const next = state.copy();
    const strong = [...new Set(sources.map(({ write }) => write))].filter(
      (write) => write !== INITIAL && state.morallyStrong(write, read.id),
    );
    let learned = learnedBefore;
    let [heads, links] = [NONE, NONE];
    for (const write of strong) {
      meetInExecution(next, state.context.event(write), read);
      heads |= state.packets.get(write) ?? NONE;
      const partner = state.context.event(write).partner;
      // An atomic is one operation: whoever observes what it wrote observes that it has read.
      links |= bit(write) | (partner === undefined ? NONE : bit(partner) | (state.links.get(partner) ?? NONE));
    }
    if (acquires) learned |= acquireFrom(state, heads, read);
    const all = knowledge | learned;
    const before = causalityBefore(next, all, read, at);
    if (!fits(next, sources, strong, before, at)) return [];
    rememberBefore(next, read, before);
    if (isStrong(read) && heads !== NONE) next.observed.set(read.id, heads);
    if (links !== NONE) next.links.set(read.id, links);
    next.sources.set(read.id, sources);
    if (sources.some((source) => hasNoValue(state, source))) next.uninitialized |= bit(read.id);
    next.learn(read.id, learned);
    next.finish(read.id);
    noticeAccess(next, read, at, before, orderedBefore(next, all, read, at));
    next.answer(read.thread, read.id, valueOf(next, sources, at));
    return [next];
  });
}

/** Whether a byte is taken from memory that has no value (PTX ISA, Initializers). */
const hasNoValue = ({ context }: State, { cell, write }: Source): boolean =>
  write === INITIAL && context.cell(cell).object.isUninitialized === true;

/** For each cell of a location a write that is there, in all combinations that leave scalars whole. */
function choices(state: State, at: Location): readonly (readonly Source[])[] {
  return state.context.cellsAt(at).reduce<readonly (readonly Source[])[]>(
    (all, cell) => {
      const writes = [INITIAL, ...state.writesTo(cell)];
      return all
        .flatMap((chosen) => writes.map((write) => [...chosen, { cell: cell.id, write }]))
        .filter((chosen) => isWhole(state, chosen, at));
    },
    [[]],
  );
}

/**
 * Of the writes of exactly these bytes at most one is taken, and nothing beside it that was there before all of them.
 */
function isWhole(state: State, sources: readonly Source[], at: Bytes): boolean {
  const writes = new Set(sources.map(({ write }) => write));
  const wholes = wholeWrites(state, writes, at);
  return wholes.length === 0 || (wholes.length === 1 && !writes.has(INITIAL));
}

/** The writes of exactly these bytes, where such are not torn. */
export function wholeWrites(state: State, writes: Iterable<number>, at: Bytes): readonly number[] {
  if (state.context.readings.tearing) return [];
  return [...writes].filter((write) => {
    const there = write === INITIAL ? undefined : state.locationOf(write);
    return there !== undefined && there.object === at.object && there.offset === at.offset && there.bytes === at.bytes;
  });
}

/**
 * A read takes nothing older than what it knows (8.10, Causality), now or ever: that is kept for writes that find their
 * place in coherence later. And it does not take one byte from a write and another from an older one, if that write is
 * morally strong (8.10.3, single-copy atomicity) or of exactly its bytes.
 */
function fits(
  state: State,
  sources: readonly Source[],
  strong: readonly number[],
  before: Bits,
  at: Location,
): boolean {
  const wholes = wholeWrites(state, new Set(sources.map(({ write }) => write)), at);
  for (const { cell, write } of sources) {
    const there = state.writesTo(state.context.cell(cell));
    const newer = [...membersOf(before), ...strong, ...wholes].filter((other) => there.includes(other));
    for (const other of newer) {
      if (other === write) continue;
      if (write === INITIAL || state.isAfter(write, other)) return false;
      state.neverAfter.set(write, (state.neverAfter.get(write) ?? NONE) | bit(other));
    }
  }
  return true;
}

function valueOf(state: State, sources: readonly Source[], at: Location): bigint {
  return sources.reduce<bigint>((value, { cell, write }) => {
    const range = state.context.cell(cell);
    return value | (bytesOf(state, write, range) << BigInt(8 * (range.offset - at.offset)));
  }, 0n);
}

/**
 * The bytes of a cell that a write, or nobody, put there. Where the test or PTX leaves them open they are taken as 0,
 * and the state says so.
 */
export function bytesOf(state: State, write: number, { object, offset, bytes }: Bytes): bigint {
  if (write === INITIAL) {
    return initialBytes(object, offset, bytes).reduce<bigint>((value, byte, i) => {
      if (byte === undefined && (object.space !== 'tensor' || state.context.mayMatter))
        state.open ??= `${object.name} has no known value before the test`;
      return value | (BigInt(byte ?? 0) << BigInt(8 * i));
    }, 0n);
  }
  const location = state.locationOf(write);
  const value = state.runOf(write)?.value;
  if (location === undefined) throw new Error(`write ${write} has no location`);
  if (value === undefined) {
    state.open ??= 'PTX leaves open what mbarrier.init writes';
    return 0n;
  }
  return (value.bits >> BigInt(8 * (offset - location.offset))) & ((1n << BigInt(8 * bytes)) - 1n);
}

/** The states after a write: one for each place that it may take in coherence. */
export function writeStates(state: State, write: ProgramEvent): readonly State[] {
  const at = state.locationOf(write.id);
  if (at === undefined) throw new Error(`write ${write.id} has no location`);
  const knowledge = knowledgeOf(state, write.id);
  const before = causalityBefore(state, knowledge, write, at);
  const base = state.copy();
  base.finish(write.id);
  rememberBefore(base, write, before);
  if (isRelease(write)) release(base, write, knowledge);
  let packets = releasePacketsOf(state, write);
  if (write.partner !== undefined) packets |= state.observed.get(write.partner) ?? NONE;
  if (packets !== NONE) base.packets.set(write.id, packets);
  noticeAccess(base, write, at, before, orderedBefore(base, knowledge, write, at));
  const others = state.writesTo(at);
  // 8.9.6: coherence has a write after what is causality-before it, and before or after what it is morally strong with.
  for (const other of others) if (has(before, other) && !addCoherence(base, other, write.id)) return [];
  let states: readonly State[] = [base];
  for (const other of others) {
    if (has(before, other) || !state.morallyStrong(other, write.id)) continue;
    states = states.flatMap((one) =>
      (
        [
          [other, write.id],
          [write.id, other],
        ] as const
      ).flatMap(([a, b]) => {
        if (one.isAfter(a, b)) return [one];
        const next = one.copy();
        return addCoherence(next, a, b) ? [next] : [];
      }),
    );
  }
  return states.filter((one) => atomic(one));
}

/** Puts b after a in coherence, with what follows from it; false if that cannot be. */
function addCoherence(state: State, a: number, b: number): boolean {
  if (state.isAfter(a, b)) return true;
  if (a === b || state.isAfter(b, a) || has(state.neverAfter.get(a) ?? NONE, b)) return false;
  state.after.set(a, (state.after.get(a) ?? NONE) | bit(b));
  for (const later of membersOf(state.after.get(b) ?? NONE))
    if ((later === a || state.sharesBytes(a, later)) && !addCoherence(state, a, later)) return false;
  for (const [earlier, after] of [...state.after])
    if (has(after, a) && (earlier === b || state.sharesBytes(earlier, b)) && !addCoherence(state, earlier, b))
      return false;
  return true;
}

/** 8.10.3: no write that is morally strong with both halves of an atomic comes between its source and its write. */
function atomic(state: State): boolean {
  const { context } = state;
  return context.writes.every(({ id: write, partner: read }) => {
    if (read === undefined || !state.isDone(write)) return true;
    const sources = state.sources.get(read) ?? [];
    return context.writes.every(({ id: other }) => {
      if (other === write || !state.isDone(other) || !state.isAfter(other, write)) return true;
      const passedOver = sources.some(
        ({ cell, write: source }) =>
          source !== other &&
          (source === INITIAL || state.isAfter(source, other)) &&
          state.writesTo(context.cell(cell)).includes(other),
      );
      return !passedOver || !state.morallyStrong(read, other) || !state.morallyStrong(other, write);
    });
  });
}

/** An atomic reads and writes in one step; a failing cas, and only that, does not write (8.4, Table 20). */
export function atomicStates(state: State, read: ProgramEvent): readonly State[] {
  return readStates(state, read).flatMap((next) => {
    const write = state.context.event(read.partner ?? -1);
    return next.runOf(write.id)?.executed === true ? writeStates(next, write) : [next];
  });
}
