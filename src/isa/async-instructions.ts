import { SCOPES } from '../program/placement.js';
import type { InstructionSpec } from './instruction-spec.js';
import { REDUCIBLE_TYPES, type Rule } from './qualifier-rules.js';

/** The entries of the asynchronous copies, stores and reductions, of tensor maps and of cluster launch control. */
const BYTES = 'mbarrier::complete_tx::bytes';
const OPERATIONS = Object.keys(REDUCIBLE_TYPES);
const FLOATING = {
  f16: 'floating point is not modeled',
  bf16: 'floating point is not modeled',
  f32: 'floating point is not modeled',
  f64: 'floating point is not modeled',
};

const instruction = (
  more: Partial<InstructionSpec> & Pick<InstructionSpec, 'family' | 'slots' | 'operands' | 'operandCount'>,
): InstructionSpec => ({
  destination: false,
  rules: [],
  ptx: '8.0',
  target: 'sm_90',
  ...more,
});

const copy: InstructionSpec = instruction({
  family: 'asyncCopy',
  slots: { space: ['shared', 'shared::cta'], sourceSpace: ['global'] },
  required: ['space', 'sourceSpace'],
  operands: '[dst], [src], cp-size{, src-size or ignore-src}{, cache-policy}',
  operandCount: [3, 5],
  ptx: '7.0',
  target: 'sm_80',
});

/** From where to where a bulk copy goes, and how its end is told (PTX ISA, cp.async.bulk). */
const directions = (allowed: readonly (readonly [destination: string, source: string, mechanism: string])[]): Rule => ({
  rule: `it goes ${allowed.map(([to, from, mechanism]) => `from .${from} to .${to} with .${mechanism}`).join(', or ')}`,
  broken: (q) =>
    !allowed.some(([to, from, mechanism]) => q.space === to && q.sourceSpace === from && q.mechanism === mechanism),
});
const MULTICAST: Rule = {
  rule: '.multicast::cluster goes from .global to .shared::cluster, with the mask of CTAs as the last operand',
  broken: (q) => q.multicast === 'multicast::cluster' && (q.space !== 'shared::cluster' || q.sourceSpace !== 'global'),
};
const RELAXED_BULK: Rule = {
  rule: 'a copy with an order is .relaxed.SCOPE with the type .b128, or .weak',
  broken: (q) =>
    (q.order === 'relaxed') !== (q.scope !== undefined) || (q.order === 'relaxed') !== (q.type !== undefined),
};
const REDUCTION_TYPES: Rule = {
  rule: (q) =>
    `.${q.operation} needs a type among ` +
    `${(REDUCIBLE_TYPES[q.operation ?? ''] ?? []).map((type) => `.${type}`).join(', ')}`,
  broken: (q) => !(REDUCIBLE_TYPES[q.operation ?? ''] ?? []).includes(q.type ?? ''),
};
/** Into shared memory there are fewer (PTX ISA, cp.reduce.async.bulk). */
const SHARED_REDUCTION_TYPES: Rule = {
  rule:
    'a reduction into .shared::cluster has .add .u32 .s32 .u64, .inc .dec .u32, .min .max .u32 .s32, .and ' +
    '.or .xor .b32',
  broken: (q) => q.space === 'shared::cluster' && /64$/.test(q.type ?? '') && q.operation !== 'add',
};

const ASYNC_TYPES: Readonly<Record<string, readonly string[]>> = {
  ...REDUCIBLE_TYPES,
  min: ['u32', 's32'],
  max: ['u32', 's32'],
  and: ['b32'],
  or: ['b32'],
  xor: ['b32'],
};
const RED_ASYNC: Rule = {
  rule: (q) =>
    q.order === 'release'
      ? 'red.async.release is red.async{.mmio}.release.gpu or .sys {.global}.add with .u32, .s32, .u64 or .s64 ' +
        'and [a], b'
      : 'red.async.relaxed is red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.OP.TYPE ' +
        'with [a], b, [mbar]',
  broken: (q) =>
    q.order === 'release'
      ? q.operation !== 'add' ||
        !['u32', 's32', 'u64', 's64'].includes(q.type ?? '') ||
        !['gpu', 'sys'].includes(q.scope ?? '') ||
        q.mechanism !== undefined ||
        q.space === 'shared::cluster' ||
        q.operandCount !== 2
      : q.scope !== 'cluster' ||
        q.mechanism !== BYTES ||
        q.mmio !== undefined ||
        q.space === 'global' ||
        q.operandCount !== 3 ||
        !(ASYNC_TYPES[q.operation ?? ''] ?? []).includes(q.type ?? ''),
};
const ST_ASYNC: Rule = {
  rule: (q) =>
    q.order === 'release'
      ? 'st.async.release is st.async{.mmio}.release.gpu or .sys {.global}.TYPE with [a], b'
      : 'st.async is st.async{.weak}{{.shared::cluster}.mbarrier::complete_tx::bytes}{.v2|.v4}.TYPE with [a], b, ' +
        '[mbar] and a type of 32 or 64 bits',
  broken: (q) =>
    q.order === 'release'
      ? !['gpu', 'sys'].includes(q.scope ?? '') ||
        q.mechanism !== undefined ||
        q.vector !== undefined ||
        q.space === 'shared::cluster' ||
        q.operandCount !== 2
      : q.scope !== undefined ||
        (q.space !== undefined && q.mechanism === undefined) ||
        q.mmio !== undefined ||
        q.space === 'global' ||
        q.operandCount !== 3 ||
        !/(32|64)$/.test(q.type ?? '') ||
        (q.vector === 'v4' && /64$/.test(q.type ?? '')),
};

