import { gcd, truncate } from '../program/integer.js';
import { greatest, least } from './value-bounds.js';

/**
 * How what is made of a ticket grows with it, where that is not evenly (`tile / columns`): by its number, counted from
 * that of the least ticket in units of what all atomics add.
 */
export interface Growth {
  readonly at: readonly bigint[];
  readonly least: bigint;
  readonly most: bigint;
}

/** A function of a ticket: a number, and by how much that grows. */
export interface Grown {
  readonly first: bigint;
  readonly scale: bigint;
  readonly growth: Growth | undefined;
}

/** What takes these values, as bit patterns, in turn; evenly, if it does so with what is between two tickets. */
export function grownBy(values: readonly bigint[], width: number, unit: bigint): Grown | bigint {
  const [first = 0n] = values;
  const above = values.map((value) => BigInt.asIntN(width, value - first));
  const scale = above.reduce(gcd, 0n);
  if (scale === 0n) return first;
  const [, second = 0n] = above;
  if (second % unit === 0n && above.every((one, i) => one === second * BigInt(i)))
    return { first, scale: second / unit, growth: undefined };
  const at = above.map((one) => one / scale);
  return { first, scale, growth: { at, least: at.reduce(least), most: at.reduce(greatest) } };
}

/** What it is, as a bit pattern, for the ticket with a number. */
export function grownAt({ first, scale, growth }: Grown, number: number, unit: bigint, width: number): bigint {
  return truncate(first + scale * (growth === undefined ? BigInt(number) * unit : (growth.at[number] ?? 0n)), width);
}

/** Numbers of growths: two that are alike have the same one. */
export function numberGrowths(): (growth: Growth | undefined) => number {
  const byContent = new Map<string, number>();
  const known = new WeakMap<Growth, number>();
  return (growth) => {
    if (growth === undefined) return 0;
    const content = (): number => {
      const name = growth.at.join(' ');
      const number = byContent.get(name) ?? byContent.size + 1;
      byContent.set(name, number);
      return number;
    };
    const number = known.get(growth) ?? content();
    known.set(growth, number);
    return number;
  };
}
