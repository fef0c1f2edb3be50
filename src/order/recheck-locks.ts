import {
  type AccessKind,
  type FollowedThread,
  kindOf,
  rowsTouching,
  type Step,
  type Synchronization,
  type Trace,
  threadOf,
} from '../follow/trace.js';
import type { PollStep, TakeStep } from '../follow/wait-steps.js';
import { groupBy } from '../program/group-by.js';
import { computeArithmetic } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import { reach, reachEachOther } from './recheck-patterns.js';
import { servedIn } from './recheck-ticket-locks.js';

/** What a thread does while it has a word, if that is well begun and ended. */
interface Hold {
  readonly word: string;
  readonly thread: number;
  /** The access that takes it: of all that is done while it has the word. */
  readonly take: number;
  /** The positions whose accesses are told to the next one, and know of the one before. */
  readonly from: number;
  readonly until: number;
}

/** A second look at locks, by the trace alone. */
export class HeldWords {
  /** By thread: while it has a word, or comes to barriers with one that does. */
  private readonly holds: ReadonlyMap<number, readonly Hold[]>;
  /** By word, its accesses that keep to the protocol. */
  private readonly rows = new Map<string, Set<number>>();
  /** The reads by which threads find that they have their turn. */
  private readonly turns = new Set<number>();
  /** What does not hold of one. */
  wrong: string | undefined;

  constructor(private readonly trace: Trace) {
    const takes = trace.synchronizations.filter((one): one is TakeStep => one.kind === 'take');
    const words = new Map<string, TakeStep[]>();
    for (const one of takes) words.set(this.wordOf(one.read), [...(words.get(this.wordOf(one.read)) ?? []), one]);
    const polls = trace.synchronizations.flatMap((one) =>
      one.kind === 'poll' && one.after !== undefined ? [one] : [],
    );
    const waits = groupBy(polls, ({ read }) => this.wordOf(read));
    const holds = [
      ...[...words].flatMap(([word, own]) => this.read(word, own)),
      ...[...waits].flatMap(([word, own]) => (words.has(word) ? [] : this.readTurns(word, own))),
    ];
    this.holds = groupBy(holds, ({ thread }) => thread);
  }

  /** Whether a wait is for the ticket that its thread has drawn. */
  isTurn(read: number): boolean {
    return this.turns.has(read);
  }

  /** A word that serves tickets, one after the other. */
  private readTurns(word: string, polls: readonly PollStep[]): readonly Hold[] {
    const served = servedIn(this.trace, polls);
    const [first] = polls;
    if (served === undefined || first === undefined) return [];
    const { pieces, starts, sizes, threads, positions } = this.trace.accesses;
    const { read } = first;
    const rows = new Set(
      rowsTouching(this.trace, pieces.at(read), starts.at(read), sizes.at(read)).filter(
        (row) => kindOf(this.trace, row).writes || kindOf(this.trace, row).isPoll,
      ),
    );
    const isAlone = served.every(({ draw, take, leave }) => {
      const [drawn, taken, left] = [draw, take, leave].map((row) => positions.at(row)) as [number, number, number];
      return !this.waitsBetween(threads.at(take), drawn, taken) && !this.waitsBetween(threads.at(take), taken, left);
    });
    if (!isAlone) return [];
    this.rows.set(word, rows);
    for (const one of served) this.turns.add(one.take);
    const held = served.map(({ take, leave }): Hold => {
      return { word, thread: threads.at(take), take, from: positions.at(take), until: positions.at(leave) };
    });
    return this.kept(held, rows);
  }

  /** Whether both are of the taking, looking and giving back of one word. */
  areOfOneWord(a: number, b: number): boolean {
    const own = this.rows.get(this.wordOf(a));
    return own?.has(a) === true && own.has(b);
  }

  /** Whether both are made by who has one word, at two times. */
  areHeldApart(a: number, b: number): boolean {
    if (this.holds.size === 0) return false;
    const at = (row: number): readonly Hold[] => {
      const { threads, positions } = this.trace.accesses;
      const { tags } = kindOf(this.trace, row);
      if (!tags.has('GEN') || tags.has('ASY')) return [];
      const own = this.holds.get(threads.at(row)) ?? [];
      return own.filter(({ from, until }) => from <= positions.at(row) && positions.at(row) < until);
    };
    const second = at(b);
    return at(a).some((one) => second.some((other) => other.take !== one.take && other.word === one.word));
  }

