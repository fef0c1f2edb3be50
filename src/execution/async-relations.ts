import type { EventStructure } from '../events/events.js';
import { Relation } from '../relation/relation.js';
import { rangesOverlap } from '../semantics/cells.js';
import { groupTells, inOneGroup, tellingOperations } from '../semantics/completion.js';
import { CONCRETE_VALUES } from '../semantics/concrete-values.js';
import type { AccessTarget, Violation } from './candidate-execution.js';
import { fenceCovers } from './fence-coverage.js';
import { touchesLiveObject } from './live-objects.js';
import { breaksPlaceRule } from './place-rules.js';

/**
 * What one execution has of the relations and rules of asynchronous operations, proxy fences and exited CTAs (see
 * encode-async.ts).
 */
export interface AsyncRun {
  readonly completion: Relation;
  readonly coverage: Relation;
  readonly exits: Relation;
  readonly violations: readonly Violation[];
}

export function runAsyncRelations(
  structure: EventStructure,
  executed: { has(event: number): boolean },
  targets: readonly (AccessTarget | undefined)[],
  values: readonly (bigint | undefined)[],
  mbarrierPhase: Relation,
  ended: readonly boolean[],
  size: number,
): AsyncRun {
  const [completion, coverage, exits] = [new Relation(size), new Relation(size), new Relation(size)];
  const violations: Violation[] = [];
  const live = structure.events.filter((event) => executed.has(event.id));
  for (const event of live) {
    const target = targets[event.id];
    if (event.kind === 'check' && values[event.id] === 0n && event.rule !== undefined)
      violations.push({ rule: event.rule, event: event.id });
    if (target === undefined || event.kind === 'fence') continue;
    for (const fence of live) {
      if (fence.restriction === undefined && fence.proxyFence === undefined) continue;
      if (fenceCovers(fence, targets[fence.id], event, target)) coverage.add(fence.id, event.id);
    }
    const { cta } = target.object;
    if (cta !== undefined && cta !== event.placement?.cta) {
      const threads = structure.program.threads.filter(({ placement }) => placement.cta === cta);
      if (threads.every(({ index }) => ended[index] === true))
        for (const end of live) if (end.kind === 'exit' && end.placement?.cta === cta) exits.add(event.id, end.id);
    }
    if (!event.tags.has('ASY') || event.kind === 'mbarrier') continue;
    const telling = tellingOperations(structure, event);
    for (const wait of live) {
      const told =
        wait.mbarrier?.step === 'wait'
          ? telling.some((operation) => mbarrierPhase.has(operation.id, wait.id))
          : groupTells(CONCRETE_VALUES, structure, event, wait, ({ id }) => executed.has(id));
      if (told) completion.add(event.id, wait.id);
    }
    const operation = structure.threads[event.thread]?.nodes[event.node]?.statement.operation;
    const completes = live.filter(
      (other) =>
        other.kind === 'mbarrier' &&
        other.thread === event.thread &&
        other.node === event.node &&
        other.chunk?.rank === event.chunk?.rank,
    );
    for (const rule of operation?.kind === 'async' ? operation.rules : []) {
      const places = completes.length === 0 ? [undefined] : completes.map(({ id }) => targets[id]);
      if (places.some((mbarrier) => breaksPlaceRule(rule, event, target, mbarrier)))
        violations.push({ rule: rule, event: event.id });
    }
  }
  const invalidated = live.flatMap(({ mbarrier, id }) => {
    const target = targets[id];
    return mbarrier?.step === 'inval' && target !== undefined ? [target] : [];
  });
  const accesses = live.filter(({ kind }) => kind === 'read' || kind === 'write');
  for (const a of accesses) {
    const x = targets[a.id];
    if (x !== undefined && touchesLiveObject(x, invalidated))
      violations.push({ rule: 'mbarrier-accessed', event: a.id });
    for (const b of accesses) {
      const y = targets[b.id];
      if (x === undefined || y === undefined || x.object !== y.object || !rangesOverlap(x, y)) continue;
      if (inOneGroup(CONCRETE_VALUES, structure, a, b, ({ id }) => executed.has(id)))
        violations.push({ rule: 'one-async-group', event: b.id });
    }
  }
  return { completion, coverage, exits, violations };
}
