import { registersRead, registersWritten } from '../program/operands.js';
import {
  type Atomic,
  type Collective,
  isComputation,
  type Load,
  type Operand,
  type Operation,
} from '../program/operation.js';
import { type Body, successorsIn } from './graph.js';
import { outermostLoops } from './loops.js';

/** A load, or an atomic, in a region of the code that does nothing but to wait for what it finds. */
export interface Poll {
  readonly access: Load | Atomic;
  readonly region: WaitingRegion;
}

/**
 * Statements that go round, perhaps after some that come to them, and only look at memory. Where one thread looks for
 * its CTA, it tells the others what it has found through shared memory, between barriers.
 */
export interface WaitingRegion {
  readonly statements: ReadonlySet<number>;
  /** Whether what is found is told to the CTA. */
  readonly tells: boolean;
  /** Where they look, and at which element of a vector; undefined where they go by several. */
  readonly looks: ReadonlyMap<number, number | undefined>;
  /** The registers that they write, and those that they read. */
  readonly written: readonly string[];
  readonly read: readonly string[];
}

/** Of so many statements before a loop it is looked whether they are a round of it that a compiler has set apart. */
const LONGEST_PREFIX = 512;

/**
 * The polls of some statements, by where they stand. Of loops within each other it is the outermost that only waits,
 * at addresses that do not change there; what stands before it, such as a first look that a compiler has set apart, is
 * a part of it.
 */
export function pollsIn(body: Body): ReadonlyMap<number, Poll> {
  const polls = new Map<number, Poll>();
  const add = (at: number, statements: readonly number[]): void => {
    const access = body.statements[at]?.operation;
    const region = regionOf(body, statements);
    const isOne = [...region.looks.values()].every((element) => element !== undefined);
    if (region.tells && region.looks.size > 1) return;
    if (access !== undefined && isLook(access) && isOne && areTheSame(body, region.looks))
      polls.set(at, { access, region });
  };
  const loops = outermostLoops(successorsIn(body), (loop) => onlyWaits(body, loop));
  const inLoops = new Set(loops.flat());
  for (const members of loops) {
    for (const at of regionOf(body, members).looks.keys()) add(at, members);
    const [first = 0] = members;
    for (let at = first - 1; at >= Math.max(0, first - LONGEST_PREFIX); at--) {
      const operation = body.statements[at]?.operation;
      if (operation === undefined || inLoops.has(at) || !isQuiet(operation)) break;
      const before = Array.from({ length: first - at }, (_, i) => at + i);
      if (isLook(operation)) add(at, [...before, ...members]);
    }
  }
  return polls;
}

function onlyWaits(body: Body, loop: readonly number[]): boolean {
  const operations = loop.flatMap((at) => body.statements[at]?.operation ?? []);
  const areQuiet = operations.every(isQuiet) || (tellsOthers(operations) && !loop.some((at) => draws(body, at)));
  return operations.some(isLook) && areQuiet && areFixed(regionOf(body, loop), body, loop);
}

/** Whether a round, beside what is quiet, tells a CTA something: by what is stored, barriers, and loads of it. */
function tellsOthers(operations: readonly Operation[]): boolean {
  const others = operations.filter((one) => !isQuiet(one));
  const isTold = (kind: Operation['kind']): boolean => others.some((one) => one.kind === kind);
  return others.every(tells) && isTold('store') && isTold('barrier') && isTold('load');
}

/** Whether an atomic counts, so that each round finds something else, such as the next ticket of a queue. */
function draws(body: Body, at: number): boolean {
  const operation = body.statements[at]?.operation;
  if (operation?.kind !== 'atomic') return false;
  const [given] = operation.values.map((operand) => numberOf(body, operand, at));
  return COUNTING.has(operation.operation) && !(given?.kind === 'constant' && given.value === 0n);
}
const COUNTING: ReadonlySet<Atomic['operation']> = new Set(['add', 'sub', 'inc', 'dec']);

/** Whether an operation is of those by which a thread tells its CTA what it has found. */
function tells(operation: Operation): boolean {
  if (operation.kind === 'barrier') {
    const { action, level, reduction, instance } = operation;
    return action === 'sync' && level === 'cta' && reduction === undefined && instance === undefined;
  }
  if (operation.kind !== 'load' && operation.kind !== 'store') return false;
  const { order, proxy, matrix, somewhere } = operation;
  const elements = operation.kind === 'load' ? operation.targets : operation.values;
  // What is strong others may look at at any time, in rounds that are left out as well.
  return order === 'weak' && proxy === 'generic' && elements.length === 1 && (matrix ?? somewhere) === undefined;
}

