import type { ProgramEvent } from '../events/program-event.js';
import { accepts } from '../program/allowance.js';
import { type FindingFlag, findingOf, type UndefinedRule } from '../program/undefined-rules.js';
import type { ConcreteValue } from '../semantics/concrete-values.js';
import { canBlock } from '../semantics/interpret.js';
import type { MbarrierState } from '../semantics/mbarrier-machine.js';
import type { Bits } from './bits.js';
import { bit, has, NONE } from './bits.js';
import type { Knowledge } from './knowledge.js';
import { type Bytes, type Location, shareBytes } from './location.js';
import type { MachineContext, PartialRun, ThreadView } from './machine-context.js';
import { morallyStrong } from './moral-strength.js';

/** Some bytes of a read come from a write; INITIAL: from before all threads. */
export interface Source {
  readonly cell: number;
  readonly write: number;
}
export const INITIAL = -1;

/** How many operations a wait has seen: at least and at most, which makes no difference to what it finds. */
export interface Look {
  readonly least: number;
  readonly most: number;
}

/** What an mbarrier object has gone through. The n-th state is the one before the n-th operation. */
export interface ObjectHistory {
  readonly operations: readonly number[];
  readonly states: readonly MbarrierState<ConcreteValue, boolean>[];
  readonly completes: readonly boolean[];
  readonly waits: ReadonlyMap<number, Look>;
}

/** What cannot matter any more to a state: accesses, values of reads, and facts about such accesses. */
export interface Forgotten {
  readonly events: Bits;
  readonly values: Bits;
  readonly facts: Bits;
  /** Operations after which nothing in their thread asks any more what they learned and observed. */
  readonly learners: Bits;
  /** Heads of release patterns from which nobody can learn any more what another does not tell as well. */
  readonly heads: Bits;
}

export const NOTHING_FORGOTTEN: Forgotten = { events: NONE, values: NONE, facts: NONE, learners: NONE, heads: NONE };

type Rule = UndefinedRule | FindingFlag;

/** Undefined behavior or a race, by its rule, with the events that show it. */
export type Findings = ReadonlyMap<string, readonly number[]>;

/**
 * A state of the machine. All of it follows from what the executed operations did; what an operation learned, released
 * or observed is kept with it, since an operation that is earlier in program order may still be executed after it.
 */
export class State {
  /** Events that are executed. */
  done: Bits = NONE;
  /** Barriers that have let their thread go. */
  passed: Bits = NONE;
  /** What reads, barriers, waits and the like returned. */
  readonly answers: Map<number, bigint>;
  /** By thread: its answers and choices, in order, as one string. */
  readonly answered: string[];
  /** By step of a thread that takes one of two values: which. */
  readonly choices: Map<string, number>;
  readonly sources: Map<number, readonly Source[]>;
  /** By write: the writes that coherence has after it. */
  readonly after: Map<number, Bits>;
  /** By write: those that must not come after it in coherence any more, since a read that knew them took its value. */
  readonly neverAfter: Map<number, Bits>;
  /** By operation: what it learned from other threads or from completion. */
  readonly learned: Map<number, Knowledge>;
  /** By head of a release pattern: what it hands on. */
  readonly released: Map<number, Knowledge>;
  /** By write or arrival: the heads of the release patterns that it is part of. */
  readonly packets: Map<number, Bits>;
  /** By strong read or wait: the heads that it has observed. */
  readonly observed: Map<number, Bits>;
  /** By read: the writes that are before it in observation order. */
  readonly links: Map<number, Bits>;
  /** By wait: the asynchronous accesses that it tells to be complete. */
  readonly completions: Map<number, Bits>;
  /** By event: what of other threads is before it in the order of execution, where tensor memory asks for that. */
  readonly execution: Map<number, Bits>;
  /** By asynchronous access: what is causality-before it, and before such accesses among that. */
  readonly asyncBefore: Map<number, Bits>;
  /** The fence.sc executed so far, in their order. */
  fences: readonly number[];
  readonly objects: Map<number, ObjectHistory>;
  /** By barrier instruction: the completion that it takes part in. */
  readonly meetings: Map<number, number>;
  /** By the first trigger of a CTA for dependent grids: the release fences that it comes after. */
  readonly triggered: Map<number, Bits>;
  /** By release fence: a dependent grid has started as if a trigger followed the fence in its thread, or none. */
  readonly promises: Map<number, boolean>;
  /** An address outside of memory was used: nothing more is known of this run. */
  hasLeftMemory = false;
  /** Why some value of this run stands for others as well. */
  open: string | undefined;
  /** By operation: operations that are ordered before it, of those that a rule asks about. */
  readonly orderedBefore: Map<number, Bits>;
  /** Reads that have taken something from memory without a value, and race with nothing so far. */
  uninitialized: Bits;
  readonly findings: Map<string, readonly number[]>;

