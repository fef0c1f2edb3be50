import type { ProgramEvent } from '../events/program-event.js';
import { BOUND, type Deadline, exceeded, type Undecided } from '../program/undecided.js';
import { areTogether } from '../semantics/active-lanes.js';
import { judgeRun } from './findings.js';
import { keepsPromises } from './grids.js';
import { overlap } from './location.js';
import { initialStates, mayRest } from './machine.js';
import type { MachineContext } from './machine-context.js';
import { looksLast } from './mbarriers.js';
import { inEachOthersScope, isStrong } from './moral-strength.js';
import { type Outcome, outcomeKey, outcomesOf } from './outcomes.js';
import { allSteps, nextSteps, overtakes } from './reduction.js';
import { INITIAL, NOTHING_FORGOTTEN, type State } from './state.js';

/** A run: the states that the machine went through, the last first. */
export interface Run {
  readonly state: State;
  /** The operation that led here. */
  readonly event: number | undefined;
  readonly before: Run | undefined;
  /** How hard it is to follow: how often another thread took over, or an operation went ahead of an earlier one. */
  readonly disorder: number;
  /** In operations. */
  readonly length: number;
}

export const beginning = (state: State): Run => ({
  state,
  event: undefined,
  before: undefined,
  disorder: 0,
  length: 0,
});

/** All that the machine can do with a program. */
export interface Exploration {
  readonly context: MachineContext;
  /** By its printed form. */
  readonly outcomes: ReadonlyMap<string, { readonly outcome: Outcome; readonly run: Run }>;
  readonly deadlock: Run | undefined;
  readonly trap: Run | undefined;
  /** Races and undefined behavior, each with the first run that showed it. */
  readonly findings: ReadonlyMap<string, { readonly run: Run; readonly events: readonly number[] }>;
  /** What `allow` lines of the test accept, by the place of the line among them. */
  readonly accepted: ReadonlyMap<number, { readonly rule: string; readonly run: Run }>;
  readonly states: number;
  /** Why there may be more. */
  readonly incomplete: Undecided | undefined;
}

export interface ExploreOptions {
  /**
   * Also all orders of steps that make no difference, and states that only the past tells apart: to check that these
   * are left out rightly.
   */
  readonly everyOrder?: boolean;
  readonly mostStates: number;
  readonly deadline: Deadline;
}

/**
 * Explores all states of the machine, the nearest first: every run given is a shortest one, and of those one that is
 * easy to follow.
 */
export function explore(context: MachineContext, options: ExploreOptions): Exploration {
  return new Explorer(context, options).explore();
}

const CHECK_EVERY = 64;
const ACCEPTED_OUTSIDE: Undecided = {
  kind: 'address',
  what: 'what follows an access outside of memory, though that is accepted',
};

/** Shorter, or as short and easier to follow. */
const isBetter = (run: Run, than: Run | undefined): boolean =>
  than === undefined || run.length < than.length || (run.length === than.length && run.disorder < than.disorder);

class Explorer {
  private readonly outcomes = new Map<string, { readonly outcome: Outcome; readonly run: Run }>();
  private readonly findings = new Map<string, { readonly run: Run; readonly events: readonly number[] }>();
  private readonly accepted = new Map<number, { readonly rule: string; readonly run: Run }>();
  private deadlock: Run | undefined;
  private trap: Run | undefined;
  private incomplete: Undecided | undefined;

  constructor(
    private readonly context: MachineContext,
    private readonly options: ExploreOptions,
  ) {}

  explore(): Exploration {
    const seen = new Set<string>();
    let level: ReadonlyMap<string, Run> = new Map(
      initialStates(this.context).map((state, i) => [`${i}`, beginning(state)]),
    );
    for (let explored = 0; level.size > 0; ) {
      const next = new Map<string, Run>();
      for (const run of level.values()) {
        explored += 1;
        if (seen.size > this.options.mostStates)
          return this.result(seen.size, { kind: 'states', most: this.options.mostStates, what: 'states' });
        const over = explored % CHECK_EVERY === 0 ? exceeded(this.options.deadline) : undefined;
        if (over !== undefined) return this.result(seen.size, over);
        const steps = run.state.hasLeftMemory
          ? []
          : this.options.everyOrder === true
            ? allSteps(run.state)
            : nextSteps(run.state);
        if (steps.length === 0 || mayRest(run.state)) this.stop(run);
        for (const { event, states } of steps) for (const state of states) this.reach(run, event, state, seen, next);
      }
      level = next;
    }
    return this.result(seen.size, this.incomplete ?? this.context.open);
  }

  /** A state that was not reached in fewer steps; in as many, the run that is easier to follow is kept. */
  private reach(before: Run, event: ProgramEvent, state: State, seen: Set<string>, next: Map<string, Run>): void {
    const key = state.key(this.options.everyOrder === true ? NOTHING_FORGOTTEN : state.forgotten());
    const known = next.get(key);
    if (known === undefined && seen.has(key)) return;
    seen.add(key);
    const last = before.event === undefined ? undefined : this.context.event(before.event);
    const continues =
      last === undefined || (last.thread === event.thread && last.tags.has('ASY') === event.tags.has('ASY'));
    const disorder = before.disorder + (continues ? 0 : 1) + (overtakes(before.state, event) ? 1 : 0);
    if (known === undefined || disorder < known.disorder)
      next.set(key, { state, event: event.id, before, disorder, length: before.length + 1 });
  }

  private result(states: number, incomplete: Undecided | undefined): Exploration {
    return {
      context: this.context,
      outcomes: this.outcomes,
      deadlock: this.deadlock,
      trap: this.trap,
      findings: this.findings,
      accepted: this.accepted,
      states,
      incomplete,
    };
  }

