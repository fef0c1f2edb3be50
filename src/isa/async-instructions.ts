import type { GroupFamily } from '../program/async-operation.js';
import { SCOPES } from '../program/placement.js';
import {
  decodeAsyncCopy,
  decodeAsyncReduction,
  decodeAsyncStore,
  decodeBulkCopy,
  decodeBulkReduction,
  decodeCommitGroup,
  decodeWaitAll,
  decodeWaitGroup,
} from './decode-async.js';
import {
  decodeQueryCancel,
  decodeTensorCopy,
  decodeTensormapCopy,
  decodeTensormapReplace,
  decodeTensorReduction,
  decodeTryCancel,
} from './decode-tensor.js';
import { HOPPER, type Instruction, instruction, OWN_SHARED } from './instruction.js';
import { REDUCIBLE_TYPES, type Rule } from './qualifier-rules.js';

/** The entries of the asynchronous copies, stores and reductions, of tensor maps and of cluster launch control. */
const BYTES = 'mbarrier::complete_tx::bytes';
const OPERATIONS = ['add', 'inc', 'dec', 'min', 'max', 'and', 'or', 'xor'] as const;
const AMPERE = { ptx: '7.0', target: 'sm_80' };
const BLACKWELL = { ptx: '8.6', target: 'sm_100' };

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
    `${(REDUCIBLE_TYPES[q.operation ?? ''] ?? []).map((type) => `.${type}`).join(', ')}, or into .global memory a ` +
    'floating-point type: .add.noftz and .min .max of .f16 .bf16, .add of .f32 .f64',
  broken: ({ operation = '', type = '', space, flush }) => {
    const isHalf = type === 'f16' || type === 'bf16';
    if ((flush !== undefined) !== (isHalf && operation === 'add')) return true;
    if (space === 'global' && isHalf) return !['add', 'min', 'max'].includes(operation);
    if (space === 'global' && /^f/.test(type)) return operation !== 'add';
    return !(REDUCIBLE_TYPES[operation] ?? []).includes(type);
  },
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

const DIMENSIONS = ['1d', '2d', '3d', '4d', '5d'] as const;
const BULK_SPACES = {
  space: ['shared::cluster', 'shared::cta', 'global'],
  sourceSpace: ['global', 'shared::cta'],
} as const;
const ONE_TILE = 'a tile is one run of bytes here: .tile only';

const copy = (name: string, sizes: readonly bigint[]): Instruction =>
  instruction({
    slots: { space: OWN_SHARED, sourceSpace: ['global'] },
    required: ['space', 'sourceSpace'],
    operands: '[dst], [src], cp-size{, src-size or ignore-src}{, cache-policy}',
    cacheHints: true,
    since: AMPERE,
    decode: (at, qualifiers) => decodeAsyncCopy(at, qualifiers, name, sizes),
  });

const commitGroup = (family: GroupFamily): Instruction =>
  instruction({
    slots: {},
    operands: '',
    since: family === 'bulk' ? HOPPER : AMPERE,
    decode: (at) => decodeCommitGroup(at, family),
  });

