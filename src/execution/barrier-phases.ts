import {
  alignedPairs,
  type BarrierGroup,
  barrierGroups,
  goesPast,
  isSameInstruction,
  partiesOf,
  waitForEachOther,
  warpsIn,
} from '../events/barrier-groups.js';
import { type EventStructure, exitOf, inProgramOrder } from '../events/events.js';
import { type ProgramEvent, reductionOf } from '../events/program-event.js';
import type { WarpParty } from '../program/placement.js';
import { describeUndecided } from '../program/undecided.js';
import { findCycle } from '../relation/cycle.js';
import { Relation } from '../relation/relation.js';
import { collectiveResult } from '../semantics/collective-result.js';
import { CONCRETE_VALUES } from '../semantics/concrete-values.js';
import type { PartOfExecution, Violation } from './candidate-execution.js';
import type { RunThreads } from './run-threads.js';

/** The barrier instructions that met in one completion of a barrier; `index` counts the completions of that barrier. */
export interface BarrierPhase {
  readonly group: string;
  readonly index: number;
  readonly events: readonly number[];
}

/** What the barriers of one execution do. */
export type BarrierRun = PartOfExecution<
  'barrierSynchronization' | 'warpSynchronization' | 'exitSynchronization' | 'rearrival' | 'lateArrival'
>;

type Pairs = readonly (readonly [ProgramEvent, ProgramEvent])[];

const isArrive = ({ barrier }: ProgramEvent): boolean => barrier?.action === 'arrive';

/**
 * The barrier synchronization that phases make (8.9.4): from every participant to every waiting participant of another
 * thread. Throws if the phases are not what a run of the barriers can be (PTX ISA 9.7.15.1).
 */
export function runBarriers(threads: RunThreads, phases: readonly BarrierPhase[]): BarrierRun {
  const { universe, runs } = threads;
  const { structure } = universe;
  const executed = { ...structure, events: structure.events.filter((event) => runs[event.id] !== undefined) };
  const found = barrierGroups(executed, (event) => ({
    id: runs[event.id]?.barrierId?.bits,
    count: runs[event.id]?.barrierCount?.bits,
  }));
  if ('kind' in found) throw new Error(describeUndecided(found));
  const phaseOf = new Map<number, BarrierPhase>();
  for (const phase of phases) for (const event of phase.events) phaseOf.set(event, phase);
  const none = (): Relation => new Relation(universe.events.length);
  const relations: BarrierRun['relations'] = {
    barrierSynchronization: none(),
    warpSynchronization: none(),
    exitSynchronization: none(),
    rearrival: none(),
    lateArrival: none(),
  };
  const add = (relation: keyof typeof relations, pairs: Pairs): void => {
    for (const [a, b] of pairs) if (a.thread !== b.thread) relations[relation].add(a.id, b.id);
  };
  const violations: Violation[] = found.misused.map(({ event, rule }) => ({ rule, event: event.id }));
  for (const group of found.groups) {
    const own = phases.filter((phase) => phase.group === group.name).sort((a, b) => a.index - b.index);
    const run = new GroupRun(group, own, phaseOf, threads);
    run.check();
    violations.push(...run.violations());
    add(group.level === 'warp' ? 'warpSynchronization' : 'barrierSynchronization', run.synchronization());
    add('exitSynchronization', run.excused(structure.events));
    add('lateArrival', run.lateArrivals(structure.events));
    add('rearrival', run.rearrivals(structure.events));
  }
  violations.push(...divergences(executed, threads));
  checkProgress(structure, phases, phaseOf);
  return { relations, violations };
}

const waitsIn = (events: readonly ProgramEvent[]): readonly ProgramEvent[] => events.filter((one) => !isArrive(one));
const pairsOf = (first: readonly ProgramEvent[], second: readonly ProgramEvent[]): Pairs =>
  first.flatMap((a) => second.map((b) => [a, b] as const));

/** What happened at one barrier. */
class GroupRun {
  private readonly members: ReadonlyMap<BarrierPhase, readonly ProgramEvent[]>;
  /** Arrivals that no completion took. */
  private readonly open: readonly ProgramEvent[];

