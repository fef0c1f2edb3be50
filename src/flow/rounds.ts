import { truncate } from '../program/integer.js';
import { registersWritten } from '../program/operands.js';
import type { Atomic, Load, Operand, Operation } from '../program/operation.js';
import { type BackEdge, type Body, targetOf } from './graph.js';

/**
 * What a register holds in a round, as far as it can be followed: what an atomic found, some bits of that, a number, or
 * something that has a name of its own.
 */
export type Term =
  | { readonly kind: 'found'; readonly atomic: Atomic }
  | { readonly kind: 'masked'; readonly atomic: Atomic; readonly mask: bigint }
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'other'; readonly name: string };

export interface Round {
  /** The terms of the operands of each atomic when it is executed. */
  readonly results: ReadonlyMap<Atomic, readonly Term[]>;
  /** What is read by each load of one element. */
  readonly loaded: ReadonlyMap<Load, Term>;
  /** What the registers that it writes hold at its end. */
  readonly left: ReadonlyMap<string, Term>;
  /** Comparisons for equality whose outcome is known on a round that goes on. */
  readonly facts: readonly { readonly a: Term; readonly b: Term; readonly equal: boolean; readonly width: number }[];
}

type Comparison = { readonly a: Term; readonly b: Term; readonly negated: boolean; readonly width: number };

/** Follows the one way round a loop that goes on; undefined where it branches inside, but for loops that it leaves. */
export function followRound(
  body: Body,
  { from, target }: BackEdge,
  /** What an operand holds at the head of the loop, in every round. */
  valueOf: (operand: Operand) => bigint | undefined,
): Round | undefined {
  const terms = new Map<string, Term>();
  const comparisons = new Map<string, Comparison>();
  const results = new Map<Atomic, readonly Term[]>();
  const loaded = new Map<Load, Term>();
  const facts: Round['facts'][number][] = [];
  let names = 0;
  const fresh = (): Term => ({ kind: 'other', name: `#${names++}` });
  const termOf = (operand: Operand): Term => {
    if (operand.kind === 'constant') return { kind: 'number', value: operand.value };
    const known = terms.get(operand.name);
    if (known !== undefined) return known;
    const value = valueOf(operand);
    return value === undefined ? { kind: 'other', name: operand.name } : { kind: 'number', value };
  };
  const learn = (register: string, holds: boolean): void => {
    const comparison = comparisons.get(register);
    if (comparison !== undefined)
      facts.push({ a: comparison.a, b: comparison.b, equal: holds !== comparison.negated, width: comparison.width });
  };
  for (let index = target; index <= from; index++) {
    const { operation, guard } = body.statements[index] ?? {};
    if (operation === undefined) return undefined;
    if (operation.kind === 'branch' || operation.kind === 'exit' || operation.kind === 'trap') {
      if (index === from) {
        if (guard !== undefined) learn(guard.register, !guard.negated);
        continue;
      }
      const to = targetOf(body, index) ?? body.statements.length;
      // A branch inside makes two ways; one out of the loop is not taken on a round that goes on, and at last not one
      // to an earlier statement.
      if ((to > index && to <= from) || guard === undefined) return undefined;
      learn(guard.register, guard.negated);
      continue;
    }
    const isSure = guard === undefined;
    const comparison =
      isSure && operation.kind === 'compute' ? comparisonBy(operation, comparisons, termOf) : undefined;
    let term = isSure && operation.kind === 'compute' ? termBy(operation, termOf) : undefined;
    if (isSure && operation.kind === 'atomic') {
      results.set(operation, operation.values.map(termOf));
      term = { kind: 'found', atomic: operation };
    } else if (isSure && operation.kind === 'load' && operation.targets.length === 1) {
      term = fresh();
      loaded.set(operation, term);
    }
    for (const register of registersWritten(operation)) {
      terms.set(register, term ?? fresh());
      if (comparison === undefined) comparisons.delete(register);
      else comparisons.set(register, comparison);
    }
  }
  return { results, loaded, left: terms, facts };
}

/** What is known of a value that is moved, or of which some bits are taken. */
function termBy(
  { arithmetic: { name }, operands }: Extract<Operation, { kind: 'compute' }>,
  termOf: (operand: Operand) => Term,
): Term | undefined {
  const [a, b] = operands.map(termOf);
  if (name === 'move') return a;
  const [found, mask] = a?.kind === 'number' ? [b, a] : [a, b];
  if (name !== 'and' || found?.kind !== 'found' || mask?.kind !== 'number') return undefined;
  return { kind: 'masked', atomic: found.atomic, mask: mask.value };
}

/** What a register tells of a comparison for equality that is computed, moved or negated. */
function comparisonBy(
  { arithmetic: { name, width }, operands }: Extract<Operation, { kind: 'compute' }>,
  comparisons: ReadonlyMap<string, Comparison>,
  termOf: (operand: Operand) => Term,
): Comparison | undefined {
  const [a, b] = operands;
  const sourceOf = (one: Operand | undefined): Comparison | undefined =>
    one?.kind === 'register' ? comparisons.get(one.name) : undefined;
  const negated = (one: Comparison | undefined): Comparison | undefined => one && { ...one, negated: !one.negated };
  if (name === 'move') return sourceOf(a);
  if (name === 'not') return negated(sourceOf(a));
  if (name === 'xor' && width === 1 && a !== undefined && b !== undefined) {
    const [source, other] = sourceOf(a) === undefined ? [sourceOf(b), termOf(a)] : [sourceOf(a), termOf(b)];
    if (other.kind !== 'number') return undefined;
    return (other.value & 1n) === 1n ? negated(source) : source;
  }
  if (name !== 'equal' || a === undefined || b === undefined) return undefined;
  return { a: termOf(a), b: termOf(b), negated: false, width };
}

/** Whether two terms are one value of so many bits. */
export function areEqual(x: Term, y: Term, width: number): boolean {
  if (x.kind === 'found') return y.kind === 'found' && x.atomic === y.atomic;
  if (x.kind === 'masked') return y.kind === 'masked' && x.atomic === y.atomic && x.mask === y.mask;
  if (x.kind === 'number') return y.kind === 'number' && truncate(x.value, width) === truncate(y.value, width);
  return y.kind === 'other' && x.name === y.name;
}

/** Whether a compare-and-swap has failed in every round that goes on. */
export function hasFailed({ results, facts }: Round, atomic: Atomic): boolean {
  const { width } = atomic.type;
  const [compared] = results.get(atomic) ?? [];
  const isFound = (term: Term): boolean => term.kind === 'found' && term.atomic === atomic;
  const isCompared = (term: Term): boolean => compared !== undefined && areEqual(term, compared, width);
  return facts.some(
    ({ a, b, equal, width: of }) =>
      !equal && of === width && ((isFound(a) && isCompared(b)) || (isFound(b) && isCompared(a))),
  );
}
