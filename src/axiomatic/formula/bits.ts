import { resize as resizeBits } from '../../program/integer.js';
import type { Arithmetic } from '../../program/operation.js';
import type { ValueDomain } from '../../semantics/value-domain.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE, type Truth } from './formula.js';

/** A bit pattern as formulas, the lowest bit first. */
export type Bits = readonly Formula[];

/** The circuits of PTX arithmetic: the value domain of the encoding. */
export class BitDomain implements ValueDomain<Bits, Formula> {
  readonly yes = TRUE;
  readonly no = FALSE;
  private readonly constants = new Map<string, Bits>();

  constructor(private readonly builder: FormulaBuilder) {}

  and(a: Formula, b: Formula): Formula {
    return this.builder.and(a, b);
  }
  or(a: Formula, b: Formula): Formula {
    return this.builder.or(a, b);
  }
  not(a: Formula): Formula {
    return not(a);
  }
  isNo(a: Formula): boolean {
    return a === FALSE;
  }
  truth(value: Bits): Formula {
    return value[0] ?? FALSE;
  }

  constant(bits: bigint, width: number): Bits {
    const key = `${width}:${bits}`;
    let made = this.constants.get(key);
    if (made === undefined) {
      // The digits of the number, the lowest first: much cheaper than one shift for each bit.
      const digits = bits.toString(2);
      made = Array.from({ length: width }, (_, i) => (digits[digits.length - 1 - i] === '1' ? TRUE : FALSE));
      this.constants.set(key, made);
    }
    return made;
  }

  resize(value: Bits, width: number, signed: boolean): Bits {
    if (value.length === width) return value;
    const fill = signed ? (value[value.length - 1] ?? FALSE) : FALSE;
    return Array.from({ length: width }, (_, i) => (i < value.length ? (value[i] ?? FALSE) : fill));
  }

  choose(condition: Formula, whenTrue: Bits, whenFalse: Bits): Bits {
    return whenTrue.map((bit, i) => this.builder.choose(condition, bit, whenFalse[i] ?? FALSE));
  }

  equal(a: Bits, b: Bits): Formula {
    if (a === b) return TRUE;
    return this.builder.all(a.map((bit, i) => this.builder.iff(bit, b[i] ?? FALSE)));
  }

  compute(arithmetic: Arithmetic, operands: readonly Bits[]): Bits {
    const { name, width, signed, resultWidth } = arithmetic;
    const [a = [], b = [], c = []] = operands;
    const { builder } = this;
    const each = (operation: (x: Formula, y: Formula) => Formula): Bits =>
      a.map((bit, i) => operation(bit, b[i] ?? FALSE));
    switch (name) {
      case 'move':
        return this.resize(a, resultWidth, false);
      case 'add':
        return this.add(a, b, FALSE).slice(0, resultWidth);
      case 'subtract':
        return this.add(a, b.map(not), TRUE).slice(0, resultWidth);
      case 'multiply':
        return this.multiply(a, b, width);
      case 'multiply-high':
        return this.multiply(this.resize(a, 2 * width, signed), this.resize(b, 2 * width, signed), 2 * width).slice(
          width,
        );
      case 'multiply-wide':
        return this.multiply(this.resize(a, resultWidth, signed), this.resize(b, resultWidth, signed), resultWidth);
      case 'divide':
        return this.divide(a, b, signed).quotient;
      case 'remainder':
        return this.divide(a, b, signed).remainder;
      case 'and':
        return each((x, y) => builder.and(x, y));
      case 'or':
        return each((x, y) => builder.or(x, y));
      case 'xor':
        return each((x, y) => builder.xor(x, y));
      case 'not':
        return a.map(not);
      case 'shift-left':
        return this.shift(a, b, (value, by) =>
          Array.from({ length: width }, (_, i) => (i < by ? FALSE : (value[i - by] ?? FALSE))),
        );
      case 'shift-right': {
        const fill = signed ? (a[width - 1] ?? FALSE) : FALSE;
        return this.shift(a, b, (value, by) => Array.from({ length: width }, (_, i) => value[i + by] ?? fill)).slice(
          0,
          resultWidth,
        );
      }
      case 'minimum':
        return this.choose(this.less(a, b, signed), a, b);
      case 'maximum':
        return this.choose(this.less(b, a, signed), a, b);
      case 'equal':
        return [this.equal(a, b)];
      case 'less':
        return [this.less(a, b, signed)];
      case 'less-or-equal':
        return [not(this.less(b, a, signed))];
      case 'select':
        return this.choose(this.truth(a), b, c);
      case 'convert':
        return this.resize(a, resultWidth, signed);
      case 'concatenate':
        return operands.flat();
      case 'increment-modulo': {
        const below = this.less(a, b, false);
        return this.choose(below, this.add(a, this.constant(1n, width), FALSE), this.constant(0n, width));
      }
      case 'count-ones':
        return a.reduce<Bits>(
          (sum, bit) => this.add(sum, this.resize([bit], resultWidth, false), FALSE).slice(0, resultWidth),
          this.constant(0n, resultWidth),
        );
      case 'leading-zeros': {
        let count = this.constant(BigInt(width), resultWidth);
        a.forEach((bit, i) => {
          count = this.choose(bit, this.constant(BigInt(width - 1 - i), resultWidth), count);
        });
        return count;
      }
      case 'reverse':
        return [...a].reverse();
      case 'look-up': {
        const table = operands[3] ?? [];
        const entry = (i: number): Formula => table[i] ?? FALSE;
        return a.map((x, i) => {
          const [y, z] = [b[i] ?? FALSE, c[i] ?? FALSE];
          const pair = (at: number): Formula => builder.choose(z, entry(at + 1), entry(at));
          const four = (at: number): Formula => builder.choose(y, pair(at + 2), pair(at));
          return builder.choose(x, four(4), four(0));
        });
      }
      case 'decrement-modulo': {
        const wraps = builder.or(this.equal(a, this.constant(0n, width)), this.less(b, a, false));
        return this.choose(wraps, b, this.add(a, this.constant(resizeBits(1n, 1, width, true), width), FALSE));
      }
    }
  }

