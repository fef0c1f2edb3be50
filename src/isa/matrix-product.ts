import { constant, type Operand } from '../program/operation.js';
import { type Instruction, instruction, OWN_SHARED, type Since, type Slots, SYNC } from './instruction.js';
import { type InstructionDecoder, windowOf } from './instruction-decoder.js';
import { accessRegion, registersOf } from './matrix.js';
import {
  dimensionsOf,
  elementBits,
  FRAGMENT_SHAPES,
  fragmentLengths,
  MMA_SHAPES,
  registersOfFragment,
  WMMA_SHAPES,
} from './matrix-shapes.js';
import type { Qualifiers, Rule } from './qualifier-rules.js';
import { address, B32, each, result, U32, value } from './typed-operands.js';
import { together } from './warp-exchange.js';

/** wmma and mma (PTX ISA, Warp Level Matrix Instructions). */

/** Registers of fragments, of which only is known what they depend on. */
function multiplyMatrices(at: InstructionDecoder, qualifiers: object): void {
  const [destination, ...given] = at.operands;
  const lengths = fragmentLengths(at, qualifiers as unknown as Qualifiers);
  for (const [i, length] of lengths.entries()) {
    const operand = at.operands[i];
    const found = registersOf(operand).length;
    if (operand !== undefined && found !== length)
      return void at.refuse(
        operand,
        `operand ${'dabc'[i]} of ${at.mnemonic} is ${length} registers here, found ${found}`,
      );
  }
  const named = given.flatMap(registersOf).filter(({ kind }) => kind === 'name');
  const read = each(at, named, value(B32, { untyped: true }));
  const targets = each(at, registersOf(destination), result(B32, { untyped: true }));
  if (read === undefined || targets === undefined) return;
  together(at);
  leaveOpen(at, targets, read);
}

export function leaveOpen(at: InstructionDecoder, targets: readonly string[], operands: readonly Operand[]): void {
  for (const target of targets) at.emit({ kind: 'open', target, type: B32, function: undefined, operands });
}

interface FragmentQualifiers {
  readonly fragment: 'a' | 'b' | 'c' | 'd';
  readonly shape: string;
  readonly layout: 'row' | 'col';
  readonly space?: string;
  readonly type: string;
}

/** `wmma.load` and `wmma.store`: the rows, or columns, of a matrix in memory (PTX ISA, wmma.load). */
function accessFragment(
  at: InstructionDecoder,
  loads: boolean,
  { fragment, shape, layout, space, type }: FragmentQualifiers,
): void {
  const [first, second, strideOperand] = at.operands;
  const [vector, memory] = loads ? [first, second] : [second, first];
  const window = windowOf(space);
  const base = address(space).read(at, memory);
  const stride = strideOperand === undefined ? undefined : at.value(strideOperand, U32);
  const [m, n, k] = dimensionsOf(shape);
  const [rows, columns] = fragment === 'a' ? [m, k] : fragment === 'b' ? [k, n] : [m, n];
  const [lines, length] = layout === 'row' ? [rows, columns] : [columns, rows];
  const bits = elementBits(type);
  const lineBytes = Math.ceil((length * bits) / 8);
  const elements = registersOf(vector);
  const size = { a: m * k, b: k * n, c: m * n, d: m * n }[fragment];
  const registers = type === 'f16' && (fragment === 'a' || fragment === 'b') ? 8 : registersOfFragment(size, type);
  if (elements.length !== registers)
    return void at.refuse(
      vector,
      `fragment .${fragment} of .${shape} with .${type} is ${registers} registers, found ${elements.length}`,
    );
  const targets = loads ? each(at, elements, result(B32, { untyped: true })) : [];
  const values = loads ? [] : each(at, elements, value(B32, { untyped: true }));
  if (base === undefined || (strideOperand !== undefined && stride === undefined)) return;
  if (targets === undefined || values === undefined) return;
  together(at);
  const of = at.of(64);
  const word = at.of(32);
  // Which lane accesses what is not said: a load is taken to be by each of them, a store by one.
  const acts = loads ? constant(1) : word.equal(at.lane, constant(0));
  if (stride !== undefined) at.require(word.lessOrEqual(constant(length), stride), 'fragment-stride');
  const region = (from: Operand, bytes: number): void =>
    accessRegion(at, loads, { base: from, offset: 0n, window }, bytes, acts);
  const contiguous = stride === undefined || (stride.kind === 'constant' && stride.value === BigInt(length));
  const isIdle = acts.kind === 'constant' && acts.value === 0n;
  if (contiguous) region(base, lineBytes * lines);
  else if (!isIdle && stride !== undefined) {
    const step = of.shiftRight(of.multiply(word.convert(stride, 64), constant(bits)), constant(3));
    for (let line = 0; line < lines; line++) region(of.add(base, of.multiply(step, constant(line))), lineBytes);
  }
  leaveOpen(at, targets, []);
}

