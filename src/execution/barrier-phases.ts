import {
  alignedPairs,
  type BarrierGroup,
  barrierGroups,
  isSameInstruction,
  warpsIn,
} from '../events/barrier-groups.js';
import { type EventStructure, exitOf, inProgramOrder } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import type { WarpParty } from '../program/placement.js';
import { describeUndecided } from '../program/undecided.js';
import { findCycle } from '../relation/cycle.js';
import { Relation } from '../relation/relation.js';
import { CONCRETE_VALUES, type ConcreteValue } from '../semantics/concrete-values.js';
import { exchange } from '../semantics/exchange.js';
import type { EventRun } from '../semantics/value-domain.js';
import type { Violation } from './candidate-execution.js';

/** The barrier instructions that met in one completion of a barrier; `index` counts the completions of that barrier. */
export interface BarrierPhase {
  readonly group: string;
  readonly index: number;
  readonly events: readonly number[];
}

/** What the barriers of one execution do. */
export interface BarrierRun {
  readonly synchronization: Relation;
  readonly exits: Relation;
  readonly rearrivals: Relation;
  readonly lateArrivals: Relation;
  readonly violations: readonly Violation[];
}

/** The threads of the execution: what they ran, which have ended, and the events that keep their threads for ever. */
export interface BarrierThreads {
  readonly runs: readonly (EventRun<ConcreteValue, boolean> | undefined)[];
  readonly ended: readonly boolean[];
  readonly kept: ReadonlySet<number>;
}

const isArrive = ({ barrier }: ProgramEvent): boolean => barrier?.action === 'arrive';

/**
 * The barrier synchronization that phases make (8.9.4): from every participant to every waiting participant of another
 * thread. Throws if the phases are not what a run of the barriers can be (PTX ISA 9.7.15.1).
 */
export function runBarriers(
  structure: EventStructure,
  phases: readonly BarrierPhase[],
  threads: BarrierThreads,
  size: number,
): BarrierRun {
  const { runs, ended } = threads;
  const executed = { ...structure, events: structure.events.filter((event) => runs[event.id] !== undefined) };
  const found = barrierGroups(executed, (event) => ({
    id: runs[event.id]?.barrierId?.bits,
    count: runs[event.id]?.barrierCount?.bits,
  }));
  if ('kind' in found) throw new Error(describeUndecided(found));
  const phaseOf = new Map<number, BarrierPhase>();
  for (const phase of phases) for (const event of phase.events) phaseOf.set(event, phase);
  const exits = new Relation(size);
  const rearrivals = new Relation(size);
  const lateArrivals = new Relation(size);
  const synchronization = new Relation(size);
  const violations: Violation[] = found.misused.map(({ event, rule }) => ({ rule, event: event.id }));
  for (const group of found.groups) {
    const own = phases.filter((phase) => phase.group === group.name).sort((a, b) => a.index - b.index);
    const run = new GroupRun(group, own, phaseOf, threads);
    run.check();
    violations.push(...run.violations());
    for (const [thread, wait] of run.excused()) {
      const exit = exitOf(structure.events, thread);
      if (exit !== undefined) exits.add(exit.id, wait);
    }
    for (const [needed, arrival] of run.lateArrivals(structure.events))
      if (needed.thread !== arrival.thread) lateArrivals.add(needed.id, arrival.id);
    for (const [needed, arrival] of run.rearrivals(structure.events))
      if (needed.thread !== arrival.thread) rearrivals.add(needed.id, arrival.id);
  }
  violations.push(...divergences(executed, ended));
  checkProgress(structure, phases, phaseOf);
  for (const { events } of phases) {
    for (const a of events)
      for (const b of events)
        if (
          structure.events[a]?.thread !== structure.events[b]?.thread &&
          structure.events[b]?.barrier?.action !== 'arrive'
        )
          synchronization.add(a, b);
  }
  return { synchronization, exits, rearrivals, lateArrivals, violations };
}

/** What happened at one barrier. */
class GroupRun {
  private readonly members: ReadonlyMap<BarrierPhase, readonly ProgramEvent[]>;
  /** Arrivals that no completion took. */
  private readonly open: readonly ProgramEvent[];

  constructor(
    private readonly group: BarrierGroup,
    private readonly phases: readonly BarrierPhase[],
    private readonly phaseOf: ReadonlyMap<number, BarrierPhase>,
    private readonly threads: BarrierThreads,
  ) {
    this.members = new Map(
      phases.map((phase) => [
        phase,
        phase.events.map(
          (id) => group.events.find((event) => event.id === id) ?? this.fail('an event of another barrier'),
        ),
      ]),
    );
    this.open = group.events.filter(({ id }) => !phaseOf.has(id));
  }

