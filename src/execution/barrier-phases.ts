import { type BarrierGroup, barrierGroups } from '../program/barrier-groups.js';
import { CONCRETE_VALUES, type ConcreteValue } from '../program/concrete-values.js';
import { type EventStructure, inProgramOrder, type ProgramEvent } from '../program/events.js';
import { exchange } from '../program/exchange.js';
import type { EventRun } from '../program/value-domain.js';
import { findCycle } from '../relation/cycle.js';
import { Relation } from '../relation/relation.js';

/** The barrier instructions that met in one completion of a barrier; `index` counts the completions of that barrier. */
export interface BarrierPhase {
  readonly group: string;
  readonly index: number;
  readonly events: readonly number[];
}

/**
 * The barrier synchronisation that phases make (8.9.4): from every participant to every waiting participant of another
 * thread. Throws if the phases are not what a run of the barriers can be (PTX ISA, bar). `kept`: events that keep their
 * threads for ever.
 */
export function synchronizationOf(
  structure: EventStructure,
  phases: readonly BarrierPhase[],
  runs: readonly (EventRun<ConcreteValue, boolean> | undefined)[],
  size: number,
  kept: ReadonlySet<number>,
): Relation {
  const executed = { ...structure, events: structure.events.filter((event) => runs[event.id] !== undefined) };
  const groups = barrierGroups(executed, (event) => ({ id: runs[event.id]?.barrierId?.bits, count: runs[event.id]?.barrierCount?.bits }));
  if (typeof groups === 'string') throw new Error(groups);
  const phaseOf = new Map<number, BarrierPhase>();
  for (const phase of phases) for (const event of phase.events) phaseOf.set(event, phase);
  for (const group of groups) {
    checkGroup(
      group,
      phases.filter((phase) => phase.group === group.name),
      phaseOf,
      runs,
      kept,
    );
  }
  checkProgress(structure, phases, phaseOf);
  const relation = new Relation(size);
  for (const { events } of phases) {
    for (const a of events)
      for (const b of events) if (structure.events[a]?.thread !== structure.events[b]?.thread && structure.events[b]?.barrier?.action !== 'arrive') relation.add(a, b);
  }
  return relation;
}

function checkGroup(
  group: BarrierGroup,
  phases: readonly BarrierPhase[],
  phaseOf: ReadonlyMap<number, BarrierPhase>,
  runs: readonly (EventRun<ConcreteValue, boolean> | undefined)[],
  kept: ReadonlySet<number>,
): void {
  const fail = (what: string): never => {
    throw new Error(`${group.name}: ${what}`);
  };
  [...phases]
    .sort((a, b) => a.index - b.index)
    .forEach((phase, i) => {
      if (phase.index !== i) fail(`completion ${i} is missing`);
      const threads = new Set(phase.events.map((event) => group.events.find(({ id }) => id === event)?.thread ?? fail('an event of another barrier')));
      if (phase.events.length !== group.arrivals || threads.size !== group.arrivals)
        fail(`${phase.events.length} arrivals of ${threads.size} threads complete a barrier of ${group.arrivals}`);
      checkExchange(
        phase.events.map((event) => group.events.find(({ id }) => id === event) ?? fail('an event of another barrier')),
        runs,
        fail,
      );
    });
  for (const event of group.events) {
    const phase = phaseOf.get(event.id);
    if (phase === undefined && event.barrier?.action !== 'arrive' && !kept.has(event.id)) fail('a thread waits for ever');
    for (const later of group.events) {
      const next = phaseOf.get(later.id);
      if (inProgramOrder(event, later) && next !== undefined && (phase === undefined || next.index <= phase.index)) fail('a thread arrives out of order');
    }
  }
  if (new Set(group.events.filter((event) => !phaseOf.has(event.id)).map(({ thread }) => thread)).size >= group.arrivals) fail('enough arrivals are left to complete it once more');
}

function checkExchange(events: readonly ProgramEvent[], runs: readonly (EventRun<ConcreteValue, boolean> | undefined)[], fail: (what: string) => never): void {
  const giving = events.flatMap((event) => {
    const reduction = event.barrier?.kind === 'barrier' ? event.barrier.reduction : undefined;
    const [value, result] = [runs[event.id]?.value, runs[event.id]?.result];
    return reduction === undefined || value === undefined ? [] : [{ reduction, value, result, lane: event.placement?.lane ?? 0, present: true }];
  });
  for (const own of giving) {
    const expected = exchange(CONCRETE_VALUES, own.reduction, own, giving);
    if (own.result?.bits !== expected.bits) fail(`${own.reduction.operation} gives ${own.result?.bits} instead of ${expected.bits}`);
  }
}

/** No completion waits for itself: what follows a wait, or an arrival at the next completion, comes after it. */
function checkProgress(structure: EventStructure, phases: readonly BarrierPhase[], phaseOf: ReadonlyMap<number, BarrierPhase>): void {
  const before = new Relation(phases.length);
  phases.forEach((phase, x) => {
    const next = phases.find(({ group, index }) => group === phase.group && index === phase.index + 1);
    if (next !== undefined) before.add(x, phases.indexOf(next));
    const after = [...phase.events.filter((event) => structure.events[event]?.barrier?.action !== 'arrive'), ...(next?.events ?? [])];
    for (const event of after) {
      for (const [later, other] of phaseOf) {
        const [a, b] = [structure.events[event], structure.events[later]];
        if (a !== undefined && b !== undefined && inProgramOrder(a, b)) before.add(x, phases.indexOf(other));
      }
    }
  });
  if (findCycle(before) !== undefined) throw new Error('barriers wait for one another in a circle');
}
