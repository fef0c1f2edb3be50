import type { LastOfAll } from './last-of-all.js';
import type { MemoryImage } from './memory-image.js';
import type { Recorder } from './recorder.js';
import { type FollowedThread, type Results, type Way, wordOf } from './trace.js';
import type { Turn } from './turn.js';
import type { Derived, Voted, Warp } from './warp.js';
import { leadingTo, waysOf } from './ways-of-thread.js';

/** Ways of all threads that are followed at most. */
const MOST_WAYS = 1 << 16;

/** What decides a predicate: what an access has found, or a vote what several have. */
export interface Decided extends Pick<Way, 'row'> {
  /** The predicate in the run. */
  readonly now: bigint;
  /** The predicate if it is the same, whatever has been found. */
  readonly always: bigint | undefined;
  /** Whether what the access has found may lead to where the predicate is so. */
  readonly leads: (found: bigint, bit: bigint) => boolean;
  /** Whether what the accesses would find now leads there. */
  readonly isDue: (findNow: (row: number) => bigint | undefined, bit: bigint) => boolean;
  readonly vote?: Voted;
}

/** What is made of what an access has found. */
export type OfResult = Derived & { readonly from: number };

/**
 * Where it is open what an access has found, a thread goes each way that this may lead to, as a thread of its own,
 * which knows besides what has been found.
 */
