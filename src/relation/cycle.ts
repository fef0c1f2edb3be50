import type { Relation } from './relation.js';

/** A shortest cycle `e0 -> e1 -> … -> e0`, as its events without the repetition of the first; undefined if acyclic. */
export function findCycle(relation: Relation): readonly number[] | undefined {
  let best: number[] | undefined;
  for (let start = 0; start < relation.size; start++) {
    const cycle = shortestPath(relation, start, start);
    if (cycle !== undefined && (best === undefined || cycle.length - 1 < best.length)) best = cycle.slice(0, -1);
  }
  return best;
}

/** The events of a shortest path of at least one step, both ends included; undefined if there is none. */
export function shortestPath(relation: Relation, from: number, to: number): number[] | undefined {
  const predecessor = new Map<number, number>();
  let frontier = [from];
  while (frontier.length > 0) {
    const next: number[] = [];
    for (const a of frontier) {
      for (const b of relation.successors(a)) {
        if (b === to) {
          const path = [b, a];
          for (let at = a; at !== from; ) {
            at = predecessor.get(at) ?? from;
            path.push(at);
          }
          return path.reverse();
        }
        if (b !== from && !predecessor.has(b)) {
          predecessor.set(b, a);
          next.push(b);
        }
      }
    }
    frontier = next;
  }
  return undefined;
}
