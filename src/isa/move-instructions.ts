import type { DataType, TypeName } from '../program/data-type.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { ANY_TARGET, type Instruction, instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { WORDS } from './integer-instructions.js';
import { each, value } from './typed-operands.js';

/** mov, with its packing and unpacking of vectors (PTX ISA, Data Movement and Conversion Instructions). */
const SCALARS = ['b16', 'b32', 'b64', ...WORDS, 'f32', 'f64', 'b128', 'pred'] as const;

function decodeMove(at: InstructionDecoder, qualifiers: { readonly type?: TypeName }): void {
  const type = at.type(qualifiers.type);
  const untyped = qualifiers.type === undefined;
  const [destination, source] = at.operands;
  if (source?.kind === 'vector') return decodePack(at, type, source.elements);
  if (destination?.kind === 'vector') return decodeUnpack(at, type, destination.elements);
  const target = at.target(destination, type, { untyped });
  const moved = at.value(source, type, { untyped });
  if (target !== undefined && moved !== undefined) at.result(target, type, moved);
}

/** `mov.b64 d, {a, b}`: the elements side by side, the first one lowest. */
function decodePack(at: InstructionDecoder, type: DataType, elements: readonly OperandSyntax[]): void {
  const element: DataType = { kind: 'b', width: type.width / elements.length };
  if (!isPack(at, type, elements.length)) return;
  const values = each(at, elements, value(element));
  const target = at.target(at.operands[0], type);
  if (target !== undefined && values !== undefined) at.result(target, type, at.of(element.width).concatenate(values));
}

function decodeUnpack(at: InstructionDecoder, type: DataType, elements: readonly OperandSyntax[]): void {
  const element: DataType = { kind: 'b', width: type.width / elements.length };
  const whole = at.value(at.operands[1], type);
  if (!isPack(at, type, elements.length) || whole === undefined) return;
  const parts = elements.map((operand, i) =>
    operand.kind === 'sink' ? undefined : at.of(element.width).element(whole, type.width, i),
  );
  elements.forEach((operand, i) => {
    const part = parts[i];
    const target = part === undefined ? undefined : at.target(operand, element);
    if (target !== undefined && part !== undefined) at.result(target, element, part);
  });
}

function isPack(at: InstructionDecoder, type: DataType, elements: number): boolean {
  if (type.kind === 'b' && (elements === 2 || elements === 4) && type.width / elements >= 8) return true;
  at.refuse(undefined, 'mov packs or unpacks 2 or 4 elements of a .b type');
  return false;
}

export const MOVE_INSTRUCTIONS = {
  mov: instruction({
    slots: { type: SCALARS },
    operands: 'd, a',
    destination: true,
    untyped: true,
    since: ANY_TARGET,
    decode: decodeMove,
  }),
} as const satisfies Record<string, Instruction>;
