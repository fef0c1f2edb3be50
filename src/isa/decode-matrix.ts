import type { DataType } from '../program/data-type.js';
import type { Window } from '../program/locations.js';
import { type Address, constant, type Operand, register } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { decodeAddressOf } from './decode-region.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { dimensionsOf, elementBits, fragmentLengths, registersOfFragment } from './matrix-shapes.js';
import type { Qualifiers } from './qualifier-rules.js';
import { exchanged, together } from './warp-exchange.js';

/**
 * ldmatrix, stmatrix, movmatrix, wmma and mma (PTX ISA, Warp Level Matrix Instructions). What a lane does that the test
 * does not show is done by the lowest lane that it shows; its rows then follow the first one.
 */
const WARP = 32;
const ROW_BYTES = 16;
const HALF: DataType = { kind: 'b', width: 16 };
const WORD: DataType = { kind: 'b', width: 32 };
const WEAK = { order: 'weak', scope: undefined, proxy: 'generic', volatile: false, mmio: false } as const;

/** The address of a row of a matrix: its lane gives it. */
function rowAddress(at: InstructionDecoder, base: Operand, row: number): Operand {
  const { warpLanes: lanes } = at.placement;
  const of = at.of(64);
  if (lanes === 1) return of.add(base, constant(row * ROW_BYTES));
  if (row < lanes) return exchangedAddress(at, base, row);
  return of.add(exchangedAddress(at, base, 0), constant(row * ROW_BYTES));
}

/** Addresses of shared memory have 32 bits, generic ones of it too. */
const exchangedAddress = (at: InstructionDecoder, base: Operand, lane: number): Operand =>
  at.of(32).convert(exchanged(at, at.of(64).convert(base, 32), lane), 64);

interface MatrixQualifiers {
  readonly shape: string;
  readonly number: string;
  readonly transposed?: string;
  readonly space?: string;
  readonly type: string;
}

/** Where the parts of the register of a lane lie: in which rows, and at which byte (PTX ISA, ldmatrix, figures). */
function partsOf(lane: number, matrix: number, transposed: boolean): readonly (readonly [row: number, byte: number])[] {
  const [quarter, place] = [Math.floor(lane / 4), lane % 4];
  return transposed
    ? [
        [8 * matrix + 2 * place, 2 * quarter],
        [8 * matrix + 2 * place + 1, 2 * quarter],
      ]
    : [[8 * matrix + quarter, 4 * place]];
}

export function decodeMatrixAccess(at: InstructionDecoder, qualifiers: MatrixQualifiers): void {
  const loads = at.mnemonic === 'ldmatrix';
  const [vector, memory] = loads ? at.operands : [...at.operands].reverse();
  const matrices = Number(qualifiers.number.slice(1));
  const registers = qualifiers.shape === 'm16n16' ? 2 * matrices : matrices;
  const elements = vector?.kind === 'vector' ? vector.elements : vector === undefined ? [] : [vector];
  if (elements.length !== registers)
    return void at.refuse(vector, `.${qualifiers.number} takes ${registers} registers`);
  const window: Window = 'shared::cta';
  const base = decodeAddressOf(at, memory, window);
  const values = loads ? [] : elements.map((element) => at.value(element, WORD));
  const targets = loads ? elements.map((element) => at.target(element, WORD, { sink: true })) : [];
  if (base === undefined || values.some((value) => value === undefined)) return;
  at.requireAligned(base, ROW_BYTES);
  const region = (from: number, to: number): void =>
    accessRegion(at, loads, { base, offset: BigInt(from), window }, to - from);
  const bytes = (qualifiers.shape === 'm16n16' ? 32 : 8) * ROW_BYTES * matrices;
  if (qualifiers.shape !== 'm8n8') {
    // Which lane gets which byte of these is told by figures only.
    region(0, bytes);
    for (const target of targets) if (target !== undefined) at.result(target, WORD, at.open(32));
    return;
  }
  const { lane, warpLanes: lanes } = at.placement;
  const transposed = qualifiers.transposed !== undefined;
  const own = Array.from({ length: matrices }, (_, matrix) => partsOf(lane, matrix, transposed));
  own.forEach((parts, matrix) => {
    const places = parts.map(([row, byte]) => ({ base: rowAddress(at, base, row), offset: BigInt(byte), window }));
    if (loads) loadParts(at, targets[matrix], places);
    else storeParts(at, values[matrix] as Operand, places);
  });
  // What the lanes access that the test does not show.
  if (lane > 0 || lanes === WARP) return;
  const starts = own.flat().map(([row, byte]) => row * ROW_BYTES + byte);
  for (const [from, to] of gaps(starts, transposed ? 2 : 4, bytes)) region(from, to);
}

/** The register of a lane is a word of a matrix, or two halves. */
const partOf = (places: readonly Address[]): DataType => (places.length === 1 ? WORD : HALF);

function loadParts(at: InstructionDecoder, target: string | undefined, places: readonly Address[]): void {
  const type = partOf(places);
  const taken = places.map((address) => {
    const part = at.temporary(type);
    at.emit({ kind: 'load', type, targets: [part], address, matrix: true, ...WEAK });
    return register(part);
  });
  if (target !== undefined) at.result(target, WORD, at.of(type.width).concatenate(taken));
}

function storeParts(at: InstructionDecoder, word: Operand, places: readonly Address[]): void {
  const type = partOf(places);
  places.forEach((address, i) => {
    const value = at.of(type.width).element(word, 32, i);
    at.emit({ kind: 'store', type, values: [value], address, matrix: true, ...WEAK });
  });
}

