import { decodeFragmentAccess, decodeMatrixAccess, decodeMoveMatrix, decodeMultiply } from './decode-matrix.js';
import { type Instruction, instruction, OWN_SHARED, type Since, type Slots, SYNC } from './instruction.js';
import { FRAGMENT_SHAPES, MMA_SHAPES, WMMA_SHAPES } from './matrix-shapes.js';
import type { Rule } from './qualifier-rules.js';
import { WGMMA_INSTRUCTIONS } from './wgmma.js';

/** The entries of the matrix instructions of a warp (PTX ISA, Warp Level Matrix Instructions). */
const TURING: Since = { ptx: '6.5; .m16n16, .m8n16 8.6', target: 'sm_75; .m16n16, .m8n16 sm_100a' };
const BYTES = ['b8', 'b8x16.b6x16_p32', 'b8x16.b4x16_p64'];

const matrix = (name: 'ldmatrix' | 'stmatrix'): Instruction =>
  instruction({
    slots: {
      ...SYNC,
      shape: name === 'ldmatrix' ? ['m8n8', 'm16n16', 'm8n16'] : ['m8n8', 'm16n8'],
      number: ['x1', 'x2', 'x4'],
      transposed: ['trans'],
      space: OWN_SHARED,
      type: ['b16', 'b8'],
      packed: ['b8x16'],
      source: ['b6x16_p32', 'b4x16_p64'],
    },
    required: ['sync', 'aligned', 'shape', 'number'],
    operands: name === 'ldmatrix' ? 'r, [p]' : '[p], r',
    ...(name === 'ldmatrix' ? { destination: true as const } : {}),
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
    decode: (at, qualifiers) => decodeMatrixAccess(at, { ...qualifiers, type: qualifiers.type ?? 'b8' }),
  });

/** Instructions on registers alone, by the slots of what they name; the results of none of them are known. */
const multiply = (slots: Slots, rule: Rule, since: Since): Instruction =>
  instruction({
    slots: { ...SYNC, ...slots },
    required: ['sync', 'aligned'],
    operands: 'd, a, b, c',
    operandCount: [4, 6],
    destination: true,
    rules: [rule],
    since,
    decode: decodeMultiply,
  });

const SHAPES = [
  ...['m8n8k4', 'm8n8k16', 'm8n8k32', 'm8n8k128', 'm16n8k4', 'm16n8k8', 'm16n8k16', 'm16n8k32', 'm16n8k64'],
  ...['m16n8k128', 'm16n8k256', 'm16n16k16', 'm16n16k8', 'm8n32k16', 'm32n8k16'],
] as const;
const TYPES = [
  ...['f16', 'bf16', 'tf32', 'f32', 'f64', 's32', 'u8', 's8', 'u4', 's4', 'b1'],
  ...['e4m3', 'e5m2', 'e3m2', 'e2m3', 'e2m1'],
] as const;
const FRAGMENT_TYPES = ['f16', 'bf16', 'tf32', 'f32', 'f64', 's32', 'u8', 's8', 'u4', 's4', 'b1'] as const;
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
    ...(loads ? { destination: true as const } : {}),
    rules: [FRAGMENT_SHAPES],
    since: { ptx: '6.0', target: 'sm_70' },
    decode: decodeFragmentAccess,
  });

export const MATRIX_INSTRUCTIONS = {
  ...WGMMA_INSTRUCTIONS,
  ldmatrix: matrix('ldmatrix'),
  stmatrix: matrix('stmatrix'),
  movmatrix: instruction({
    slots: { ...SYNC, shape: ['m8n8'], transposed: ['trans'], type: ['b16'] },
    required: ['sync', 'aligned', 'shape', 'transposed', 'type'],
    operands: 'd, a',
    destination: true,
    since: { ptx: '7.8', target: 'sm_75' },
    decode: decodeMoveMatrix,
  }),
  'wmma.load': fragment(true),
  'wmma.store': fragment(false),
  'wmma.mma': multiply(PRODUCT, WMMA_SHAPES, { ptx: '6.0', target: 'sm_70' }),
  mma: multiply(PRODUCT, MMA_SHAPES(false), { ptx: '6.4', target: 'sm_70' }),
  'mma.sp': multiply(PRODUCT, MMA_SHAPES(true), { ptx: '7.1', target: 'sm_80' }),
  'mma.sp::ordered_metadata': multiply(PRODUCT, MMA_SHAPES(true), { ptx: '8.5', target: 'sm_80' }),
} as const satisfies Record<string, Instruction>;
