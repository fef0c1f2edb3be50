import { truncate } from '../program/integer.js';
import { elementOf, type MemoryObject } from '../program/locations.js';
import type { Address, Atomic, Load, Operation, Store } from '../program/operation.js';
import { scopeIncludes } from '../program/placement.js';
import type { Program, Thread } from '../program/program.js';
import { knownValue } from './known-values.js';
import { areEqual, followRound, hasFailed, type Round, type Term } from './rounds.js';

/**
 * The atomics of a loop that leave memory as it was on every round that goes on: a compare-and-swap that has failed, an
 * operation with a neutral operand, an exchange of a value for itself, bits that are set already. What they write, if
 * anything, is what they read, so that others could have read it where they did, provided that all accesses there are
 * morally strong with each other (8.7): then coherence is total and the write in between can be left out.
 */
export function silentAtomics(program: Program, thread: Thread, target: number, from: number): ReadonlySet<Operation> {
  const round = followRound(thread, { target, from }, (operand) => knownValue(thread, operand, target));
  if (round === undefined) return new Set();
  return new Set(
    [...round.results].filter(([atomic]) => isSilent(program, thread, target, round, atomic)).map(([atomic]) => atomic),
  );
}

function isSilent(program: Program, thread: Thread, target: number, round: Round, atomic: Atomic): boolean {
  if (atomic.function !== undefined || atomic.more !== undefined) return false;
  const { width } = atomic.type;
  const found: Term = { kind: 'found', atomic };
  const compares = ({ a, b }: Round['facts'][number], to: Term): boolean =>
    (areEqual(a, found, width) && areEqual(b, to, width)) || (areEqual(b, found, width) && areEqual(a, to, width));
  const [first] = round.results.get(atomic) ?? [];
  if (first === undefined) return false;
  if (atomic.operation === 'cas') return hasFailed(round, atomic);
  const there = accessesThere(program, thread, target, atomic);
  if (there === undefined || !areMorallyStrong(there, atomic)) return false;
  if (atomic.operation !== 'exch') {
    const operand = first.kind === 'number' ? truncate(first.value, width) : undefined;
    return operand !== undefined && (isNeutral(atomic, operand) || hasItsBits(atomic, operand, round));
  }
  if (round.facts.some((fact) => fact.equal && fact.width >= width && compares(fact, first))) return true;
  // What is not one of the values that the round rules out is the one that is left.
  const values = valuesThere(there, atomic);
  if (values === undefined || first.kind !== 'number') return false;
  const left = [...values].filter(
    (value) => !round.facts.some((fact) => !fact.equal && compares(fact, { kind: 'number', value })),
  );
  return left.every((value) => value === truncate(first.value, width));
}

/** Whether an atomic of a loop is morally strong with all that write where it does, as these are with each other. */
export function isAmongStrongWrites(program: Program, thread: Thread, target: number, atomic: Atomic): boolean {
  const there = accessesThere(program, thread, target, atomic);
  if (there === undefined) return false;
  const accesses = there.accesses.filter(({ access }) => access.kind !== 'load');
  return areMorallyStrong({ ...there, accesses }, atomic);
}

/** An operation with this operand gives back what it finds. */
function isNeutral({ operation, type }: Atomic, operand: bigint): boolean {
  const all = (1n << BigInt(type.width)) - 1n;
  switch (operation) {
    case 'add':
    case 'sub':
    case 'or':
    case 'xor':
      return operand === 0n;
    case 'and':
      return operand === all;
    case 'max':
      return operand === (type.kind === 's' ? 1n << BigInt(type.width - 1) : 0n);
    case 'min':
      return operand === (type.kind === 's' ? all >> 1n : all);
    case 'inc':
    case 'dec':
    case 'exch':
    case 'cas':
      return false;
  }
}

/** Whether what is found has the bits already that an `or` sets, or not those that an `and` takes away. */
function hasItsBits(atomic: Atomic, operand: bigint, { facts }: Round): boolean {
  const { operation, type } = atomic;
  if (operation !== 'or' && operation !== 'and') return false;
  const changed = operation === 'or' ? operand : truncate(~operand, type.width);
  const wanted = operation === 'or' ? changed : 0n;
  return facts.some(({ a, b, equal, width }) => {
    const [bits, number] = a.kind === 'masked' ? [a, b] : [b, a];
    if (bits.kind !== 'masked' || bits.atomic !== atomic || number.kind !== 'number') return false;
    const [mask, value] = [bits.mask, number.value].map((one) => truncate(one, width)) as [bigint, bigint];
    if (width !== type.width || (mask & changed) !== changed) return false;
    // Of a single bit it is known which of two it is.
    return equal ? (value & changed) === wanted : mask === changed && isSingle(mask) && value === (mask & ~wanted);
  });
}