/** Whether what a region looks at does not change there: addresses are not written, or made of what is not. */
function areFixed({ looks, written }: WaitingRegion, { statements }: Body, region: readonly number[]): boolean {
  const changing = new Set(written);
  const isFixed = (operation: Operation): boolean =>
    operation.kind === 'compute' && registersRead(operation).every((name) => !changing.has(name));
  for (let size = -1; size !== changing.size; ) {
    size = changing.size;
    for (const name of changing) {
      const writers = region.filter((at) => registersWritten(statements[at]?.operation ?? NOTHING).includes(name));
      if (writers.every((at) => isFixed(statements[at]?.operation ?? NOTHING))) changing.delete(name);
    }
  }
  return [...looks.keys()].every((at) => {
    const operation = statements[at]?.operation;
    if (operation === undefined || !isLook(operation)) return false;
    const operands = [operation.address.base, ...(operation.kind === 'atomic' ? operation.values : [])];
    return operands.every((one) => one.kind === 'constant' || !changing.has(one.name));
  });
}

const NOTHING: Operation = { kind: 'exit' };

/** What a region looks at, reads and writes. */
export function regionOf({ statements }: Body, region: readonly number[]): WaitingRegion {
  const own = region.flatMap((at) => statements[at] ?? []);
  const guards = own.flatMap(({ guard }) => (guard === undefined ? [] : [guard.register]));
  const read = new Set([...own.flatMap(({ operation }) => registersRead(operation)), ...guards]);
  const looks = region.flatMap((at) => {
    const { operation = NOTHING } = statements[at] ?? {};
    return isLook(operation) ? [[at, elementOf(operation, read)] as const] : [];
  });
  return {
    statements: new Set(region),
    tells: own.some(({ operation }) => operation.kind === 'store'),
    looks: new Map(looks),
    written: [...new Set(own.flatMap(({ operation }) => registersWritten(operation)))],
    read: [...read],
  };
}

/** The element of what is found that is read; undefined if several are. */
function elementOf(look: Load | Atomic, read: ReadonlySet<string>): number | undefined {
  if (look.kind === 'atomic') return 0;
  const used = look.targets.flatMap((target, i) => (target !== undefined && read.has(target) ? [i] : []));
  return used.length > 1 ? undefined : (used[0] ?? 0);
}

/** Loads, or one atomic, wherever it stands: two that do different things to memory are no wait. */
function areTheSame(body: Body, looks: WaitingRegion['looks']): boolean {
  const [first, ...others] = [...looks.keys()];
  const at = (look: number | undefined): Operation => body.statements[look ?? -1]?.operation ?? NOTHING;
  const one = at(first);
  return others.every((look) => {
    const other = at(look);
    if (one.kind !== 'atomic' || other.kind !== 'atomic') return one.kind === other.kind;
    const [own, its] = [one, other].map(({ address, values }) => [address.base, ...values]);
    const isSame = (operand: Operand, i: number): boolean =>
      shown(operand) === shown(its?.[i]) ||
      shown(numberOf(body, operand, first)) === shown(numberOf(body, its?.[i], look) ?? null);
    return one.operation === other.operation && own?.length === its?.length && own?.every(isSame) === true;
  });
}

/** The number that is moved into a register, once, on the way to a statement: each round has a register of its own. */
function numberOf({ statements, labels }: Body, operand?: Operand, at = 0): Operand | undefined {
  if (operand === undefined || operand.kind === 'constant') return operand;
  const writers = statements.flatMap(({ operation }, i) =>
    registersWritten(operation).includes(operand.name) ? i : [],
  );
  const [write = at] = writers;
  const { operation, guard } = statements[write] ?? {};
  const isMoved = operation?.kind === 'compute' && operation.arithmetic.name === 'move' && guard === undefined;
  const isPassed = [...labels.values()].some((label) => write < label && label <= at);
  return isMoved && writers.length === 1 && write < at && !isPassed ? operation.operands[0] : undefined;
}

const shown = (operand: Operand | undefined | null): string | undefined =>
  JSON.stringify(operand, (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));

export function isLook(operation: Operation): operation is Load | Atomic {
  if (operation.kind === 'load') {
    const { targets, matrix, order, proxy } = operation;
    return targets.length > 0 && matrix === undefined && order !== 'weak' && proxy === 'generic';
  }
  if (operation.kind !== 'atomic') return false;
  const { more, target, proxy, function: of } = operation;
  return more === undefined && of === undefined && target !== undefined && proxy === 'generic';
}

/** Votes that all have to agree in, so that each waits for itself. */
const UNANIMOUS: ReadonlySet<Collective> = new Set(['and', 'or']);

/** Whether a round that goes on may be left out, with all that it does, by all that take part in it. */
export function isQuiet(operation: Operation): boolean {
  if (isComputation(operation) || isLook(operation)) return true;
  if (operation.kind === 'barrier') {
    const { reduction } = operation;
    return reduction !== undefined && reduction.width === 1 && UNANIMOUS.has(reduction.operation);
  }
  return ['branch', 'fence', 'proxy-fence'].includes(operation.kind);
}
