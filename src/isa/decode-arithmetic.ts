import { type DataType, dataTypeOf, PREDICATE, type TypeName } from '../program/data-type.js';
import type { Arithmetic, ArithmeticName, Operand } from '../program/operation.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import type { Decoder } from './decoder.js';

/**
 * Register-only instructions (PTX ISA, Integer Arithmetic, Comparison and Selection, Logic and Shift, Data Movement).
 */
interface Typed {
  readonly type?: TypeName;
}

export function decodeArithmetic(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: Typed,
  name: ArithmeticName,
): void {
  const type = decoder.type(qualifiers.type);
  const untyped = qualifiers.type === undefined;
  const resultType: DataType =
    name === 'multiply-wide'
      ? { kind: type.kind, width: type.width * 2 }
      : name === 'count-ones'
        ? { kind: 'u', width: 32 }
        : type;
  const shift = name === 'shift-left' || name === 'shift-right';
  const operands = instruction.operands.slice(1).map((operand, i) => {
    if (operand.kind === 'negated')
      return type.kind === 'pred'
        ? decoder.predicate(instruction, operand)
        : decoder.refuse(operand.span, '! is for predicates');
    return decoder.value(operand, shift && i === 1 ? { kind: 'u', width: 32 } : type, { untyped });
  });
  if (name === 'divide' && (operands[1]?.kind !== 'constant' || operands[1].value === 0n)) {
    return void decoder.refuse(
      instruction.span,
      'div is supported by a constant other than 0: PTX leaves the quotient by 0 unspecified',
    );
  }
  const target = decoder.target(instruction.operands[0], resultType, { untyped });
  if (target === undefined || operands.some((operand) => operand === undefined)) return;
  const arithmetic: Arithmetic = { name, signed: type.kind === 's', width: type.width, resultWidth: resultType.width };
  decoder.emit(instruction, { kind: 'compute', target, type: resultType, arithmetic, operands: operands as Operand[] });
}

export function decodeMove(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Typed): void {
  const type = decoder.type(qualifiers.type);
  const untyped = qualifiers.type === undefined;
  const [destination, source] = instruction.operands;
  if (source?.kind === 'vector') return decodePack(decoder, instruction, type, source.elements);
  if (destination?.kind === 'vector') return decodeUnpack(decoder, instruction, type, destination.elements);
  const target = decoder.target(destination, type, { untyped });
  const value = decoder.value(source, type, { untyped });
  if (target === undefined || value === undefined) return;
  decoder.emit(instruction, { kind: 'compute', target, type, arithmetic: plain('move', type), operands: [value] });
}

/** `mov.b64 d, {a, b}`: the elements side by side, the first one lowest. */
function decodePack(
  decoder: Decoder,
  instruction: InstructionSyntax,
  type: DataType,
  elements: readonly OperandSyntax[],
): void {
  const element: DataType = { kind: 'b', width: type.width / elements.length };
  const values = elements.map((operand) => decoder.value(operand, element));
  const target = decoder.target(instruction.operands[0], type);
  if (
    !isPack(decoder, instruction, type, elements.length) ||
    target === undefined ||
    values.some((value) => value === undefined)
  )
    return;
  decoder.emit(instruction, {
    kind: 'compute',
    target,
    type,
    arithmetic: { name: 'concatenate', signed: false, width: element.width, resultWidth: type.width },
    operands: values as Operand[],
  });
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
  // The operand may be one of the targets: keep it.
  const whole = decoder.temporary(type, instruction.span);
  decoder.emit(instruction, {
    kind: 'compute',
    target: whole,
    type,
    arithmetic: plain('move', type),
    operands: [value],
  });
  elements.forEach((operand, i) => {
    if (operand.kind === 'sink') return;
    const target = decoder.target(operand, element);
    if (target === undefined) return;
    const arithmetic: Arithmetic = {
      name: 'shift-right',
      signed: false,
      width: type.width,
      resultWidth: element.width,
    };
    decoder.emit(instruction, {
      kind: 'compute',
      target,
      type: element,
      arithmetic,
      operands: [
        { kind: 'register', name: whole },
        { kind: 'constant', value: BigInt(i * element.width) },
      ],
    });
  });
}

function isPack(decoder: Decoder, instruction: InstructionSyntax, type: DataType, elements: number): boolean {
  if (type.kind === 'b' && (elements === 2 || elements === 4) && type.width / elements >= 8) return true;
  decoder.refuse(instruction.span, 'mov packs or unpacks 2 or 4 elements of a .b type');
  return false;
}

