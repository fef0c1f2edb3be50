import { registersWritten } from '../program/operands.js';
import { isComputation } from '../program/operation.js';
import type { Edge, Node } from './unroll.js';

/** Where the ways of a branch join. */
export interface Join {
  /** The number of nodes stands for the end of the thread. */
  readonly node: number;
  /** The registers that some way writes: there they hold what the branch decided. */
  readonly registers: ReadonlySet<string>;
  /** The ways do nothing but compute. */
  readonly isIdle: boolean;
}

/**
 * Where the two ways of each branch come together: its immediate post-dominator among the nodes. Up to there whether
 * something is executed depends on the branch (PTX ISA 8.10.4), and not past it. A way that goes round a loop for ever
 * joins nothing, so what follows a loop depends on its being left: such a branch is not in the map.
 */
export function findJoins(
  nodes: readonly Node[],
  ends: readonly Edge[],
  neverLeft: readonly Edge[],
): ReadonlyMap<number, Join> {
  const end = nodes.length;
  const nowhere = end + 1;
  const successors: number[][] = nodes.map(() => []);
  const connect = (edges: readonly Edge[], to: number): void => {
    for (const { from } of edges) if (from !== undefined) successors[from]?.push(to);
  };
  for (const { id, incoming } of nodes) connect(incoming, id);
  connect(ends, end);
  connect(neverLeft, nowhere);
  /** By node; control only goes forward, so a post-dominator has a larger number. */
  const postDominator: number[] = [];
  postDominator[end] = nowhere;
  const common = (a: number, b: number): number => {
    let [x, y] = [a, b];
    while (x !== y) {
      if (x < y) x = postDominator[x] ?? nowhere;
      else y = postDominator[y] ?? nowhere;
    }
    return x;
  };
  const between = (branch: number, join: number): readonly Node[] => {
    const found = new Set<number>(successors[branch]);
    for (const node of found) if (node !== join) for (const next of successors[node] ?? []) found.add(next);
    found.delete(join);
    return [...found].flatMap((node) => nodes[node] ?? []);
  };
  const joins = new Map<number, Join>();
  for (const { id } of [...nodes].reverse()) {
    const next = successors[id] ?? [];
    const join = next.length === 0 ? nowhere : next.reduce(common);
    postDominator[id] = join;
    if (next.length < 2 || join === nowhere) continue;
    const ways = between(id, join).map(({ statement }) => statement.operation);
    const isIdle = ways.every((operation) => isComputation(operation) || operation.kind === 'branch');
    joins.set(id, { node: join, registers: new Set(ways.flatMap(registersWritten)), isIdle });
  }
  return joins;
}
