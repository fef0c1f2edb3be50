import { Relation } from '../relation/relation.js';
import { overlap, overlapVirtually, rangesOverlap, sameBytes } from '../semantics/cells.js';
import type { ConcreteValue } from '../semantics/concrete-values.js';
import type { EventRun } from '../semantics/value-domain.js';
import type { ExecutionRelations } from './candidate-execution.js';
import type { Choices } from './choices.js';
import type { RunThreads } from './run-threads.js';

/** What reads and the coherence of what they read relate. */
export function readsFromAndReads(
  { universe, targets }: RunThreads,
  { sources, coherence }: Choices,
): Pick<ExecutionRelations, 'readsFrom' | 'partialReadsFrom' | 'fromReads'> {
  const size = universe.events.length;
  const readsFrom = Relation.ofPairs(
    size,
    sources.map(({ write, read }) => [write, read] as const),
  );
  const partialReadsFrom = Relation.ofPairs(
    size,
    [...readsFrom].filter(([write, read]) => sources.some((other) => other.read === read && other.write !== write)),
  );
  const fromReads = new Relation(size);
  for (const { write, read, offset, bytes } of sources) {
    for (const later of coherence.successors(write)) {
      const target = targets[later];
      if (target !== undefined && rangesOverlap(target, { offset, bytes })) fromReads.add(read, later);
    }
  }
  return { readsFrom, partialReadsFrom, fromReads };
}

/** Which accesses have bytes in common, and how. */
export function sharedBytes({
  universe: { events },
  executed,
  targets,
}: RunThreads): Pick<ExecutionRelations, 'sameLocation' | 'sameVirtualLocation' | 'partialOverlap'> {
  const none = (): Relation => new Relation(events.length);
  const [sameLocation, sameVirtualLocation, partialOverlap] = [none(), none(), none()];
  const memory = [...executed].flatMap((id) => {
    const [event, target] = [events[id], targets[id]];
    return target === undefined || event?.kind === 'fence' ? [] : [{ id, target, thread: event?.thread }];
  });
  for (const a of memory) {
    for (const b of memory) {
      if (!overlap(a.target, b.target)) continue;
      sameLocation.add(a.id, b.id);
      if (overlapVirtually(a.target, b.target)) sameVirtualLocation.add(a.id, b.id);
      const areOfThreads = a.thread !== undefined && b.thread !== undefined;
      if (areOfThreads && !sameBytes(a.target, b.target)) partialOverlap.add(a.id, b.id);
    }
  }
  return { sameLocation, sameVirtualLocation, partialOverlap };
}

/** What the threads made of what they read. */
export function dependencies({
  universe,
  executed,
  runs,
}: RunThreads): Pick<ExecutionRelations, 'addressDependency' | 'dataDependency' | 'controlDependency'> {
  const dependency = (of: (run: EventRun<ConcreteValue, boolean>) => ReadonlyMap<number, boolean>): Relation =>
    Relation.ofPairs(
      universe.events.length,
      runs.flatMap((run) =>
        run === undefined
          ? []
          : [...of(run)]
              .filter(([from, when]) => when && executed.has(from))
              .map(([from]) => [from, run.event.id] as const),
      ),
    );
  return {
    addressDependency: dependency((run) => run.addressDependencies),
    dataDependency: dependency((run) => run.dataDependencies),
    controlDependency: dependency((run) => run.controlDependencies),
  };
}
