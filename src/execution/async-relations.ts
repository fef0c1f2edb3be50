import type { ProgramEvent } from '../events/program-event.js';
import type { Located } from '../program/locations.js';
import { Relation } from '../relation/relation.js';
import { overlap } from '../semantics/cells.js';
import { groupTells, inOneGroup, tellingOperations } from '../semantics/completion.js';
import { CONCRETE_VALUES } from '../semantics/concrete-values.js';
import type { PartOfExecution, Violation } from './candidate-execution.js';
import { fenceCovers } from './fence-coverage.js';
import { touchesLiveObject } from './live-objects.js';
import { isMisplaced } from './place-rules.js';
import type { RunThreads } from './run-threads.js';

/**
 * What one execution has of the relations and rules of asynchronous operations, proxy fences and exited CTAs (see
 * encode-async.ts).
 */
export function runAsyncRelations(
  threads: RunThreads,
  mbarrierPhase: Relation,
): PartOfExecution<'completion' | 'fenceCoverage' | 'sharedMemoryExit'> {
  const { universe, executed, targets, values } = threads;
  const none = (): Relation => new Relation(universe.events.length);
  const [completion, fenceCoverage, sharedMemoryExit] = [none(), none(), none()];
  const violations: Violation[] = [];
  const live = universe.structure.events.filter((event) => executed.has(event.id));
  for (const event of live) {
    const target = targets[event.id];
    if (event.kind === 'check' && values[event.id] === 0n && event.rule !== undefined)
      violations.push({ rule: event.rule, event: event.id });
    if (target === undefined || event.kind === 'fence') continue;
    for (const fence of live) {
      if (fence.restriction === undefined && fence.proxyFence === undefined) continue;
      if (fenceCovers(fence, targets[fence.id], event, target)) fenceCoverage.add(fence.id, event.id);
    }
    for (const exit of exitsAfter(threads, live, event, target)) sharedMemoryExit.add(event.id, exit.id);
    if (!event.tags.has('ASY') || event.kind === 'mbarrier') continue;
    for (const wait of waitsThatTell(threads, live, mbarrierPhase, event)) completion.add(event.id, wait.id);
    violations.push(...violationsOfPlace(threads, live, event, target));
  }
  violations.push(...violationsOfBytes(threads, live));
  return { relations: { completion, fenceCoverage, sharedMemoryExit }, violations };
}

/** The executed waits that tell that an asynchronous access is complete. */
function waitsThatTell(
  { universe: { structure }, executed }: RunThreads,
  live: readonly ProgramEvent[],
  mbarrierPhase: Relation,
  access: ProgramEvent,
): readonly ProgramEvent[] {
  const telling = tellingOperations(structure, access);
  return live.filter((wait) =>
    wait.mbarrier?.step === 'wait'
      ? telling.some((operation) => mbarrierPhase.has(operation.id, wait.id))
      : groupTells(CONCRETE_VALUES, structure, access, wait, ({ id }) => executed.has(id)),
  );
}

/** The ends of the threads of another CTA, to whose shared memory an access goes, where all have ended. */
function exitsAfter(
  { universe, ended }: RunThreads,
  live: readonly ProgramEvent[],
  access: ProgramEvent,
  { object: { cta } }: Located,
): readonly ProgramEvent[] {
  if (cta === undefined || cta === access.placement.cta) return [];
  const threads = universe.structure.program.threads.filter(({ placement }) => placement.cta === cta);
  if (!threads.every(({ index }) => ended[index] === true)) return [];
  return live.filter(({ kind, placement }) => kind === 'exit' && placement.cta === cta);
}

/** What is demanded of where an asynchronous operation, and its mbarrier, are. */
function violationsOfPlace(
  { universe, targets }: RunThreads,
  live: readonly ProgramEvent[],
  access: ProgramEvent,
  target: Located,
): readonly Violation[] {
  const { id, thread, node, chunk } = access;
  const operation = universe.structure.threads[thread]?.nodes[node]?.statement.operation;
  if (operation?.kind !== 'async') return [];
  const completes = live.filter(
    (other) =>
      other.kind === 'mbarrier' && other.thread === thread && other.node === node && other.chunk?.rank === chunk?.rank,
  );
  const places = completes.length === 0 ? [undefined] : completes.map((other) => targets[other.id]);
  return operation.rules
    .filter((rule) => places.some((mbarrier) => isMisplaced(rule, access, target, mbarrier)))
    .map((rule) => ({ rule, event: id }));
}

/** Accesses to mbarrier objects in use, and writes of one async-group to the same bytes. */
function violationsOfBytes(
  { universe: { structure }, executed, targets }: RunThreads,
  live: readonly ProgramEvent[],
): readonly Violation[] {
  const invalidated = live.flatMap(({ mbarrier, id }) => (mbarrier?.step === 'inval' ? (targets[id] ?? []) : []));
  const accesses = live.filter(({ kind }) => kind === 'read' || kind === 'write');
  const copied = accesses.filter(({ tags }) => tags.has('ASY'));
  return accesses.flatMap((a): readonly Violation[] => {
    const target = targets[a.id];
    if (target === undefined) return [];
    const together = copied.filter((b) => {
      const other = targets[b.id];
      return (
        other !== undefined &&
        overlap(target, other) &&
        inOneGroup(CONCRETE_VALUES, structure, a, b, ({ id }) => executed.has(id))
      );
    });
    return [
      ...(touchesLiveObject(target, invalidated) ? [{ rule: 'mbarrier-accessed', event: a.id } as const] : []),
      ...together.map((b) => ({ rule: 'one-async-group', event: b.id }) as const),
    ];
  });
}