  /** Findings that `allow` lines of the test accept, by the place of the line among them. */
  readonly accepted: Map<number, Rule>;

  /** The first state of the program, or one like another. */
  private constructor(
    readonly context: MachineContext,
    old?: State,
  ) {
    this.done = old?.done ?? NONE;
    this.passed = old?.passed ?? NONE;
    this.answers = new Map(old?.answers);
    this.answered = old === undefined ? context.structure.threads.map(() => '') : [...old.answered];
    this.choices = new Map(old?.choices);
    this.sources = new Map(old?.sources);
    this.after = new Map(old?.after);
    this.neverAfter = new Map(old?.neverAfter);
    this.learned = new Map(old?.learned);
    this.released = new Map(old?.released);
    this.packets = new Map(old?.packets);
    this.observed = new Map(old?.observed);
    this.links = new Map(old?.links);
    this.completions = new Map(old?.completions);
    this.execution = new Map(old?.execution);
    this.asyncBefore = new Map(old?.asyncBefore);
    this.fences = old?.fences ?? [];
    this.objects = new Map(old?.objects);
    this.meetings = new Map(old?.meetings);
    this.triggered = new Map(old?.triggered);
    this.promises = new Map(old?.promises);
    this.hasLeftMemory = old?.hasLeftMemory ?? false;
    this.open = old?.open;
    this.orderedBefore = new Map(old?.orderedBefore);
    this.uninitialized = old?.uninitialized ?? NONE;
    this.findings = new Map(old?.findings);
    this.accepted = new Map(old?.accepted);
  }

  /** Before anything is executed. */
  static first(context: MachineContext): State {
    return new State(context);
  }

  copy(): State {
    return new State(this.context, this);
  }

  /** A thread, interpreted as far as it is known. */
  view(thread: number): ThreadView {
    return this.context.view(this, thread);
  }

  runOf(event: number): PartialRun | undefined {
    const thread = this.context.events[event]?.thread;
    return thread === undefined ? undefined : this.view(thread).runs.get(event);
  }

  locationOf(event: number): Location | undefined {
    const thread = this.context.events[event]?.thread;
    return thread === undefined ? undefined : this.view(thread).locations.get(event);
  }

  morallyStrong(a: number, b: number): boolean {
    const { context } = this;
    return morallyStrong(context.event(a), this.locationOf(a), context.event(b), this.locationOf(b), context.readings);
  }

  sharesBytes(a: number, b: number): boolean {
    const [x, y] = [this.locationOf(a), this.locationOf(b)];
    return x !== undefined && y !== undefined && shareBytes(x, y);
  }

  /** The executed writes that have put something there. */
  writesTo(there: Bytes): readonly number[] {
    return this.context.writes
      .filter(({ id }) => {
        const location = this.isDone(id) ? this.locationOf(id) : undefined;
        return location !== undefined && shareBytes(location, there);
      })
      .map(({ id }) => id);
  }

  /** A thread has come to a barrier that has not let it go. */
  isKept(event: ProgramEvent): boolean {
    return canBlock(event) && this.isDone(event.id) && !this.hasPassed(event.id);
  }

  /** What no longer matters. */
  forgotten(): Forgotten {
    const gone = this.context.structure.threads.reduce((all, _, thread) => all | this.view(thread).gone, NONE);
    return this.context.forgotten(this.done, gone);
  }

