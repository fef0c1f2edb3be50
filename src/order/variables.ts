import type { Span } from '../diagnostics/source.js';
import type { AccessKind, Assumption, FollowedThread, PollStep, Step, Trace } from '../follow/trace.js';
import { initialValue } from '../program/locations.js';
import type { Scope } from '../program/placement.js';
import type { Clock } from './clocks.js';
import type { Knowledge, Known } from './knowledge.js';
import { areAlike, type Change, changedByAll, reachableBy } from './reachable-values.js';
import { holdEachOther, holds } from './scopes.js';

/** What is before the first operation of a release pattern (PTX ISA 8.8), and how far that operation reaches. */
interface Handed {
  readonly scope: Scope;
  readonly thread: FollowedThread;
  readonly known: Known;
}

/** A write of a synchronization variable. */
interface Write extends Change {
  readonly row: number;
  readonly step: Step;
  readonly thread: FollowedThread;
  /** What is before it. */
  readonly known: Known;
  readonly handed: readonly Handed[];
}

/** A poll that is over, and what may still come to it in other executions. */
interface Waited {
  readonly step: Step;
  readonly isUsed: boolean;
  readonly ends: (value: bigint) => boolean | undefined;
  readonly span: Span;
  /** Atomics all of which it has waited for, and what they come to; those that may come before it as well. */
  readonly all: readonly Write[];
  readonly value: bigint | undefined;
  readonly later: Write[];
  /** What it has found. */
  readonly alternatives: Alternatives;
  /** Whether it is morally strong with a write. */
  readonly isStrongWith: (write: Write) => boolean;
}

/** Some bytes that threads wait for, or count with. */
interface Variable {
  readonly piece: number;
  readonly range: number;
  readonly start: number;
  readonly size: number;
  /** Something else than whole accesses to it is made, by threads that share it. */
  isMixed: boolean;
  readonly writes: Write[];
  readonly polls: Waited[];
  /** By thread: its writes that release, which release by later ones of it too. */
  readonly released: Map<number, Handed[]>;
}

/** What is found by who waits, and of which atomics all are. */
type Found = Pick<Waited, 'all' | 'value' | 'alternatives'>;
type Waits = Omit<Waited, keyof Found | 'later'>;

/** What a poll has found: the write of one of these cases, or all atomics of it, one after the other. */
type Alternatives = readonly (readonly Write[])[];

/**
 * Synchronization variables: whom a thread sees that waits for a value. A poll is forced if one write alone can give a
 * value that ends it, or all of several atomics together alone come to one; nothing may hide that value again before it
 * is found. Then what the release patterns of these writes follow is before what follows its acquire pattern.
 */
