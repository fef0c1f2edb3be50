import type { Span } from '../diagnostics/source.js';
import type { ComesLast } from '../follow/held-back.js';
import { type AccessKind, type FollowedThread, kindOf, type PollStep, type Step, type Trace } from '../follow/trace.js';
import type { Scope } from '../program/placement.js';
import { AtomicResults } from './atomic-results.js';
import type { Clock } from './clocks.js';
import type { Knowledge, Known } from './knowledge.js';
import type { Orders } from './must-order.js';
import { areAlike, changedByAll, reachableBy } from './reachable-values.js';
import { holds } from './scopes.js';
import {
  areStrong,
  type Handed,
  isStrong,
  isWhole,
  parted,
  type Variable,
  VariableWrites,
  type Write,
} from './variable-writes.js';

/** A poll that is over, and what may still come to it in other executions. */
interface Waited {
  /** Its access: the read of a loop, or an atomic that comes last. */
  readonly read: number;
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
export class Variables implements Orders {
  private readonly writes: VariableWrites;
  private readonly results: AtomicResults;
  private readonly polls = new Map<Variable, Waited[]>();
  /** By thread and scope: what was before its last fence that releases. */
  private readonly fences = new Map<number, Map<Scope, Known>>();
  /** By thread: what it has found, and has not acquired in all scopes. */
  private readonly found = new Map<number, Alternatives[]>();
  /** By the read of a poll, the writes of which it finds those of one case. */
  readonly claims = new Map<number, readonly (readonly number[])[]>();
  /** What is not so. */
  unforced: { readonly span: Span; readonly what: string } | undefined;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly trace: Trace,
  ) {
    this.writes = new VariableWrites(knowledge, trace);
    this.results = new AtomicResults(this.writes, trace);
  }

  /** Takes an access, if it is a write of a variable. */
  access(row: number): void {
    const kind = kindOf(this.trace, row);
    if (kind.writes && kind.change !== 'same')
      for (const variable of this.writes.touchedBy(row)) this.write(variable, row, kind);
  }

  /** Whether a write is found by a thread before it, or one that knows of it, comes to a step (PTX ISA 8.9.5). */
  isObserved(row: number, step: Step, clock: Clock): boolean {
    return this.writes.isObserved(row, step, clock);
  }

  /** Atomics of which one comes last in each execution: what follows differs with which one. */
  get oneIsLast(): readonly ComesLast[] {
    return this.results.oneIsLast;
  }

  /** Looks at what is asked of results of atomics that are others in other executions. */
  finish(): void {
    this.unforced ??= this.results.firstUnforced();
  }

  /** A thread executes a fence. */
  fence(step: Step, scope: Scope | undefined, releases: boolean, acquires: boolean): void {
    if (scope === undefined) return;
    const reader = this.knowledge.thread(step.thread);
    const found = acquires ? (this.found.get(step.thread) ?? []) : [];
    for (const alternatives of found) this.knowledge.advance(step, this.acquired(alternatives, scope, reader));
    if (!releases) return;
    const own = this.fences.get(step.thread) ?? new Map<Scope, Known>();
    this.fences.set(step.thread, own.set(scope, this.knowledge.before(step)));
  }

  /** A thread finds what it has waited for. */
  poll({ step, read, ends, after, isUsed, span }: PollStep): void {
    const variable = this.writes.of(read);
    const reader = this.knowledge.thread(step.thread);
    const { tags, scope } = kindOf(this.trace, read);
    const asked = (value: bigint): boolean | undefined => {
      const answer = ends(value, undefined);
      if (after !== undefined && answer !== undefined) {
        const of = (result: bigint): bigint | undefined => truth(ends(value, result));
        this.results.ask({ row: after, of, now: answer ? 1n : 0n, span }, 'how long it is waited here');
      }
      return answer;
    };
    const isStrongWith = (write: Write): boolean =>
      scope !== undefined && isStrong(write, reader) && holds(scope, reader, write.thread);
    const waits = { read, step, isUsed, ends: asked, span, isStrongWith };
    const found = this.foundBy(variable, waits);
    if (typeof found === 'string') {
      this.unforced ??= { span, what: found };
      return;
    }
    if (kindOf(this.trace, read).writes) this.results.comesLast(read, found);
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
    this.writes.observe(certain, step);
    this.polls.set(variable, [...this.pollsOf(variable), { ...waits, ...found, later: [] }]);
  }