export class WayThreads {
  private count = 0;
  private readonly votes = new Map<Voted, number>();
  /** Some end although registers that differ say what is accessed behind them. */
  areCut = false;

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly results: Results,
    private readonly lasts?: LastOfAll,
    private readonly areLong = false,
  ) {}

  /** Where ways from a branch end. */
  endOf({ at, warp: { code } }: Turn, join: number): number {
    const later = code.laterJoin(at, join);
    this.areCut ||= !this.areLong && later !== join;
    return this.areLong ? later : join;
  }

  private wordAt(row: number): string {
    const { pieces, starts } = this.recorder.accesses;
    const piece = this.image.pieces[pieces.at(row)];
    return piece === undefined ? '' : wordOf(piece, starts.at(row));
  }

  /** All that an access may find, as far as a thread knows on its way; undefined where that is not known. */
  resultsOf(row: number, thread: FollowedThread | undefined): readonly bigint[] | undefined {
    if (this.results.size === 0) return undefined;
    const all = this.results.get(this.wordAt(row));
    const own = waysOf(this.recorder.threads, thread).filter((way) => way.row === row);
    return all?.filter((result) => own.every(({ leads }) => leads(result)));
  }

  /** Whether threads are all on ways that the same leads to. */
  areTogether(threads: readonly (FollowedThread | undefined)[]): boolean {
    const { recorder, results } = this;
    const leading = (thread: FollowedThread | undefined): string =>
      leadingTo(waysOf(recorder.threads, thread), (row) => results.get(this.wordAt(row)) ?? []);
    return new Set(threads.map(leading)).size === 1;
  }

  /** What decides the predicate of a lane, where all that this may be is known. */
  decidedBy(turn: Turn, lane: number, register: string): Decided | undefined {
    const derived = turn.fact(turn.warp.derived, { kind: 'register', name: register }, lane);
    if (derived === undefined) return undefined;
    const { from } = derived;
    if (typeof from === 'number') return this.decidedByResult(turn, lane, { ...derived, from });
    return 'given' in from ? this.decidedByVote(turn, lane, from, derived) : undefined;
  }

  private decidedByResult(turn: Turn, lane: number, derived: OfResult): Decided | undefined {
    const { from: row, of } = derived;
    const [now, results] = [of(derived.now), this.resultsOf(row, turn.warp.threads[lane])];
    const [first, ...others] = results ?? [];
    if (now === undefined || first === undefined) return undefined;
    const bits = of(first);
    const isSame = others.every((result) => of(result) === bits);
    if (isSame && bits !== undefined) this.assume(turn, lane, derived, bits);
    const leads = (found: bigint, bit: bigint): boolean => lowBit(of(found) ?? 1n - bit) === bit;
    return {
      ...{ row, now: lowBit(now), always: isSame ? lowBit(bits ?? now) : undefined, leads },
      isDue: (findNow, bit) => {
        const found = findNow(row);
        return found !== undefined && leads(found, bit);
      },
    };
  }

  /**
   * What a vote comes to, if no lane gives the same in all executions that decides it: it is named by the first lane
   * that may give the one or the other. What this has found leads to where it does not decide the vote.
   */
  private decidedByVote(turn: Turn, lane: number, vote: Voted, { of, now }: Derived): Decided | undefined {
    const { decisive, given } = vote;
    const [ifDecided, otherwise, inRun] = [of(decisive), of(1n - decisive), of(now)];
    if (ifDecided === undefined || otherwise === undefined || inRun === undefined) return undefined;
    const all = given.map((one) => this.decidedByResult(turn, lane, one));
    const first = all.find((one) => one?.always === undefined);
    const decided = all.find((one) => one?.always === decisive);
    if (all.includes(undefined) || (first ?? all[0]) === undefined) return undefined;
    const { row, leads } = (decided ?? first ?? all[0]) as Decided;
    const isDecided = (bit: bigint): boolean => bit === lowBit(ifDecided);
    const isOne = lowBit(ifDecided) === lowBit(otherwise);
    const always = decided !== undefined || isOne ? ifDecided : first === undefined ? otherwise : undefined;
    return {
      ...{ row, now: lowBit(inRun), always: always === undefined ? undefined : lowBit(always), vote },
      leads: (found, bit) => isDecided(bit) || leads(found, 1n - decisive),
      isDue: (findNow, bit) =>
        isDecided(bit)
          ? all.some((one) => one?.isDue(findNow, decisive))
          : all.every((one) => one?.isDue(findNow, 1n - decisive)),
    };
  }

  /** What is made of all that an access may find is the same: on a way, of all that leads there. */
  assume({ warp, at: here, statement }: Turn, lane: number, { from: row, of }: OfResult, now: bigint): void {
    const { threads, assumptions } = this.recorder;
    const own = waysOf(threads, warp.threads[lane]).filter((way) => way.row === row);
    const last = this.lasts?.exceptFor(row, here);
    const isAsked = (result: bigint): boolean => result !== last && own.every(({ leads }) => leads(result));
    const isOfSome = own.length > 0 || last !== undefined;
    assumptions.push({ row, of, now, span: statement.span, ...(isOfSome && { isAsked }) });
  }

  /** A thread begins a way, on which the predicate is so. */
  begin(turn: Turn, lane: number, { row, leads, vote }: Decided, bit: bigint): FollowedThread {
    const { recorder } = this;
    const thread = turn.warp.threads[lane];
    if (thread === undefined) throw new Error(`no lane ${lane}`);
    this.count += 1;
    if (this.count > MOST_WAYS) throw turn.notFollowed(`more than ${MOST_WAYS} ways`);
    const way: Way = {
      ...{ of: recorder.stepOf(turn, lane), row, leads: (found) => leads(found, bit) },
      ...(vote !== undefined && { vote: { id: this.idOf(vote), bit } }),
    };
    const begun = { ...thread, id: recorder.threads.length, way };
    recorder.add([begun]);
    recorder.synchronizations.push({ kind: 'way', row: recorder.accesses.count, thread: begun.id });
    return begun;
  }

  private idOf(vote: Voted): number {
    const id = this.votes.get(vote) ?? this.votes.size;
    this.votes.set(vote, id);
    return id;
  }

  /** A lane goes on behind its ways. */
  end(turn: Turn, lane: number, threads: readonly number[]): void {
    const { synchronizations, accesses } = this.recorder;
    synchronizations.push({
      ...{ kind: 'way-end', row: accesses.count, threads },
      behind: this.recorder.stepOf(turn, lane),
    });
  }

  /** Whether what is there now would lead to a way. */
  isDue({ isDue }: Decided, bit: bigint): boolean {
    const { pieces, starts, sizes, kinds } = this.recorder.accesses;
    return isDue((row) => {
      const piece = this.image.pieces[pieces.at(row)];
      // What an atomic finds that comes later is there when all others have been.
      if (piece === undefined || this.recorder.kinds[kinds.at(row)]?.writes === true) return undefined;
      return this.image.find(piece, starts.at(row), sizes.at(row));
    }, bit);
  }
}

const lowBit = (bits: bigint): bigint => bits & 1n;

/** Lets lanes go the other way: those that what is there now leads to it, or else all; whether there are any. */
export const releaseWays = (warps: readonly Warp[]): boolean =>
  [false, true].some((areAll) => warps.filter(({ ways }) => ways.release(areAll)).length > 0);
