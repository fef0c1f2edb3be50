import type { Arithmetic, ArithmeticName } from './operation.js';

/** What computes: into registers, or at once with numbers, sets of them or formulas. */
export interface Calculator<V> {
  compute(arithmetic: Arithmetic, operands: readonly V[]): V;
  constant(bits: bigint, width: number): V;
}

/** Arithmetic on numbers of one width; where it matters they are signed or not. */
export class Numbers<V> {
  constructor(
    protected readonly calculator: Calculator<V>,
    readonly width: number,
    readonly signed = false,
  ) {}

  protected apply(name: ArithmeticName, operands: readonly V[], resultWidth = this.width): V {
    return this.calculator.compute({ name, signed: this.signed, width: this.width, resultWidth }, operands);
  }

  number(value: bigint | number): V {
    return this.calculator.constant(BigInt.asUintN(this.width, BigInt(value)), this.width);
  }
  add(a: V, b: V): V {
    return this.apply('add', [a, b]);
  }
  subtract(a: V, b: V): V {
    return this.apply('subtract', [a, b]);
  }
  multiply(a: V, b: V): V {
    return this.apply('multiply', [a, b]);
  }
  multiplyHigh(a: V, b: V): V {
    return this.apply('multiply-high', [a, b]);
  }
  multiplyWide(a: V, b: V): V {
    return this.apply('multiply-wide', [a, b], 2 * this.width);
  }
  and(a: V, b: V): V {
    return this.apply('and', [a, b]);
  }
  or(a: V, b: V): V {
    return this.apply('or', [a, b]);
  }
  xor(a: V, b: V): V {
    return this.apply('xor', [a, b]);
  }
  not(a: V): V {
    return this.apply('not', [a]);
  }
  /** Amounts are 32 bits wide and count as they are, not modulo the width. */
  shiftLeft(a: V, by: V): V {
    return this.apply('shift-left', [a, by]);
  }
  shiftRight(a: V, by: V, resultWidth = this.width): V {
    return this.apply('shift-right', [a, by], resultWidth);
  }
  minimum(a: V, b: V): V {
    return this.apply('minimum', [a, b]);
  }
  maximum(a: V, b: V): V {
    return this.apply('maximum', [a, b]);
  }
  equal(a: V, b: V): V {
    return this.apply('equal', [a, b], 1);
  }
  less(a: V, b: V): V {
    return this.apply('less', [a, b], 1);
  }
  lessOrEqual(a: V, b: V): V {
    return this.apply('less-or-equal', [a, b], 1);
  }
  select(condition: V, whenTrue: V, whenFalse: V): V {
    return this.apply('select', [condition, whenTrue, whenFalse]);
  }
  countOnes(a: V): V {
    return this.apply('count-ones', [a], 32);
  }
  leadingZeros(a: V): V {
    return this.apply('leading-zeros', [a], 32);
  }
  reverse(a: V): V {
    return this.apply('reverse', [a]);
  }
  lookUp(a: V, b: V, c: V, table: V): V {
    return this.apply('look-up', [a, b, c, table]);
  }
  /** Cut, or extended by sign or zeros. */
  convert(a: V, resultWidth: number): V {
    return resultWidth === this.width ? a : this.apply('convert', [a], resultWidth);
  }
  /** Of several, the first one lowest. */
  concatenate(elements: readonly V[]): V {
    return this.apply('concatenate', elements, this.width * elements.length);
  }
  /** By a number of bits that is known. */
  shiftRightBy(a: V, by: number, resultWidth = this.width): V {
    return this.shiftRight(a, this.calculator.constant(BigInt(by), 32), resultWidth);
  }
}
