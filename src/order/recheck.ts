import type { LastStep } from '../follow/last-step.js';
import { type BytesOfPieces, type Contested, NOT_CONTESTED } from '../follow/memory-image.js';
import { operationsIn } from '../follow/operations-of-run.js';
import { kindOf, type Step, stepsOf, type Trace, threadOf } from '../follow/trace.js';
import { append } from '../program/group-by.js';
import { SparseList } from '../program/sparse-list.js';
import type { CheckBudget } from '../program/undecided.js';
import { fencesBetween, startOf } from './chain-ends.js';
import { Chains, type NeededFence } from './recheck-chains.js';
import { firstDoubtfulChoice } from './recheck-choices.js';
import { OrderedWords } from './recheck-coherence.js';
import { firstDoubtfulExit } from './recheck-exits.js';
import { GridEnds } from './recheck-grids.js';
import { firstDoubtfulHalt } from './recheck-halts.js';
import { type Claims, NO_CLAIMS } from './recheck-links.js';
import { HeldWords } from './recheck-locks.js';
import { firstDoubtfulBarrier, firstDoubtfulPairStep, firstDoubtfulPhase, type Leading } from './recheck-partners.js';
import { reach } from './recheck-patterns.js';
import { firstDoubtfulValue, isFinder } from './recheck-polls.js';
import { TensorChains } from './recheck-tensors.js';
import { CountedWords } from './recheck-tickets.js';
import { UpdatedWords } from './recheck-updates.js';
import { FoundWays } from './recheck-ways.js';

/**
 * A second look at what must-order says of a run, which shares the trace with it and nothing else: without clocks, each
 * access is held against those of its bytes that it must come after, and for each a chain of barriers is looked for.
 * Bytes that conflicts are known of are looked at if all of these are said to be strong. Gives what does not hold;
 * undefined if all does.
 */
export function recheck(
  trace: Trace,
  claims: Claims = NO_CLAIMS,
  contested: Contested = NOT_CONTESTED,
  areStrong = false,
  checkBudget: CheckBudget = () => undefined,
): string | undefined {
  return new Recheck(trace, claims, contested, areStrong).firstWrong(checkBudget);
}

type BytesByPiece = ReadonlyMap<number, ReadonlySet<number>>;

function eachByteOf(bytes: BytesOfPieces): BytesByPiece {
  const bytesIn = ([from, to]: readonly [number, number]): readonly number[] =>
    Array.from({ length: to - from }, (_, i) => from + i);
  return new Map([...bytes].map(([piece, ranges]) => [piece, new Set(ranges.flatMap(bytesIn))]));
}

/** Who has accessed a byte since the last write that is behind all before. */
interface Last {
  write: number | undefined;
  reads: number[];
  /** Read-modify-writes that come to the same in any order: those of one operation, size and scope together. */
  updates: Map<string, number[]>;
  /** Threads that have come with such a one and were behind all else, since which nothing else has come. */
  followers?: Set<number>;
}

/** What most of the many bytes have none of, and share. */
const NONE = new Map<string, number[]>();
const ownOf = (updates: Last['updates']): Last['updates'] => (updates === NONE ? new Map() : updates);

class Recheck {
  private readonly chains: Chains;
  private readonly tensors: TensorChains;
  private readonly held: HeldWords;
  private readonly counted: CountedWords;
  private readonly ordered: OrderedWords;
  private readonly updated: UpdatedWords;
  private readonly ways: FoundWays;
  private readonly grids: GridEnds;
  /** By piece, the bytes that are written on ways. */
  private readonly onWays: ReadonlyMap<number, ReadonlySet<number>>;
  private readonly operations: Uint32Array;
  /** Of the operation at hand, where it is of many bytes: which of others it comes after. */
  private readonly settled = new Map<number, boolean>();
  private isOfMany = false;
  /** What the access at hand is alike in, if it is of those that come to the same in any order. */
  private alike: string | undefined;
  /** By piece, the bytes that threads wait for, or take. */
  private readonly polled: ReadonlyMap<number, ReadonlySet<number>>;
  /** By write, the polls that have found it in any case. */
  private readonly finders = new Map<number, Step[]>();
  /** By piece, the bytes that conflicts are known of. */
  private readonly contested: BytesByPiece;
  /** The same, of bytes into which writes in no order put the same value. */
  private readonly sameValue: BytesByPiece;

