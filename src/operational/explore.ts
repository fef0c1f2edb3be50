import { holds } from '../program/build-conditions.js';
import type { EventStructure } from '../program/events.js';
import { scopeIncludes } from '../program/placement.js';
import type { Observable } from '../program/program.js';
import { has, membersOf, NONE } from './bits.js';
import { judgeRun } from './findings.js';
import { Machine } from './machine.js';
import { looksLast } from './mbarriers.js';
import { isStrong } from './moral-strength.js';
import { bytesOf } from './read-and-write.js';
import { nextSteps } from './reduction.js';
import { type MachineOptions, Setting } from './setting.js';
import { type Findings, INITIAL, type State } from './state.js';

/** A run: the states that the machine went through, the last first. */
export interface Run {
  readonly state: State;
  /** The operation that led here. */
  readonly event: number | undefined;
  readonly before: Run | undefined;
}

/** The values of a test's observables by their names. */
export type Outcome = ReadonlyMap<string, bigint>;

/** All that the machine can do with a program. */
export interface Exploration {
  readonly setting: Setting;
  /** By its printed form. */
  readonly outcomes: ReadonlyMap<string, { readonly outcome: Outcome; readonly run: Run }>;
  readonly deadlock: Run | undefined;
  /** Races and undefined behaviour, each with the first run that showed it. */
  readonly findings: ReadonlyMap<string, { readonly run: Run; readonly events: readonly number[] }>;
  readonly states: number;
  /** Why there may be more. */
  readonly incomplete: string | undefined;
}

export interface ExploreOptions extends MachineOptions {
  readonly mostStates: number;
  readonly deadline: { remaining(): number };
}

/** Explores all states of the machine, the nearest first, so that every run given is a shortest one. */
export function explore(structure: EventStructure, options: ExploreOptions): Exploration | { readonly unknown: string } {
  const setting = Setting.of(structure, options);
  if (typeof setting === 'string') return { unknown: setting };
  return new Explorer(setting, options).explore();
}

const CHECK_TIME_EVERY = 64;

class Explorer {
  private readonly machine: Machine;
  private readonly outcomes = new Map<string, { readonly outcome: Outcome; readonly run: Run }>();
  private readonly findings = new Map<string, { readonly run: Run; readonly events: readonly number[] }>();
  private deadlock: Run | undefined;
  private incomplete: string | undefined;

  constructor(
    private readonly setting: Setting,
    private readonly options: ExploreOptions,
  ) {
    this.machine = new Machine(setting);
  }

