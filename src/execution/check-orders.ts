import { findCycle } from '../relation/cycle.js';
import type { Relation } from '../relation/relation.js';
import { overlap } from '../semantics/cells.js';
import { mutuallyInScope } from './base-relations.js';
import type { RunThreads } from './run-threads.js';

/**
 * Throws unless the chosen coherence is a strict partial order on overlapping executed writes with the initial writes
 * first (8.9.6, docs/decisions/initial-writes.md), and the chosen Fence-SC order is acyclic and relates every morally
 * strong pair of fence.sc (8.9.3).
 */
export function checkOrders({ universe, executed, targets }: RunThreads, coherence: Relation, fenceSc: Relation): void {
  const { events } = universe;
  const meet = (a: number, b: number): boolean => {
    const [x, y] = [targets[a], targets[b]];
    return x !== undefined && y !== undefined && overlap(x, y);
  };
  for (const [a, b] of coherence) {
    if (
      !executed.has(a) ||
      !executed.has(b) ||
      events[a]?.kind !== 'write' ||
      events[b]?.kind !== 'write' ||
      !meet(a, b)
    )
      throw new Error(`co(${a}, ${b}) is not between overlapping writes`);
    for (const c of coherence.successors(b))
      if (a === c || (meet(a, c) && !coherence.has(a, c)))
        throw new Error(`co is not a partial order at ${a}, ${b}, ${c}`);
  }
  const written = events.filter(({ id, kind }) => kind === 'write' && executed.has(id));
  for (const { id: initial, thread } of written) {
    if (thread !== undefined) continue;
    for (const { id, thread: writer } of written)
      if (writer !== undefined && meet(initial, id) && !coherence.has(initial, id))
        throw new Error(`the initial write ${initial} is not before ${id}`);
  }
  const fences = events.filter((event) => event.tags.has('SC') && executed.has(event.id));
  for (const a of fences) {
    for (const b of fences) {
      if (a.id >= b.id || (a.thread !== b.thread && !mutuallyInScope(a, b))) continue;
      if (fenceSc.has(a.id, b.id) === fenceSc.has(b.id, a.id))
        throw new Error(`Fence-SC order does not order ${a.id} and ${b.id}`);
    }
  }
  if (findCycle(fenceSc) !== undefined) throw new Error('Fence-SC order has a cycle');
}