/** Bytes that a warp accesses, of which is not told which lane accesses which. */
function accessRegion(at: InstructionDecoder, loads: boolean, address: Address, bytes: number): void {
  at.emit({ kind: 'region', action: loads ? 'read' : 'write', address, bytes: constant(bytes), contents: 'open' });
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

/** `movmatrix`: halves of the words of two other lanes. */
export function decodeMoveMatrix(at: InstructionDecoder): void {
  const value = at.value(at.operands[1], WORD);
  const target = at.target(at.operands[0], WORD);
  if (value === undefined || target === undefined) return;
  const { lane } = at.placement;
  const [first, second] = [8 * (lane % 4) + Math.floor(lane / 8), 8 * (lane % 4) + 4 + Math.floor(lane / 8)];
  const half = Math.floor(lane / 4) % 2;
  const parts = [first, second].map((from) => at.of(16).element(exchanged(at, value, from), 32, half));
  at.result(target, WORD, at.of(16).concatenate(parts));
}

/** Registers of fragments, of which only is known what they depend on. */
export function decodeMultiply(at: InstructionDecoder, qualifiers: Readonly<Record<string, unknown>>): void {
  const [destination, ...given] = at.operands;
  const lengths = fragmentLengths(at, qualifiers as unknown as Qualifiers);
  for (const [i, length] of lengths.entries()) {
    const operand = at.operands[i];
    const found = operand?.kind === 'vector' ? operand.elements.length : 1;
    if (operand !== undefined && found !== length)
      return void at.refuse(
        operand,
        `operand ${'dabc'[i]} of ${at.mnemonic} is ${length} registers here, found ${found}`,
      );
  }
  const flat = (operand: OperandSyntax): readonly OperandSyntax[] =>
    operand.kind === 'vector' ? operand.elements : [operand];
  const read = given
    .flatMap(flat)
    .filter(({ kind }) => kind === 'name')
    .map((operand) => at.value(operand, WORD, { untyped: true }));
  const targets = (destination === undefined ? [] : flat(destination)).map((operand) =>
    at.target(operand, WORD, { untyped: true }),
  );
  if (read.some((value) => value === undefined) || targets.some((target) => target === undefined)) return;
  together(at);
  leaveOpen(at, targets as string[], read as Operand[]);
}

export function leaveOpen(at: InstructionDecoder, targets: readonly string[], operands: readonly Operand[]): void {
  for (const target of targets) at.emit({ kind: 'open', target, type: WORD, function: undefined, operands });
}

interface FragmentQualifiers {
  readonly fragment: 'a' | 'b' | 'c' | 'd';
  readonly shape: string;
  readonly layout: 'row' | 'col';
  readonly space?: string;
  readonly type: string;
}

/** `wmma.load` and `wmma.store`: the rows, or columns, of a matrix in memory (PTX ISA, wmma.load). */
export function decodeFragmentAccess(
  at: InstructionDecoder,
  { fragment, shape, layout, space, type }: FragmentQualifiers,
): void {
  const loads = at.qualifiers[0]?.text === 'load';
  const [first, second, strideOperand] = at.operands;
  const [vector, memory] = loads ? [first, second] : [second, first];
  const window: Window = space === undefined ? 'generic' : space === 'global' ? 'global' : 'shared::cta';
  const base = decodeAddressOf(at, memory, window);
  const stride = strideOperand === undefined ? undefined : at.value(strideOperand, { kind: 'u', width: 32 });
  const [m, n, k] = dimensionsOf(shape);
  const [rows, columns] = fragment === 'a' ? [m, k] : fragment === 'b' ? [k, n] : [m, n];
  const [lines, length] = layout === 'row' ? [rows, columns] : [columns, rows];
  const bits = elementBits(type);
  const lineBytes = Math.ceil((length * bits) / 8);
  const elements = vector?.kind === 'vector' ? vector.elements : vector === undefined ? [] : [vector];
  const size = { a: m * k, b: k * n, c: m * n, d: m * n }[fragment];
  const registers = type === 'f16' && (fragment === 'a' || fragment === 'b') ? 8 : registersOfFragment(size, type);
  if (elements.length !== registers)
    return void at.refuse(
      vector,
      `fragment .${fragment} of .${shape} with .${type} is ${registers} registers, found ${elements.length}`,
    );
  const targets = loads ? elements.map((element) => at.target(element, WORD, { untyped: true })) : [];
  const values = loads ? [] : elements.map((element) => at.value(element, WORD, { untyped: true }));
  if (base === undefined || (strideOperand !== undefined && stride === undefined)) return;
  if ([...targets, ...values].some((one) => one === undefined)) return;
  const { lane } = at.placement;
  together(at);
  // Which lane accesses what is not said: a load is taken to be by each of them, a store by one.
  const acts = loads || lane === 0;
  const of = at.of(64);
  const word = at.of(32);
  if (stride !== undefined) at.require(word.lessOrEqual(constant(length), stride), 'fragment-stride');
  const region = (from: Operand, bytes: number): void =>
    accessRegion(at, loads, { base: from, offset: 0n, window }, bytes);
  const contiguous = stride === undefined || (stride.kind === 'constant' && stride.value === BigInt(length));
  if (acts && contiguous) region(base, lineBytes * lines);
  else if (acts && stride !== undefined) {
    const step = of.shiftRight(of.multiply(word.convert(stride, 64), constant(bits)), constant(3));
    for (let line = 0; line < lines; line++) region(of.add(base, of.multiply(step, constant(line))), lineBytes);
  }
  leaveOpen(at, targets as string[], []);
}