const SHAPES = [
  ...['m8n8k4', 'm8n8k16', 'm8n8k32', 'm8n8k128', 'm16n8k4', 'm16n8k8', 'm16n8k16', 'm16n8k32', 'm16n8k64'],
  ...['m16n8k128', 'm16n8k256', 'm16n16k16', 'm16n16k8', 'm8n32k16', 'm32n8k16'],
] as const;
const FRAGMENT_TYPES = ['f16', 'bf16', 'tf32', 'f32', 'f64', 's32', 'u8', 's8', 'u4', 's4', 'b1'] as const;
const TYPES = [...FRAGMENT_TYPES, 'e4m3', 'e5m2', 'e3m2', 'e2m3', 'e2m1'] as const;
const PRODUCT = {
  shape: SHAPES,
  layout: ['row', 'col'],
  layoutB: ['row', 'col'],
  finite: ['satfinite'],
  combination: ['xor', 'and'],
  operation: ['popc'],
  type: TYPES,
  sourceType: TYPES,
  typeB: TYPES,
  typeC: TYPES,
  kind: ['kind::f8f6f4', 'kind::mxf8f6f4', 'kind::mxf4', 'kind::mxf4nvf4'],
  metadata: ['block_scale'],
  scale: ['scale_vec::1X', 'scale_vec::2X', 'scale_vec::4X'],
  scaleType: ['ue8m0', 'ue4m3'],
} as const satisfies Slots;

/** Of products of .f64. */
const ROUNDINGS = ['rn', 'rz', 'rm', 'rp'] as const;

const SCALES: Rule = {
  rule: 'with .block_scale, and only with it, the scales of a and b stand behind the rest, each with {byte, thread}',
  broken: ({ metadata, operandCount }) => (metadata === undefined) !== operandCount <= 6,
};

/** Instructions on registers alone, by the slots of what they name; the results of none of them are known. */
const multiply = (slots: Slots, rule: Rule, since: Since): Instruction =>
  instruction({
    slots: { ...SYNC, ...slots },
    required: ['sync', 'aligned'],
    operands: 'd, a, b, c{, metadata, selector}{, scale of a, {byte, thread}, scale of b, {byte, thread}}',
    operandCount: [4, 10],
    destination: true,
    rules: [rule, SCALES],
    since,
    decode: multiplyMatrices,
  });

const fragment = (loads: boolean): Instruction =>
  instruction({
    slots: {
      fragment: loads ? (['a', 'b', 'c'] as const) : (['d'] as const),
      ...SYNC,
      layout: ['row', 'col'],
      shape: SHAPES,
      space: ['global', ...OWN_SHARED],
      type: FRAGMENT_TYPES,
    },
    required: ['fragment', 'sync', 'aligned', 'layout', 'shape', 'type'],
    operands: loads ? 'r, [p]{, stride}' : '[p], r{, stride}',
    destination: loads,
    rules: [FRAGMENT_SHAPES],
    since: { ptx: '6.0', target: 'sm_70' },
    decode: (at, qualifiers) => accessFragment(at, loads, qualifiers),
  });

export const PRODUCT_INSTRUCTIONS = {
  'wmma.load': fragment(true),
  'wmma.store': fragment(false),
  'wmma.mma': multiply({ ...PRODUCT, rounding: ROUNDINGS }, WMMA_SHAPES, { ptx: '6.0', target: 'sm_70' }),
  mma: multiply({ ...PRODUCT, rounding: ROUNDINGS }, MMA_SHAPES(false), { ptx: '6.4', target: 'sm_70' }),
  'mma.sp': multiply(PRODUCT, MMA_SHAPES(true), { ptx: '7.1', target: 'sm_80' }),
  'mma.sp::ordered_metadata': multiply(PRODUCT, MMA_SHAPES(true), { ptx: '8.5', target: 'sm_80' }),
} as const satisfies Record<string, Instruction>;
