import type { Located } from '../program/locations.js';
import { Relation } from '../relation/relation.js';
import { overlap, overlapPartially, overlapVirtually, rangesOverlap } from '../semantics/cells.js';
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
  const memory = [...executed].filter((event) => targets[event] !== undefined && events[event]?.kind !== 'fence');
  const related = (among: readonly number[], areRelated: (a: Located, b: Located) => boolean): Relation =>
    Relation.ofPairs(
      events.length,
      among.flatMap((a) =>
        among.flatMap((b) => {
          const [x, y] = [targets[a], targets[b]];
          return x !== undefined && y !== undefined && areRelated(x, y) ? [[a, b] as const] : [];
        }),
      ),
    );
  const ofThreads = memory.filter((event) => events[event]?.thread !== undefined);
  return {
    sameLocation: related(memory, overlap),
    sameVirtualLocation: related(memory, overlapVirtually),
    partialOverlap: related(ofThreads, overlapPartially),
  };
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
