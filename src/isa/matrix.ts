import type { DataType } from '../program/data-type.js';
import { type Address, constant, type Operand, register } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { WEAK } from './emit-async.js';
import { type Instruction, instruction, OWN_SHARED, type Since, SYNC } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { address, B32, each, result, value } from './typed-operands.js';
import { exchanged } from './warp-exchange.js';

/**
 * ldmatrix, stmatrix and movmatrix (PTX ISA, Warp Level Matrix Instructions). What a lane does that the test does not
 * show is done by the lowest lane that it shows; its rows then follow the first one.
 */
const WARP = 32;
const ROW_BYTES = 16;
const HALF: DataType = { kind: 'b', width: 16 };
const TURING: Since = { ptx: '6.5; .m16n16, .m8n16 8.6', target: 'sm_75; .m16n16, .m8n16 sm_100a' };
const BYTES = ['b8', 'b8x16.b6x16_p32', 'b8x16.b4x16_p64'];

/** The registers of a fragment: in braces, or one alone. */
export const registersOf = (operand: OperandSyntax | undefined): readonly OperandSyntax[] =>
  operand?.kind === 'vector' ? operand.elements : operand === undefined ? [] : [operand];

/** A byte of a row of a matrix: a lane gives the address of the row. */
function byteOfRow(at: InstructionDecoder, base: Operand, { row, byte }: Part): Address {
  const { warpLanes: lanes } = at.placement;
  const of = at.of(64);
  const rowsOn = (from: Operand, rows: Operand): Operand =>
    of.add(from, of.multiply(at.of(32).convert(rows, 64), constant(ROW_BYTES)));
  const isShown = row.kind !== 'constant' || Number(row.value) < lanes;
  const start =
    lanes === 1
      ? rowsOn(base, row)
      : isShown
        ? exchangedAddress(at, base, row)
        : rowsOn(exchangedAddress(at, base, constant(0)), row);
  return byte.kind === 'constant'
    ? { base: start, offset: byte.value, window: 'shared::cta' }
    : { base: of.add(start, at.of(32).convert(byte, 64)), offset: 0n, window: 'shared::cta' };
}

/** Addresses of shared memory have 32 bits, generic ones of it too. */
const exchangedAddress = (at: InstructionDecoder, base: Operand, lane: Operand): Operand =>
  at.of(32).convert(exchanged(at, at.of(64).convert(base, 32), lane), 64);

/** Where a part of the register of a lane lies. */
interface Part {
  readonly row: Operand;
  readonly byte: Operand;
}

/** Where the parts of the register of the lane lie: in which rows, and at which byte (PTX ISA, ldmatrix, figures). */
function partsOf(at: InstructionDecoder, matrix: number, transposed: boolean): readonly Part[] {
  const of = at.of(32);
  const quarter = of.shiftRight(at.lane, constant(2));
  const place = of.and(at.lane, constant(3));
  const rowOf = (row: Operand): Operand => of.add(constant(8 * matrix), row);
  if (!transposed) return [{ row: rowOf(quarter), byte: of.shiftLeft(place, constant(2)) }];
  const first = of.shiftLeft(place, constant(1));
  const byte = of.shiftLeft(quarter, constant(1));
  return [first, of.add(first, constant(1))].map((row) => ({ row: rowOf(row), byte }));
}

function accessMatrix(
  at: InstructionDecoder,
  loads: boolean,
  qualifiers: { readonly shape: string; readonly number: string; readonly transposed?: string },
): void {
  const [vector, memory] = loads ? at.operands : [...at.operands].reverse();
  const matrices = Number(qualifiers.number.slice(1));
  const registers = qualifiers.shape === 'm16n16' ? 2 * matrices : matrices;
  const elements = registersOf(vector);
  if (elements.length !== registers)
    return void at.refuse(vector, `.${qualifiers.number} takes ${registers} registers`);
  const base = address('shared::cta').read(at, memory);
  const values = loads ? [] : each(at, elements, value(B32));
  const targets = loads ? elements.map((element) => at.target(element, B32, { sink: true })) : [];
  if (base === undefined || values === undefined) return;
  at.requireMultiple(base, ROW_BYTES);
  const region = (from: number, to: number): void =>
    accessRegion(at, loads, { base, offset: BigInt(from), window: 'shared::cta' }, to - from);
  const bytes = (qualifiers.shape === 'm16n16' ? 32 : 8) * ROW_BYTES * matrices;
  if (qualifiers.shape !== 'm8n8') {
    // Which lane gets which byte of these is told by figures only.
    region(0, bytes);
    for (const target of targets) if (target !== undefined) at.result(target, B32, at.open(32));
    return;
  }
  const transposed = qualifiers.transposed !== undefined;
  const own = Array.from({ length: matrices }, (_, matrix) => partsOf(at, matrix, transposed));
  own.forEach((parts, matrix) => {
    const places = parts.map((part) => byteOfRow(at, base, part));
    const word = values[matrix];
    if (word === undefined) loadParts(at, targets[matrix], places);
    else storeParts(at, word, places);
  });
  // What the lanes access that the test does not show.
  if (at.placement.warpLanes === WARP || at.placement.lane > 0) return;
  const starts = own.flat().map(({ row, byte }) => numberOf(row) * ROW_BYTES + numberOf(byte));
  for (const [from, to] of gaps(starts, transposed ? 2 : 4, bytes)) region(from, to);
}