export const ASYNC_INSTRUCTIONS = {
  'cp.async.ca': copy('cp.async.ca', [4n, 8n, 16n]),
  'cp.async.cg': copy('cp.async.cg', [16n]),
  'cp.async.commit_group': commitGroup('cp.async'),
  'cp.async.wait_group': instruction({
    slots: {},
    operands: 'N',
    since: AMPERE,
    decode: (at) => decodeWaitGroup(at, { family: 'cp.async', readsOnly: false }),
  }),
  'cp.async.wait_all': instruction({
    slots: {},
    operands: '',
    since: AMPERE,
    decode: decodeWaitAll,
  }),
  'cp.async.bulk': instruction({
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
    notYet: ['cp_mask', 'ignore_oob'],
    cacheHints: true,
    since: { ptx: '8.0; .shared::cta destination 8.6; .relaxed 9.3', target: 'sm_90' },
    decode: decodeBulkCopy,
  }),
  'cp.async.bulk.commit_group': commitGroup('bulk'),
  'cp.async.bulk.wait_group': instruction({
    slots: { reads: ['read'] },
    operands: 'N',
    since: HOPPER,
    decode: (at, { reads }) => decodeWaitGroup(at, { family: 'bulk', readsOnly: reads !== undefined }),
  }),
  'cp.async.bulk.tensor': instruction({
    slots: {
      dimension: DIMENSIONS,
      ...BULK_SPACES,
      mode: ['tile'],
      mechanism: [BYTES, 'bulk_group'],
      multicast: ['multicast::cluster'],
    },
    required: ['dimension', 'space', 'sourceSpace', 'mechanism'],
    operands: '[dst], [map, {c0, ...}], [mbar]{, ctaMask} or [map, {c0, ...}], [src]',
    operandCount: [2, 4],
    rules: [
      directions([
        ['shared::cluster', 'global', BYTES],
        ['shared::cta', 'global', BYTES],
        ['global', 'shared::cta', 'bulk_group'],
      ]),
      MULTICAST,
    ],
    refused: { im2col: ONE_TILE, 'tile::gather4': ONE_TILE, 'tile::scatter4': ONE_TILE },
    notYet: ['im2col::w', 'im2col::w::128', 'im2col_no_offs', 'cta_group::1', 'cta_group::2'],
    cacheHints: true,
    since: { ptx: '8.0; .shared::cta destination 8.6', target: 'sm_90' },
    decode: decodeTensorCopy,
  }),
  'cp.reduce.async.bulk': instruction({
    slots: {
      space: ['shared::cluster', 'global'],
      sourceSpace: ['shared::cta'],
      mechanism: [BYTES, 'bulk_group'],
      operation: OPERATIONS,
      flush: ['noftz'],
      type: ['u32', 's32', 'u64', 's64', 'b32', 'b64', 'f16', 'bf16', 'f32', 'f64'],
    },
    required: ['space', 'sourceSpace', 'mechanism', 'operation', 'type'],
    operands: '[dst], [src], size{, [mbar]}',
    rules: [
      directions([
        ['shared::cluster', 'shared::cta', BYTES],
        ['global', 'shared::cta', 'bulk_group'],
      ]),
      REDUCTION_TYPES,
      SHARED_REDUCTION_TYPES,
    ],
    cacheHints: true,
    since: HOPPER,
    decode: decodeBulkReduction,
  }),
  'cp.reduce.async.bulk.tensor': instruction({
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
    refused: { im2col_no_offs: ONE_TILE },
    cacheHints: true,
    since: HOPPER,
    decode: decodeTensorReduction,
  }),
  'st.async': instruction({
    slots: {
      order: ['weak', 'release'],
      mmio: ['mmio'],
      scope: ['gpu', 'sys'],
      space: ['shared::cluster', 'global'],
      mechanism: [BYTES],
      vector: ['v2', 'v4'],
      type: ['b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64', 'f32', 'f64'],
    },
    required: ['type'],
    defaults: { order: 'weak' },
    operands: '[a], b{, [mbar]}',
    rules: [ST_ASYNC],
    since: { ptx: '8.1; .release 8.7', target: 'sm_90; .release sm_100' },
    decode: decodeAsyncStore,
  }),
  'red.async': instruction({
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
    rules: [RED_ASYNC],
    since: { ptx: '8.1; .release 8.7', target: 'sm_90; .release sm_100' },
    decode: decodeAsyncReduction,
  }),
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
    decode: decodeTensormapReplace,
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
    decode: decodeTensormapCopy,
  }),
  'clusterlaunchcontrol.try_cancel': instruction({
    slots: {
      sync: ['async'],
      space: ['shared::cta'],
      mechanism: [BYTES],
      multicast: ['multicast::cluster::all'],
      type: ['b128'],
    },
    required: ['sync', 'mechanism', 'type'],
    operands: '[addr], [mbar]',
    since: { ...BLACKWELL, target: 'sm_100; .multicast::cluster::all sm_100a' },
    decode: decodeTryCancel,
  }),
  'clusterlaunchcontrol.query_cancel': instruction({
    slots: {
      query: ['is_canceled', 'get_first_ctaid', 'get_first_ctaid::x', 'get_first_ctaid::y', 'get_first_ctaid::z'],
      aligned: ['pred'],
      vector: ['v4'],
      type: ['b32'],
      size: ['b128'],
    },
    required: ['query', 'size'],
    operands: 'd, response',
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
    since: BLACKWELL,
    decode: decodeQueryCancel,
  }),
} as const satisfies Record<string, Instruction>;
