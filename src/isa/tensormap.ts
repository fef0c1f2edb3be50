import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import { SCOPES } from '../program/placement.js';
import { BULK_ALIGNMENT } from './bulk-copy.js';
import { WEAK } from './emit-async.js';
import { type Instruction, instruction } from './instruction.js';
import { literal, memory, U64, value } from './typed-operands.js';

/** tensormap.replace and tensormap.cp_fenceproxy (PTX ISA, Data Movement and Conversion Instructions). */
const FIXED_FIELDS = [
  ...['rank', 'box_dim', 'global_dim', 'global_stride', 'element_stride', 'elemtype', 'interleave_layout'],
  ...['swizzle_mode', 'fill_mode', 'swizzle_atomicity'],
];
const FIXED =
  'the shape of a tile is fixed by its declaration tensormap(x, bytes); only .global_address can be replaced';

export const TENSORMAP_INSTRUCTIONS = {
  'tensormap.replace': instruction({
    slots: {
      mode: ['tile'],
      field: ['global_address'],
      space: ['global', 'shared::cta'],
      size: ['b1024'],
      type: ['b64'],
    },
    required: ['mode', 'field', 'size', 'type'],
    operands: '[addr], new_val',
    refused: Object.fromEntries(FIXED_FIELDS.map((field) => [field, FIXED])),
    since: { ptx: '8.3', target: 'sm_90a' },
    /** A weak generic write of the field of the descriptor that holds the address of the tensor. */
    typed: ({ space }) => [memory(space, DESCRIPTOR_BYTES, 64), value(U64)],
    decode: (at, _, [address, target]) => {
      at.require(at.of(64).isMultiple(target, BULK_ALIGNMENT), 'tensor-alignment');
      at.emit({ kind: 'store', type: U64, values: [target], address, proxy: 'generic', ...WEAK });
    },
  }),
  'tensormap.cp_fenceproxy': instruction({
    slots: {
      space: ['global'],
      sourceSpace: ['shared::cta'],
      direction: ['tensormap::generic'],
      order: ['release'],
      scope: SCOPES,
      sync: ['sync'],
      aligned: ['aligned'],
    },
    required: ['space', 'sourceSpace', 'direction', 'order', 'scope', 'sync', 'aligned'],
    operands: '[dst], [src], 128',
    since: { ptx: '8.3', target: 'sm_90' },
    typed: () => [
      memory('global', DESCRIPTOR_BYTES),
      memory('shared::cta', DESCRIPTOR_BYTES),
      literal((size) => size === BigInt(DESCRIPTOR_BYTES), 'the size is 128, the bytes of a tensor map'),
    ],
    decode: (at, { scope }, [destination, source]) => at.emit({ kind: 'tensormap-copy', source, destination, scope }),
  }),
} as const satisfies Record<string, Instruction>;