  constructor(
    private readonly trace: Trace,
    private readonly claims: Claims,
    contested: Contested,
    private readonly areStrong: boolean,
  ) {
    this.chains = new Chains(trace, claims);
    this.tensors = new TensorChains(trace, this.chains);
    this.operations = operationsIn(trace);
    this.held = new HeldWords(trace);
    this.counted = new CountedWords(trace);
    this.ordered = new OrderedWords(trace, claims);
    this.updated = new UpdatedWords(trace, claims, this.ordered);
    this.ways = new FoundWays(trace, claims);
    this.grids = new GridEnds(trace);
    this.onWays = bytesOnWays(trace, this.ways);
    this.polled = bytesWaitedFor(trace);
    for (const one of trace.synchronizations) {
      for (const row of one.kind === 'last' ? one.rows : [])
        this.finders.set(row, [...(this.finders.get(row) ?? []), { thread: (one as LastStep).thread, position: 0 }]);
      const [only, ...others] = (one.kind === 'poll' && claims.polls.get(one.read)) || [];
      if (one.kind !== 'poll' || others.length > 0 || !isFinder(trace, one)) continue;
      for (const row of only ?? []) this.finders.set(row, [...(this.finders.get(row) ?? []), one.step]);
    }
    this.contested = eachByteOf(contested.bytes);
    this.sameValue = eachByteOf(contested.sameValue);
  }

  firstWrong(checkBudget: CheckBudget): string | undefined {
    const { accesses } = this.trace;
    const cells = new Map<number, SparseList<Last>>();
    const written = new Set<number>();
    /** By piece: each access begins and ends at a multiple of so many bytes, a power of two. */
    const grains = new Map<number, number>();
    for (let row = 0; row < accesses.count; row++) {
      const piece = accesses.pieces.at(row);
      if (kindOf(this.trace, row).writes) written.add(piece);
      let grain = grains.get(piece) ?? 16;
      while (accesses.starts.at(row) % grain !== 0 || accesses.sizes.at(row) % grain !== 0) grain /= 2;
      grains.set(piece, grain);
    }
    for (let row = 0; row < accesses.count; row++) {
      if (row % 128 === 0) checkBudget();
      const piece = accesses.pieces.at(row);
      if (!written.has(piece)) continue;
      const own = cells.get(piece) ?? new SparseList();
      cells.set(piece, own);
      if (this.settled.size > 0 && this.operations[row] !== this.operations[row - 1]) this.settled.clear();
      const { commutes, tags } = kindOf(this.trace, row);
      this.alike = this.counted.nameOf(row) ?? (commutes === undefined ? undefined : this.likeness(row));
      const [grain, start] = [grains.get(piece) ?? 1, accesses.starts.at(row)];
      this.isOfMany = tags.has('ASY') || accesses.sizes.at(row) > grain;
      const [contested, polled, onWays] = [this.contested.get(piece), this.polled.get(piece), this.onWays.get(piece)];
      for (let at = start / grain; at < (start + accesses.sizes.at(row)) / grain; at++) {
        const known = own.at(at);
        const last = known ?? { write: undefined, reads: [], updates: NONE };
        if (known === undefined) own.set(at, last);
        const isKept = polled?.has(at * grain) === true || onWays?.has(at * grain) === true;
        const isSameValue = this.sameValue.get(piece)?.has(at * grain) === true;
        const wrong = this.firstOf(last, row, contested?.has(at * grain) === true, isKept, isSameValue);
        if (wrong !== undefined) return this.describe(wrong, row);
      }
    }
    return (
      firstDoubtfulBarrier(this.trace, this.chains, this.ways) ??
      firstDoubtfulPairStep(this.trace, this.chains) ??
      firstDoubtfulPhase(this.trace, this.happening(), this.chains) ??
      this.wrongValue() ??
      firstDoubtfulHalt(this.trace) ??
      firstDoubtfulExit(this.trace, this.chains, this.tensors, this.claims) ??
      this.held.wrong ??
      this.counted.wrong ??
      this.ways.firstDoubtful(this.chains) ??
      firstDoubtfulChoice(this.trace)
    );
  }

