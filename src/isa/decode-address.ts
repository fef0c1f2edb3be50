import { type DataType, dataTypeOf, type TypeName } from '../program/data-type.js';
import { RANK_FIELD } from '../program/locations.js';
import type { ArithmeticName, Operand } from '../program/operation.js';
import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import type { Decoder } from './decoder.js';

/**
 * mapa, getctarank and cvta (PTX ISA, Data Movement and Conversion): arithmetic on addresses, whose layout is that of
 * locations.ts.
 */
interface Typed {
  readonly type: TypeName;
}
const RANK: DataType = { kind: 'u', width: 32 };
const MASK = (1n << BigInt(RANK_FIELD.width)) - 1n;
const constant = (value: bigint): Operand => ({ kind: 'constant', value });

/** The address of the same location in the shared memory of the CTA with that rank. */
export function decodeMapAddress(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Typed): void {
  const type = dataTypeOf(qualifiers.type);
  const [destination, address, rank] = instruction.operands;
  const from = decoder.value(address, type);
  const to = decoder.value(rank, RANK);
  const target = decoder.target(destination, type);
  if (from === undefined || to === undefined || target === undefined) return;
  const step = (name: ArithmeticName, into: string, operands: readonly Operand[]): Operand => {
    decoder.emit(instruction, {
      kind: 'compute',
      target: into,
      type,
      arithmetic: { name, signed: false, width: type.width, resultWidth: type.width },
      operands,
    });
    return { kind: 'register', name: into };
  };
  const temporary = (): string => decoder.temporary(type, instruction.span);
  const offset = step('and', temporary(), [
    from,
    constant(BigInt.asUintN(type.width, ~(MASK << BigInt(RANK_FIELD.shift)))),
  ]);
  const window = step('shift-left', temporary(), [to, constant(BigInt(RANK_FIELD.shift))]);
  step('or', target, [offset, window]);
}

/** The rank of the CTA whose shared memory holds an address. */
export function decodeClusterRank(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Typed): void {
  const type = dataTypeOf(qualifiers.type);
  const [destination, address] = instruction.operands;
  const from = decoder.value(address, type);
  const target = decoder.target(destination, RANK);
  if (from === undefined || target === undefined) return;
  const arithmetic = { name: 'shift-right', signed: false, width: type.width, resultWidth: RANK_FIELD.width } as const;
  decoder.emit(instruction, {
    kind: 'compute',
    target,
    type: RANK,
    arithmetic,
    operands: [from, constant(BigInt(RANK_FIELD.shift))],
  });
}

/** Generic addresses and those of the state spaces are the same numbers here: cvta changes nothing. */
export function decodeConvertAddress(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Typed): void {
  const type = dataTypeOf(qualifiers.type);
  const [destination, address] = instruction.operands;
  const value = decoder.value(address, type);
  const target = decoder.target(destination, type);
  if (value === undefined || target === undefined) return;
  decoder.emit(instruction, {
    kind: 'compute',
    target,
    type,
    arithmetic: { name: 'move', signed: false, width: type.width, resultWidth: type.width },
    operands: [value],
  });
}