export class Variables {
  private readonly byPlace = new Map<number, Map<number, Variable>>();
  /** By thread and scope: what was before its last fence that releases. */
  private readonly fences = new Map<number, Map<Scope, Known>>();
  /** By thread: what it has found, and has not acquired in all scopes. */
  private readonly found = new Map<number, Alternatives[]>();
  /** By write: the polls that have found it in any case. */
  private readonly observers = new Map<number, Step[]>();
  /** By the read of a poll, the writes of which it finds those of one case. */
  readonly claims = new Map<number, readonly (readonly number[])[]>();
  /** What is asked of each result of an atomic, in the end. */
  private readonly asked: { readonly of: Assumption; readonly what: string }[] = [];
  /** What is not so. */
  unforced: { readonly span: Span; readonly what: string } | undefined;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly trace: Trace,
  ) {
    for (const one of trace.synchronizations) if (one.kind === 'poll') this.declare(one.read);
    for (const { row } of trace.assumptions) this.declare(row);
  }

  /** Takes an access, if it is a write of a variable. */
  access(row: number): void {
    const { accesses } = this.trace;
    const here = this.byPlace.get(accesses.pieces.at(row));
    const kind = this.kindOf(row);
    if (here === undefined || !kind.writes) return;
    const [start, size] = [accesses.starts.at(row), accesses.sizes.at(row)];
    const touched = new Set<Variable>();
    for (let at = start; at < start + size; at++) {
      const variable = here.get(at);
      if (variable !== undefined) touched.add(variable);
    }
    for (const variable of touched) this.write(variable, row, kind);
  }

  /** A thread executes a fence. */
  fence(step: Step, scope: Scope | undefined, releases: boolean, acquires: boolean): void {
    if (scope === undefined) return;
    const reader = this.knowledge.thread(step.thread);
    const found = acquires ? (this.found.get(step.thread) ?? []) : [];
    for (const alternatives of found) this.knowledge.advance(step, this.acquired(alternatives, scope, reader));
    if (!releases) return;
    const own = this.fences.get(step.thread) ?? new Map<Scope, Known>();
    this.fences.set(step.thread, own.set(scope, this.before(step)));
  }

  /** A thread finds what it has waited for. */
  poll({ step, read, ends, after, isUsed, span }: PollStep): void {
    const variable = this.variableOf(read);
    const reader = this.knowledge.thread(step.thread);
    const { tags, scope } = this.kindOf(read);
    const asked = (value: bigint): boolean | undefined => {
      const answer = ends(value, undefined);
      if (after !== undefined && answer !== undefined) {
        const of = (result: bigint): bigint | undefined => truth(ends(value, result));
        this.asked.push({ of: { row: after, of, now: answer ? 1n : 0n, span }, what: 'how long it is waited here' });
      }
      return answer;
    };
    const isStrongWith = (write: Write): boolean =>
      scope !== undefined && isStrong(write, reader) && holds(scope, reader, write.thread);
    const waits = { step, isUsed, ends: asked, span, isStrongWith };
    const found = this.foundBy(variable, waits);
    if (typeof found === 'string') {
      this.unforced ??= { span, what: found };
      return;
    }
    const { alternatives } = found;
    const behind = { ...step, position: step.position + 1 };
    if (tags.has('ACQ') && scope !== undefined)
      this.knowledge.advance(behind, this.acquired(alternatives, scope, reader));
    this.found.set(step.thread, [...(this.found.get(step.thread) ?? []), alternatives]);
    this.claims.set(
      read,
      alternatives.map((writes) => writes.map(({ row }) => row)),
    );
    const [certain = []] = alternatives.length === 1 ? alternatives : [];
    for (const { row } of certain) this.observers.set(row, [...(this.observers.get(row) ?? []), step]);
    variable.polls.push({ ...waits, ...found, later: [] });
  }

  /** Whether a write is found by a thread before it, or one that knows of it, comes to a step (PTX ISA 8.9.5). */
  isObserved(row: number, { thread, position }: Step, clock: Clock): boolean {
    const observers = this.observers.get(row) ?? [];
    return observers.some((of) =>
      of.thread === thread ? of.position < position : this.knowledge.steps(clock, of.thread) > of.position,
    );
  }

  /** What is asked of results of atomics that are others in other executions. */
  finish(): void {
    const assumed = this.trace.assumptions.map((of) => ({ of, what: 'what depends on the order of atomics' }));
    for (const { of, what } of [...this.asked, ...assumed]) {
      if (this.unforced !== undefined) return;
      const results = this.resultsOf(of.row);
      if (results === undefined || [...results].some((result) => of.of(result) !== of.now))
        this.unforced = { span: of.span, what };
    }
  }

  private declare(row: number): void {
    const { pieces, ranges, starts, sizes } = this.trace.accesses;
    const [piece, range, start, size] = [pieces, ranges, starts, sizes].map((column) => column.at(row)) as Four;
    const here = this.byPlace.get(piece) ?? new Map<number, Variable>();
    this.byPlace.set(piece, here);
    const known = here.get(start);
    const of = { piece, range, start, size, isMixed: false, writes: [], polls: [], released: new Map() };
    if (known === undefined) for (let at = start; at < start + size; at++) here.set(at, of);
    else if (!isWhole(known, this.trace, row)) known.isMixed = true;
  }

  private variableOf(row: number): Variable {
    const { pieces, starts } = this.trace.accesses;
    const found = this.byPlace.get(pieces.at(row))?.get(starts.at(row));
    if (found === undefined) throw new Error(`no variable at access ${row}`);
    return found;
  }

  private write(variable: Variable, row: number, kind: AccessKind): void {
    const { threads, positions, values } = this.trace.accesses;
    const step = { thread: threads.at(row), position: positions.at(row) };
    if (!isWhole(variable, this.trace, row) || !kind.tags.has('GEN')) {
      variable.isMixed = true;
      const [first] = variable.polls;
      if (first !== undefined) this.unforced ??= { span: first.span, what: IN_PARTS };
    }
    const thread = this.knowledge.thread(step.thread);
    const { scope } = kind;
    const handed: Handed[] = [];
    if (!kind.tags.has('WEAK') && scope !== undefined) {
      const own = variable.released.get(thread.id) ?? [];
      if (kind.tags.has('REL')) own.push({ scope, thread, known: this.before(step) });
      variable.released.set(thread.id, own);
      const fences = [...(this.fences.get(thread.id) ?? [])];
      handed.push(...own, ...fences.map(([of, known]) => ({ scope: of, thread, known })));
    }
    const change = { kind, value: values.at(row), bytes: variable.size };
    const made = { ...change, row, step, thread, known: this.knowledge.at(step), handed };
    for (const poll of variable.polls)
      if (!this.isStep(poll.step, step, made.known.clock) && !this.mayCome(poll, made))
        this.unforced ??= { span: poll.span, what: 'another write may come to what is waited for here' };
    variable.writes.push(made);
  }

  /** Whether a write that may come before the end of a poll does not hide what that has waited for. */
  private mayCome(poll: Waited, write: Write): boolean {
    if (poll.isUsed || poll.value === undefined) return false;
    if (write.kind.change === 'set') {
      if (poll.all.length > 0 || write.value === undefined || poll.ends(write.value) !== true) return false;
      const reader = this.knowledge.thread(poll.step.thread);
      const known = (alternatives: Alternatives): Known => this.acquired(alternatives, 'sys', reader);
      const isBySame = poll.alternatives.flat().every(({ thread }) => thread === write.thread);
      if (!isBySame || !poll.isStrongWith(write) || poll.alternatives.length === 1) return false;
      return this.knowledge.includes(known([[write]]), known(poll.alternatives));
    }
    poll.later.push(write);
    const both = [...poll.all, ...poll.later];
    if (poll.all.length === 0 || !areAlike(both) || !areStrong(both)) return false;
    if (!poll.isStrongWith(write) || !poll.all.every((one) => this.isBefore(one, write))) return false;
    const values = reachableBy(poll.value, poll.later);
    return values !== undefined && [...values].every((value) => poll.ends(value) === true);
  }

  /** What a poll may find that ends it; a text where it may find something else, or wait for ever. */
  private foundBy(variable: Variable, poll: Waits): Found | string {
    if (variable.isMixed) return IN_PARTS;
    const { clock } = this.knowledge.at(poll.step);
    const isBehind = (write: Write): boolean => this.comes(write, poll.step, clock);
    const [before, beside] = parted(variable.writes, isBehind);
    const base = this.baseOf(variable, before, beside);
    if (base === undefined) return 'what is there before this wait';
    const endsNow = poll.ends(base);
    if (endsNow === undefined) return 'how long it is waited here depends on an open value';
    if (beside.length === 0) return endsNow ? { alternatives: [], all: [], value: base } : NEVER;
    if (beside.every(({ kind }) => kind.change === 'set')) return this.foundAmong(beside, base, endsNow, poll);
    if (!areAlike(beside) || !areStrong(beside)) return 'writes of several kinds may end this wait';
    const value = changedByAll(base, beside);
    const some = reachableBy(base, beside, true);
    if (value === undefined || poll.ends(value) !== true || some === undefined) return NEVER;
    const alternatives = [beside.every(poll.isStrongWith) ? beside : []];
    if ([...some].every((one) => poll.ends(one) === false)) return { alternatives, all: beside, value };
    return poll.isUsed ? VALUES : { alternatives: [], all: beside, value };
  }

  /** Of stores that come in no order with a poll. */
  private foundAmong(beside: readonly Write[], base: bigint, endsNow: boolean, poll: Waits): Found | string {
    const answers = beside.map(({ value }) => (value === undefined ? undefined : poll.ends(value)));
    if (answers.includes(undefined)) return 'what is written that may end this wait';
    const ending = beside.filter((_, i) => answers[i] === true);
    const others = beside.filter((_, i) => answers[i] === false);
    const isHidden = (one: Write): boolean => !ending.some((end) => this.isBefore(one, end));
    if (ending.length === 0 || others.some(isHidden)) return NEVER;
    const values = new Set([...ending.map(({ value }) => value), ...(endsNow ? [base] : [])]);
    if (values.size > 1 && poll.isUsed) return VALUES;
    const alternatives = endsNow ? [] : ending.map((one) => (poll.isStrongWith(one) ? [one] : []));
    return { alternatives, all: [], value: ending[0]?.value };
  }

  /** What is in a variable when some writes have been made, and others, which come behind them all, have not. */
  private baseOf(variable: Variable, before: readonly Write[], beside: readonly Write[]): bigint | undefined {
    const last = before.findLastIndex(({ kind }) => kind.change === 'set');
    const anchor = before[last];
    const updates = before.slice(last + 1);
    if (updates.length > 1 && !areAlike(updates)) return undefined;
    if (anchor !== undefined) {
      const isRight =
        before.slice(0, last).every((one) => this.isBefore(one, anchor)) &&
        [...updates, ...beside].every((one) => this.isBefore(anchor, one));
      if (!isRight) return undefined;
    }
    const object = this.trace.pieces[variable.piece]?.object;
    if (object === undefined) return undefined;
    const first = anchor === undefined ? initialValue(object, variable.start, variable.size) : anchor.value;
    return first === undefined ? undefined : changedByAll(first, updates);
  }

  /** What an atomic may find. */
  private resultsOf(row: number): ReadonlySet<bigint> | undefined {
    const variable = this.variableOf(row);
    const own = variable.writes.find((one) => one.row === row);
    if (own === undefined || variable.isMixed) return undefined;
    const [before, others] = parted(
      variable.writes.filter((one) => one !== own),
      (one) => this.isBefore(one, own),
    );
    const beside = others.filter((one) => !this.isBefore(own, one));
    const base = this.baseOf(variable, before, beside);
    if (base === undefined || !areAlike(beside)) return undefined;
    if (!areStrong([own, ...beside])) return undefined;
    return reachableBy(base, beside);
  }

  /** What one knows in any case who finds one of several writes, and acquires in a scope. */
  private acquired(alternatives: Alternatives, scope: Scope, reader: FollowedThread): Known {
    const { knowledge } = this;
    const each = alternatives.map((writes) =>
      writes
        .flatMap(({ handed }) => handed)
        .filter((one) => holds(one.scope, one.thread, reader) && holds(scope, reader, one.thread))
        .reduce((all, one) => knowledge.join(all, one.known), knowledge.nothing),
    );
    return each.length === 0 ? knowledge.nothing : each.reduce((all, one) => knowledge.meet(all, one));
  }

  /** Whether a write, which the run makes earlier, comes before another one. */
  private isBefore(a: Write, b: Write): boolean {
    return a.row < b.row && this.comes(a, b.step, b.known.clock);
  }

  private comes(write: Write, to: Step, clock: Clock): boolean {
    return this.isStep(write.step, to, clock) || this.isObserved(write.row, to, clock);
  }

  private isStep({ thread, position }: Step, to: Step, clock: Clock): boolean {
    return to.thread === thread ? position < to.position : this.knowledge.steps(clock, thread) > position;
  }

  /** What is before a step, and what its thread has done by then. */
  private before(step: Step): Known {
    const known = this.knowledge.at(step);
    return { ...known, clock: this.knowledge.withSteps(known.clock, [step]) };
  }

  private kindOf(row: number): AccessKind {
    const kind = this.trace.kinds[this.trace.accesses.kinds.at(row)];
    if (kind === undefined) throw new Error(`no access ${row}`);
    return kind;
  }
}

type Four = [number, number, number, number];

const IN_PARTS = 'it is waited here for bytes that others access in parts';
const NEVER = 'a thread may wait here for ever';
const VALUES = 'what ends this wait may be one of several values';

const truth = (answer: boolean | undefined): bigint | undefined =>
  answer === undefined ? undefined : answer ? 1n : 0n;

const isWhole = ({ range, start, size }: Variable, { accesses }: Trace, row: number): boolean =>
  accesses.ranges.at(row) === range && accesses.starts.at(row) === start && accesses.sizes.at(row) === size;

const isStrong = ({ kind, thread }: Write, other: FollowedThread): boolean =>
  !kind.tags.has('WEAK') && kind.scope !== undefined && holds(kind.scope, thread, other);

const areStrong = (writes: readonly Write[]): boolean =>
  writes.every(({ kind }) => !kind.tags.has('WEAK')) &&
  holdEachOther(writes.map(({ kind: { scope }, thread }) => ({ scope, thread })));

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  const [first, second]: [T[], T[]] = [[], []];
  for (const one of all) (isFirst(one) ? first : second).push(one);
  return [first, second];
}