  /** Something that is found, and may be another value. */
  private wrongValue(): string | undefined {
    const { trace, chains, claims, held, ordered, updated } = this;
    const isTurn = (read: number): boolean => held.isTurn(read);
    const isOrdered = (read: number): boolean => ordered.has(read);
    return (
      firstDoubtfulValue(trace, chains, claims, isTurn, isOrdered) ??
      ordered.firstWrong(chains, updated) ??
      updated.firstWrong(chains)
    );
  }

  /** Chains of what happens, where what orders data is not enough. */
  private happening(): Leading {
    let all: Chains | undefined;
    const ofAll = (): Chains => {
      all ??= new Chains(this.trace, this.claims, true);
      return all;
    };
    return {
      leads: (...of) => this.chains.leads(...of) || ofAll().leads(...of),
      leadsToAll: (...of) => this.chains.leadsToAll(...of) || ofAll().leadsToAll(...of),
    };
  }

  private firstOf(
    last: Last,
    row: number,
    isContested: boolean,
    isKept: boolean,
    isSameValue: boolean,
  ): number | undefined {
    const mayBe = (other: number): boolean =>
      this.isStrong(other, row) || this.areApart(other, row) || this.held.areHeldApart(other, row);
    if (isContested) return this.areStrong ? this.firstApart(last, row, mayBe) : undefined;
    if (!isKept && !isSameValue) return this.enter(last, row);
    const mayBeKept = (other: number): boolean =>
      this.held.areOfOneWord(other, row) ||
      this.isPolled(other, row) ||
      this.areAlike(other, row) ||
      this.areApart(other, row) ||
      (isSameValue && this.putSameValue(other, row));
    return this.firstApart(last, row, mayBeKept);
  }

  /** Stores of one element each, which put the same there: whichever comes last. */
  private putSameValue(a: number, b: number): boolean {
    const { starts, sizes, values, numbers } = this.trace.accesses;
    const areStores = [a, b].every((row) => {
      const { reads, isPossible, tags } = kindOf(this.trace, row);
      return !reads && !isPossible && tags.has('GEN') && !tags.has('ASY') && !tags.has('MATRIX');
    });
    const isSame = (of: { at(row: number): number }): boolean => of.at(a) === of.at(b);
    if (!areStores || !isSame(starts) || !isSame(sizes)) return false;
    const [first, second] = [values.at(a) ?? numbers.get(a), values.at(b) ?? numbers.get(b)];
    return first !== undefined && first === second;
  }

  /** At other places, by what has been counted, or on ways that no execution has both of. */
  private areApart(a: number, b: number): boolean {
    return this.counted.areApart(a, b) || this.ways.areApart(a, b);
  }

  /** Takes an access of a byte, all of whose accesses are kept; gives one that it neither follows nor stands beside. */
  private firstApart(last: Last, row: number, mayBeBeside: (other: number) => boolean): number | undefined {
    const { writes } = kindOf(this.trace, row);
    const isApart = (other: number): boolean => !mayBeBeside(other) && !this.isOrdered(other, row);
    const written = last.updates.get('') ?? [];
    last.updates = ownOf(last.updates).set('', written);
    const wrong = written.find(isApart) ?? (writes ? last.reads.find(isApart) : undefined);
    (writes ? written : last.reads).push(row);
    return wrong;
  }

  /** One of them is the read of a poll, whom the other may come before or behind. */
  private isPolled(a: number, b: number): boolean {
    return (kindOf(this.trace, a).isPoll || kindOf(this.trace, b).isPoll) && this.isStrong(a, b);
  }

