import { registersIn, registersRead } from '../program/operands.js';
import { isComputation, type Operation } from '../program/operation.js';
import { type Body, reachable } from './graph.js';
import { type Liveness, writtenBy } from './liveness.js';

/** What is done by each thread alone, and can be done once for each way that it may have come. */
const DONE_APART: ReadonlySet<string> = new Set(['load', 'store', 'atomic', 'fence', 'branch']);

/**
 * From where all ways from a branch come together on to where no register that one of them writes says any more where
 * something is accessed, or whether it is executed. That is the join itself where threads would meet others before, or
 * go round a loop.
 */
export function laterJoin(
  { statements }: Pick<Body, 'statements'>,
  successors: readonly (readonly number[])[],
  joins: readonly number[],
  /** The registers that decide what is accessed behind a statement. */
  deciding: Pick<Liveness, 'has'>,
  branch: number,
  join: number,
): number {
  for (let later = join; later < statements.length; ) {
    const between = reachable([branch], later, successors);
    if (!writtenBy({ statements }, between).some((name) => deciding.has(later, name))) return later;
    const next = joins[later] ?? statements.length;
    const more = [...reachable([later], next, successors)];
    const isApart = more.every((at) => at >= join && at < next && isDoneApart(statements[at]?.operation));
    if (!isApart) return join;
    later = next;
  }
  return join;
}

const isDoneApart = (operation: Operation | undefined): boolean =>
  operation !== undefined && (isComputation(operation) || DONE_APART.has(operation.kind));

/** The registers that say where an operation accesses memory, or what it computes; not what it stores. */
export const placing = (operation: Operation): readonly string[] =>
  operation.kind === 'load' || operation.kind === 'store' || operation.kind === 'atomic'
    ? registersIn(operation.address)
    : registersRead(operation);