  private fail(what: string): never {
    throw new Error(`${this.group.name}: ${what}`);
  }

  check(): void {
    this.phases.forEach((phase, i) => {
      if (phase.index !== i) this.fail(`completion ${i} is missing`);
      const members = this.members.get(phase) ?? [];
      if (new Set(members.map(({ thread }) => thread)).size !== members.length)
        this.fail('a thread arrives twice in one phase');
      if (!this.completes(members, i, true)) this.fail(`these arrivals do not complete it: ${phase.events.join(', ')}`);
      this.checkExchange(members);
    });
    for (const event of this.group.events) {
      const phase = this.phaseOf.get(event.id);
      if (phase === undefined && !isArrive(event) && !this.threads.kept.has(event.id))
        this.fail('a thread waits for ever');
      for (const later of this.group.events) {
        const next = this.phaseOf.get(later.id);
        if (inProgramOrder(event, later) && next !== undefined && (phase === undefined || next.index <= phase.index))
          this.fail('a thread arrives out of order');
      }
    }
    const first = this.open.filter((event) => !this.open.some((earlier) => inProgramOrder(earlier, event)));
    if (this.completes(first, this.phases.length, false))
      this.fail('enough arrivals are left to complete it once more');
  }

  /** The thread has ended, and has not arrived in this phase or later. */
  private isGone(thread: number, phase: number): boolean {
    if (this.group.level !== 'cta' || this.threads.ended[thread] !== true) return false;
    return this.group.events.every(
      (event) => event.thread !== thread || (this.phaseOf.get(event.id)?.index ?? phase) < phase,
    );
  }

  private completes(arrivals: readonly ProgramEvent[], phase: number, exactly: boolean): boolean {
    const { parties, needs } = this.group;
    const here = (thread: number): boolean => arrivals.some((event) => event.thread === thread);
    const isThere = (thread: number): boolean => here(thread) || this.isGone(thread, phase);
    const isWhole = ({ threads, isCut }: WarpParty): boolean => !isCut && threads.every(isThere);
    const present = warpsIn(parties.filter((party) => party.threads.some(here) && isWhole(party)));
    const whole = parties.every((party) => party.isCut || !party.threads.some(here) || isWhole(party));
    return arrivals.some(({ id }) => {
      const need = needs.get(id);
      if (need === undefined) return parties.every(isWhole);
      return exactly ? present === need && whole : present >= need;
    });
  }

  private checkExchange(members: readonly ProgramEvent[]): void {
    const giving = members.flatMap((event) => {
      const reduction = event.barrier?.kind === 'barrier' ? event.barrier.reduction : undefined;
      const { value, result } = this.threads.runs[event.id] ?? {};
      return reduction === undefined || value === undefined
        ? []
        : [{ reduction, value, result, lane: event.placement?.lane ?? 0, present: true }];
    });
    for (const own of giving) {
      const expected = exchange(CONCRETE_VALUES, own.reduction, own, giving);
      if (own.result?.bits !== expected.bits)
        this.fail(`${own.reduction.operation} gives ${own.result?.bits} instead of ${expected.bits}`);
    }
  }

  /** Threads whose exit a completion took: of all where nobody gave a count, else of warps that arrived without it. */
  private exitsOf(members: readonly ProgramEvent[], phase: number): readonly number[] {
    const { parties, needs } = this.group;
    const here = (thread: number): boolean => members.some((event) => event.thread === thread);
    const uncounted = members.every(({ id }) => needs.get(id) === undefined);
    return [
      ...new Set(
        parties.flatMap(({ threads }) =>
          threads.filter((thread) => !here(thread) && this.isGone(thread, phase) && (uncounted || threads.some(here))),
        ),
      ),
    ];
  }

  /** Those threads, each with what the completion let go. */
  excused(): readonly (readonly [number, number])[] {
    return [...this.members].flatMap(([{ index }, members]) =>
      this.exitsOf(members, index).flatMap((thread) =>
        members.filter((event) => !isArrive(event)).map(({ id }) => [thread, id] as const),
      ),
    );
  }

  /** What a completion needed, with the later arrivals of those that had taken part by an arrive. */
  rearrivals(all: readonly ProgramEvent[]): readonly (readonly [ProgramEvent, ProgramEvent])[] {
    return [...this.members].flatMap(([{ index }, members]) => {
      const again = this.group.events.filter((event) =>
        members.some((earlier) => isArrive(earlier) && inProgramOrder(earlier, event)),
      );
      return this.neededBy(members, index, all).flatMap((needed) => again.map((arrival) => [needed, arrival] as const));
    });
  }