  /** Strong, generic, in scopes that hold each other, of the same bytes by one name (PTX ISA 8.7). */
  private isStrong(a: number, b: number): boolean {
    const { starts, sizes, ranges } = this.trace.accesses;
    if (ranges.at(a) !== ranges.at(b)) return false;
    // Of an access somewhere among its bytes, each of its size counts.
    const [width, other] = [a, b].map((row) => kindOf(this.trace, row).unit ?? sizes.at(row));
    const apart = starts.at(b) - starts.at(a);
    const isSpread = [a, b].some((row) => kindOf(this.trace, row).unit !== undefined);
    if (width !== other || (isSpread ? apart % (width ?? 1) !== 0 : apart !== 0)) return false;
    const [s, t] = [threadOf(this.trace, a), threadOf(this.trace, b)];
    return [a, b].every((row) => {
      const { tags, scope } = kindOf(this.trace, row);
      return !tags.has('WEAK') && tags.has('GEN') && reach(scope, s, t);
    });
  }

  /** Takes an access of a byte; gives one that it must come after, and does not. */
  private enter(last: Last, row: number): number | undefined {
    const { writes, tags } = kindOf(this.trace, row);
    const { alike } = this;
    const thread = this.trace.accesses.threads.at(row);
    const rowsAlike = alike === undefined ? undefined : last.updates.get(alike);
    if (
      writes &&
      rowsAlike !== undefined &&
      !tags.has('ASY') &&
      tags.has('GEN') &&
      last.followers?.has(thread) === true
    ) {
      rowsAlike.push(row);
      return undefined;
    }
    const isBefore = (other: number): boolean => {
      if (!this.isOfMany) return this.isOrdered(other, row);
      const operation = this.operations[other] ?? other;
      const known = this.settled.get(operation) ?? this.isOrdered(other, row);
      this.settled.set(operation, known);
      return known;
    };
    // A copy is not cumulative, but what was before an asynchronous read is before what comes behind that.
    const isRelay = (read: number): boolean => kindOf(this.trace, read).tags.has('ASY') && isBefore(read);
    if (last.write !== undefined && !isBefore(last.write) && !last.reads.some(isRelay)) return last.write;
    const wrong = writes ? last.reads.find((other) => !isBefore(other) && !this.areApart(other, row)) : undefined;
    if (wrong !== undefined) return wrong;
    for (const [of, rows] of last.updates) {
      const unlike = of === alike ? undefined : rows.find((other) => !isBefore(other) && !this.areAlike(other, row));
      if (unlike !== undefined) return unlike;
    }
    const isOfGroup = writes && alike !== undefined;
    if (!isOfGroup || (last.updates.size > 0 && rowsAlike === undefined)) last.followers?.clear();
    if (isOfGroup) {
      last.updates = ownOf(last.updates);
      append(last.updates, alike, row);
      if (last.updates.size === 1) {
        last.followers ??= new Set();
        last.followers.add(thread);
      }
    } else if (writes) Object.assign(last, { write: row, reads: [], updates: NONE });
    else last.reads.push(row);
    return undefined;
  }

  /**
   * Atomics of one operation on the same bytes are strong in scopes that hold each other, and their order makes no
   * difference, if this is the same of both (PTX ISA 8.7).
   */
  private likeness(row: number): string {
    const { starts, sizes, ranges } = this.trace.accesses;
    const { scope, commutes, tags, unit } = kindOf(this.trace, row);
    const thread = threadOf(this.trace, row);
    const within = { cta: thread.ctaId, cluster: thread.clusterId, gpu: thread.gpu, sys: 0, none: row }[
      scope ?? 'none'
    ];
    const bytes = [starts, sizes, ranges].map((column) => column.at(row));
    return [commutes, unit, scope, tags.has('WEAK') ? row : '', within, ...bytes].join(' ');
  }

