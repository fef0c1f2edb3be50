import { truncate } from '../program/integer.js';
import { Numbers } from '../program/numbers.js';
import type { Operand } from '../program/operation.js';
import type { InstructionDecoder } from './instruction-decoder.js';

/** Steps of an instruction on numbers of one width. */
export class StepNumbers extends Numbers<Operand> {
  constructor(
    readonly at: InstructionDecoder,
    width: number,
    signed: boolean,
  ) {
    super(at, width, signed);
  }

  /** The value where something holds; elsewhere PTX leaves it open. */
  where(holds: Operand, value: Operand): Operand {
    if (holds.kind === 'constant') return holds.value === 1n ? value : this.at.open(this.width);
    return this.select(holds, value, this.at.open(this.width));
  }
  /** By 0 the value is open (PTX ISA, div and rem: unspecified, machine-specific). */
  divide(name: 'divide' | 'remainder', a: Operand, b: Operand): Operand {
    const quotient = this.apply(name, [a, b]);
    if (b.kind === 'constant' && truncate(b.value, this.width) !== 0n) return quotient;
    return this.select(this.equal(b, this.number(0)), this.at.open(this.width), quotient);
  }
  /** The n-th of the elements of this width that a value of another width is made of. */
  element(value: Operand, of: number, n: number): Operand {
    return this.at.of(of).shiftRightBy(value, n * this.width, this.width);
  }
  /** All of them, the lowest first. */
  elements(value: Operand, count: number): readonly Operand[] {
    return Array.from({ length: count }, (_, n) => this.element(value, count * this.width, n));
  }
  /** `of` is a power of 2. */
  isMultiple(a: Operand, of: number): Operand {
    return this.equal(this.and(a, this.number(of - 1)), this.number(0));
  }
  /** The least number that is not below `least` and not above `most`. */
  clamp(a: Operand, least: bigint, most: bigint): Operand {
    return this.minimum(this.maximum(a, this.number(least)), this.number(most));
  }
}
