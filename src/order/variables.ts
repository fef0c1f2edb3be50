import type { Span } from '../diagnostics/source.js';
import type { ComesLast } from '../follow/comes-last.js';
import type { GuardedUpdate } from '../follow/guarded-wait.js';
import { firstDoubtful, type LastStep } from '../follow/last-step.js';
import { type AccessKind, type FollowedThread, kindOf, type Results, type Step, type Trace } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import { waysOf } from '../follow/ways-of-thread.js';
import type { Scope } from '../program/placement.js';
import { Acquisitions, type Alternatives } from './acquisitions.js';
import { AtomicResults } from './atomic-results.js';
import { AwaitedGroups } from './awaited-groups.js';
import type { Clock } from './clocks.js';
import { choicesOf } from './coherence-choices.js';
import { GuardedUpdates } from './guarded-updates.js';
import type { Knowledge, Known } from './knowledge.js';
import type { Locks } from './locks.js';
import type { Orders } from './orders.js';
import { areAlike, changedByAll, reachableBy } from './reachable-values.js';
import type { Cases, Claims, CoherenceChoices } from './recheck-links.js';
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
import { type Found, foundBeforeLate, foundInOrder, ORDER, type Waited, type Waits } from './waited.js';

/**
 * Synchronization variables: whom a thread sees that waits for a value. A poll is forced if one write alone can give a
 * value that ends it, or all of several atomics together alone come to one; nothing may hide that value again before it
 * is found. Then what the release patterns of these writes follow is before what follows its acquire pattern.
 */
