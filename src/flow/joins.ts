import { registersWritten } from '../program/operands.js';
import { isComputation, type Operation } from '../program/operation.js';
import { reachable } from './graph.js';
import { immediatePostdominators } from './postdominators.js';

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
 * joins nothing, so what follows a loop depends on its being left: such a branch is not in the map. The node after the
 * end, which a successor of no node stands for, is where such ways go.
 */
export function findJoins(
  operations: readonly Operation[],
  successors: readonly (readonly number[])[],
): ReadonlyMap<number, Join> {
  const end = operations.length;
  const nowhere = end + 1;
  const ways = [...successors.map((list) => (list.length === 0 ? [nowhere] : list)), [nowhere]];
  const postdominators = immediatePostdominators(ways);
  const joins = new Map<number, Join>();
  for (const [id, next] of successors.entries()) {
    const node = postdominators[id] ?? nowhere;
    if (next.length < 2 || node === nowhere) continue;
    const between = [...reachable(next, node, ways)].flatMap((one) => operations[one] ?? []);
    const isIdle = between.every((operation) => isComputation(operation) || operation.kind === 'branch');
    joins.set(id, { node, registers: new Set(between.flatMap(registersWritten)), isIdle });
  }
  return joins;
}
