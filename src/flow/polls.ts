import { registersWritten } from '../program/operands.js';
import { type Atomic, isComputation, type Load, type Operation } from '../program/operation.js';
import { type Body, backEdges } from './graph.js';
import { obstacleIn } from './waiting-loops.js';

/**
 * A loop that waits until one strong load, or an atomic that changes nothing, finds another value; or takes what an
 * atomic finds to be free.
 */
export interface Poll {
  readonly access: Load | Atomic;
  /** Where the loop begins, and the branch that goes back there. */
  readonly target: number;
  readonly from: number;
  /** The registers that a round writes. */
  readonly written: readonly string[];
}

/** The polls of some statements, by where their loads stand; `asked`: registers that are asked for at the end. */
export function pollsIn(body: Body, asked: Iterable<string>): ReadonlyMap<number, Poll> {
  const edges = backEdges(body);
  const polls = new Map<number, Poll>();
  for (const { from, target } of edges) {
    // Of several that begin here it is the inner one.
    if (edges.some((one) => one.target === target && one.from < from)) continue;
    const inside = body.statements.slice(target, from + 1);
    const reads = inside.flatMap(({ operation, guard }, i) =>
      isComputation(operation) || !('address' in operation) ? [] : [{ operation, guard, at: target + i }],
    );
    const [read] = reads;
    if (reads.length !== 1 || read?.guard !== undefined || read === undefined || !isWait(read.operation)) continue;
    const { operation: access, at } = read;
    // Whether a round of an atomic changes nothing is seen when it is followed.
    const silent = (): ReadonlySet<Operation> => new Set([access]);
    if (inside.some(({ operation }) => operation.kind === 'mbarrier')) continue;
    if (obstacleIn(body, { target, from, asked }, silent) === undefined) {
      const written = inside.flatMap(({ operation }) => registersWritten(operation));
      polls.set(at, { access, target, from, written });
    }
  }
  return polls;
}

function isWait(operation: Operation): operation is Load | Atomic {
  if (operation.kind === 'load') {
    const { targets, matrix, order, proxy } = operation;
    return targets.length === 1 && matrix === undefined && order !== 'weak' && proxy === 'generic';
  }
  if (operation.kind !== 'atomic') return false;
  const { more, target, proxy, function: of } = operation;
  return more === undefined && of === undefined && target !== undefined && proxy === 'generic';
}