const DIMENSIONS = ['1d', '2d', '3d', '4d', '5d'];
const tensor = (more: Partial<InstructionSpec>): InstructionSpec =>
  instruction({
    family: 'tensorCopy',
    slots: {},
    required: ['dimension', 'space', 'sourceSpace', 'mechanism'],
    operands: '[dst], [map, {c0, ...}], [mbar]{, ctaMask} or [map, {c0, ...}], [src]',
    operandCount: [2, 4],
    ...more,
  });
const BULK_SPACES = {
  space: ['shared::cluster', 'shared::cta', 'global'],
  sourceSpace: ['global', 'shared::cta'],
} as const;

export const ASYNC_INSTRUCTIONS = {
  'cp.async.ca': copy,
  'cp.async.cg': copy,
  'cp.async.commit_group': instruction({
    family: 'group',
    slots: {},
    operands: '',
    operandCount: [0, 0],
    ptx: '7.0',
    target: 'sm_80',
  }),
  'cp.async.wait_group': instruction({
    family: 'group',
    slots: {},
    operands: 'N',
    operandCount: [1, 1],
    ptx: '7.0',
    target: 'sm_80',
  }),
  'cp.async.wait_all': instruction({
    family: 'group',
    slots: {},
    operands: '',
    operandCount: [0, 0],
    ptx: '7.0',
    target: 'sm_80',
  }),
  'cp.async.bulk': instruction({
    family: 'bulkCopy',
    slots: {
      ...BULK_SPACES,
      mechanism: [BYTES, 'bulk_group'],
      multicast: ['multicast::cluster'],
      order: ['weak', 'relaxed'],
      scope: SCOPES,
      type: ['b128'],
    },
    required: ['space', 'sourceSpace', 'mechanism'],
    operands: '[dst], [src], size{, [mbar]}{, ctaMask}',
    operandCount: [3, 5],
    rules: [
      directions([
        ['shared::cluster', 'global', BYTES],
        ['shared::cta', 'global', BYTES],
        ['shared::cluster', 'shared::cta', BYTES],
        ['global', 'shared::cta', 'bulk_group'],
      ]),
      MULTICAST,
      RELAXED_BULK,
    ],
    refused: { cp_mask: 'byte masks are not modeled' },
    ptx: '8.0; .shared::cta destination 8.6; .relaxed 9.3',
  }),
  'cp.async.bulk.commit_group': instruction({ family: 'group', slots: {}, operands: '', operandCount: [0, 0] }),
  'cp.async.bulk.wait_group': instruction({
    family: 'group',
    slots: { reads: ['read'] },
    operands: 'N',
    operandCount: [1, 1],
  }),
  'cp.async.bulk.tensor': tensor({
    slots: {
      dimension: DIMENSIONS,
      ...BULK_SPACES,
      mode: ['tile'],
      mechanism: [BYTES, 'bulk_group'],
      multicast: ['multicast::cluster'],
    },
    rules: [
      directions([
        ['shared::cluster', 'global', BYTES],
        ['shared::cta', 'global', BYTES],
        ['global', 'shared::cta', 'bulk_group'],
      ]),
      MULTICAST,
    ],
    refused: {
      im2col: 'a tile is one run of bytes here: .tile only',
      'tile::gather4': 'a tile is one run of bytes here: .tile only',
      'tile::scatter4': 'a tile is one run of bytes here: .tile only',
    },
    ptx: '8.0; .shared::cta destination 8.6',
  }),
  'cp.reduce.async.bulk': instruction({
    family: 'bulkCopy',
    slots: {
      space: ['shared::cluster', 'global'],
      sourceSpace: ['shared::cta'],
      mechanism: [BYTES, 'bulk_group'],
      operation: OPERATIONS,
      type: ['u32', 's32', 'u64', 's64', 'b32', 'b64'],
    },
    required: ['space', 'sourceSpace', 'mechanism', 'operation', 'type'],
    operands: '[dst], [src], size{, [mbar]}',
    operandCount: [3, 4],
    rules: [
      directions([
        ['shared::cluster', 'shared::cta', BYTES],
        ['global', 'shared::cta', 'bulk_group'],
      ]),
      REDUCTION_TYPES,
      SHARED_REDUCTION_TYPES,
    ],
    refused: FLOATING,
  }),
  'cp.reduce.async.bulk.tensor': tensor({
    slots: {
      dimension: DIMENSIONS,
      space: ['global'],
      sourceSpace: ['shared::cta'],
      mode: ['tile'],
      mechanism: ['bulk_group'],
      operation: OPERATIONS,
    },
    required: ['dimension', 'space', 'sourceSpace', 'mechanism', 'operation'],
    operands: '[map, {c0, ...}], [src]',
    operandCount: [2, 2],
    refused: { im2col_no_offs: 'a tile is one run of bytes here: .tile only' },
  }),
  'st.async': instruction({
    family: 'asyncStore',
    slots: {
      order: ['weak', 'release'],
      mmio: ['mmio'],
      scope: ['gpu', 'sys'],
      space: ['shared::cluster', 'global'],
      mechanism: [BYTES],
      vector: ['v2', 'v4'],
      type: ['b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64'],
    },
    required: ['type'],
    operands: '[a], b{, [mbar]}',
    operandCount: [2, 3],
    rules: [ST_ASYNC],
    refused: FLOATING,
    ptx: '8.1; .release 8.7',
    target: 'sm_90; .release sm_100',
  }),
  'red.async': instruction({
    family: 'asyncReduction',
    slots: {
      order: ['relaxed', 'release'],
      mmio: ['mmio'],
      scope: ['cluster', 'gpu', 'sys'],
      space: ['shared::cluster', 'global'],
      mechanism: [BYTES],
      operation: OPERATIONS,
      type: ['u32', 's32', 'u64', 's64', 'b32'],
    },
    required: ['order', 'operation', 'type'],
    operands: '[a], b{, [mbar]}',
    operandCount: [2, 3],
    rules: [RED_ASYNC],
    ptx: '8.1; .release 8.7',
    target: 'sm_90; .release sm_100',
  }),
  'tensormap.replace': instruction({
    family: 'tensormapReplace',
    slots: {
      mode: ['tile'],
      field: ['global_address'],
      space: ['global', 'shared::cta'],
      size: ['b1024'],
      type: ['b64'],
    },
    required: ['mode', 'field', 'size', 'type'],
    operands: '[addr], new_val',
    operandCount: [2, 2],
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
    ptx: '8.3',
    target: 'sm_90a',
  }),
  'tensormap.cp_fenceproxy': instruction({
    family: 'tensormapCopy',
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
    operandCount: [3, 3],
    ptx: '8.3',
  }),
  'clusterlaunchcontrol.try_cancel': instruction({
    family: 'tryCancel',
    slots: {
      sync: ['async'],
      space: ['shared::cta'],
      mechanism: [BYTES],
      multicast: ['multicast::cluster::all'],
      type: ['b128'],
    },
    required: ['sync', 'mechanism', 'type'],
    operands: '[addr], [mbar]',
    operandCount: [2, 2],
    ptx: '8.6',
    target: 'sm_100',
  }),
  'clusterlaunchcontrol.query_cancel': instruction({
    family: 'queryCancel',
    slots: {
      query: ['is_canceled', 'get_first_ctaid', 'get_first_ctaid::x', 'get_first_ctaid::y', 'get_first_ctaid::z'],
      aligned: ['pred'],
      vector: ['v4'],
      type: ['b32'],
      size: ['b128'],
    },
    required: ['query', 'size'],
    operands: 'd, response',
    operandCount: [2, 2],
    destination: true,
    rules: [
      {
        rule:
          'query_cancel is .is_canceled.pred.b128, .get_first_ctaid.v4.b32.b128 or ' +
          '.get_first_ctaid::{x,y,z}.b32.b128',
        broken: (q) =>
          q.query === 'is_canceled'
            ? q.aligned !== 'pred' || q.type !== undefined || q.vector !== undefined
            : q.type !== 'b32' || q.aligned !== undefined || (q.query === 'get_first_ctaid') !== (q.vector === 'v4'),
      },
    ],
    ptx: '8.6',
    target: 'sm_100',
  }),
} as const satisfies Record<string, InstructionSpec>;
