import type { LastOfAll } from './last-of-all.js';
import type { MemoryImage } from './memory-image.js';
import type { Recorder } from './recorder.js';
import { type FollowedThread, type Results, type Way, wordOf } from './trace.js';
import type { Turn } from './turn.js';
import type { Derived, Warp } from './warp.js';
import { waysOf } from './ways-of-thread.js';

/** Ways of all threads that are followed at most. */
const MOST_WAYS = 1 << 16;

/** What decides a predicate: what an access has found. */
export interface Decided extends Pick<Way, 'row'> {
  readonly of: (found: bigint) => bigint | undefined;
  /** The predicate in the run. */
  readonly now: bigint;
  /** It is the same, whatever has been found. */
  readonly isSame: boolean;
}

/** What is made of what an access has found. */
export type OfResult = Derived & { readonly from: number };

/**
 * Where it is open what an access has found, a thread goes each way that this may lead to, as a thread of its own,
 * which knows besides what has been found.
 */
export class WayThreads {
  private count = 0;
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

  /** All that an access may find, as far as a thread knows on its way; undefined where that is not known. */
  resultsOf(row: number, thread: FollowedThread | undefined): readonly bigint[] | undefined {
    if (this.results.size === 0) return undefined;
    const { pieces, starts } = this.recorder.accesses;
    const piece = this.image.pieces[pieces.at(row)];
    const all = piece === undefined ? undefined : this.results.get(wordOf(piece, starts.at(row)));
    const own = waysOf(this.recorder.threads, thread).filter((way) => way.row === row);
    return all?.filter((result) => own.every(({ leads }) => leads(result)));
  }

  /** What decides the predicate of a lane, where all that this may be is known. */
  decidedBy(turn: Turn, lane: number, register: string): Decided | undefined {
    const derived = turn.fact(turn.warp.derived, { kind: 'register', name: register }, lane);
    if (derived === undefined || typeof derived.from !== 'number') return undefined;
    const { from: row, of } = derived;
    const [now, results] = [of(derived.now), this.resultsOf(row, turn.warp.threads[lane])];
    const [first, ...others] = results ?? [];
    if (now === undefined || first === undefined) return undefined;
    const bits = of(first);
    const isSame = others.every((result) => of(result) === bits);
    if (isSame && bits !== undefined) this.assume(turn, lane, { ...derived, from: row }, bits);
    return { row, of, now: (isSame ? (bits ?? now) : now) & 1n, isSame };
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
  begin(turn: Turn, lane: number, { row, of }: Decided, bit: bigint): FollowedThread {
    const { recorder } = this;
    const thread = turn.warp.threads[lane];
    if (thread === undefined) throw new Error(`no lane ${lane}`);
    this.count += 1;
    if (this.count > MOST_WAYS) throw turn.notFollowed(`more than ${MOST_WAYS} ways`);
    const leads = (found: bigint): boolean => ((of(found) ?? 1n - bit) & 1n) === bit;
    const begun = { ...thread, id: recorder.threads.length, way: { of: recorder.stepOf(turn, lane), row, leads } };
    recorder.add([begun]);
    recorder.synchronizations.push({ kind: 'way', row: recorder.accesses.count, thread: begun.id });
    return begun;
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
  isDue({ row, of }: Decided, bit: bigint): boolean {
    const { pieces, starts, sizes, kinds } = this.recorder.accesses;
    const piece = this.image.pieces[pieces.at(row)];
    // What an atomic finds that comes later is there when all others have been.
    if (piece === undefined || this.recorder.kinds[kinds.at(row)]?.writes === true) return false;
    const found = this.image.find(piece, starts.at(row), sizes.at(row));
    return found !== undefined && (of(found) ?? 1n - bit) === bit;
  }
}

/** Lets lanes go the other way: those that what is there now leads to it, or else all; whether there are any. */
export const releaseWays = (warps: readonly Warp[]): boolean =>
  [false, true].some((areAll) => warps.filter(({ ways }) => ways.release(areAll)).length > 0);
