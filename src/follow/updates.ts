import type { UpdateEffect } from '../effects/effect.js';
import { evaluateFloat } from '../program/float-function.js';
import { atomicArithmetic, COMMUTATIVE, computeArithmetic } from '../program/integer.js';

/** What an atomic leaves, by what it takes and is compared with; undefined where that is not known. */
export function updated(
  { at: { type }, operation, compared, function: of }: UpdateEffect,
  old: bigint,
  own: bigint | undefined,
  test: bigint | undefined,
): bigint | undefined {
  if (compared !== undefined) return test === undefined ? undefined : old === test ? own : old;
  if (own === undefined) return undefined;
  if (of !== undefined) return evaluateFloat(of, [old, own]);
  const arithmetic = atomicArithmetic(operation, type);
  return arithmetic === undefined ? own : computeArithmetic(arithmetic, [old, own]);
}

/** A name of all updates that come to the same in any order, whatever they take; undefined if there are none. */
export function commutesAs({ at: { type }, operation, function: of }: UpdateEffect): string | undefined {
  const arithmetic = atomicArithmetic(operation, type);
  if (of !== undefined || arithmetic === undefined) return undefined;
  // As signed numbers others are the least and the greatest.
  if (operation === 'min' || operation === 'max') return `${operation}${type.kind}`;
  return COMMUTATIVE.has(arithmetic.name) ? operation : undefined;
}