export class Variables implements Orders {
  private readonly writes: VariableWrites;
  private readonly results: AtomicResults;
  private readonly guarded: GuardedUpdates;
  private readonly polls = new Map<Variable, Waited[]>();
  /** By thread and scope: what was before its last fence that releases. */
  private readonly fences = new Map<number, Map<Scope, Known>>();
  private readonly acquisitions: Acquisitions;
  private readonly waitedBy = new Map<number, Waited>();
  readonly awaited: AwaitedGroups;
  /** What is claimed to be found, by the reads of polls and by ways: the writes of one case. */
  private readonly foundIn = new Map<number, Cases>();
  private readonly foundOnWays = new Map<number, Cases>();
  private readonly choices = new Map<string, CoherenceChoices>();
  /** Atomics of which one comes last, whichever: what its thread does then is done apart. */
  private readonly lasts: LastStep[] = [];
  private readonly cases = new WeakMap<Alternatives, Cases>();
  readonly claims: Claims = { polls: this.foundIn, ways: this.foundOnWays, coherence: this.choices };
  /** What may be found where that decides more than how long it is waited. */
  private readonly values = new Map<string, ReadonlySet<bigint>>();
  /** Words in which one wait alone may find several. */
  private readonly several = new Set<string>();
  /** What is not so. */
  unforced: { readonly span: Span; readonly what: string } | undefined;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly trace: Trace,
    private readonly locks: Locks,
  ) {
    this.writes = new VariableWrites(knowledge, trace);
    this.acquisitions = new Acquisitions(knowledge, trace);
    this.guarded = new GuardedUpdates(this.writes, knowledge, trace);
    this.awaited = new AwaitedGroups(knowledge);
    this.results = new AtomicResults(this.writes, trace, (row) => this.foundBy(row));
  }

  /** Takes an access, if it is a write of a variable. */
  access(row: number): void {
    const kind = kindOf(this.trace, row);
    if (!kind.writes || kind.change === 'same') return;
    const touched = this.writes.touchedBy(row);
    if (touched.size > 0) this.results.advance();
    for (const variable of touched) this.write(variable, row, kind);
    if (touched.size === 0 || !kind.reads || this.trace.results.size === 0) return;
    // What it finds may tell ways apart.
    this.acquisitions.find(row, []);
  }

  /** A thread begins a way, and knows more of what has been found than that which goes on to it. */
  way(thread: FollowedThread): void {
    const { way } = thread;
    if (way === undefined) return;
    const { row } = way;
    const own = waysOf(this.trace.threads, thread).filter((one) => one.row === row);
    const leads = (value: bigint): boolean => own.every((one) => one.leads(value));
    const alternatives = this.leadingTo(row, leads);
    this.foundOnWays.set(thread.id, this.casesOf(alternatives));
    this.awaited.way(thread, way.of.thread, alternatives);
    this.acquisitions.way(thread, way.of.thread, row, alternatives);
  }

  /** What is claimed of alternatives, which many threads have in common. */
  private casesOf(alternatives: Alternatives): Cases {
    const known = this.cases.get(alternatives) ?? alternatives.map((writes) => writes.map(({ row }) => row));
    this.cases.set(alternatives, known);
    return known;
  }

  /** What an access has found that leads to a way: the write of one of these cases, or all atomics of it. */
  private leadingTo(row: number, leads: (value: bigint) => boolean): Alternatives {
    const waited = this.waitedBy.get(row);
    if (waited === undefined) {
      return this.results.allBefore(row, leads) ?? [];
    }
    const { sources, base, learned, all, ends } = waited;
    const isThere = base !== undefined && ends(base) === true && leads(base);
    if (all.length > 0 || isThere || sources.some(({ value }) => value === undefined)) return [];
    const of = sources.filter(({ value }) => value !== undefined && leads(value));
    learned.push({ leads, of });
    return of.map((one) => [one]);
  }

  /** Whether a write is found by a thread before it, or one that knows of it, comes to a step (PTX ISA 8.9.5). */
  isObserved(row: number, step: Step, clock: Clock): boolean {
    return this.writes.isObserved(row, step, clock);
  }

  /** Whether two are atomics of one word, the earlier before the later in the coherence order of this case. */
  areInOrder(earlier: number, later: number): boolean {
    return this.writes.areInOrder(earlier, later);
  }

  /** Atomics of which one comes last in each execution: what follows differs with which one. */
  get oneIsLast(): readonly ComesLast[] {
    return this.results.oneIsLast;
  }

  /** The word of the first atomic of which it matters what it finds, and that may find something else. */
  get openWord(): string | undefined {
    return this.results.openWord ?? this.guarded.openWord;
  }

  /** Looks at what is asked of results of atomics that are others in other executions. */
  finish(): void {
    this.guarded.finish();
    // Which atomics one of which comes last is found whatever else is not so.
    const first = this.results.firstUnforced();
    const wrong = firstDoubtful(this.trace, this.lasts, this.results, this.foundIn);
    if (wrong !== undefined) this.unforced ??= { span: wrong.span, what: ORDER };
    this.unforced ??= first ?? this.firstUnknown() ?? this.guarded.unforced;
    for (const [word, of] of choicesOf(this.trace, this.writes, this.guarded)) this.choices.set(word, of);
  }

  /** What may be found where that decides more than how long it is waited, by the word. */
  get mayFind(): Results {
    const waited = [...this.values].filter(([word]) => this.several.has(word));
    const counted = [...this.results.values].filter(([, found]) => found.size > 1);
    return new Map([...waited, ...counted].map(([word, found]) => [word, [...found]]));
  }

  /** What a poll may find; undefined where that is not known. */
  private foundBy(read: number): ReadonlySet<bigint> | undefined {
    const waited = this.waitedBy.get(read);
    if (waited === undefined) return undefined;
    const { sources, base, ends, all } = waited;
    const stored = sources.map(({ value }) => value);
    const found = new Set([...stored, base].filter((value) => value !== undefined && ends(value) !== false));
    return all.length > 0 || stored.includes(undefined) ? undefined : (found as Set<bigint>);
  }

  /** The first access that may find what was not taken into account. */
  private firstUnknown(): { readonly span: Span; readonly what: string } | undefined {
    const { results, threads } = this.trace;
    if (results.size === 0) return undefined;
    const isKnown = (row: number, values: ReadonlySet<bigint> | undefined): boolean => {
      const known = results.get(this.writes.wordAt(row));
      return known !== undefined && values !== undefined && [...values].every((one) => known.includes(one));
    };
    for (const { read, isOpen, span } of this.waitedBy.values())
      if (isOpen && !isKnown(read, this.foundBy(read))) return { span, what: VALUES };
    // Threads of a CTA may all go where one result leads.
    for (const row of new Set(threads.flatMap(({ way }) => way?.row ?? [])))
      if (!this.waitedBy.has(row) && !isKnown(row, this.results.resultsOf(row)))
        return { span: kindOf(this.trace, row).span, what: ORDER };
    return undefined;
  }

  /** A thread executes a fence. */
  fence(step: Step, scope: Scope | undefined, releases: boolean, acquires: boolean): void {
    if (scope === undefined) return;
    if (acquires) this.acquisitions.fence(step, scope);
    if (!releases) return;
    const own = this.fences.get(step.thread) ?? new Map<Scope, Known>();
    this.fences.set(step.thread, own.set(scope, this.knowledge.before(step)));
  }

  /** A thread finds what it has waited for. */
  poll(one: PollStep): void {
    this.results.advance();
    const { step, read, ends, after, isUsed, isOpen, isChosen, makes, why, span } = one;
    if (makes !== undefined) {
      this.update({ ...one, makes });
      return;
    }
    // Whose turn it is comes in one order or the other.
    if (this.locks.isTurn(read)) {
      this.awaited.hasTurns = true;
      return;
    }
    const variable = this.writes.of(read);
    const reader = this.knowledge.thread(step.thread);
    const { scope } = kindOf(this.trace, read);
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
    const waits = { read, step, isUsed, isOpen, ends: asked, why, span, isStrongWith };
    const parts = this.partedAt(variable, waits);
    if (isUsed && after === undefined) this.sayValues(variable, parts[0], ends);
    const found = variable.isMixed ? IN_PARTS : this.findBy(variable, parts, waits);
    if (typeof found === 'string') {
      this.unforced ??= { span, what: found };
      return;
    }
    if (kindOf(this.trace, read).writes) this.results.comesLast(read, found);
    if (this.writes.coherence.has(read)) this.knowledge.observe(step, found.alternatives.flat());
    const { alternatives, all } = found;
    // Where what is there at first ends it, it waits for nobody.
    const cases = alternatives.length > 0 || all.length === 0 ? alternatives : [all];
    if (cases.length > 0 && isChosen !== true) this.awaited.wait(step, span, cases);
    this.acquisitions.find(read, alternatives);
    this.foundIn.set(read, this.casesOf(alternatives));
    const [certain = []] = alternatives.length === 1 ? alternatives : [];
    if (reader.way === undefined) this.writes.observe(certain, step);
    const { base, beside = [], later = [], ...is } = found;
    const waited = { ...waits, ...is, base, later: [...later], sources: [...beside], learned: [] };
    this.waitedBy.set(read, waited);
    this.polls.set(variable, [...this.pollsOf(variable), waited]);
  }

  /** A thread begins behind all of some atomics, whichever of them comes last: it does what the thread of that does. */
  last(one: LastStep): void {
    const { thread, rows, read } = one;
    const variable = this.writes.of(read);
    const all = variable.writes.filter(({ row }) => rows.includes(row));
    const begin = { thread, position: 1 };
    this.knowledge.advance(begin, this.knowledge.ofAll(all.map(({ step }) => step)));
    this.acquisitions.findAs(begin, read, [all]);
    this.results.advance();
    this.writes.observe(all, { thread, position: 0 });
    this.lasts.push(one);
  }

  /** A thread makes an update that ends its wait. */
  private update(one: PollStep & { readonly makes: GuardedUpdate }): void {
    const observed = this.guarded.find(one, this.writes.of(one.read), this.awaited);
    if (observed === undefined || observed.length === 0) return;
    this.acquisitions.find(one.read, [observed]);
    this.foundIn.set(one.read, [observed.map(({ row }) => row)]);
    this.writes.find(one.read, observed);
    this.writes.observe(observed, one.step);
  }

  /** Says what may be in a variable behind some writes that ends a wait, where what is found there is used. */
  private sayValues(variable: Variable, before: readonly Write[], ends: PollStep['ends']): void {
    const word = this.writes.wordOf(variable);
    const known = this.values.get(word) ?? [];
    const all = this.writes.valuesBehind(variable, before).filter((one) => ends(one, undefined));
    this.values.set(word, new Set([...known, ...all]));
    if (new Set(all).size > 1) this.several.add(word);
  }

  private write(variable: Variable, row: number, kind: AccessKind): void {
    const { threads, positions, values } = this.trace.accesses;
    const step = { thread: threads.at(row), position: positions.at(row) };
    if (!isWhole(variable, this.trace, row) || !kind.tags.has('GEN') || kind.tags.has('ASY') || kind.isPossible) {
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
    for (const poll of this.pollsOf(variable)) {
      if (poll.read === row || this.areInOrder(poll.read, row) || this.writes.isStep(poll.step, step, made.known.clock))
        continue;
      if (!this.mayCome(poll, made) || !this.mayLead(poll, made))
        this.unforced ??= { span: poll.span, what: 'another write may come to what is waited for here' };
      poll.sources.push(made);
    }
    variable.writes.push(made);
  }

  /** Whether a write that leads to ways tells what those do that were there when these were gone. */
  private mayLead({ learned, step }: Waited, write: Write): boolean {
    const reader = this.knowledge.thread(step.thread);
    const known = (some: readonly Write[]): Known =>
      this.acquisitions.of(
        some.map((one) => [one]),
        'sys',
        reader,
      );
    return learned.every(({ leads, of }) => {
      if (of.length === 0 || (write.value !== undefined && !leads(write.value))) return true;
      return of.every(({ thread }) => thread === write.thread) && this.knowledge.includes(known([write]), known(of));
    });
  }

  /** Whether a write that may come before the end of a poll does not hide what that has waited for. */
  private mayCome(poll: Waited, write: Write): boolean {
    if (poll.isUsed || poll.value === undefined) return false;
    if (write.kind.change === 'set') {
      if (poll.all.length > 0 || write.value === undefined || poll.ends(write.value) !== true) return false;
      const reader = this.knowledge.thread(poll.step.thread);
      const known = (alternatives: Alternatives): Known => this.acquisitions.of(alternatives, 'sys', reader);
      const isBySame = poll.alternatives.flat().every(({ thread }) => thread === write.thread);
      const isOne = !poll.isOpen && poll.alternatives.length === 1;
      if (!isBySame || !poll.isStrongWith(write) || isOne) return false;
      return this.knowledge.includes(known([[write]]), known(poll.alternatives));
    }
    poll.later.push(write);
    const both = [...poll.all, ...poll.later];
    if (poll.all.length === 0 || !areAlike(both) || !areStrong(both)) return false;
    if (!poll.isStrongWith(write) || !poll.all.every((one) => this.writes.isBefore(one, write))) return false;
    const values = reachableBy(poll.value, poll.later);
    return values !== undefined && [...values].every((value) => poll.ends(value) === true);
  }

  /** The writes so far that come before a poll, and others. */
  private partedAt({ writes }: Variable, { read, step }: Pick<Waits, 'read' | 'step'>): WritesByOrder {
    const { clock } = this.knowledge.at(step);
    return parted(writes, (write) => this.areInOrder(write.row, read) || this.writes.comes(write, step, clock));
  }

  /** What a poll may find that ends it; a text where it may find something else, or wait for ever. */
  private findBy(variable: Variable, [before, beside]: WritesByOrder, poll: Waits): Found | string {
    const base = this.writes.baseOf(variable, before, beside);
    if (base === undefined) return 'what is there before this wait';
    if (this.writes.coherence.has(poll.read)) return foundInOrder(before, beside, base, poll);
    const endsNow = poll.ends(base);
    if (endsNow === undefined) return poll.why?.() ?? 'how long it is waited here depends on an open value';
    if (beside.length === 0) return endsNow ? { alternatives: [], all: [], value: base, base } : NEVER;
    if (beside.every(({ kind }) => kind.change === 'set')) return this.foundAmong(beside, base, endsNow, poll);
    if (poll.isOpen) return VALUES;
    if (!areAlike(beside) || !areStrong(beside)) return 'writes of several kinds may end this wait';
    const value = changedByAll(base, beside);
    const some = reachableBy(base, beside, true);
    if (value === undefined || poll.ends(value) !== true || some === undefined) return NEVER;
    if (!beside.every(poll.isStrongWith)) return NEVER;
    if ([...some].every((one) => poll.ends(one) === false)) return { alternatives: [beside], all: beside, value };
    const early = foundBeforeLate(beside, base, poll, (a, b) => this.writes.isBefore(a, b));
    if (early !== undefined) return early;
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
    return { alternatives, all: [], value: ending[0]?.value, base, beside: ending };
  }

  private pollsOf(variable: Variable): readonly Waited[] {
    return this.polls.get(variable) ?? [];
  }
}

type WritesByOrder = readonly [before: readonly Write[], beside: readonly Write[]];

const IN_PARTS = 'it is waited here for bytes that others access in parts, or perhaps write';
const NEVER = 'a thread may wait here for ever';
const VALUES = 'what ends this wait may be one of several values';

const truth = (answer: boolean | undefined): bigint | undefined =>
  answer === undefined ? undefined : answer ? 1n : 0n;