  private write(variable: Variable, row: number, kind: AccessKind): void {
    const { threads, positions, values } = this.trace.accesses;
    const step = { thread: threads.at(row), position: positions.at(row) };
    if (!isWhole(variable, this.trace, row) || !kind.tags.has('GEN') || kind.isPossible) {
      variable.isMixed = true;
      const [first] = this.pollsOf(variable);
      if (first !== undefined) this.unforced ??= { span: first.span, what: IN_PARTS };
    }
    const thread = this.knowledge.thread(step.thread);
    const { scope } = kind;
    const handed: Handed[] = [];
    if (scope !== undefined) {
      const own = variable.released.get(thread.id) ?? [];
      if (kind.tags.has('REL')) own.push({ scope, thread, known: this.knowledge.before(step) });
      variable.released.set(thread.id, own);
      const fences = [...(this.fences.get(thread.id) ?? [])];
      handed.push(...own, ...fences.map(([of, known]) => ({ scope: of, thread, known })));
    }
    const change = { kind, value: values.at(row), bytes: variable.size };
    const made = { ...change, row, step, thread, known: this.knowledge.at(step), handed };
    for (const poll of this.pollsOf(variable))
      if (poll.read !== row && !this.writes.isStep(poll.step, step, made.known.clock) && !this.mayCome(poll, made))
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
    if (!poll.isStrongWith(write) || !poll.all.every((one) => this.writes.isBefore(one, write))) return false;
    const values = reachableBy(poll.value, poll.later);
    return values !== undefined && [...values].every((value) => poll.ends(value) === true);
  }

  /** What a poll may find that ends it; a text where it may find something else, or wait for ever. */
  private foundBy(variable: Variable, poll: Waits): Found | string {
    if (variable.isMixed) return IN_PARTS;
    const { clock } = this.knowledge.at(poll.step);
    const isBehind = (write: Write): boolean => this.writes.comes(write, poll.step, clock);
    const [before, beside] = parted(variable.writes, isBehind);
    const base = this.writes.baseOf(variable, before, beside);
    if (base === undefined) return 'what is there before this wait';
    const endsNow = poll.ends(base);
    if (endsNow === undefined) return 'how long it is waited here depends on an open value';
    if (beside.length === 0) return endsNow ? { alternatives: [], all: [], value: base } : NEVER;
    if (beside.every(({ kind }) => kind.change === 'set')) return this.foundAmong(beside, base, endsNow, poll);
    if (!areAlike(beside) || !areStrong(beside)) return 'writes of several kinds may end this wait';
    const value = changedByAll(base, beside);
    const some = reachableBy(base, beside, true);
    if (value === undefined || poll.ends(value) !== true || some === undefined) return NEVER;
    if (!beside.every(poll.isStrongWith)) return NEVER;
    if ([...some].every((one) => poll.ends(one) === false)) return { alternatives: [beside], all: beside, value };
    return poll.isUsed ? VALUES : { alternatives: [], all: beside, value };
  }

  /** Of stores that come in no order with a poll. */
  private foundAmong(beside: readonly Write[], base: bigint, endsNow: boolean, poll: Waits): Found | string {
    const answers = beside.map(({ value }) => (value === undefined ? undefined : poll.ends(value)));
    if (answers.includes(undefined)) return 'what is written that may end this wait';
    const ending = beside.filter((_, i) => answers[i] === true);
    const others = beside.filter((_, i) => answers[i] === false);
    const isHidden = (one: Write): boolean => !ending.some((end) => this.writes.isBefore(one, end));
    if (ending.length === 0 || others.some(isHidden)) return NEVER;
    // Only what is morally strong is promised to be seen.
    if (!ending.every(poll.isStrongWith)) return NEVER;
    const values = new Set([...ending.map(({ value }) => value), ...(endsNow ? [base] : [])]);
    if (values.size > 1 && poll.isUsed) return VALUES;
    const alternatives = endsNow ? [] : ending.map((one) => [one]);
    return { alternatives, all: [], value: ending[0]?.value };
  }

  /** What one knows in any case who finds one of several writes, and acquires in a scope. */
  private acquired(alternatives: Alternatives, scope: Scope, reader: FollowedThread): Known {
    const { knowledge } = this;
    const each = alternatives.map((writes) =>
      writes
        .flatMap(({ handed }) => handed)
        .filter((one) => holds(one.scope, one.thread, reader) && holds(scope, reader, one.thread))
        .reduce((all, one) => knowledge.join(all, this.knownTo(reader, one)), knowledge.nothing),
    );
    return each.length === 0 ? knowledge.nothing : each.reduce((all, one) => knowledge.meet(all, one));
  }

  /** A fence of the async proxy is of use in its own CTA only (PTX ISA 8.9.5). */
  private knownTo({ ctaId }: FollowedThread, { thread, known }: Handed): Known {
    return thread.ctaId === ctaId ? known : { ...this.knowledge.nothing, clock: known.clock, happened: known.happened };
  }

  private pollsOf(variable: Variable): readonly Waited[] {
    return this.polls.get(variable) ?? [];
  }
}

const IN_PARTS = 'it is waited here for bytes that others access in parts, or perhaps write';
const NEVER = 'a thread may wait here for ever';
const VALUES = 'what ends this wait may be one of several values';

const truth = (answer: boolean | undefined): bigint | undefined =>
  answer === undefined ? undefined : answer ? 1n : 0n;
