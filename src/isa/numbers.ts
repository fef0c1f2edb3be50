import { truncate } from '../program/integer.js';
import { type ArithmeticName, constant, type Operand } from '../program/operation.js';
import type { InstructionDecoder } from './instruction-decoder.js';

/** Steps on numbers of one width; where it matters they are signed or not. */
export class Numbers {
  constructor(
    readonly at: InstructionDecoder,
    readonly width: number,
    readonly signed: boolean,
  ) {}

  private apply(name: ArithmeticName, operands: readonly Operand[], resultWidth = this.width): Operand {
    return this.at.apply({ name, signed: this.signed, width: this.width, resultWidth }, operands);
  }

  add(a: Operand, b: Operand): Operand {
    return this.apply('add', [a, b]);
  }
  subtract(a: Operand, b: Operand): Operand {
    return this.apply('subtract', [a, b]);
  }
  multiply(a: Operand, b: Operand): Operand {
    return this.apply('multiply', [a, b]);
  }
  multiplyHigh(a: Operand, b: Operand): Operand {
    return this.apply('multiply-high', [a, b]);
  }
  multiplyWide(a: Operand, b: Operand): Operand {
    return this.apply('multiply-wide', [a, b], 2 * this.width);
  }
  /** By 0 the value is open (PTX ISA, div and rem: unspecified, machine-specific). */
  divide(name: 'divide' | 'remainder', a: Operand, b: Operand): Operand {
    const quotient = this.apply(name, [a, b]);
    if (b.kind === 'constant' && truncate(b.value, this.width) !== 0n) return quotient;
    return this.select(this.equal(b, constant(0)), this.at.open(this.width), quotient);
  }
  and(a: Operand, b: Operand): Operand {
    return this.apply('and', [a, b]);
  }
  or(a: Operand, b: Operand): Operand {
    return this.apply('or', [a, b]);
  }
  xor(a: Operand, b: Operand): Operand {
    return this.apply('xor', [a, b]);
  }
  not(a: Operand): Operand {
    return this.apply('not', [a]);
  }
  /** Amounts are 32 bits wide and count as they are, not modulo the width. */
  shiftLeft(a: Operand, by: Operand): Operand {
    return this.apply('shift-left', [a, by]);
  }
  shiftRight(a: Operand, by: Operand, resultWidth = this.width): Operand {
    return this.apply('shift-right', [a, by], resultWidth);
  }
  minimum(a: Operand, b: Operand): Operand {
    return this.apply('minimum', [a, b]);
  }
  maximum(a: Operand, b: Operand): Operand {
    return this.apply('maximum', [a, b]);
  }
  equal(a: Operand, b: Operand): Operand {
    return this.apply('equal', [a, b], 1);
  }
  less(a: Operand, b: Operand): Operand {
    return this.apply('less', [a, b], 1);
  }
  lessOrEqual(a: Operand, b: Operand): Operand {
    return this.apply('less-or-equal', [a, b], 1);
  }
  select(condition: Operand, whenTrue: Operand, whenFalse: Operand): Operand {
    return this.apply('select', [condition, whenTrue, whenFalse]);
  }
  countOnes(a: Operand): Operand {
    return this.apply('count-ones', [a], 32);
  }
  leadingZeros(a: Operand): Operand {
    return this.apply('leading-zeros', [a], 32);
  }
  reverse(a: Operand): Operand {
    return this.apply('reverse', [a]);
  }
  lookUp(a: Operand, b: Operand, c: Operand, table: Operand): Operand {
    return this.apply('look-up', [a, b, c, table]);
  }
  /** Cut, or extended by sign or zeros. */
  convert(a: Operand, resultWidth: number): Operand {
    return resultWidth === this.width ? a : this.apply('convert', [a], resultWidth);
  }
  /** Of several, the first one lowest. */
  concatenate(elements: readonly Operand[]): Operand {
    return this.apply('concatenate', elements, this.width * elements.length);
  }
  /** The n-th of the elements of this width that a value of another width is made of. */
  element(value: Operand, of: number, n: number): Operand {
    return this.at.of(of).shiftRight(value, constant(n * this.width), this.width);
  }
  /** The least number that is not below `least` and not above `most`. */
  clamp(a: Operand, least: bigint, most: bigint): Operand {
    const number = (value: bigint): Operand => constant(truncate(value, this.width));
    return this.minimum(this.maximum(a, number(least)), number(most));
  }
}
