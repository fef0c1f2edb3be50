import { registersWritten } from '../program/operands.js';
import { isComputation, type ProgramStatement } from '../program/operation.js';
import { type Body, reachable, targetOf } from './graph.js';
import type { Liveness } from './liveness.js';

/** Tries of an mbarrier (mbarrier.try_wait, mbarrier.test_wait), as they stand in some statements. */
export interface TriedWaits {
  /** Those that a loop makes again which does nothing else. */
  readonly repeated: ReadonlySet<number>;
  /**
   * Branches of which one way does nothing, and the other nothing but wait for an mbarrier: whether it waits where the
   * branch is taken.
   */
  readonly skipping: ReadonlyMap<number, boolean>;
}

export function triedWaitsIn(
  body: Body,
  successors: readonly (readonly number[])[],
  joins: readonly number[],
  live: Liveness,
): TriedWaits {
  const { statements } = body;
  const repeated = new Set<number>();
  const skipping = new Map<number, boolean>();
  if (!statements.some(isTry)) return { repeated, skipping };
  const is = (at: number, what: typeof isPlain): boolean => statements[at] !== undefined && what(statements[at]);
  const quiet = successors.map((next, at) => (is(at, isPlain) ? next : []));
  for (const [at, statement] of statements.entries()) {
    if (isTry(statement) && reachable(successors[at] ?? [], -1, quiet).has(at)) repeated.add(at);
    if (statement.operation.kind !== 'branch' || statement.guard === undefined) continue;
    const join = joins[at] ?? statements.length;
    const way = (from: number): 'waits' | 'nothing' | undefined => {
      const own = [...reachable([from], join, successors)].flatMap((one) => statements[one] ?? []);
      const isWithout = own.every(({ operation }) =>
        registersWritten(operation).every((name) => !live.has(join, name)),
      );
      if (!isWithout || !own.every((one) => isPlain(one) || isTry(one))) return undefined;
      return own.some(isTry) ? 'waits' : 'nothing';
    };
    const ways = [way(targetOf(body, at) ?? statements.length), way(at + 1)];
    if (ways.includes('waits') && ways.includes('nothing')) skipping.set(at, ways[0] === 'waits');
  }
  return { repeated, skipping };
}

const isTry = ({ operation }: ProgramStatement): boolean =>
  operation.kind === 'mbarrier' && operation.action === 'wait';

const isPlain = ({ operation }: ProgramStatement): boolean => isComputation(operation) || operation.kind === 'branch';
