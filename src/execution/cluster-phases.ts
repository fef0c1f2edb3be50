import type { EventStructure } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import { Relation } from '../relation/relation.js';
import type { Violation } from './candidate-execution.js';

export interface ClusterRun {
  readonly synchronization: Relation;
  readonly exits: Relation;
  readonly violations: readonly Violation[];
}

/** What barrier.cluster does in one execution (see encode-cluster-barriers.ts): throws if a wait went on too early. */
export function runClusterBarriers(
  structure: EventStructure,
  executed: { has(event: number): boolean },
  ended: readonly boolean[],
  kept: ReadonlySet<number>,
  size: number,
): ClusterRun {
  const [synchronization, exits] = [new Relation(size), new Relation(size)];
  const violations: Violation[] = [];
  const live = structure.events.filter((event) => executed.has(event.id));
  const of = (thread: number, action: 'arrive' | 'wait'): readonly ProgramEvent[] =>
    live.filter(
      (event) =>
        event.thread === thread && event.barrier?.kind === 'cluster-barrier' && event.barrier.action === action,
    );
  for (const { index, placement } of structure.program.threads) {
    const arrives = of(index, 'arrive');
    const waits = of(index, 'wait');
    const before = (events: readonly ProgramEvent[], { node }: ProgramEvent): number =>
      events.filter((event) => event.node < node).length;
    for (const arrive of arrives)
      if (before(arrives, arrive) > before(waits, arrive))
        violations.push({ rule: 'cluster-arrival-twice', event: arrive.id });
    for (const wait of waits) {
      if (before(waits, wait) >= before(arrives, wait))
        violations.push({ rule: 'cluster-wait-without-arrival', event: wait.id });
      const phase = before(arrives, wait) - 1;
      const others = structure.program.threads.filter((other) => other.placement.cluster === placement.cluster);
      const complete =
        phase >= 0 &&
        others.every((other) => of(other.index, 'arrive')[phase] !== undefined || ended[other.index] === true);
      if (complete === kept.has(wait.id))
        throw new Error(`barrier.cluster.wait ${wait.id} ${complete ? 'keeps its thread' : 'goes on too early'}`);
      if (!complete) continue;
      for (const other of others) {
        if (other.index === index) continue;
        const arrive = of(other.index, 'arrive')[phase];
        const exit = live.find((event) => event.thread === other.index && event.kind === 'exit');
        if (arrive !== undefined) synchronization.add(arrive.id, wait.id);
        else if (exit !== undefined) exits.add(exit.id, wait.id);
      }
    }
  }
  return { synchronization, exits, violations };
}
