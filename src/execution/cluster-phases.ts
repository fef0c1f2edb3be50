import type { ProgramEvent } from '../events/program-event.js';
import { Relation } from '../relation/relation.js';
import type { PartOfExecution, Violation } from './candidate-execution.js';
import type { RunThreads } from './run-threads.js';

/** What barrier.cluster does in one execution (see encode-cluster-barriers.ts): throws if a wait went on too early. */
export function runClusterBarriers({
  universe,
  executed,
  ended,
  kept,
}: RunThreads): PartOfExecution<'clusterSynchronization' | 'exitSynchronization'> {
  const { structure } = universe;
  const size = universe.events.length;
  const [clusterSynchronization, exitSynchronization] = [new Relation(size), new Relation(size)];
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
        if (arrive !== undefined) clusterSynchronization.add(arrive.id, wait.id);
        else if (exit !== undefined) exitSynchronization.add(exit.id, wait.id);
      }
    }
  }
  return { relations: { clusterSynchronization, exitSynchronization }, violations };
}
