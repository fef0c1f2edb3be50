import { isComputation, type Operation } from '../program/operation.js';
import { stronglyConnected } from './components.js';
import { type Body, successorsIn } from './graph.js';
import { isLook, regionOf, type WaitingRegion } from './polls.js';

/** Atomics that put something there if they find what is to be there. */
const CHANGING: ReadonlySet<string> = new Set(['cas', 'exch']);

/**
 * Looks that may be the first of a wait which an atomic ends by what it does, such as the compare-and-swap that takes
 * one from a semaphore, with what stands from there to that atomic and round again: nothing but to look and to compute.
 */
export function guardedUpdatesIn(
  body: Body,
  /** What is known to wait already. */
  polls: ReadonlyMap<number, unknown>,
): ReadonlyMap<number, WaitingRegion> {
  const { statements } = body;
  const isQuiet = (at: number): boolean => onlyLooks(statements[at]?.operation);
  const changes = (at: number): boolean => {
    const operation = statements[at]?.operation;
    return operation?.kind === 'atomic' && isLook(operation) && CHANGING.has(operation.operation);
  };
  const found = new Map<number, WaitingRegion>();
  if (!statements.some((_, at) => changes(at))) return found;
  const successors = successorsIn(body).map((next, at) => (isQuiet(at) ? next.filter(isQuiet) : []));
  for (const loop of loopsIn(successors)) {
    if (loop.every((at) => !changes(at) || polls.has(at))) continue;
    const before = reaching(successors, loop);
    for (const look of before) {
      const operation = statements[look]?.operation;
      if (operation === undefined || !isLook(operation)) continue;
      // Of several such loops one after the other it is the first.
      const own = reachedFrom(successors, look, before);
      const known = found.get(look);
      if (known === undefined || own.length < known.statements.size) found.set(look, regionOf(body, own));
    }
  }
  return found;
}

const onlyLooks = (operation: Operation | undefined): boolean =>
  operation !== undefined &&
  (isComputation(operation) || isLook(operation) || operation.kind === 'branch' || operation.kind === 'fence');

/** Statements that lead to each other. */
function loopsIn(successors: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const components = new Map<number, number[]>();
  for (const [at, component] of stronglyConnected(successors).entries()) {
    const members = components.get(component);
    if (members === undefined) components.set(component, [at]);
    else members.push(at);
  }
  return [...components.values()].filter(([first = -1, ...others]) => {
    return others.length > 0 || successors[first]?.includes(first) === true;
  });
}

/** The statements that lead to some. */
function reaching(successors: readonly (readonly number[])[], some: readonly number[]): ReadonlySet<number> {
  const before: number[][] = successors.map(() => []);
  for (const [at, next] of successors.entries()) for (const to of next) before[to]?.push(at);
  const found = new Set(some);
  for (const at of found) for (const one of before[at] ?? []) found.add(one);
  return found;
}

/** The statements that one leads to, of some. */
function reachedFrom(
  successors: readonly (readonly number[])[],
  from: number,
  some: ReadonlySet<number>,
): readonly number[] {
  const found = new Set([from]);
  for (const at of found) for (const to of successors[at] ?? []) if (some.has(to)) found.add(to);
  return [...found].sort((a, b) => a - b);
}
