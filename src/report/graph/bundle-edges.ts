import { groupBy } from '../../program/group-by.js';
import type { Node } from './arrange.js';
import type { DrawnEdge } from './drawn-relations.js';

/** An arrow between nodes, each of which may show several events. */
export interface BundledEdge extends DrawnEdge {
  /** It stands for all events of a node. */
  readonly whole: boolean;
}

/**
 * Of an asynchronous operation, which is one node, one arrow of a relation to another node stands for all; what it does
 * within itself is not drawn. The arrows of a cycle stay as they are.
 */
export function bundled(edges: readonly DrawnEdge[], nodes: ReadonlyMap<number, Node>): readonly BundledEdge[] {
  const key = ({ from, to, relation }: DrawnEdge): string =>
    `${nodes.get(from)?.name ?? 'initial'} ${nodes.get(to)?.name} ${relation}`;
  const kept = edges.filter(
    ({ from, to, weight }) => weight === 'thick' || !nodes.has(from) || nodes.get(from)?.name !== nodes.get(to)?.name,
  );
  return [...groupBy(kept, key).values()].flatMap((group): readonly BundledEdge[] => {
    const thick = group.filter(({ weight }) => weight === 'thick');
    if (thick.length > 0) return thick.map((edge) => ({ ...edge, whole: false }));
    return group.slice(0, 1).map((edge) => ({ ...edge, whole: group.length > 1 }));
  });
}
