import { areOneOperand, registersRead, registersWritten } from '../program/operands.js';
import { type Atomic, isComputation, type Load, type Operation, type ProgramStatement } from '../program/operation.js';
import type { Program, Thread } from '../program/program.js';
import { type BackEdge, type Body, backEdges, entryInside, targetOf } from './graph.js';
import { areEqual, followRound, hasFailed, type Round } from './rounds.js';
import { isAmongStrongWrites } from './silent-atomics.js';

/** A loop that updates a word by a compare-and-swap with what it has found there, until that succeeds. */
export interface Retry {
  /** Where the compare-and-swap stands. */
  readonly swap: number;
  /** The registers that a round takes up from the one before: all of them hold what its compare-and-swap has found. */
  readonly carried: readonly string[];
  /** So many rounds stand for all, where nothing else is done. */
  readonly rounds?: number;
}

/**
 * The branches that begin another round of such a loop. A round that goes on has failed, and only looked at memory: it
 * can be left out, and with it only constraints. The loop ends where all writes there are morally strong with each
 * other (8.7): others come between only as often as they succeed.
 */
export function retriesIn(body: Body): ReadonlyMap<number, Retry> {
  return new Map(
    backEdges(body).flatMap((edge) => {
      const retry = body.statements[edge.from]?.guard === undefined ? undefined : retryOf(body, edge);
      return retry === undefined ? [] : [[edge.from, retry] as const];
    }),
  );
}

/**
 * By branch of such a loop in which nothing else is done, how many rounds stand for all: where all that write there are
 * morally strong with it.
 */
export function roundsForAll(program: Program, thread: Thread): ReadonlyMap<number, number> {
  return new Map(
    [...retriesIn(thread)].flatMap(([branch, { swap, rounds }]) => {
      const operation = thread.statements[swap]?.operation;
      if (rounds === undefined || operation?.kind !== 'atomic') return [];
      const target = targetOf(thread, branch) ?? branch;
      return isAmongStrongWrites(program, thread, target, operation) ? [[branch, rounds] as const] : [];
    }),
  );
}

function retryOf(body: Body, edge: BackEdge): Retry | undefined {
  const statements = body.statements.slice(edge.target, edge.from + 1);
  const operations = statements.map(({ operation }) => operation);
  const [swap, ...others] = operations.filter((one) => one.kind === 'atomic');
  if (swap?.operation !== 'cas' || swap.more !== undefined || others.length > 0) return undefined;
  if (!operations.every(onlyLooks) || hasOtherWays(body, edge)) return undefined;
  const written = new Set(operations.flatMap(registersWritten));
  if (!operations.every((one) => isAtOnePlace(one, written))) return undefined;
  const round = followRound(body, edge, () => undefined);
  const carried = takenUp(statements, written);
  if (round === undefined || !hasFailed(round, swap)) return undefined;
  if (!carried.every((register) => holdsFound(round, register, swap))) return undefined;
  if (!comparesWithFound(round, swap, carried)) return undefined;
  const standing = carried.length > 0 && isAlone(operations, round, swap);
  const at = edge.target + operations.indexOf(swap);
  return { swap: at, carried, ...(standing && { rounds: STANDING_FOR_ALL }) };
}

const onlyLooks = (operation: Operation): boolean =>
  isComputation(operation) || ['load', 'atomic', 'fence', 'branch', 'exit'].includes(operation.kind);

const isAtOnePlace = (operation: Operation, written: ReadonlySet<string>): boolean =>
  (operation.kind !== 'load' && operation.kind !== 'atomic') ||
  operation.address.base.kind === 'constant' ||
  !written.has(operation.address.base.name);

/** Whether control comes to a loop elsewhere than at its head, or goes elsewhere inside of it. */
const hasOtherWays = (body: Body, edge: BackEdge): boolean =>
  entryInside(body, edge) !== undefined ||
  body.statements.slice(edge.target, edge.from).some((_, i) => {
    const to = targetOf(body, edge.target + i);
    return to !== undefined && to >= edge.target && to <= edge.from;
  });

/** The registers that a round reads, or keeps under a guard, before it has surely written them. */
function takenUp(statements: readonly ProgramStatement[], written: ReadonlySet<string>): readonly string[] {
  const set = new Set<string>();
  const taken = new Set<string>();
  for (const { operation, guard } of statements) {
    const kept = guard === undefined ? [] : [guard.register, ...registersWritten(operation)];
    for (const register of [...registersRead(operation), ...kept])
      if (written.has(register) && !set.has(register)) taken.add(register);
    if (guard === undefined) for (const register of registersWritten(operation)) set.add(register);
  }
  return [...taken];
}

function holdsFound(round: Round, register: string, swap: Atomic): boolean {
  const term = round.left.get(register);
  return term?.kind === 'found' && term.atomic === swap;
}

/**
 * Whether it is compared with what the round before has found, or a strong load of this one: once nobody else writes,
 * it succeeds. One that is compared with something else waits until others put that there.
 */
function comparesWithFound({ results, loaded }: Round, swap: Atomic, carried: readonly string[]): boolean {
  const [compared] = results.get(swap) ?? [];
  if (compared?.kind !== 'other') return false;
  const isThere = ({ address, type, order, proxy }: Load): boolean =>
    areOneOperand(address.base, swap.address.base) &&
    address.offset === swap.address.offset &&
    type.width === swap.type.width &&
    order !== 'weak' &&
    proxy === swap.proxy;
  const load = [...loaded].find(([, term]) => areEqual(term, compared, swap.type.width));
  return load === undefined ? carried.includes(compared.name) : isThere(load[0]);
}

/**
 * The first round, the last one that fails, and the last one: if that which fails would succeed behind the first, it
 * finds the same as that, and can be left out as well.
 */
const STANDING_FOR_ALL = 3;

/** Whether a round does nothing else, and the loop is left when, and only when, it has succeeded. */
function isAlone(operations: readonly Operation[], round: Round, swap: Atomic): boolean {
  const behind = operations.slice(operations.indexOf(swap) + 1, -1);
  const last = { ...round, facts: round.facts.slice(-1) };
  return operations.every(({ kind }) => kind !== 'load') && behind.every(isComputation) && hasFailed(last, swap);
}
