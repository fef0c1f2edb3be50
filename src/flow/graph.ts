import type { ProgramStatement } from '../program/operation.js';

/** A list of statements, and before which of them labels stand; the number of statements is the end. */
export interface Body {
  readonly statements: readonly ProgramStatement[];
  readonly labels: ReadonlyMap<string, number>;
}

/** Where a branch goes; undefined: the statement is none. */
export function targetOf({ statements, labels }: Body, at: number): number | undefined {
  const operation = statements[at]?.operation;
  return operation?.kind === 'branch' ? (labels.get(operation.label) ?? statements.length) : undefined;
}

/** Where control may go on after a statement: to the next one, then elsewhere. */
export function successorsOf(body: Body, at: number): readonly number[] {
  const { operation, guard } = body.statements[at] ?? {};
  const isEnd = operation?.kind === 'exit' || operation?.kind === 'trap';
  const target = isEnd ? body.statements.length : targetOf(body, at);
  const next = target === undefined || guard !== undefined ? [at + 1] : [];
  return target === undefined ? next : [...next, target];
}

/** By statement, its successors. */
export const successorsIn = (body: Body): readonly (readonly number[])[] =>
  body.statements.map((_, at) => successorsOf(body, at));

/** A branch that goes back, to where a loop begins. */
export interface BackEdge {
  readonly from: number;
  readonly target: number;
}

export function backEdges(body: Body): readonly BackEdge[] {
  return body.statements.flatMap((_, from) => {
    const target = targetOf(body, from);
    return target !== undefined && target <= from ? [{ from, target }] : [];
  });
}

/** A statement outside of a loop that leads into it elsewhere than to its head, if there is one. */
export const entryInside = (body: Body, { from, target }: BackEdge): ProgramStatement | undefined =>
  body.statements.find((_, at) => {
    const to = at >= target && at <= from ? undefined : targetOf(body, at);
    return to !== undefined && to > target && to <= from;
  });

/** What is on the ways from some nodes to where these come together, themselves included. */
export function reachable(
  from: readonly number[],
  join: number,
  successors: readonly (readonly number[])[],
): ReadonlySet<number> {
  const found = new Set(from.filter((node) => node !== join));
  for (const node of found) for (const next of successors[node] ?? []) if (next !== join) found.add(next);
  return found;
}