  explore(): Exploration {
    const first = this.machine.initial();
    const seen = new Set([first.key()]);
    const queue: Run[] = [{ state: first, event: undefined, before: undefined }];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const run = next;
      if (seen.size > this.options.mostStates) return this.result(seen.size, `more than ${this.options.mostStates} states`);
      if (seen.size % CHECK_TIME_EVERY === 0 && this.options.deadline.remaining() <= 0) return this.result(seen.size, 'timeout');
      const steps = run.state.isWild ? [] : nextSteps(this.machine, run.state);
      if (steps.length === 0) this.stop(run);
      for (const { event, states } of steps) {
        for (const state of states) {
          const key = state.key();
          if (seen.has(key)) continue;
          seen.add(key);
          queue.push({ state, event: event.id, before: run });
        }
      }
    }
    return this.result(seen.size, this.incomplete);
  }

  private result(states: number, incomplete: string | undefined): Exploration {
    return { setting: this.setting, outcomes: this.outcomes, deadlock: this.deadlock, findings: this.findings, states, incomplete };
  }

  /** Nothing more happens. */
  private stop(run: Run): void {
    const { state } = run;
    const { structure, options } = this.setting;
    if (state.isWild) return this.note(run, state.findings);
    const views = structure.threads.map((_, thread) => this.setting.view(state, thread));
    if (views.some((view) => view.run.cut === true)) this.incomplete ??= 'bound';
    const ended = views.map((view) => view.run.ended === true);
    const round = (thread: number): readonly number[] | undefined => {
      const spin = views[thread]?.run.spins.indexOf(true) ?? -1;
      return structure.threads[thread]?.spins[spin]?.round;
    };
    const kept = (thread: number): boolean =>
      views[thread]?.ready.some((event) => this.setting.isWaiting(event) && state.isDone(event.id) && !has(state.passed, event.id)) === true;
    const stopped = ended.every((over, thread) => over || round(thread) !== undefined || kept(thread));
    if (!stopped) return;
    const left = views.flatMap(({ ready }) => ready).find((event) => !state.isDone(event.id));
    if (left !== undefined) throw new Error(`the machine is stuck at event ${left.id}`);
    const allEnded = ended.every((over) => over);
    if (allEnded || options.keepsThreads) {
      judgeRun(this.setting, state, ended);
      if (structure.program.filter === undefined) this.note(run, state.findings);
    }
    if (allEnded) return this.end(run);
    if (options.keepsThreads && structure.threads.every((_, thread) => ended[thread] === true || this.isUpToDate(state, thread, round(thread) ?? []))) this.deadlock ??= run;
  }

  private note(run: Run, findings: Findings): void {
    for (const [rule, events] of findings) if (!this.findings.has(rule)) this.findings.set(rule, { run, events });
  }

  /** Going round once more would find nothing else: strong reads have the last writes of their scope, waits have looked last. */
  private isUpToDate(state: State, thread: number, round: readonly number[]): boolean {
    return round.every((node) =>
      this.setting.structure.eventsOf(thread, node).every((event) => {
        if (!state.isDone(event.id)) return true;
        if (event.mbarrier?.step === 'wait') return looksLast(state, event.id);
        if (event.kind !== 'read' || !isStrong(event)) return true;
        return (state.sources.get(event.id) ?? []).every(({ cell, write }) => {
          const newer = write === INITIAL ? this.writesTo(state, cell) : this.writesTo(state, cell).filter((other) => has(state.after.get(write) ?? NONE, other));
          return !newer.some((other) => {
            const { placement } = this.setting.event(other);
            return (
              other !== event.partner &&
              event.scope !== undefined &&
              event.placement !== undefined &&
              placement !== undefined &&
              scopeIncludes(event.scope, event.placement, placement)
            );
          });
        });
      }),
    );
  }

  private writesTo(state: State, cell: number): readonly number[] {
    const range = this.setting.cells[cell];
    return this.setting.writes
      .filter(({ id }) => {
        const location = state.isDone(id) ? this.setting.locationOf(state, id) : undefined;
        return location !== undefined && location.object === range?.object && location.offset < range.offset + range.bytes && range.offset < location.offset + location.bytes;
      })
      .map(({ id }) => id);
  }

  /** Every thread is at its end: the final memory is any coherence-maximal write of each cell (D48). */
  private end(run: Run): void {
    const { program } = this.setting.structure;
    const outcomes = this.outcomesOf(run.state);
    this.incomplete ??= run.state.open;
    for (const outcome of outcomes) {
      if (program.filter !== undefined && !holds(program.filter, (observable) => outcome.get(observable.name) ?? 0n)) continue;
      if (program.filter !== undefined) this.note(run, run.state.findings);
      const key = [...outcome].map(([name, value]) => `${name}=${value}`).join(' ');
      if (!this.outcomes.has(key)) this.outcomes.set(key, { outcome, run });
    }
  }

  private outcomesOf(state: State): readonly Outcome[] {
    let all: readonly (readonly [string, bigint])[][] = [[]];
    for (const observable of this.setting.structure.program.observed) {
      const values = this.valuesOf(state, observable);
      all = all.flatMap((chosen) => values.map((value) => [...chosen, [observable.name, value] as const]));
    }
    return all.map((entries) => new Map(entries));
  }

  private valuesOf(state: State, observable: Observable): readonly bigint[] {
    if (observable.kind === 'register') return [this.setting.view(state, observable.thread).run.registers.get(observable.register)?.bits ?? 0n];
    const { object, offset } = observable;
    const end = offset + observable.type.width / 8;
    let values: readonly bigint[] = [0n];
    for (const cell of this.setting.cells) {
      if (cell.object !== object || cell.offset < offset || cell.offset + cell.bytes > end) continue;
      const writes = this.writesTo(state, cell.id);
      const last = writes.filter((write) => !membersOf(state.after.get(write) ?? NONE).some((later) => writes.includes(later)));
      values = values.flatMap((value) =>
        (last.length === 0 ? [INITIAL] : last).map((write) => value | (bytesOf(this.setting, state, write, cell) << BigInt(8 * (cell.offset - offset)))),
      );
    }
    return [...new Set(values)];
  }
}
