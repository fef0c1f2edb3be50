import type { Span } from '../diagnostics/source.js';
import { type DataType, dataTypeOf, type TypeName } from '../program/data-type.js';
import { constant, type Operand, register } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import type { Decoder } from './decoder.js';
import { fuseSteps } from './fuse-steps.js';
import { InstructionDecoder } from './instruction-decoder.js';

/**
 * Parameters of functions (PTX ISA, Device Function Parameters): each is of one thread alone and named by its
 * instructions, so that it is a register as wide as all its bytes.
 */
export interface HandedOver {
  readonly kind: 'copy';
  readonly target: string;
  /** In bits. */
  readonly width: number;
  /** Undefined: nothing is known of the value. */
  readonly source: OperandSyntax | undefined;
  readonly span: Span;
}

const bits = (width: number): DataType => ({ kind: 'b', width });

/** Copies a parameter to a function, or a result from it. */
export function decodeCopy(decoder: Decoder, { target, width, source, span }: HandedOver): void {
  const at = new InstructionDecoder(decoder, { span });
  const first = decoder.statements.length;
  const type = bits(width);
  at.hidden(target, type);
  const cell = source?.kind === 'name' && decoder.thread.cells.has(source.name);
  const value: Operand | undefined =
    source === undefined ? at.open(width) : cell ? register(source.name) : at.value(source, type, { untyped: true });
  if (value !== undefined) at.result(target, type, value);
  fuseSteps(decoder, first);
}

/** The parameter that an address names, with the place in it; undefined where it names none. */
export function cellAt(at: InstructionDecoder, operand: OperandSyntax | undefined): CellPlace | undefined {
  if (operand?.kind !== 'address' || typeof operand.base !== 'string' || operand.percent) return undefined;
  const bytes = at.decoder.thread.cells.get(operand.base);
  return bytes === undefined ? undefined : { name: operand.base, bytes, offset: operand.offset };
}

interface CellPlace {
  readonly name: string;
  readonly bytes: number;
  readonly offset: bigint;
}

/** `ld.param` and `st.param` of such a parameter: some of its bits. */
export function decodeCellAccess(
  at: InstructionDecoder,
  cell: CellPlace,
  typeName: TypeName | undefined,
  elements: readonly OperandSyntax[],
): void {
  const type = typeName === undefined ? bits(8 * cell.bytes) : dataTypeOf(typeName);
  const size = type.width / 8;
  const end = cell.offset + BigInt(size * elements.length);
  if (cell.offset < 0n || end > BigInt(cell.bytes) || cell.offset % BigInt(size) !== 0n)
    return void at.refuse(
      undefined,
      `this access leaves ${cell.name}, which has ${cell.bytes} bytes, or is not aligned in it`,
    );
  const whole = at.of(8 * cell.bytes);
  const all = at.hidden(cell.name, bits(8 * cell.bytes));
  let written = all;
  elements.forEach((element, i) => {
    const place = constant(8n * (cell.offset + BigInt(i * size)));
    if (at.mnemonic === 'ld') {
      const target = at.target(element, type, { widerAllowed: true, sink: elements.length > 1 });
      if (target !== undefined) at.result(target, type, whole.shiftRight(all, place, type.width));
      return;
    }
    const value = at.value(element, type, { widerAllowed: true });
    if (value === undefined) return;
    const ones = (1n << BigInt(type.width)) - 1n;
    const hole = constant(((1n << BigInt(8 * cell.bytes)) - 1n) ^ (ones << place.value));
    const put = whole.shiftLeft(at.of(type.width).convert(value, whole.width), place);
    written = whole.or(whole.and(written, hole), put);
  });
  // All elements at once: a result that is read again in the same instruction is the one before it.
  if (at.mnemonic !== 'ld') at.result(cell.name, bits(whole.width), written);
}