  private read(word: string, takes: readonly TakeStep[]): readonly Hold[] {
    const { accesses } = this.trace;
    const [piece = 0, start = 0, size = 0] = word.split(' ').map(Number);
    const rows = new Set<number>();
    this.rows.set(word, rows);
    const touching = rowsTouching(this.trace, piece, start, size);
    const writes = touching.filter((row) => kindOf(this.trace, row).writes);
    const taken = new Set(takes.map(({ read }) => read));
    const first = writes.findIndex((row) => taken.has(row));
    // Before the first take it may be set up; then takes and releases take turns.
    const turns = writes.slice(first);
    const held: Hold[] = [];
    const place = [piece, start, size] as const;
    const contents = this.contentsOf(writes, place);
    const before = first > 0 ? contents[first - 1] : this.initially(place);
    const alternating = [before, ...contents.slice(first)];
    if (!this.areToldApart(takes, turns, alternating)) this.wrong ??= 'a word that several may take';
    for (const [i, row] of turns.entries()) {
      const own = takes.find(({ read }) => read === row);
      const value = contents[first + i];
      const answers = takes.map(({ ends }) => (value === undefined ? undefined : ends(value, undefined)));
      const isTurn = (own !== undefined) === (i % 2 === 0) && this.wordOf(row) === word;
      const last = turns[i - 1] ?? row;
      const isOwn = i % 2 === 0 || accesses.threads.at(last) === accesses.threads.at(row);
      const { isPossible } = kindOf(this.trace, row);
      const isRight = answers.every((answer) => answer === (i % 2 === 1)) && !isPossible;
      if (!isTurn || !isOwn || !isRight || own?.isUsed === true) this.wrong ??= 'a word that several may have';
      rows.add(row);
      if (i % 2 === 1) held.push(this.holdOf(word, last, row));
    }
    for (const row of touching) if (kindOf(this.trace, row).isPoll) rows.add(row);
    if (turns.length % 2 === 1 && turns.length > 1) this.wrong ??= 'a word that is not given back';
    if (!reachEachOther(this.trace, [...rows])) this.wrong ??= 'a word that is taken by those out of scope';
    return this.kept(held, rows);
  }

  /** What is in a word by turns: free, taken, free again. */
  private areToldApart(
    takes: readonly TakeStep[],
    turns: readonly number[],
    contents: readonly (bigint | undefined)[],
  ): boolean {
    const free = contents.filter((_, i) => i % 2 === 0);
    const had = contents.filter((_, i) => i % 2 === 1);
    const known = contents.flatMap((one) => one ?? []);
    const areApart = takes.every(({ endsAmong }) => {
      const ends = endsAmong?.(known);
      const end = (one: bigint | undefined): boolean | undefined => (one === undefined ? undefined : ends?.has(one));
      return (
        endsAmong === undefined || (free.every((one) => end(one) === true) && had.every((one) => end(one) === false))
      );
    });
    // Who adds to what is there leaves the same each time only if it is the same each time.
    const isPlain = turns.every((row) => kindOf(this.trace, row).change === 'set');
    return areApart && (isPlain || (new Set(free).size <= 1 && new Set(had).size <= 1));
  }

  /** What writes leave in a word, one after the other. */
  private contentsOf(
    writes: readonly number[],
    place: readonly [number, number, number],
  ): readonly (bigint | undefined)[] {
    const bits = 8 * place[2];
    let now = this.initially(place);
    return writes.map((row) => {
      const { change } = kindOf(this.trace, row);
      const value = this.trace.accesses.values.at(row);
      if (change === 'set') now = value;
      else if (typeof change === 'string') now = change === 'same' ? now : undefined;
      else now = now === undefined || value === undefined ? undefined : computeArithmetic(change, [now, value]);
      now = now === undefined ? undefined : BigInt.asUintN(bits, now);
      return now;
    });
  }

  private initially([piece, start, size]: readonly [number, number, number]): bigint | undefined {
    const object = this.trace.pieces[piece]?.object;
    return object && initialValue(object, start, size);
  }

  /** What is done between the acquire pattern and the release pattern of each, if all have both. */
  private kept(held: readonly Hold[], rows: ReadonlySet<number>): readonly Hold[] {
    const users = new Set([...rows].map((row) => threadOf(this.trace, row)));
    const narrowed = held.map((one) => this.narrowed(one, users));
    const isKept = narrowed.every(({ from, until }, i) => from > (held[i]?.from ?? from) && until >= from);
    return isKept ? narrowed.flatMap((one) => [one, ...this.helpersOf(one)]) : [];
  }