  /** The same of two in scopes that differ. */
  private areAlike(a: number, b: number): boolean {
    const { commutes } = kindOf(this.trace, a);
    return commutes !== undefined && commutes === kindOf(this.trace, b).commutes && this.isStrong(a, b);
  }

  /** Whether an access comes after another one, with all threads that make it. */
  private isOrdered(a: number, b: number): boolean {
    const { ranges } = this.trace.accesses;
    if (ranges.at(a) !== ranges.at(b)) return false;
    if (this.ordered.areInOrder(a, b) || this.updated.finds(b, a)) return true;
    if (this.ordered.isFoundBefore(a, b, this.updated)) return true;
    if (this.trace.tensors.has(a)) return this.tensors.isOrdered(a, b);
    const [first, second] = [kindOf(this.trace, a), kindOf(this.trace, b)];
    if (first.tags.has('RO') || second.tags.has('RO')) return this.grids.areApart(a, b);
    return fencesBetween(this.trace, a, b).some((fence) => this.isLed(a, b, fence));
  }

  /** Whether a chain leads from one access to another, with a fence between if one is needed. */
  private isLed(a: number, b: number, fence: NeededFence | undefined): boolean {
    const { positions } = this.trace.accesses;
    const [first, s, t] = [kindOf(this.trace, a), threadOf(this.trace, a), threadOf(this.trace, b)];
    const isAside = fence !== undefined;
    const [from, steps] = [startOf(this.trace, a), stepsOf(this.trace, b)];
    // What a commit tells of is complete where it has arrived.
    const committed = from.kind === 'phase' ? this.tensors.arrivalsOf(from.object, from.phase) : [];
    const isCommitted = committed.some((one) =>
      this.chains.leadsToAll({ kind: 'phase', launch: s.launch, ...one }, steps, fence),
    );
    if (isCommitted) return true;
    const [to] = steps;
    if (to === undefined || steps.length > 1) return this.chains.leadsToAll(from, steps, fence);
    if (from.kind === 'phase') return this.chains.leads(from, to, fence);
    const isFound = this.finders
      .get(a)
      ?.some(({ thread, position }) => this.chains.leads({ kind: 'step', thread, position: position + 1 }, to));
    if (isFound === true && !isAside) return true;
    const isTogether = s === t && !first.tags.has('ASY') && positions.at(a) === positions.at(b) && !isAside;
    return isTogether || this.chains.leads(from, to, fence);
  }

  private describe(a: number, b: number): string {
    const [x, y] = [threadOf(this.trace, a), threadOf(this.trace, b)];
    return `thread ${x.tid} of CTA ${x.cta} is not before thread ${y.tid} of CTA ${y.cta}`;
  }
}

function bytesOnWays(trace: Trace, ways: FoundWays): ReadonlyMap<number, ReadonlySet<number>> {
  const bytes = new Map<number, Set<number>>();
  if (trace.results.size === 0) return bytes;
  const { count, pieces, starts, sizes } = trace.accesses;
  for (let row = 0; row < count; row++) {
    if (!kindOf(trace, row).writes || !ways.isOnWay(row)) continue;
    const own = bytes.get(pieces.at(row)) ?? new Set<number>();
    bytes.set(pieces.at(row), own);
    for (let i = 0; i < sizes.at(row); i++) own.add(starts.at(row) + i);
  }
  return bytes;
}

function bytesWaitedFor({ synchronizations, accesses, halts }: Trace): ReadonlyMap<number, ReadonlySet<number>> {
  const all = new Map<number, Set<number>>();
  const add = (piece: number, start: number, bytes: number): void => {
    const own = all.get(piece) ?? new Set<number>();
    all.set(piece, own);
    for (let i = 0; i < bytes; i++) own.add(start + i);
  };
  for (const one of synchronizations)
    if (one.kind === 'poll' || one.kind === 'take')
      add(accesses.pieces.at(one.read), accesses.starts.at(one.read), accesses.sizes.at(one.read));
  for (const { awaited } of halts) if (awaited?.kind === 'value') add(awaited.piece, awaited.offset, awaited.bytes);
  return all;
}