const numberOf = (operand: Operand): number => (operand.kind === 'constant' ? Number(operand.value) : Number.NaN);

/** The register of a lane is a word of a matrix, or two halves. */
const partOf = (places: readonly Address[]): DataType => (places.length === 1 ? B32 : HALF);

function loadParts(at: InstructionDecoder, target: string | undefined, places: readonly Address[]): void {
  const type = partOf(places);
  const taken = places.map((address) => {
    const part = at.temporary(type);
    at.emit({ kind: 'load', type, targets: [part], address, matrix: true, proxy: 'generic', ...WEAK });
    return register(part);
  });
  if (target !== undefined) at.result(target, B32, at.of(type.width).concatenate(taken));
}

function storeParts(at: InstructionDecoder, word: Operand, places: readonly Address[]): void {
  const type = partOf(places);
  places.forEach((address, i) => {
    const value = at.of(type.width).element(word, 32, i);
    at.emit({ kind: 'store', type, values: [value], address, matrix: true, proxy: 'generic', ...WEAK });
  });
}

/** Bytes that a warp accesses, of which is not told which lane accesses which; `acts`: whether the own one does. */
export function accessRegion(
  at: InstructionDecoder,
  loads: boolean,
  address: Address,
  bytes: number,
  acts: Operand = constant(1),
): void {
  const action = loads ? 'read' : 'write';
  at.emitWhere(acts, { kind: 'region', action, address, bytes: constant(bytes), contents: 'open' });
}

/** The bytes between parts of a size, up to an end. */
function gaps(parts: readonly number[], size: number, end: number): readonly (readonly [number, number])[] {
  const sorted = [...parts].sort((a, b) => a - b);
  const starts = [0, ...sorted.map((part) => part + size)];
  return starts.flatMap((from, i) => {
    const to = sorted[i] ?? end;
    return to > from ? [[from, to] as const] : [];
  });
}

function matrix(name: 'ldmatrix' | 'stmatrix'): Instruction {
  const loads = name === 'ldmatrix';
  return instruction({
    slots: {
      ...SYNC,
      shape: loads ? ['m8n8', 'm16n16', 'm8n16'] : ['m8n8', 'm16n8'],
      number: ['x1', 'x2', 'x4'],
      transposed: ['trans'],
      space: OWN_SHARED,
      type: ['b16', 'b8'],
      packed: ['b8x16'],
      source: ['b6x16_p32', 'b4x16_p64'],
    },
    required: ['sync', 'aligned', 'shape', 'number'],
    operands: loads ? 'r, [p]' : '[p], r',
    destination: loads,
    rules: [
      {
        rule: `${name} is .m8n8 with .b16, or of other shapes with ${BYTES.map((type) => `.${type}`).join(', ')}`,
        broken: (q) => {
          const packed = q.packed !== undefined || q.source !== undefined;
          if (packed && (q.packed === undefined || q.source === undefined || q.type !== undefined)) return true;
          if (!packed && q.type === undefined) return true;
          if (q.shape === 'm8n8') return packed || q.type !== 'b16';
          if (q.shape === 'm16n8') return packed || q.type !== 'b8' || q.transposed === undefined;
          if (q.shape === 'm16n16') return q.transposed === undefined || q.number === 'x4' || q.type === 'b16';
          return !packed || q.transposed !== undefined;
        },
      },
    ],
    since: TURING,
    decode: (at, qualifiers) => accessMatrix(at, loads, qualifiers),
  });
}

export const MATRIX_INSTRUCTIONS = {
  ldmatrix: matrix('ldmatrix'),
  stmatrix: matrix('stmatrix'),
  /** Halves of the words of two other lanes. */
  movmatrix: instruction({
    slots: { ...SYNC, shape: ['m8n8'], transposed: ['trans'], type: ['b16'] },
    required: ['sync', 'aligned', 'shape', 'transposed', 'type'],
    operands: 'd, a',
    destination: true,
    since: { ptx: '7.8', target: 'sm_75' },
    typed: () => [result(B32), value(B32)],
    decode: (at, _, [target, given]) => {
      const of = at.of(32);
      const [eighth, place] = [of.shiftRight(at.lane, constant(3)), of.and(at.lane, constant(3))];
      const first = of.add(of.shiftLeft(place, constant(3)), eighth);
      const start = of.shiftLeft(of.and(of.shiftRight(at.lane, constant(2)), constant(1)), constant(4));
      const parts = [first, of.add(first, constant(4))].map((from) =>
        of.shiftRight(exchanged(at, given, from), start, HALF.width),
      );
      at.result(target, B32, at.of(16).concatenate(parts));
    },
  }),
} as const satisfies Record<string, Instruction>;