  private holdOf(word: string, take: number, leave: number): Hold {
    const { threads, positions } = this.trace.accesses;
    if (this.waitsBetween(threads.at(take), positions.at(take), positions.at(leave)))
      this.wrong ??= 'a word that is held while others are waited for';
    return { word, thread: threads.at(take), take, from: positions.at(take), until: positions.at(leave) };
  }

  /** From behind the acquire pattern to the release pattern; from where it is taken if there is none. */
  private narrowed(hold: Hold, users: ReadonlySet<FollowedThread>): Hold {
    const own = this.trace.threads[hold.thread];
    const isForAll = (scope: AccessKind['scope']): boolean =>
      own !== undefined && [...users].every((one) => reach(scope, own, one));
    let [from, until] = [hold.from, -1];
    const at = (position: number): AccessKind | undefined => {
      const row = [...(this.rows.get(hold.word) ?? [])].find(
        (one) =>
          this.trace.accesses.threads.at(one) === hold.thread && this.trace.accesses.positions.at(one) === position,
      );
      return row === undefined ? undefined : kindOf(this.trace, row);
    };
    const [take, leave] = [at(hold.from), at(hold.until)];
    if (take?.tags.has('ACQ') === true && isForAll(take.scope)) from = hold.from + 1;
    if (leave?.tags.has('REL') === true && isForAll(leave.scope)) until = hold.until;
    for (const one of this.trace.synchronizations) {
      if (one.kind !== 'fence' || !isForAll(one.scope)) continue;
      for (const { thread, position } of one.steps) {
        if (thread !== hold.thread || position <= hold.from || position >= hold.until) continue;
        if (one.acquires && from === hold.from) from = position + 1;
        if (one.releases && until !== hold.until) until = position;
      }
    }
    return { ...hold, from, until };
  }

  /** Others that a barrier lets go on while a thread has a word, up to where they come to one with it again. */
  private helpersOf(hold: Hold): readonly Hold[] {
    const meetings = this.trace.synchronizations.flatMap((one) =>
      one.kind === 'cta-barrier' || one.kind === 'warp-barrier' ? [one] : [],
    );
    const isHeld = ({ thread, position }: Step): boolean =>
      thread === hold.thread && hold.from <= position && position <= hold.until;
    const begun = meetings.filter(({ arrivals }) => arrivals.some(isHeld)).flatMap(({ waiters }) => waiters);
    const ended = meetings.filter(({ waiters }) => waiters.some(isHeld)).flatMap(({ arrivals }) => arrivals);
    const others = new Set(begun.map(({ thread }) => thread).filter((thread) => thread !== hold.thread));
    const of = (steps: readonly Step[], thread: number): readonly number[] =>
      steps.flatMap((one) => (one.thread === thread ? [one.position] : []));
    return [...others].map((thread) => ({
      ...hold,
      thread,
      from: Math.min(...of(begun, thread)),
      until: Math.max(...of(ended, thread), -1),
    }));
  }

  private waitsBetween(thread: number, from: number, until: number): boolean {
    const isIn = (steps: readonly Step[]): boolean =>
      steps.some((step) => step.thread === thread && from < step.position && step.position < until);
    const cta = this.trace.threads[thread]?.ctaId;
    const isOther = (step: Step): boolean => step.thread !== thread && this.trace.threads[step.thread]?.ctaId === cta;
    // Threads of its CTA may meet it, if none of them ever waits for anybody else.
    const mayMeet = (): boolean => !this.trace.synchronizations.some((one) => waitingAt(one).some(isOther));
    return this.trace.synchronizations.some((one) => {
      if (one.kind === 'cta-barrier' || one.kind === 'warp-barrier')
        return (isIn(one.arrivals) || isIn(one.waiters)) && !mayMeet();
      return isIn(waitingAt(one)) || (one.kind === 'matrix-group' && isIn(one.steps));
    });
  }

  private wordOf(row: number): string {
    const { pieces, starts, sizes, ranges } = this.trace.accesses;
    return [pieces, starts, sizes, ranges].map((column) => column.at(row)).join(' ');
  }
}

/** Where threads wait for others, barriers of their CTA and warp apart. */
function waitingAt(one: Synchronization): readonly Step[] {
  if (one.kind === 'poll' || one.kind === 'take') return [one.step];
  if (one.kind === 'mbarrier') return one.step === 'wait' ? one.steps : [];
  return one.kind === 'cluster-barrier' || one.kind === 'grid-wait' ? one.waiters : [];
}