  /** Nothing more happens. */
  private stop(run: Run): void {
    const { state } = run;
    const { structure } = this.context;
    if (!keepsPromises(state, true)) return;
    if (!areTogether(structure, (event) => state.answers.get(event))) return;
    // Where only some ends count it is not known whether this run comes to one.
    if (state.hasLeftMemory && structure.program.filter !== undefined)
      this.incomplete ??= { kind: 'address', what: 'an address outside of memory, before the filter can be judged' };
    else if (state.hasLeftMemory) this.note(run);
    if (state.hasLeftMemory && !state.findings.has('outside-memory')) this.incomplete ??= ACCEPTED_OUTSIDE;
    if (state.hasLeftMemory) return;
    const views = structure.threads.map((_, thread) => state.view(thread));
    if (views.some((view) => view.run.cut === true)) this.incomplete ??= BOUND;
    const ended = views.map((view) => view.run.ended === true);
    const round = (thread: number): readonly number[] | undefined => {
      const spin = views[thread]?.run.spins.indexOf(true) ?? -1;
      return structure.threads[thread]?.spins[spin]?.round;
    };
    const kept = (thread: number): boolean => views[thread]?.ready.some((event) => state.isKept(event)) === true;
    const trapped = views.map((view) => view.run.trapped === true);
    const stopped = ended.every(
      (over, thread) => over || trapped[thread] === true || round(thread) !== undefined || kept(thread),
    );
    if (!stopped) return;
    const left = views.flatMap(({ ready }) => ready).find((event) => !state.isDone(event.id));
    if (left !== undefined) throw new Error(`the machine is stuck at event ${left.id}`);
    judgeRun(state, ended);
    if (structure.program.filter === undefined) this.note(run);
    if (ended.every((over) => over)) return this.end(run);
    if (trapped.includes(true)) {
      if (isBetter(run, this.trap)) this.trap = run;
      return;
    }
    /** Whoever writes in a round that is repeated for ever writes what is there: others find nothing new in it. */
    const isRepeated = ({ thread, node }: ProgramEvent): boolean => round(thread)?.includes(node) === true;
    const forEver = (thread: number): boolean =>
      ended[thread] === true || this.isUpToDate(state, thread, round(thread) ?? [], isRepeated);
    if (isBetter(run, this.deadlock) && structure.threads.every((_, thread) => forEver(thread))) this.deadlock = run;
  }

  private note(run: Run): void {
    for (const [line, rule] of run.state.accepted)
      if (isBetter(run, this.accepted.get(line)?.run)) this.accepted.set(line, { rule, run });
    for (const [rule, events] of run.state.findings)
      if (isBetter(run, this.findings.get(rule)?.run)) this.findings.set(rule, { run, events });
  }

  /**
   * Going round once more would find nothing else: strong reads have the last writes of their scope, waits have looked
   * last.
   */
  private isUpToDate(
    state: State,
    thread: number,
    round: readonly number[],
    isRepeated: (write: ProgramEvent) => boolean,
  ): boolean {
    return round.every((node) =>
      this.context.structure.eventsOf(thread, node).every((event) => {
        if (!state.isDone(event.id)) return true;
        if (event.mbarrier?.step === 'wait') return looksLast(state, event.id);
        if (event.kind !== 'read' || !isStrong(event)) return true;
        return (state.sources.get(event.id) ?? []).every(({ cell, write }) => {
          const newer = state
            .writesTo(this.context.cell(cell))
            .filter((other) => write === INITIAL || state.isAfter(write, other));
          const isNews = (other: number): boolean =>
            other !== event.partner &&
            !isRepeated(this.context.event(other)) &&
            this.comesToBeSeen(state, other, event);
          return !newer.some(isNews);
        });
      }),
    );
  }

  /**
   * 8.6.1, and (inferred) within one proxy: strong operations in each other's scope, of one address, or of .sys scope,
   * or of .gpu scope through the generic and the async proxy.
   */
  private comesToBeSeen(state: State, write: number, read: ProgramEvent): boolean {
    const writer = this.context.event(write);
    if (!isStrong(writer) || !isStrong(read) || !inEachOthersScope(writer, read)) return false;
    const [from, to] = [state.locationOf(write), state.locationOf(read.id)];
    const through = (proxy: 'GEN' | 'ASYNC'): number => [writer, read].filter(({ tags }) => tags.has(proxy)).length;
    const [generic, asynchronous] = [through('GEN'), through('ASYNC')];
    if ((generic === 2 || asynchronous === 2) && from !== undefined && to !== undefined && overlap(from, to))
      return true;
    const both = generic + asynchronous === 2;
    return (
      both &&
      ((writer.scope === 'sys' && read.scope === 'sys') ||
        (generic === 1 &&
          writer.scope !== 'cta' &&
          writer.scope !== 'cluster' &&
          read.scope !== 'cta' &&
          read.scope !== 'cluster'))
    );
  }

  /**
   * Every thread is at its end: the final memory is any coherence-maximal write of each cell
   * (docs/decisions/final-memory.md).
   */
  private end(run: Run): void {
    const { program } = this.context.structure;
    const outcomes = outcomesOf(run.state);
    if (run.state.open !== undefined) this.incomplete ??= { kind: 'value', what: run.state.open };
    for (const outcome of outcomes) {
      if (program.filter !== undefined) this.note(run);
      const key = outcomeKey(outcome);
      if (isBetter(run, this.outcomes.get(key)?.run)) this.outcomes.set(key, { outcome, run });
    }
  }
}
