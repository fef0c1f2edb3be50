import { truncate } from '../program/integer.js';
import { elementOf, type MemoryObject } from '../program/locations.js';
import { registersWritten } from '../program/operands.js';
import type { Address, Atomic, Load, Operand, Operation, Store } from '../program/operation.js';
import { scopeIncludes } from '../program/placement.js';
import type { Program, Thread } from '../program/program.js';
import { targetOf } from './graph.js';
import { knownValue } from './known-values.js';

/**
 * The atomics of a loop that leave memory as it was on every round that goes on: a compare-and-swap that has failed, an
 * operation with a neutral operand, an exchange of a value for itself. What they write, if anything, is what they read,
 * so that others could have read it where they did, provided that all accesses there are morally strong with each other
 * (8.7): then coherence is total and the write in between can be left out.
 */
export function silentAtomics(program: Program, thread: Thread, target: number, from: number): ReadonlySet<Operation> {
  const round = followRound(thread, target, from);
  if (round === undefined) return new Set();
  return new Set(
    [...round.results].filter(([atomic]) => isSilent(program, thread, target, round, atomic)).map(([atomic]) => atomic),
  );
}

/**
 * What a register holds in a round, as far as it can be followed: what an atomic found, a number, or something that has
 * a name of its own.
 */
type Term =
  | { readonly kind: 'found'; readonly atomic: Atomic }
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'other'; readonly name: string };

interface Round {
  /** The terms of the operands of each atomic when it is executed. */
  readonly results: ReadonlyMap<Atomic, readonly Term[]>;
  /** Comparisons for equality whose outcome is known on a round that goes on. */
  readonly facts: readonly { readonly a: Term; readonly b: Term; readonly equal: boolean; readonly width: number }[];
}

type Comparison = { readonly a: Term; readonly b: Term; readonly negated: boolean; readonly width: number };

/** Follows the one way round the loop; undefined where it branches inside. */
function followRound(thread: Thread, target: number, from: number): Round | undefined {
  const terms = new Map<string, Term>();
  const comparisons = new Map<string, Comparison>();
  const results = new Map<Atomic, readonly Term[]>();
  const facts: Round['facts'][number][] = [];
  let names = 0;
  const fresh = (): Term => ({ kind: 'other', name: `#${names++}` });
  const termOf = (operand: Operand): Term => {
    if (operand.kind === 'constant') return { kind: 'number', value: operand.value };
    const known = terms.get(operand.name);
    if (known !== undefined) return known;
    const value = knownValue(thread, operand, target);
    return value === undefined ? { kind: 'other', name: operand.name } : { kind: 'number', value };
  };
  const learn = (register: string, holds: boolean): void => {
    const comparison = comparisons.get(register);
    if (comparison !== undefined)
      facts.push({ a: comparison.a, b: comparison.b, equal: holds !== comparison.negated, width: comparison.width });
  };
  for (let index = target; index <= from; index++) {
    const { operation, guard } = thread.statements[index] ?? {};
    if (operation === undefined) return undefined;
    if (operation.kind === 'branch' || operation.kind === 'exit' || operation.kind === 'trap') {
      if (index === from) {
        if (guard !== undefined) learn(guard.register, !guard.negated);
        continue;
      }
      const to = targetOf(thread, index) ?? thread.statements.length;
      // A branch inside makes two ways; one out of the loop is not taken on a round that goes on.
      if ((to > target && to <= from) || guard === undefined) return undefined;
      learn(guard.register, guard.negated);
      continue;
    }
    let [term, comparison]: [Term | undefined, Comparison | undefined] = [undefined, undefined];
    if (guard === undefined && operation.kind === 'atomic') {
      results.set(operation, operation.values.map(termOf));
      term = { kind: 'found', atomic: operation };
    }
    if (guard === undefined && operation.kind === 'compute') {
      const [moved] = operation.arithmetic.name === 'move' ? operation.operands : [];
      term = moved === undefined ? undefined : termOf(moved);
      comparison = comparisonBy(operation, comparisons, termOf);
    }
    for (const register of registersWritten(operation)) {
      terms.set(register, term ?? fresh());
      if (comparison === undefined) comparisons.delete(register);
      else comparisons.set(register, comparison);
    }
  }
  return { results, facts };
}

/** What a register tells of a comparison for equality that is computed, moved or negated. */
function comparisonBy(
  { arithmetic: { name, width }, operands }: Extract<Operation, { kind: 'compute' }>,
  comparisons: ReadonlyMap<string, Comparison>,
  termOf: (operand: Operand) => Term,
): Comparison | undefined {
  const [a, b] = operands;
  const source = a?.kind === 'register' ? comparisons.get(a.name) : undefined;
  if (name === 'move') return source;
  if (name === 'not') return source && { ...source, negated: !source.negated };
  if (name !== 'equal' || a === undefined || b === undefined) return undefined;
  return { a: termOf(a), b: termOf(b), negated: false, width };
}

function isSilent(program: Program, thread: Thread, target: number, round: Round, atomic: Atomic): boolean {
  if (atomic.function !== undefined || atomic.more !== undefined) return false;
  const { width } = atomic.type;
  const same = (x: Term, y: Term): boolean => {
    if (x.kind === 'found') return y.kind === 'found' && x.atomic === y.atomic;
    if (x.kind === 'number') return y.kind === 'number' && truncate(x.value, width) === truncate(y.value, width);
    return y.kind === 'other' && x.name === y.name;
  };
  const found: Term = { kind: 'found', atomic };
  const compares = (fact: Round['facts'][number], to: Term): boolean =>
    (same(fact.a, found) && same(fact.b, to)) || (same(fact.b, found) && same(fact.a, to));
  const [first] = round.results.get(atomic) ?? [];
  if (first === undefined) return false;
  if (atomic.operation === 'cas')
    return round.facts.some((fact) => !fact.equal && fact.width === width && compares(fact, first));
  const there = accessesThere(program, thread, target, atomic);
  if (there === undefined || !areMorallyStrong(there, atomic)) return false;
  if (atomic.operation !== 'exch') return first.kind === 'number' && isNeutral(atomic, truncate(first.value, width));
  if (round.facts.some((fact) => fact.equal && fact.width >= width && compares(fact, first))) return true;
  // What is not one of the values that the round rules out is the one that is left.
  const values = valuesThere(there, atomic);
  if (values === undefined || first.kind !== 'number') return false;
  const left = [...values].filter(
    (value) => !round.facts.some((fact) => !fact.equal && compares(fact, { kind: 'number', value })),
  );
  return left.every((value) => value === truncate(first.value, width));
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
