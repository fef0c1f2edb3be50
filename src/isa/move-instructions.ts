import type { DataType, TypeName } from '../program/data-type.js';
import type { Operand } from '../program/operation.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import type { Decoder } from './decoder.js';
import { type Instruction, instruction } from './instruction.js';
import { ANY_TARGET, WORDS } from './integer-instructions.js';
import { Steps } from './steps.js';

/** mov, with its packing and unpacking of vectors (PTX ISA, Data Movement and Conversion Instructions). */
const SCALARS = ['b16', 'b32', 'b64', ...WORDS, 'f32', 'f64', 'b128', 'pred'] as const;

function decodeMove(decoder: Decoder, instruction: InstructionSyntax, qualifiers: { readonly type?: TypeName }): void {
  const type = decoder.type(qualifiers.type);
  const untyped = qualifiers.type === undefined;
  const [destination, source] = instruction.operands;
  if (source?.kind === 'vector') return decodePack(decoder, instruction, type, source.elements);
  if (destination?.kind === 'vector') return decodeUnpack(decoder, instruction, type, destination.elements);
  const target = decoder.target(destination, type, { untyped });
  const value = decoder.value(source, type, { untyped });
  if (target !== undefined && value !== undefined) new Steps(decoder, instruction).result(target, type, value);
}

/** `mov.b64 d, {a, b}`: the elements side by side, the first one lowest. */
function decodePack(
  decoder: Decoder,
  instruction: InstructionSyntax,
  type: DataType,
  elements: readonly OperandSyntax[],
): void {
  const element: DataType = { kind: 'b', width: type.width / elements.length };
  if (!isPack(decoder, instruction, type, elements.length)) return;
  const values = elements.map((operand) => decoder.value(operand, element));
  const target = decoder.target(instruction.operands[0], type);
  if (target === undefined || values.some((value) => value === undefined)) return;
  const steps = new Steps(decoder, instruction);
  steps.result(target, type, steps.of(element.width).concatenate(values as Operand[]));
}

function decodeUnpack(
  decoder: Decoder,
  instruction: InstructionSyntax,
  type: DataType,
  elements: readonly OperandSyntax[],
): void {
  const element: DataType = { kind: 'b', width: type.width / elements.length };
  const value = decoder.value(instruction.operands[1], type);
  if (!isPack(decoder, instruction, type, elements.length) || value === undefined) return;
  const steps = new Steps(decoder, instruction);
  const parts = elements.map((operand, i) =>
    operand.kind === 'sink' ? undefined : steps.of(element.width).element(value, type.width, i),
  );
  elements.forEach((operand, i) => {
    const part = parts[i];
    const target = part === undefined ? undefined : decoder.target(operand, element);
    if (target !== undefined && part !== undefined) steps.result(target, element, part);
  });
}

function isPack(decoder: Decoder, instruction: InstructionSyntax, type: DataType, elements: number): boolean {
  if (type.kind === 'b' && (elements === 2 || elements === 4) && type.width / elements >= 8) return true;
  decoder.refuse(instruction.span, 'mov packs or unpacks 2 or 4 elements of a .b type');
  return false;
}

export const MOVE_INSTRUCTIONS = {
  mov: instruction({
    slots: { type: SCALARS },
    operands: 'd, a',
    operandCount: [2, 2],
    destination: true,
    untyped: true,
    since: ANY_TARGET,
    decode: decodeMove,
  }),
} as const satisfies Record<string, Instruction>;
