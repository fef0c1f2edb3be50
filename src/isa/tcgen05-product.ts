import { constant, type Operand } from '../program/operation.js';
import { WORD_BYTES } from '../program/tensor-memory.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import type { DecodedThread } from './decoder.js';
import { type Instruction, instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { readMatrix } from './matrix-descriptors.js';
import type { Rule } from './qualifier-rules.js';
import { accessAllLanes, BLACKWELL, GROUP, groupOf, PARTS, requireOneGroup, tensorAddress } from './tcgen05.js';
import { B32, B64 } from './typed-operands.js';

/** tcgen05.mma, cp and shift: what they access in tensor memory and, by the async proxy, in shared memory (9.7.18). */

/** A row of A or B has so many bytes in one instruction, whatever the type; in tensor memory it has 8 columns. */
const ROW_BYTES = 32;
const ROW_COLUMNS = constant(8);
/** Scales and the metadata of sparse matrices; how many columns these have is not said, and no test tells apart. */
const SIDE_COLUMNS = constant(4);
/** Where the instruction descriptor says M/16 and N/8, and which matrices are transposed (PTX ISA, tcgen05). */
const SIZES = { m: 24, n: 17, mBits: 31, nBits: 63, majorOfA: 15, majorOfB: 16 } as const;
/** What a descriptor of 0 stands for in a test: the largest M, and the smallest N. */
const LARGEST_M = 128;
const SMALLEST_N = 8;

/** By kind: how wide an element is in shared memory. */
const ELEMENT_BITS: Readonly<Record<string, number>> = {
  ...{ 'kind::f16': 16, 'kind::tf32': 32, 'kind::f8f6f4': 8, 'kind::i8': 8 },
  ...{ 'kind::mxf8f6f4': 8, 'kind::mxf4': 4, 'kind::mxf4nvf4': 4 },
};

interface ProductQualifiers {
  readonly group: string;
  readonly kind: string;
  readonly metadata?: string;
  readonly sparsity?: string;
  readonly ashift?: string;
}

/** The operands of mma, sorted; undefined after an error. */
interface ProductOperands {
  readonly d: OperandSyntax;
  readonly a: OperandSyntax;
  readonly b: OperandSyntax;
  readonly metadata: OperandSyntax | undefined;
  readonly descriptor: OperandSyntax;
  readonly scales: readonly OperandSyntax[];
  readonly mask: OperandSyntax | undefined;
  readonly enable: OperandSyntax;
  /** A factor of the accumulator, or for `.ws` a mask of columns. */
  readonly last: OperandSyntax | undefined;
}

function sortOperands(
  { operands }: InstructionDecoder,
  { metadata, sparsity }: ProductQualifiers,
): ProductOperands | undefined {
  const rest = [...operands];
  const [d, a, b] = rest.splice(0, 3);
  const sparse = sparsity === undefined ? undefined : rest.shift();
  const descriptor = rest.shift();
  const scales = metadata === undefined ? [] : rest.splice(0, 2);
  const mask = rest[0]?.kind === 'vector' ? rest.shift() : undefined;
  const [enable, last, ...surplus] = rest;
  if (d === undefined || a === undefined || b === undefined || descriptor === undefined || enable === undefined)
    return undefined;
  if (surplus.length > 0 || (metadata !== undefined && (mask !== undefined || last !== undefined))) return undefined;
  const inMemory = [d, ...(sparsity === undefined ? [] : [sparse]), ...scales];
  const inRegisters = [b, descriptor, enable, last];
  if (inMemory.some((one) => one?.kind !== 'address') || inRegisters.some((one) => one?.kind === 'address'))
    return undefined;
  return { d, a, b, metadata: sparse, descriptor, scales, mask, enable, last };
}

const FORM =
  '[d], a-desc or [a], b-desc{, [sp-meta]}, i-desc{, [scale-a], [scale-b]}{, {masks}}, enable-input-d{, last}';
/** Factors of the accumulator go with these kinds (ptxas 13.0 takes .kind::i8 as well). */
const SCALED_KINDS = ['kind::f16', 'kind::tf32', 'kind::i8'];

function checkOperands(
  at: InstructionDecoder,
  { a, mask, last }: ProductOperands,
  { group, kind, ashift }: ProductQualifiers,
  isWeightStationary: boolean,
): boolean {
  const wrong = (operand: OperandSyntax, message: string): false => {
    at.refuse(operand, message);
    return false;
  };
  if (ashift !== undefined && a.kind !== 'address') return wrong(a, '.ashift goes with A in tensor memory');
  const masks = 4 * groupOf(group);
  if (mask !== undefined && (isWeightStationary || mask.kind !== 'vector' || mask.elements.length !== masks))
    return wrong(mask, `the lanes that are not written are masked by ${masks} registers, not with .ws`);
  if (last === undefined || isWeightStationary) return true;
  if (last.kind !== 'number' || last.value < 0n || last.value > 15n || !SCALED_KINDS.includes(kind))
    return wrong(last, 'the accumulator is scaled by a number from 0 to 15, with .kind::f16, tf32 and i8');
  return true;
}

/** `tcgen05.mma`; `isWeightStationary`: `tcgen05.mma.ws`. */
function multiply(at: InstructionDecoder, qualifiers: ProductQualifiers, isWeightStationary: boolean): void {
  const sorted = sortOperands(at, qualifiers);
  if (sorted === undefined) return void at.refuse(undefined, `the operands are ${FORM}`);
  if (!checkOperands(at, sorted, qualifiers, isWeightStationary)) return;
  const { group, kind, sparsity } = qualifiers;
  const d = tensorAddress(at, sorted.d);
  const inTensorMemory = sorted.a.kind === 'address';
  const a = inTensorMemory ? tensorAddress(at, sorted.a) : at.value(sorted.a, B64);
  const b = at.value(sorted.b, B64);
  const sizes = at.value(sorted.descriptor, B32);
  const sides = [sorted.metadata, ...sorted.scales].flatMap((one) =>
    one === undefined ? [] : [tensorAddress(at, one)],
  );
  if (sorted.mask?.kind === 'vector') for (const one of sorted.mask.elements) at.value(one, B32);
  if (isWeightStationary && sorted.last !== undefined) at.value(sorted.last, B64);
  if (sorted.enable.kind !== 'number') at.predicate(sorted.enable);
  if (d === undefined || a === undefined || b === undefined || sizes === undefined) return;
  if (sides.includes(undefined)) return;
  requireOneGroup(at);
  const ctas = groupOf(group);
  const rows = sizeIn(at, sizes, SIZES.m, SIZES.mBits, 4, LARGEST_M * ctas);
  const columns = sizeIn(at, sizes, SIZES.n, SIZES.nBits, 3, SMALLEST_N);
  const of = at.of(32);
  const rowsOfOne = ctas === 1 ? rows : of.shiftRight(rows, constant(1));
  const use = { instruction: 'mma', group: ctas, dataKind: kind } as const;
  const operand = { ...use, role: 'operand', action: 'read' } as const;
  if (inTensorMemory) accessAllLanes(at, a, { ...operand, columns: ROW_COLUMNS });
  // Scales of B come last, one for each of its rows, 32 to a column.
  const scalesOfB = sorted.scales.length > 0 ? sides.length - 1 : undefined;
  const ofB = of.shiftRight(of.add(columns, constant(31)), constant(5));
  for (const [i, side] of (sides as Operand[]).entries())
    accessAllLanes(at, side, { ...operand, columns: i === scalesOfB ? ofB : SIDE_COLUMNS });
  // Of a pair of CTAs each holds half of both matrices.
  const columnsOfOne = ctas === 1 ? columns : of.shiftRight(columns, constant(1));
  const bits = ELEMENT_BITS[kind] ?? 8;
  const read = (descriptor: Operand, extent: Operand, rowBytes: number, majorBit: number, rank: number): void => {
    const isTransposed = at.of(1).element(sizes, 32, majorBit);
    const shape = { extent, depth: (8 * rowBytes) / bits, bits, isTransposed };
    readMatrix(at, descriptor, of.multiply(extent, constant(rowBytes)), `tcgen05.cta_group::${ctas}`, { rank, shape });
  };
  for (const rank of ranksOf(at.decoder.thread, ctas)) {
    if (!inTensorMemory) read(a, rowsOfOne, ROW_BYTES, SIZES.majorOfA, rank);
    read(b, columnsOfOne, ROW_BYTES * (sparsity === undefined ? 1 : 2), SIZES.majorOfB, rank);
  }
  const ofPair = ctas === 1 ? {} : { rows };
  accessAllLanes(at, d, { ...use, role: 'accumulator', action: 'write', columns, ...ofPair });
}

/** A size that the instruction descriptor holds, divided by a power of 2; where it holds 0, one given here. */
function sizeIn(
  at: InstructionDecoder,
  sizes: Operand,
  from: number,
  mask: number,
  shift: number,
  otherwise: number,
): Operand {
  const of = at.of(32);
  const field = of.and(of.shiftRight(sizes, constant(from)), constant(mask));
  return of.select(of.equal(field, constant(0)), constant(otherwise), of.shiftLeft(field, constant(shift)));
}

/** The own CTA and, if the group has two and the test shows it, its peer. */
function ranksOf({ placement, tensorMemory }: DecodedThread, group: 1 | 2): readonly number[] {
  return (tensorMemory?.ofGroup(placement, group) ?? []).map(({ rank }) => rank);
}

/** What `tcgen05.cp` copies, by its shape: rows of shared memory, columns of 4 bytes each (PTX ISA, tcgen05.cp). */
const COPIES: Readonly<Record<string, { readonly rows: number; readonly columns: number }>> = {
  '128x256b': { rows: 128, columns: 8 },
  '4x256b': { rows: 4, columns: 8 },
  '128x128b': { rows: 128, columns: 4 },
  '64x128b': { rows: 64, columns: 4 },
  '32x128b': { rows: 32, columns: 4 },
};

const PLAIN_KINDS = ['kind::f16', 'kind::tf32', 'kind::f8f6f4', 'kind::i8'] as const;
/** How many scales a kind with .block_scale may have to a row. */
const SCALES: Readonly<Record<string, readonly string[]>> = {
  'kind::mxf8f6f4': ['scale_vec::1X', 'block32'],
  'kind::mxf4': ['scale_vec::2X', 'block32'],
  'kind::mxf4nvf4': ['scale_vec::2X', 'scale_vec::4X', 'block16', 'block32'],
};
const uses = (buffers: readonly string[]): readonly string[] =>
  buffers.flatMap((buffer) => ['fill', 'use', 'lastuse', 'discard'].map((use) => `collector::${buffer}::${use}`));

const KIND_WITH_SCALES: Rule = {
  rule: (q) =>
    q.kind !== undefined && q.kind in SCALES
      ? `.${q.kind} goes with .block_scale, and with ${SCALES[q.kind]?.map((one) => `.${one}`).join(' or ')}`
      : `.${q.kind} has no scales`,
  broken: ({ kind = '', metadata, scale }) => {
    const scales = SCALES[kind];
    if (scales === undefined) return metadata !== undefined || scale !== undefined;
    return metadata === undefined || (scale === undefined ? kind === 'kind::mxf4nvf4' : !scales.includes(scale));
  },
};
const SHIFTED_A: Rule = {
  rule: '.ashift goes with kinds without scales, and with neither .collector::a::fill nor .collector::a::use',
  broken: (q) => q.ashift !== undefined && ((q.kind ?? '') in SCALES || /::(fill|use)$/.test(q.collector ?? '')),
};
const PRODUCT = 'd, a, b{, [sp-meta]}, i-desc{, [scale-a], [scale-b]}{, mask}, enable-input-d{, last}';

export const TENSOR_PRODUCT_INSTRUCTIONS = {
  'tcgen05.cp': instruction({
    slots: {
      ...GROUP,
      shape: ['128x256b', '4x256b', '128x128b', '64x128b', '32x128b'],
      multicast: ['warpx2::02_13', 'warpx2::01_23', 'warpx4'],
      packed: ['b8x16'],
      source: ['b6x16_p32', 'b4x16_p64'],
    },
    required: ['group', 'shape'],
    operands: '[taddr], s-desc',
    rules: [
      {
        rule: '.64x128b goes with .warpx2, .32x128b with .warpx4, other shapes with neither; formats come in two',
        broken: (q) => {
          const wanted = { '64x128b': 'warpx2', '32x128b': 'warpx4' }[q.shape ?? ''];
          const isWrong = wanted === undefined ? q.multicast !== undefined : q.multicast?.startsWith(wanted) !== true;
          return isWrong || (q.packed === undefined) !== (q.source === undefined);
        },
      },
    ],
    since: BLACKWELL,
    decode: (at, { group, shape }) => {
      const [to, from] = at.operands;
      if (to?.kind !== 'address' || from?.kind === 'address')
        return void at.refuse(undefined, 'tcgen05.cp goes from a matrix descriptor to [tensor memory]');
      const address = tensorAddress(at, to);
      const descriptor = at.value(from, B64);
      if (address === undefined || descriptor === undefined) return;
      requireOneGroup(at);
      const { rows, columns } = COPIES[shape] ?? { rows: 1, columns: 4 };
      const depth = WORD_BYTES * columns;
      const matrix = { extent: constant(rows), depth, bits: 8, isTransposed: constant(0) };
      const ctas = groupOf(group);
      for (const rank of ranksOf(at.decoder.thread, ctas))
        readMatrix(at, descriptor, rows * depth, `tcgen05.cta_group::${ctas}`, { rank, shape: matrix });
      const written = { instruction: 'cp', group: ctas, shape, action: 'write', columns: constant(columns) } as const;
      accessAllLanes(at, address, written);
    },
  }),
  /** Rows move down by one, 32 bytes of each; to the order of accesses, one write of all of them. */
  'tcgen05.shift': instruction({
    slots: { ...GROUP, direction: ['down'] },
    required: ['group', 'direction'],
    operands: '[taddr]',
    since: BLACKWELL,
    decode: (at, { group }) => {
      const [memory] = at.operands;
      if (memory?.kind !== 'address') return void at.refuse(undefined, 'tcgen05.shift takes [tensor memory]');
      const address = tensorAddress(at, memory);
      if (address === undefined) return;
      requireOneGroup(at);
      const of = at.of(32);
      const lane = of.and(of.shiftRight(address, constant(PARTS.lane)), constant(31));
      at.require(of.equal(lane, constant(0)), 'tensor-memory-lane');
      const written = { instruction: 'shift', group: groupOf(group), action: 'write', columns: ROW_COLUMNS } as const;
      accessAllLanes(at, address, written);
    },
  }),
  'tcgen05.mma': instruction({
    slots: {
      ...GROUP,
      sparsity: ['sp'],
      kind: [...PLAIN_KINDS, ...Object.keys(SCALES)],
      metadata: ['block_scale'],
      scale: [...new Set(Object.values(SCALES).flat())],
      ashift: ['ashift'],
      collector: uses(['a']),
    },
    required: ['group', 'kind'],
    operands: PRODUCT,
    rules: [KIND_WITH_SCALES, SHIFTED_A],
    since: BLACKWELL,
    decode: (at, qualifiers) => multiply(at, qualifiers, false),
  }),
  'tcgen05.mma.ws': instruction({
    slots: {
      group: ['cta_group::1'],
      sparsity: ['sp'],
      kind: PLAIN_KINDS,
      collector: uses(['b0', 'b1', 'b2', 'b3']),
    },
    required: ['group', 'kind'],
    operands: PRODUCT,
    operandCount: [5, 7],
    since: BLACKWELL,
    decode: (at, qualifiers) => multiply(at, qualifiers, true),
  }),
} as const satisfies Record<string, Instruction>;
