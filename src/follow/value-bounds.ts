import { computeArithmetic, gcd, truncate } from '../program/integer.js';
import { operandWidth } from '../program/operand-width.js';
import type { Arithmetic, ArithmeticName } from '../program/operation.js';

/**
 * What an open value may be: one of the integers from the first to the last, each so many after one before. They stand
 * for their bit patterns, and are no more than there are of these.
 */
export interface Bounds {
  readonly first: bigint;
  readonly last: bigint;
  readonly step: bigint;
}

export const boundsOfKnown = (value: bigint): Bounds => ({ first: value, last: value, step: 0n });

/** All values of so many bits. */
export function boundsOfWidth(width: number, signed = false): Bounds {
  const size = 1n << BigInt(width);
  return signed ? { first: -size / 2n, last: size / 2n - 1n, step: 1n } : { first: 0n, last: size - 1n, step: 1n };
}

/** The same values as the integers that so many of their bits stand for. */
export function readAs({ first, last, step }: Bounds, width: number, signed: boolean): Bounds {
  const all = boundsOfWidth(width, signed);
  const size = 1n << BigInt(width);
  // Constants are often bit patterns of small negative numbers.
  for (const shift of [0n, size, -size])
    if (first + shift >= all.first && last + shift <= all.last)
      return { first: first + shift, last: last + shift, step };
  return all;
}

/** Whether a value is one of those within some bounds. */
export const isWithin = (value: bigint, { first, last, step }: Bounds): boolean =>
  value >= first && value <= last && (step === 0n || (value - first) % step === 0n);

/** What may be the one or the other. */
export const joinedBounds = (a: Bounds, b: Bounds): Bounds => ({
  first: least(a.first, b.first),
  last: greatest(a.last, b.last),
  step: gcd(gcd(a.step, b.step), a.first - b.first),
});

/** What is both; undefined where nothing is. */
export function commonBounds(a: Bounds, { first, last }: Bounds): Bounds | undefined {
  if (a.step === 0n) return a.first >= first && a.first <= last ? a : undefined;
  const rounds = first <= a.first ? 0n : (first - a.first + a.step - 1n) / a.step;
  const from = a.first + rounds * a.step;
  const most = least(a.last, last);
  if (from > most) return undefined;
  return { first: from, last: most - ((most - from) % a.step), step: a.step };
}

/** What an instruction makes of values within these bounds; undefined where it may be anything. */
export function computeBounds(arithmetic: Arithmetic, operands: readonly Bounds[]): Bounds | undefined {
  const { name, width, signed, resultWidth } = arithmetic;
  if (operands.every(({ first, last }) => first === last)) {
    const values = operands.map(({ first }, i) => truncate(first, operandWidth(arithmetic, i)));
    return boundsOfKnown(computeArithmetic(arithmetic, values));
  }
  // Whether two are the same is asked of their bits.
  const own = operands.map((one, i) => readAs(one, operandWidth(arithmetic, i), signed && name !== 'equal'));
  const [a, b] = own;
  const made = a === undefined ? undefined : BOUNDED[name]?.(a, b ?? a, { operands: own, width });
  if (made === undefined || made.last - made.first >= 1n << BigInt(resultWidth)) return undefined;
  const first = truncate(made.first, resultWidth);
  return { first, last: first + made.last - made.first, step: isOne(made) ? 0n : made.step };
}

type Bounded = (
  a: Bounds,
  b: Bounds,
  of: { readonly operands: readonly Bounds[]; readonly width: number },
) => Bounds | undefined;

const isOne = ({ first, last }: Bounds): boolean => first === last;

/** Of two operands, one of which is known: that, and the other one. */
const known = (a: Bounds, b: Bounds): readonly [bigint, Bounds] | undefined =>
  isOne(b) ? [b.first, a] : isOne(a) ? [a.first, b] : undefined;

/** As bit patterns. */
const bitwise =
  (of: Bounded): Bounded =>
  (a, b, rest) =>
    of(readAs(a, rest.width, false), readAs(b, rest.width, false), rest);

const product: Bounded = (a, b) => {
  const corners = [a.first * b.first, a.first * b.last, a.last * b.first, a.last * b.last];
  return {
    first: corners.reduce(least),
    last: corners.reduce(greatest),
    step: gcd(gcd(a.step * b.first, b.step * a.first), a.step * b.step),
  };
};

/** What has no bit beyond those of either; bits that they do not share come together. */
const union = bitwise((a, b) => {
  const isBelow = (low: Bounds, high: Bounds): boolean => low.last < lowest(gcd(high.first, high.step));
  if (isBelow(a, b) || isBelow(b, a))
    return { first: a.first + b.first, last: a.last + b.last, step: gcd(a.step, b.step) };
  // Bits that both are without, the lowest ones, the result is without too.
  const unit = [a, b].flatMap(({ first, step }) => [lowest(first), lowest(step)]).reduce(least);
  const { last } = boundsOfWidth(greatest(a.last, b.last).toString(2).length);
  return last < unit ? boundsOfKnown(0n) : { first: 0n, last: last - (unit - 1n), step: unit };
});