  constructor(
    private readonly group: BarrierGroup,
    private readonly phases: readonly BarrierPhase[],
    private readonly phaseOf: ReadonlyMap<number, BarrierPhase>,
    private readonly threads: RunThreads,
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
      this.checkCollective(members);
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
    // What a lane gives alone counts when its warp has arrived.
    const hasArrived = (thread: number): boolean => partiesOf(this.group, thread).some(isWhole);
    return arrivals.some(({ id, thread }) => {
      const need = needs.get(id);
      if (need === undefined) return parties.every(isWhole);
      return hasArrived(thread) && (exactly ? present === need && whole : present >= need);
    });
  }

  private checkCollective(members: readonly ProgramEvent[]): void {
    const giving = members.flatMap((event) => {
      const reduction = reductionOf(event);
      const { value, result } = this.threads.runs[event.id] ?? {};
      return reduction === undefined || value === undefined
        ? []
        : [{ reduction, value, result, lane: event.placement?.lane ?? 0, present: true }];
    });
    for (const own of giving) {
      const expected = collectiveResult(CONCRETE_VALUES, own.reduction, own, giving);
      if (own.result?.bits !== expected.bits)
        this.fail(`${own.reduction.operation} gives ${own.result?.bits} instead of ${expected.bits}`);
    }
  }

  /** The exits that a completion took: of all threads where nobody gave a count, else of warps that came without it. */
  private exitEvents(
    members: readonly ProgramEvent[],
    phase: number,
    all: readonly ProgramEvent[],
  ): readonly ProgramEvent[] {
    const { parties, needs } = this.group;
    const here = (thread: number): boolean => members.some((event) => event.thread === thread);
    const uncounted = members.every(({ id }) => needs.get(id) === undefined);
    const excused = parties.flatMap(({ threads }) =>
      threads.filter((thread) => !here(thread) && this.isGone(thread, phase) && (uncounted || threads.some(here))),
    );
    return [...new Set(excused)].flatMap((thread) => exitOf(all, thread) ?? []);
  }

  /** What met, with what the completion let go. */
  synchronization(): Pairs {
    return [...this.members.values()].flatMap((members) => pairsOf(members, waitsIn(members)));
  }

  /** The exits that a completion took, with what it let go. */
  excused(all: readonly ProgramEvent[]): Pairs {
    return [...this.members].flatMap(([{ index }, members]) =>
      pairsOf(this.exitEvents(members, index, all), waitsIn(members)),
    );
  }

  /** What a completion needed, with the later arrivals of those that had taken part by an arrive. */
  rearrivals(all: readonly ProgramEvent[]): Pairs {
    return [...this.members].flatMap(([{ index }, members]) => {
      const again = this.group.events.filter((event) =>
        members.some((earlier) => isArrive(earlier) && inProgramOrder(earlier, event)),
      );
      return pairsOf([...members, ...this.exitEvents(members, index, all)], again);
    });
  }

  /** What a completion needed, with the arrivals of warps of one thread that it came too early for. */
  lateArrivals(all: readonly ProgramEvent[]): Pairs {
    const { parties, events } = this.group;
    const alone = new Set<number | undefined>(parties.flatMap(({ threads }) => (threads.length === 1 ? threads : [])));
    return [...this.members].flatMap(([{ index }, members]) => {
      const late = events.filter(
        ({ id, thread }) => alone.has(thread) && (this.phaseOf.get(id)?.index ?? Number.POSITIVE_INFINITY) > index,
      );
      return pairsOf([...members, ...this.exitEvents(members, index, all)], late);
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
function divergences(executed: EventStructure, { ended, kept, runs }: RunThreads): readonly Violation[] {
  const pairs = alignedPairs(executed);
  const aligned = [...new Set(pairs.map(({ event }) => event))];
  return pairs.flatMap((pair) => {
    const { event, others, otherThread } = pair;
    const rank = aligned.filter(({ thread, node }) => thread === event.thread && node < event.node).length;
    const other = others[rank];
    const skipped = other === undefined && ended[otherThread] === true && goesPast(pair, () => true);
    const areKept = waitForEachOther(
      pair,
      ({ id }) => kept.has(id),
      ({ id }) => runs[id]?.barrierId?.bits,
    );
    return skipped || areKept || (other !== undefined && !isSameInstruction(executed, event, other))
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
