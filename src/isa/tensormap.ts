import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import type { DataType } from '../program/data-type.js';
import { SCOPES } from '../program/placement.js';
import { BULK_ALIGNMENT } from './bulk-copy.js';
import { WEAK } from './emit-async.js';
import { type Instruction, instruction } from './instruction.js';
import { place } from './place.js';

/** tensormap.replace and tensormap.cp_fenceproxy (PTX ISA, Data Movement and Conversion Instructions). */
const ADDRESS: DataType = { kind: 'u', width: 64 };

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
    refused: Object.fromEntries(
      [
        'rank',
        'box_dim',
        'global_dim',
        'global_stride',
        'element_stride',
        'elemtype',
        'interleave_layout',
        'swizzle_mode',
        'fill_mode',
        'swizzle_atomicity',
      ].map((field) => [
        field,
        'the shape of a tile is fixed by its declaration tensormap(x, bytes); only .global_address can be replaced',
      ]),
    ),
    since: { ptx: '8.3', target: 'sm_90a' },
    /** A weak generic write of the field of the descriptor that holds the address of the tensor. */
    decode: (at, { space }) => {
      const [map, value] = at.operands;
      const address = place(at, map, space, DESCRIPTOR_BYTES, 64);
      const target = at.value(value, ADDRESS);
      if (address === undefined || target === undefined) return;
      at.require(at.of(64).isMultiple(target, BULK_ALIGNMENT), 'tensor-alignment');
      at.emit({ kind: 'store', type: ADDRESS, values: [target], address, proxy: 'generic', ...WEAK });
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
    decode: (at, { scope }) => {
      const [to, from, size] = at.operands;
      if (size?.kind !== 'number' || size.value !== BigInt(DESCRIPTOR_BYTES))
        return void at.refuse(size, 'the size is 128, the bytes of a tensor map');
      const destination = place(at, to, 'global', DESCRIPTOR_BYTES, DESCRIPTOR_BYTES);
      const source = place(at, from, 'shared::cta', DESCRIPTOR_BYTES, DESCRIPTOR_BYTES);
      if (destination !== undefined && source !== undefined)
        at.emit({ kind: 'tensormap-copy', source, destination, scope });
    },
  }),
} as const satisfies Record<string, Instruction>;
