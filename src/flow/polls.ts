import { isComputation, type Load } from '../program/operation.js';
import { type Body, backEdges } from './graph.js';
import { obstacleIn } from './waiting-loops.js';

/** A loop that waits until one strong load finds another value. */
export interface Poll {
  readonly load: Load;
  /** Where the loop begins, and the branch that goes back there. */
  readonly target: number;
  readonly from: number;
}

/** The polls of some statements, by where their loads stand; `asked`: registers that are asked for at the end. */
export function pollsIn(body: Body, asked: Iterable<string>): ReadonlyMap<number, Poll> {
  const edges = backEdges(body);
  const polls = new Map<number, Poll>();
  for (const { from, target } of edges) {
    if (edges.filter((one) => one.target === target).length > 1) continue;
    const inside = body.statements.slice(target, from + 1);
    const reads = inside.flatMap(({ operation, guard }, i) =>
      isComputation(operation) || !('address' in operation) ? [] : [{ operation, guard, at: target + i }],
    );
    const [read] = reads;
    if (reads.length !== 1 || read?.operation.kind !== 'load' || read.guard !== undefined) continue;
    const { operation: load, at } = read;
    const isScalar = load.targets.length === 1 && load.matrix === undefined;
    if (!isScalar || load.order === 'weak' || load.proxy !== 'generic') continue;
    if (inside.some(({ operation }) => operation.kind === 'mbarrier')) continue;
    if (obstacleIn(body, { target, from, asked }) === undefined) polls.set(at, { load, target, from });
  }
  return polls;
}