/** Of numbers that are not below 0. */
function remainderBy(divisor: bigint, a: Bounds): Bounds {
  if (a.last < divisor) return a;
  const step = gcd(a.step, divisor);
  return { first: a.first % step, last: divisor - step + (a.first % step), step };
}

const either = (holds: boolean, fails: boolean): Bounds =>
  holds ? boundsOfKnown(1n) : fails ? boundsOfKnown(0n) : boundsOfWidth(1);

const upToWidth: Bounded = (_a, _b, { width }) => ({ first: 0n, last: BigInt(width), step: 1n });

/** By instruction; what is not here may give anything. */
const BOUNDED: Partial<Readonly<Record<ArithmeticName, Bounded>>> = {
  move: (a) => a,
  convert: (a) => a,
  add: (a, b) => ({ first: a.first + b.first, last: a.last + b.last, step: gcd(a.step, b.step) }),
  subtract: (a, b) => ({ first: a.first - b.last, last: a.last - b.first, step: gcd(a.step, b.step) }),
  not: ({ first, last, step }) => ({ first: -1n - last, last: -1n - first, step }),
  multiply: product,
  'multiply-wide': product,
  'multiply-high': (a, b, of) => {
    const whole = product(a, b, of);
    const high = (value: bigint): bigint => value >> BigInt(of.width);
    return whole && { first: high(whole.first), last: high(whole.last), step: 1n };
  },
  divide: (a, b) => {
    if (!isOne(b) || b.first <= 0n) return undefined;
    // Rounded towards 0, what is below 0 has no even steps.
    const isEven = a.first >= 0n && a.step % b.first === 0n;
    return { first: a.first / b.first, last: a.last / b.first, step: isEven ? a.step / b.first : 1n };
  },
  remainder: (a, b) => {
    if (!isOne(b) || b.first <= 0n) return undefined;
    if (a.first > -b.first && a.last < b.first) return a;
    // The sign is that of the first operand.
    if (a.first < 0n) return { first: 1n - b.first, last: a.last > 0n ? b.first - 1n : 0n, step: 1n };
    return remainderBy(b.first, a);
  },
  and: bitwise((a, b) => {
    const [mask, other] = known(a, b) ?? [];
    if (mask === undefined || other === undefined) return { first: 0n, last: least(a.last, b.last), step: 1n };
    // A mask of low bits is the remainder by what is one more.
    if ((mask & (mask + 1n)) === 0n) return remainderBy(mask + 1n, other);
    const step = mask === 0n ? 0n : lowest(mask);
    return { first: 0n, last: step === 0n ? 0n : least(other.last - (other.last % step), mask), step };
  }),
  or: union,
  xor: union,
  'shift-left': (a, b, { width }) => {
    if (!isOne(b) || b.first < 0n || b.first >= BigInt(width)) return undefined;
    return { first: a.first << b.first, last: a.last << b.first, step: a.step << b.first };
  },
  'shift-right': (a, b, { width }) => {
    if (!isOne(b) || b.first < 0n || b.first >= BigInt(width)) return undefined;
    const isEven = a.step % (1n << b.first) === 0n;
    return { first: a.first >> b.first, last: a.last >> b.first, step: isEven ? a.step >> b.first : 1n };
  },
  minimum: (a, b) => ({ ...joinedBounds(a, b), last: least(a.last, b.last) }),
  maximum: (a, b) => ({ ...joinedBounds(a, b), first: greatest(a.first, b.first) }),
  equal: bitwise((a, b) => either(false, a.last < b.first || b.last < a.first)),
  less: (a, b) => either(a.last < b.first, a.first >= b.last),
  'less-or-equal': (a, b) => either(a.last <= b.first, a.first > b.last),
  select: (condition, a, { operands: [, , b = a] }) =>
    isOne(condition) ? (condition.first === 0n ? b : a) : joinedBounds(a, b),
  concatenate: (_a, _b, { operands, width }) => {
    const parts = operands.map((one, i) => {
      const [{ first, last, step }, by] = [readAs(one, width, false), BigInt(i * width)];
      return { first: first << by, last: last << by, step: step << by };
    });
    return parts.reduce((a, b) => ({ first: a.first + b.first, last: a.last + b.last, step: gcd(a.step, b.step) }));
  },
  'count-ones': upToWidth,
  'leading-zeros': upToWidth,
};

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const greatest = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** The lowest bit of a number; of 0 one that is higher than any. */
const lowest = (value: bigint): bigint => (value === 0n ? 1n << 64n : value & -value);