export function decodeCompare(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: {
    readonly type: TypeName;
    readonly comparison: Comparison;
    readonly combination?: 'and' | 'or' | 'xor';
  },
): void {
  const type = dataTypeOf(qualifiers.type);
  const [destination, left, right, combined] = instruction.operands;
  const a = decoder.value(left, type);
  const b = decoder.value(right, type);
  if ((qualifiers.combination === undefined) !== (combined === undefined))
    return void decoder.refuse(instruction.span, 'setp takes a fourth operand exactly with .and, .or or .xor');
  if (a === undefined || b === undefined || destination === undefined) return;
  const first =
    destination.kind === 'pair' ? destination.first : destination.kind === 'name' ? destination.name : undefined;
  if (first === undefined) return void decoder.refuse(destination.span, 'expected the predicate to write');
  const second = destination.kind === 'pair' ? destination.second : undefined;
  const result = decoder.temporary(PREDICATE, instruction.span);
  const holds = emitComparison(decoder, instruction, qualifiers.comparison, type, a, b, result);
  const predicates = combined === undefined ? undefined : decoder.predicate(instruction, combined);
  const combine = (value: string, target: string): void => {
    decoder.writes.push({
      register: target,
      type: PREDICATE,
      span: destination.span,
      widerAllowed: false,
      untyped: false,
    });
    const operands: Operand[] = [{ kind: 'register', name: value }];
    if (predicates !== undefined) operands.push(predicates);
    const name = qualifiers.combination ?? 'move';
    decoder.emit(instruction, {
      kind: 'compute',
      target,
      type: PREDICATE,
      arithmetic: plain(name, PREDICATE),
      operands,
    });
  };
  const inverse = second === undefined ? undefined : decoder.negate(instruction, holds);
  combine(holds, first);
  if (second !== undefined && inverse !== undefined) combine(inverse, second);
}

/** What setp and the branches of Dat3M compare by, as less, equal and less-or-equal; perhaps swapped, or negated. */
const COMPARISONS = {
  eq: ['equal', false, false],
  ne: ['equal', false, true],
  lt: ['less', false, false],
  le: ['less-or-equal', false, false],
  gt: ['less', true, false],
  ge: ['less-or-equal', true, false],
  lo: ['less', false, false],
  ls: ['less-or-equal', false, false],
  hi: ['less', true, false],
  hs: ['less-or-equal', true, false],
} as const satisfies Record<string, readonly [ArithmeticName, swapped: boolean, negated: boolean]>;

export type Comparison = keyof typeof COMPARISONS;

/** Emits `target = a comparison b` and gives the register that holds it. */
export function emitComparison(
  decoder: Decoder,
  instruction: InstructionSyntax,
  comparison: Comparison,
  type: DataType,
  a: Operand,
  b: Operand,
  target: string,
): string {
  const [name, swapped, isNegated] = COMPARISONS[comparison];
  const arithmetic: Arithmetic = { name, signed: type.kind === 's', width: type.width, resultWidth: 1 };
  decoder.emit(instruction, {
    kind: 'compute',
    target,
    type: PREDICATE,
    arithmetic,
    operands: swapped ? [b, a] : [a, b],
  });
  return isNegated ? decoder.negate(instruction, target) : target;
}

export function decodeSelect(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: { readonly type: TypeName },
): void {
  const type = dataTypeOf(qualifiers.type);
  const [destination, whenTrue, whenFalse, chooser] = instruction.operands;
  const a = decoder.value(whenTrue, type);
  const b = decoder.value(whenFalse, type);
  const p = chooser === undefined ? undefined : decoder.predicate(instruction, chooser);
  const target = decoder.target(destination, type);
  if (target === undefined || a === undefined || b === undefined || p === undefined) return;
  decoder.emit(instruction, { kind: 'compute', target, type, arithmetic: plain('select', type), operands: [p, a, b] });
}

export function decodeConvert(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: { readonly type: TypeName; readonly sourceType: TypeName },
): void {
  const type = dataTypeOf(qualifiers.type);
  const from = dataTypeOf(qualifiers.sourceType);
  const value = decoder.value(instruction.operands[1], from, { widerAllowed: true });
  const target = decoder.target(instruction.operands[0], type, { widerAllowed: true });
  if (target === undefined || value === undefined) return;
  decoder.emit(instruction, {
    kind: 'compute',
    target,
    type,
    arithmetic: { name: 'convert', signed: from.kind === 's', width: from.width, resultWidth: type.width },
    operands: [value],
  });
}

const plain = (name: ArithmeticName, type: DataType): Arithmetic => ({
  name,
  signed: type.kind === 's',
  width: type.width,
  resultWidth: type.width,
});
