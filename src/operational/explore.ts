import { BOUND, type Undecided } from '../program/undecided.js';
import { judgeRun } from './findings.js';
import { isForEver, stopOf } from './for-ever.js';
import { hangsOf } from './hangs.js';
import { isKept } from './kept-runs.js';
import { mayRest } from './machine.js';
import type { MachineContext } from './machine-context.js';
import { type Outcome, outcomeKey, outcomesOf } from './outcomes.js';
import { type ExploreOptions, type Hang, isBetter, NOBODY, type Run, walkStates } from './walk-states.js';

/** All that the machine can do with a program. */
export interface Exploration {
  readonly context: MachineContext;
  /** By its printed form. */
  readonly outcomes: ReadonlyMap<string, { readonly outcome: Outcome; readonly run: Run }>;
  readonly deadlock: Hang | undefined;
  /** Why there may be one though none is found. */
  readonly openDeadlock: Undecided | undefined;
  readonly trap: Run | undefined;
  /** Races and undefined behavior, each with the first run that showed it. */
  readonly findings: ReadonlyMap<string, { readonly run: Run; readonly events: readonly number[] }>;
  /** What `allow` lines of the test accept, by the place of the line among them. */
  readonly accepted: ReadonlyMap<number, { readonly rule: string; readonly run: Run }>;
  readonly states: number;
  /** Why there may be more. */
  readonly incomplete: Undecided | undefined;
}

/**
 * Explores all states of the machine, the nearest first: every run given is a shortest one, and of those one that is
 * easy to follow.
 */
export function explore(context: MachineContext, options: ExploreOptions): Exploration {
  const found = new Explorer(context, options).explore();
  const hangs = hangsOf(found, options);
  return { ...found, deadlock: hangs.found, openDeadlock: hangs.open };
}

const ACCEPTED_OUTSIDE: Undecided = {
  kind: 'address',
  what: 'what follows an access outside of memory, though that is accepted',
};

class Explorer {
  private readonly outcomes = new Map<string, { readonly outcome: Outcome; readonly run: Run }>();
  private readonly findings = new Map<string, { readonly run: Run; readonly events: readonly number[] }>();
  private readonly accepted = new Map<number, { readonly rule: string; readonly run: Run }>();
  private deadlock: Hang | undefined;
  private trap: Run | undefined;
  private incomplete: Undecided | undefined;

  constructor(
    private readonly context: MachineContext,
    private readonly options: ExploreOptions,
  ) {}

  explore(): Exploration {
    const { states, incomplete } = walkStates(this.context, this.options, (run, steps) => {
      if (steps.length === 0 || mayRest(run.state)) this.stop(run);
      return true;
    });
    return this.result(states, incomplete ?? this.incomplete ?? this.context.open);
  }

  private result(states: number, incomplete: Undecided | undefined): Exploration {
    return {
      context: this.context,
      outcomes: this.outcomes,
      deadlock: this.deadlock,
      openDeadlock: incomplete,
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
    if (!isKept(state)) return;
    // Where only some ends count it is not known whether this run comes to one.
    if (state.hasLeftMemory && structure.program.filter !== undefined)
      this.incomplete ??= { kind: 'address', what: 'an address outside of memory, before the filter can be judged' };
    else if (state.hasLeftMemory) this.note(run);
    if (state.hasLeftMemory && !state.findings.has('outside-memory')) this.incomplete ??= ACCEPTED_OUTSIDE;
    if (state.hasLeftMemory) return;
    const views = structure.threads.map((_, thread) => state.view(thread));
    if (views.some((view) => view.run.cut === true)) this.incomplete ??= BOUND;
    const stops = structure.threads.map((_, thread) => stopOf(state, thread));
    const ended = stops.map((stop) => stop?.kind === 'ended');
    if (stops.includes(undefined)) return;
    const left = views.flatMap(({ ready }) => ready).find((event) => !state.isDone(event.id));
    if (left !== undefined) throw new Error(`the machine is stuck at event ${left.id}`);
    judgeRun(state, ended);
    if (structure.program.filter === undefined) this.note(run);
    if (ended.every((over) => over)) return this.end(run);
    if (stops.some((stop) => stop?.kind === 'trapped')) {
      if (isBetter(run, this.trap)) this.trap = run;
      return;
    }
    if (isBetter(run, this.deadlock) && structure.threads.every((_, thread) => isForEver(state, thread)))
      this.deadlock = { ...run, halted: NOBODY, again: NOBODY, cycle: 0 };
  }

  private note(run: Run): void {
    for (const [line, rule] of run.state.accepted)
      if (isBetter(run, this.accepted.get(line)?.run)) this.accepted.set(line, { rule, run });
    for (const [rule, events] of run.state.findings)
      if (isBetter(run, this.findings.get(rule)?.run)) this.findings.set(rule, { run, events });
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