  less(a: Bits, b: Bits, signed: boolean): Formula {
    const { builder } = this;
    let result: Formula = FALSE;
    a.forEach((x, i) => {
      const y = b[i] ?? FALSE;
      // In two's complement the highest bit counts the other way round.
      const [low, high] = signed && i === a.length - 1 ? [y, x] : [x, y];
      result = builder.choose(builder.xor(low, high), builder.and(not(low), high), result);
    });
    return result;
  }

  private add(a: Bits, b: Bits, carryIn: Formula): Bits {
    const { builder } = this;
    let carry = carryIn;
    return a.map((x, i) => {
      const y = b[i] ?? FALSE;
      const half = builder.xor(x, y);
      const sum = builder.xor(half, carry);
      carry = builder.or(builder.and(x, y), builder.and(half, carry));
      return sum;
    });
  }

  private multiply(a: Bits, b: Bits, width: number): Bits {
    let sum = this.constant(0n, width);
    b.forEach((bit, shift) => {
      if (bit === FALSE || shift >= width) return;
      const row = Array.from({ length: width }, (_, i) =>
        i < shift ? FALSE : this.builder.and(bit, a[i - shift] ?? FALSE),
      );
      sum = this.add(sum, row, FALSE);
    });
    return sum.slice(0, width);
  }

  /** Division rounded towards zero, restoring, on magnitudes; the remainder has the sign of a. By 0 both are 0. */
  private divide(a: Bits, b: Bits, signed: boolean): { readonly quotient: Bits; readonly remainder: Bits } {
    const width = a.length;
    const signOf = (value: Bits): Formula => (signed ? (value[width - 1] ?? FALSE) : FALSE);
    const magnitude = (value: Bits): Bits => this.choose(signOf(value), this.negate(value), value);
    const absolute = magnitude(a);
    const divisor = this.resize(magnitude(b), width + 1, false);
    let rest = this.constant(0n, width + 1);
    const quotient: Formula[] = Array.from({ length: width }, () => FALSE);
    for (let i = width - 1; i >= 0; i--) {
      rest = [absolute[i] ?? FALSE, ...rest.slice(0, width)];
      const fits = not(this.less(rest, divisor, false));
      rest = this.choose(fits, this.add(rest, divisor.map(not), TRUE), rest);
      quotient[i] = fits;
    }
    const withSign = (negative: Formula, value: Bits): Bits => this.choose(negative, this.negate(value), value);
    const zero = this.constant(0n, width);
    const byZero = this.equal(b, zero);
    return {
      quotient: this.choose(byZero, zero, withSign(this.builder.xor(signOf(a), signOf(b)), quotient)),
      remainder: this.choose(byZero, zero, withSign(signOf(a), rest.slice(0, width))),
    };
  }

  private negate(a: Bits): Bits {
    return this.add(a.map(not), this.constant(1n, a.length), FALSE);
  }

  /** PTX clamps the amount of a shift at the width. */
  private shift(a: Bits, amount: Bits, by: (value: Bits, places: number) => Bits): Bits {
    let value = a;
    let overflow: Formula = FALSE;
    amount.forEach((bit, i) => {
      if (2 ** i >= a.length) overflow = this.builder.or(overflow, bit);
      else value = this.choose(bit, by(value, 2 ** i), value);
    });
    return this.choose(overflow, by(a, a.length), value);
  }
}

/** The number that a constant bit pattern stands for; undefined if a bit is not constant. */
/** The number that bits come to in some assignment. */
export function numberOf(bits: Bits, truth: Truth): bigint {
  return bits.reduce((value, bit, i) => (truth(bit) ? value | (1n << BigInt(i)) : value), 0n);
}

export function constantOf(bits: Bits): bigint | undefined {
  let value = 0n;
  for (const [i, bit] of bits.entries()) {
    if (bit === TRUE) value |= 1n << BigInt(i);
    else if (bit !== FALSE) return undefined;
  }
  return value;
}
