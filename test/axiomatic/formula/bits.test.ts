import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BitDomain, type Bits } from '../../../src/axiomatic/formula/bits.js';
import { evaluator, type Formula, FormulaBuilder } from '../../../src/axiomatic/formula/formula.js';
import { computeArithmetic } from '../../../src/program/integer.js';
import { operandWidth } from '../../../src/program/operand-width.js';
import { ARITHMETIC_NAMES, type Arithmetic, type ArithmeticName } from '../../../src/program/operation.js';

const width = fc.constantFrom(1, 8, 16, 32);
/** How many operands arithmetic takes, where these are not two. */
const OPERANDS: Partial<Record<ArithmeticName, number>> = {
  ...{ move: 1, not: 1, convert: 1, 'count-ones': 1, 'leading-zeros': 1, reverse: 1 },
  ...{ select: 3, 'look-up': 4 },
};
/** As many as any arithmetic takes. */
const MOST_OPERANDS = 4;

function arithmeticOf(name: ArithmeticName, bits: number, signed: boolean): Arithmetic {
  const comparison = name === 'equal' || name === 'less' || name === 'less-or-equal';
  const resultWidth = comparison
    ? 1
    : name === 'multiply-wide' || name === 'concatenate' || name === 'convert'
      ? 2 * bits
      : bits;
  return { name, signed, width: bits, resultWidth };
}

describe('the circuits of arithmetic', () => {
  for (const name of ARITHMETIC_NAMES) {
    it(`compute ${name} as the integers do, on variables and on constants`, () => {
      fc.assert(
        fc.property(
          width,
          fc.boolean(),
          fc.array(fc.oneof(fc.bigInt(0n, (1n << 32n) - 1n), fc.bigInt(0n, 40n)), {
            minLength: MOST_OPERANDS,
            maxLength: MOST_OPERANDS,
          }),
          (bits, signed, numbers) => {
            const arithmetic = arithmeticOf(name, bits, signed);
            const widths = Array.from({ length: OPERANDS[name] ?? 2 }, (_, i) => operandWidth(arithmetic, i));
            const values = widths.map((w, i) => BigInt.asUintN(w, numbers[i] ?? 0n));
            // Division is by constants other than 0.
            if (name === 'divide' && values[1] === 0n) values[1] = 1n;
            const expected = computeArithmetic(arithmetic, values);
            const builder = new FormulaBuilder();
            const domain = new BitDomain(builder);
            const constants = widths.map((w, i) => domain.constant(values[i] ?? 0n, w));
            const assignment = new Map<number, boolean>();
            const variables = widths.map((w, i): Bits => {
              if (name === 'divide' && i === 1) return constants[1] ?? [];
              return Array.from({ length: w }, (_, bit) => {
                const variable = builder.variable(`x${i}.${bit}`);
                assignment.set(variable >> 1, (((values[i] ?? 0n) >> BigInt(bit)) & 1n) === 1n);
                return variable;
              });
            });
            const read = (result: Bits): bigint =>
              result.reduce(
                (value, bit, i) =>
                  evaluator(builder, (node) => assignment.get(node) ?? false)(bit as Formula)
                    ? value | (1n << BigInt(i))
                    : value,
                0n,
              );
            expect(read(domain.compute(arithmetic, constants))).toBe(expected);
            expect(read(domain.compute(arithmetic, variables))).toBe(expected);
          },
        ),
        { numRuns: 60 },
      );
    });
  }
});