const isSingle = (mask: bigint): boolean => mask !== 0n && (mask & (mask - 1n)) === 0n;

interface Place {
  readonly object: MemoryObject;
  readonly offset: number;
  readonly virtualAddress: bigint;
}

function placeOf(program: Program, thread: Thread, address: Address, before: number): Place | undefined {
  const base = knownValue(thread, address.base, before);
  if (base === undefined) return undefined;
  const virtualAddress = BigInt.asUintN(64, base + address.offset);
  const range = program.locations.at(virtualAddress, 1, thread.index);
  return range === undefined
    ? undefined
    : { object: range.object, offset: Number(virtualAddress - range.base), virtualAddress };
}

type Access = Load | Store | Atomic;
const isAccess = (operation: Operation): operation is Access =>
  operation.kind === 'load' || operation.kind === 'store' || operation.kind === 'atomic';
const isQuiet = ({ kind }: Operation): boolean =>
  [
    'compute',
    'open',
    'fence',
    'proxy-fence',
    'barrier',
    'cluster-barrier',
    'branch',
    'exit',
    'trap',
    'require',
    'group',
  ].includes(kind);

/** An access by a statement of a thread. */
interface PlacedAccess {
  readonly access: Access;
  readonly thread: Thread;
  readonly index: number;
  readonly at: Place;
}

/** Where an atomic goes, and what may touch its object. */
interface There {
  readonly own: Place;
  readonly accesses: readonly PlacedAccess[];
}

/** Undefined where that cannot be told. */
function accessesThere(program: Program, thread: Thread, target: number, atomic: Atomic): There | undefined {
  const own = placeOf(program, thread, atomic.address, target);
  if (own === undefined) return undefined;
  const accesses: PlacedAccess[] = [];
  for (const other of program.threads) {
    for (const [index, { operation }] of other.statements.entries()) {
      if (isQuiet(operation)) continue;
      if (!isAccess(operation)) {
        // Copies and mbarrier objects lie elsewhere, or the loop is not understood.
        if (operation.kind === 'mbarrier' && own.object.mbarrier === undefined && own.object.space !== 'shared')
          continue;
        return undefined;
      }
      const at = placeOf(program, other, operation.address, index);
      if (at === undefined) return undefined;
      if (at.object === own.object) accesses.push({ access: operation, thread: other, index, at });
    }
  }
  return { own, accesses };
}

function areMorallyStrong({ own, accesses }: There, atomic: Atomic): boolean {
  const alike = accesses.every(({ access, at }) => {
    const elements =
      access.kind === 'load' ? access.targets.length : access.kind === 'store' ? access.values.length : 1;
    return (
      access.proxy === 'generic' &&
      access.scope !== undefined &&
      elements === 1 &&
      access.type.width === atomic.type.width &&
      at.virtualAddress === own.virtualAddress
    );
  });
  if (!alike) return false;
  return accesses.every((a) =>
    accesses.every(
      (b) =>
        a.thread === b.thread ||
        (a.access.scope !== undefined && scopeIncludes(a.access.scope, a.thread.placement, b.thread.placement)),
    ),
  );
}

/** All values that the location of an atomic ever has, where every write there writes a number. */
function valuesThere({ own: { object, offset }, accesses }: There, { type }: Atomic): ReadonlySet<bigint> | undefined {
  // Between two elements there is no initial value of its own.
  const index = object.elementType.width === type.width ? offset / (type.width / 8) : undefined;
  const initial = index !== undefined && Number.isInteger(index) ? elementOf(object, index) : undefined;
  if (initial === undefined) return undefined;
  const values = new Set([truncate(initial, type.width)]);
  for (const { access, thread: writer, index } of accesses) {
    if (access.kind === 'load') continue;
    const operand =
      access.kind === 'store' || access.operation === 'exch'
        ? access.values[0]
        : access.operation === 'cas'
          ? access.values[1]
          : undefined;
    const value = operand === undefined ? undefined : knownValue(writer, operand, index);
    if (value === undefined) return undefined;
    values.add(truncate(value, type.width));
  }
  return values;
}