  private neededBy(
    members: readonly ProgramEvent[],
    phase: number,
    all: readonly ProgramEvent[],
  ): readonly ProgramEvent[] {
    return [...members, ...this.exitsOf(members, phase).flatMap((thread) => exitOf(all, thread) ?? [])];
  }

  /** What a completion needed, with the arrivals of warps of one thread that it came too early for. */
  lateArrivals(all: readonly ProgramEvent[]): readonly (readonly [ProgramEvent, ProgramEvent])[] {
    const { parties, events } = this.group;
    const alone = new Set<number | undefined>(parties.flatMap(({ threads }) => (threads.length === 1 ? threads : [])));
    return [...this.members].flatMap(([{ index }, members]) => {
      const late = events.filter(
        ({ id, thread }) => alone.has(thread) && (this.phaseOf.get(id)?.index ?? Number.POSITIVE_INFINITY) > index,
      );
      return this.neededBy(members, index, all).flatMap((needed) => late.map((arrival) => [needed, arrival] as const));
    });
  }

  violations(): readonly Violation[] {
    const found: Violation[] = [];
    const again = this.group.events.find((event) =>
      this.open.some((earlier) => isArrive(earlier) && inProgramOrder(earlier, event)),
    );
    if (again !== undefined) found.push({ rule: 'barrier-arrival-before-reset', event: again.id });
    const opened = new Set(this.open.map(({ thread }) => thread));
    const isWhole = ({ threads, isCut }: WarpParty): boolean =>
      !isCut && threads.every((thread) => opened.has(thread) || this.isGone(thread, this.phases.length));
    const whole = new Set<number | undefined>(this.group.parties.filter(isWhole).flatMap(({ threads }) => threads));
    for (const members of [...this.members.values(), this.open.filter(({ thread }) => whole.has(thread))]) {
      const [first] = members;
      const unlike = (property: (event: ProgramEvent) => unknown): ProgramEvent | undefined =>
        members.find((event) => first !== undefined && property(event) !== property(first));
      const mixed = unlike(({ barrier }) => barrier?.action === 'red');
      const counts = unlike(({ id }) => this.group.needs.get(id));
      if (mixed !== undefined) found.push({ rule: 'barrier-kinds-differ', event: mixed.id });
      if (counts !== undefined) found.push({ rule: 'barrier-counts-differ', event: counts.id });
    }
    return found;
  }
}

/** `executed`: the structure with the executed events only. */
function divergences(executed: EventStructure, ended: readonly boolean[]): readonly Violation[] {
  const pairs = alignedPairs(executed);
  return pairs.flatMap(({ event, others, otherFallsThrough, otherThread }) => {
    const rank = executed.events.filter(
      (one) => one.thread === event.thread && one.node < event.node && pairs.some((pair) => pair.event === one),
    ).length;
    const other = others[rank];
    const skipped = other === undefined && otherFallsThrough && ended[otherThread] === true;
    return skipped || (other !== undefined && !isSameInstruction(executed, event, other))
      ? [{ rule: 'aligned-divergence', event: event.id }]
      : [];
  });
}

/**
 * A warp that has taken part by an arrive; that it comes back too early is a rule that is broken, see
 * early-arrivals.ts.
 */
function comesAgain({ events }: EventStructure, phase: BarrierPhase, id: number): boolean {
  return phase.events.some((other) => {
    const [earlier, event] = [events[other], events[id]];
    return earlier !== undefined && event !== undefined && isArrive(earlier) && inProgramOrder(earlier, event);
  });
}

/** No completion waits for itself: what follows a wait, or an arrival at the next completion, comes after it. */
function checkProgress(
  structure: EventStructure,
  phases: readonly BarrierPhase[],
  phaseOf: ReadonlyMap<number, BarrierPhase>,
): void {
  const before = new Relation(phases.length);
  phases.forEach((phase, x) => {
    const next = phases.find(({ group, index }) => group === phase.group && index === phase.index + 1);
    if (next !== undefined) before.add(x, phases.indexOf(next));
    const after = [
      ...phase.events.filter((event) => structure.events[event]?.barrier?.action !== 'arrive'),
      ...(next?.events ?? []),
    ];
    for (const event of after.filter((one) => !comesAgain(structure, phase, one))) {
      for (const [later, other] of phaseOf) {
        const [a, b] = [structure.events[event], structure.events[later]];
        if (a !== undefined && b !== undefined && inProgramOrder(a, b)) before.add(x, phases.indexOf(other));
      }
    }
  });
  if (findCycle(before) !== undefined) throw new Error('barriers wait for one another in a circle');
}
