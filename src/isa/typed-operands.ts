import { type DataType, PREDICATE } from '../program/data-type.js';
import type { Address, Operand } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { type InstructionDecoder, type Use, windowOf } from './instruction-decoder.js';
import { inOne, place as placeOf } from './place.js';

/** How the table says what an operand is: how it is read, and so what `decode` gets of it. */
export interface TypedOperand<T> {
  readonly read: (at: InstructionDecoder, operand: OperandSyntax | undefined) => T | undefined;
  /** It is written, which comes after all reading. */
  readonly writes?: true;
}

export type TypedOperands<T extends readonly unknown[]> = { readonly [I in keyof T]: TypedOperand<T[I]> };

/** Types that many instructions work on, whatever they are told. */
export const B32: DataType = { kind: 'b', width: 32 };
export const B64: DataType = { kind: 'b', width: 64 };
export const U32: DataType = { kind: 'u', width: 32 };
export const U64: DataType = { kind: 'u', width: 64 };

export const value = (type: DataType, use?: Use): TypedOperand<Operand> => ({
  read: (at, operand) => at.value(operand, type, use),
});

/** `p` or `!p`. */
export const predicate: TypedOperand<Operand> = {
  read: (at, operand) => operand && at.predicate(operand),
};

/** The register that takes a result. */
export const result = (type: DataType, use?: Use): TypedOperand<string> => ({
  read: (at, operand) => at.target(operand, type, use),
  writes: true,
});

/** `d|p`, with a predicate beside the result; of either register there may be none. */
export const resultAndPredicate = (
  type: DataType,
): TypedOperand<readonly [string | undefined, predicate: string | undefined]> => ({
  read: (at, operand) => at.pair(operand, type, PREDICATE),
  writes: true,
});

/** `[a]`: so many bytes of a state space, and where they may begin. */
export const memory = (space: string | undefined, bytes: number, alignment = bytes): TypedOperand<Address> => ({
  read: (at, operand) => placeOf(at, operand, space, bytes, alignment),
});

/** `[a]`, wherever it points. */
export const place = (space: string): TypedOperand<Address> => ({
  read: (at, operand) => at.address(operand, windowOf(space))?.address,
});

/** `[a]` as one value, wherever it points. */
export const address = (space?: string): TypedOperand<Operand> => ({
  read: (at, operand) => {
    const found = at.address(operand, windowOf(space));
    return found && inOne(at, found.address);
  },
});

/** A number of the text. */
export const literal = (isRight: (value: bigint) => boolean, expected: string): TypedOperand<bigint> => ({
  read: (at, operand) =>
    operand?.kind === 'number' && isRight(operand.value) ? operand.value : at.refuse(operand, expected),
});

/** What may be left out at the end. */
export const optional = <T>({ read }: TypedOperand<T>): TypedOperand<T | undefined> => ({
  read: (at, operand) => (operand === undefined ? undefined : read(at, operand)),
});

/** Reads operands that are all typed alike, such as the elements of a vector; undefined where one is wrong. */
export function each<T>(
  at: InstructionDecoder,
  operands: readonly (OperandSyntax | undefined)[],
  { read }: TypedOperand<T>,
): readonly T[] | undefined {
  const all = operands.map((operand) => read(at, operand));
  return all.every((one) => one !== undefined) ? all : undefined;
}

/** Reads all operands, so that every mistake is told; undefined where there is one. */
export function readOperands<T extends readonly unknown[]>(
  at: InstructionDecoder,
  typed: TypedOperands<T>,
): T | undefined {
  const told = at.decoder.diagnostics.length;
  const read: unknown[] = [];
  for (const writes of [undefined, true])
    for (const [i, operand] of typed.entries())
      if (operand.writes === writes) read[i] = operand.read(at, at.operands[i]);
  // After a mistake, and only then, there is less than what is promised.
  return at.decoder.diagnostics.length > told ? undefined : (read as unknown as T);
}
