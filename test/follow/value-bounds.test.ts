import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bounds, commonBounds, computeBounds, joinedBounds, readAs } from '../../src/follow/value-bounds.js';
import { computeArithmetic, interpretBits, truncate } from '../../src/program/integer.js';
import { operandWidth } from '../../src/program/operand-width.js';
import { ARITHMETIC_NAMES, type Arithmetic } from '../../src/program/operation.js';

const RUNS = { numRuns: 20_000, seed: 20261126 };

/** Some values of so many bits, as integers that stand for them, with one of them. */
const member = (width: number): fc.Arbitrary<{ readonly bounds: Bounds; readonly value: bigint }> =>
  fc
    .record({
      first: fc.bigInt({ min: -(1n << BigInt(width - 1)), max: (1n << BigInt(width)) - 1n }),
      step: fc.constantFrom(1n, 1n, 2n, 3n, 4n, 8n, 12n),
      count: fc.constantFrom(0n, 0n, 1n, 3n, 7n, 63n, 255n),
      at: fc.nat(255),
    })
    .map(({ first, step, count, at }) => {
      const size = 1n << BigInt(width);
      const left = step * count < size ? count : 0n;
      const value = first + step * (BigInt(at) % (left + 1n));
      return { bounds: { first, last: first + step * left, step: left === 0n ? 0n : step }, value };
    });

const holds = ({ first, last, step }: Bounds, bits: bigint, width: number): boolean => {
  const size = 1n << BigInt(width);
  return [-size, 0n, size].some((shift) => {
    const value = bits + shift;
    return value >= first && value <= last && (step === 0n ? value === first : (value - first) % step === 0n);
  });
};

const ARITHMETIC: fc.Arbitrary<Arithmetic> = fc
  .record({ name: fc.constantFrom(...ARITHMETIC_NAMES), width: fc.constantFrom(1, 8, 16, 32), signed: fc.boolean() })
  .map(({ name, width, signed }) => {
    const isCondition = ['equal', 'less', 'less-or-equal'].includes(name);
    const resultWidth = isCondition ? 1 : name === 'multiply-wide' ? 2 * width : width;
    return { name, width, signed, resultWidth };
  });

describe('what a value is bounded by', () => {
  it('holds every value that an instruction makes of values within the bounds of its operands', () => {
    let bounded = 0;
    fc.assert(
      fc.property(
        ARITHMETIC.chain((arithmetic) =>
          fc.record({
            arithmetic: fc.constant(arithmetic),
            operands: fc.tuple(...[0, 1, 2, 3].map((i) => member(operandWidth(arithmetic, i)))),
          }),
        ),
        ({ arithmetic, operands }) => {
          const made = computeBounds(
            arithmetic,
            operands.map(({ bounds }) => bounds),
          );
          if (made === undefined) return;
          bounded += 1;
          const values = operands.map(({ value }, i) => truncate(value, operandWidth(arithmetic, i)));
          const result = computeArithmetic(arithmetic, values);
          expect(holds(made, result, arithmetic.resultWidth)).toBe(true);
        },
      ),
      RUNS,
    );
    expect(bounded).toBeGreaterThan(RUNS.numRuns / 4);
  });

  it('holds the same bits, read with a sign or without', () => {
    fc.assert(
      fc.property(member(16), fc.constantFrom(8, 16), fc.boolean(), ({ bounds, value }, width, signed) => {
        const read = interpretBits(truncate(value, width), width, signed);
        const { first, last, step } = readAs(bounds, width, signed);
        expect(read >= first && read <= last && (step === 0n || (read - first) % step === 0n)).toBe(true);
      }),
      RUNS,
    );
  });

  it('holds what either has where two ways come together, and what both have where a condition holds', () => {
    fc.assert(
      fc.property(member(8), member(8), ({ bounds: a, value }, { bounds: b }) => {
        expect(holds(joinedBounds(a, b), value, 64)).toBe(true);
        const both = commonBounds(a, b);
        if (value >= b.first && value <= b.last) expect(both !== undefined && holds(both, value, 64)).toBe(true);
      }),
      RUNS,
    );
  });
});