  isDone(event: number): boolean {
    return has(this.done, event);
  }

  /** A barrier has let its thread go. */
  hasPassed(event: number): boolean {
    return has(this.passed, event);
  }

  finish(event: number): void {
    this.done |= bit(event);
  }

  find(rule: Rule, events: readonly number[]): void {
    const { allowances } = this.context.structure.program;
    const finding = findingOf(rule);
    const spans = events.flatMap((id) => this.context.event(id).span ?? []);
    let isAccepted = false;
    for (const [line, allowance] of allowances.entries()) {
      if (allowance.finding !== finding || !accepts(allowance, spans)) continue;
      isAccepted = true;
      if (!this.accepted.has(line)) this.accepted.set(line, rule);
    }
    if (!isAccepted && !this.findings.has(rule)) this.findings.set(rule, events);
  }

  learn(event: number, knowledge: Knowledge): void {
    if (knowledge !== NONE) this.learned.set(event, (this.learned.get(event) ?? NONE) | knowledge);
  }

  answer(thread: number, event: number, value: bigint): void {
    this.answers.set(event, value);
    this.noteAnswer(thread, `${event}=${value}`);
  }

  /** Two values may be taken at a step of a thread; it takes the first or the second. */
  choose(thread: number, step: string, which: number): void {
    this.choices.set(step, which);
    this.noteAnswer(thread, `${step}=${which}`);
  }

  private noteAnswer(thread: number, answer: string): void {
    const given = (this.answered[thread] ?? '').split(';').filter((part) => part !== '');
    given.push(answer);
    this.answered[thread] = given.sort().join(';');
  }

  pass(event: number): void {
    this.passed |= bit(event);
  }

  isAfter(a: number, b: number): boolean {
    return has(this.after.get(a) ?? NONE, b);
  }

  /**
   * Two states with one key have the same future: all that they do not share follows from what is in it, or cannot
   * matter any more.
   */
  key({ events, values, facts, learners, heads }: Forgotten): string {
    const observers = [...this.observed.keys()].reduce((all, event) => all | bit(event), NONE);
    const answers = [...this.answers].filter(([event]) => !has(values, event));
    const sources = [...this.sources].filter(([read]) => !has(events, read));
    const looks = ({ waits }: ObjectHistory): string =>
      sorted([...waits].map(([wait, { least, most }]) => `${wait}@${least}-${most}`));
    return [
      this.done.toString(36),
      this.passed.toString(36),
      this.uninitialized.toString(36),
      pairsOf(answers),
      pairsOf(this.choices),
      ...[this.after, this.neverAfter, this.links, this.asyncBefore].map((map) => setsOf(map, events, events)),
      // An access that nothing touches any more still hands on what it learned, released and observed.
      setsOf(this.learned, learners, facts),
      setsOf(this.released, heads, facts),
      setsOf(this.observed, learners),
      setsOf(this.orderedBefore),
      setsOf(this.execution),
      // A trigger that comes after no fence is still the first.
      pairsOf(this.triggered),
      pairsOf(this.promises),
      setsOf(this.completions, NONE, events & ~observers),
      sorted(sources.map(([read, taken]) => `${read}:${taken.map(({ write }) => write).join('.')}`)),
      sorted([...this.objects].map(([object, one]) => `${object}:${one.operations.join('.')}/${looks(one)}`)),
      pairsOf(this.meetings),
      sorted([...this.findings.keys(), ...this.accepted.keys()].map(String)),
    ].join('#');
  }
}

const sorted = (parts: readonly string[]): string => [...parts].sort().join();

const pairsOf = (map: Iterable<readonly [unknown, unknown]>): string => sorted([...map].map((pair) => pair.join(':')));

/** What is left of sets without some members, of rows that are not left out, as far as it is not empty. */
function setsOf(map: ReadonlyMap<number, Bits>, withoutRows = NONE, withoutMembers = NONE): string {
  return sorted(
    [...map].flatMap(([event, set]) => {
      const kept = set & ~withoutMembers;
      return kept === NONE || has(withoutRows, event) ? [] : [`${event}:${kept.toString(36)}`];
    }),
  );
}
