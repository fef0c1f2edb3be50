import { ATOMIC_OPERATIONS, type Proxy } from '../program/operation.js';
import { SCOPES } from '../program/placement.js';
import { decodeLoad, decodeStore } from './decode-access.js';
import { decodeAtomic } from './decode-atomic.js';
import { decodeHint, decodePolicy, decodePrefetch } from './decode-hints.js';
import { decodeBulkStore, decodeDiscard } from './decode-region.js';
import { FERMI, FLOATS, HOPPER, type Instruction, instruction, SHARED, type Since, type Slots } from './instruction.js';
import {
  ATOM_TYPES,
  MMIO_FORM,
  MMIO_SPACE,
  PRIVATE_SPACES,
  READ_ONLY_PATH,
  type Rule,
  STRONG_HAS_SCOPE,
  VOLATILE_ALONE,
  WEAK_HAS_NO_SCOPE,
} from './qualifier-rules.js';

/** The entries of ld, st, atom and red, and of the words that Dat3M and nvlitmus have for the legacy proxies. */
const SCALARS = [
  ...(['b8', 'b16', 'b32', 'b64', 'u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64'] as const),
  ...(['f32', 'f64', 'b128'] as const),
] as const;
const VECTORS = ['v2', 'v4', 'v8'] as const;
const RULES = [
  WEAK_HAS_NO_SCOPE,
  VOLATILE_ALONE,
  STRONG_HAS_SCOPE,
  MMIO_FORM,
  MMIO_SPACE,
  PRIVATE_SPACES,
  READ_ONLY_PATH,
];
/** What loads and stores have in common. */
const ACCESS = {
  defaults: { order: 'weak' },
  rules: RULES,
  cacheHints: true,
  untyped: true,
  advised: 'access',
} as const;
const CANNOT_RELEASE = 'a load can acquire, it cannot release';
const CANNOT_ACQUIRE = 'a store can release, it cannot acquire';

const load = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ACCESS,
    slots: {
      order: ['weak', 'relaxed', 'acquire', 'volatile'],
      mmio: ['mmio'],
      scope: SCOPES,
      space: ['global', ...SHARED, 'const', 'local', 'param', 'param::entry', 'param::func'],
      readOnly: ['nc', 'proxy::readonly'],
      unified: ['unified'],
      cache: ['ca', 'cg', 'cs', 'lu', 'cv'],
      vector: VECTORS,
      type: SCALARS,
    },
    operands: 'd, [a]',
    destination: true,
    refused: {
      release: CANNOT_RELEASE,
      acq_rel: CANNOT_RELEASE,
      sc: 'PTX has fence.sc; an access is at most .acquire',
    },
    since,
    decode: (at, qualifiers) => decodeLoad(at, qualifiers, proxy),
  });

const store = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ACCESS,
    slots: {
      order: ['weak', 'relaxed', 'release', 'volatile'],
      mmio: ['mmio'],
      scope: SCOPES,
      space: ['global', ...SHARED, 'local', 'param', 'param::func'],
      cache: ['wb', 'cg', 'cs', 'wt'],
      vector: VECTORS,
      type: SCALARS,
    },
    operands: '[a], b',
    refused: {
      acquire: CANNOT_ACQUIRE,
      acq_rel: CANNOT_ACQUIRE,
      sc: 'PTX has fence.sc; an access is at most .release',
      const: 'constant memory is written by the host only',
      'param::entry': 'the parameters of a kernel are read only',
    },
    since,
    decode: (at, qualifiers) => decodeStore(at, qualifiers, proxy),
  });

/** A load through the read-only path, whose address is the same for all lanes (PTX ISA, ldu). */
const uniformLoad = instruction({
  defaults: { order: 'weak', readOnly: 'ldu' },
  slots: { order: ['weak'], readOnly: ['ldu'], space: ['global'], vector: ['v2', 'v4'], type: SCALARS },
  required: ['type'],
  operands: 'd, [a]',
  destination: true,
  since: FERMI,
  decode: (at, qualifiers) => decodeLoad(at, qualifiers, 'generic'),
});

const NOTHING_ACQUIRED = 'it returns nothing that could be acquired';
const ATOMIC_REFUSED = {
  weak: 'atomic operations are always strong',
  sc: 'PTX has fence.sc; an atomic is at most .acq_rel',
  volatile: 'atomic operations take no .volatile',
};
const ATOMIC = {
  required: ['operation'],
  // PTX ISA, atom and red.
  defaults: { order: 'relaxed', scope: 'gpu' },
  rules: [ATOM_TYPES],
  cacheHints: true,
  untyped: true,
  advised: 'access',
} as const;

const atomic = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ATOMIC,
    slots: {
      order: ['relaxed', 'acquire', 'release', 'acq_rel'],
      scope: SCOPES,
      space: ['global', ...SHARED],
      operation: ATOMIC_OPERATIONS,
      flush: ['noftz'],
      vector: VECTORS,
      type: ['b16', 'b32', 'b64', 'b128', 'u32', 'u64', 's32', 's64', ...FLOATS],
    },
    operands: 'd, [a], b{, c}',
    destination: true,
    refused: ATOMIC_REFUSED,
    since,
    decode: (at, qualifiers) => decodeAtomic(at, qualifiers, proxy, false),
  });

const reduction = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ATOMIC,
    slots: {
      order: ['relaxed', 'release'],
      scope: SCOPES,
      space: ['global', ...SHARED],
      operation: ['add', 'sub', 'inc', 'dec', 'min', 'max', 'and', 'or', 'xor'],
      flush: ['noftz'],
      vector: VECTORS,
      type: ['b32', 'b64', 'u32', 'u64', 's32', 's64', ...FLOATS],
    },
    // As published tests have it; nothing is acquired there either (8.8, 8.11.1).
    untypedOrders: ['acquire', 'acq_rel'],
    operands: '[a], b',
    refused: {
      ...ATOMIC_REFUSED,
      acquire: NOTHING_ACQUIRED,
      acq_rel: NOTHING_ACQUIRED,
      cas: 'use atom',
      exch: 'use atom',
    },
    since,
    decode: (at, qualifiers) => decodeAtomic(at, qualifiers, proxy, true),
  });

/** Hints about caches, which neither change a value nor order anything (PTX ISA, prefetch, applypriority). */
const hint = (slots: Slots, operands: string, since: Since): Instruction =>
  instruction({ slots, operands, since, decode: decodeHint });
const LEVELS = ['L1', 'L2', 'L2::evict_last', 'L2::evict_normal'] as const;
const EVICTION = [
  ...(['L2::evict_last', 'L2::evict_normal', 'L2::evict_first', 'L2::evict_unchanged'] as const),
] as const;
/** A policy for caches, 64 bits of which nothing is known. */
const policy = (operands: string, slots: Slots): Instruction =>
  instruction({
    slots: { level: EVICTION, mode: EVICTION, ...slots, type: ['b64'] },
    required: ['level', 'type'],
    operands,
    destination: true,
    since: { ptx: '7.4', target: 'sm_80' },
    decode: decodePolicy,
  });

/** Accesses to all replicas of a location on several devices, of which a test has one (PTX ISA, multimem). */
const MULTIMEM = { ptx: '8.1', target: 'sm_90' };
const REPLICATED_TYPES: Readonly<Record<string, readonly string[]>> = {
  add: ['u32', 's32', 'u64', 'f32', 'f64', 'f16x2', 'bf16x2'],
  min: ['u32', 's32', 'u64', 's64', 'f16x2', 'bf16x2'],
  max: ['u32', 's32', 'u64', 's64', 'f16x2', 'bf16x2'],
  and: ['b32', 'b64'],
  or: ['b32', 'b64'],
  xor: ['b32', 'b64'],
};
const HALF_TYPES = ['f16', 'bf16', 'f16x2', 'bf16x2'];
const REPLICATED_FORMS: Rule = {
  rule: (q) =>
    `multimem has no .${q.operation} of .${q.type}${q.vector === undefined ? '' : ` with .${q.vector}`}; vectors ` +
    'are of floating-point numbers, up to 128 bits, and .acc::f32 goes with .add of 16 bits',
  broken: (q) => {
    const [operation, type] = [q.operation ?? '', q.type ?? ''];
    const isHalf = HALF_TYPES.includes(type);
    if (q.accumulator !== undefined && (operation !== 'add' || !isHalf || q.accumulator !== 'acc::f32')) return true;
    const known = (REPLICATED_TYPES[operation] ?? []).includes(type);
    if (q.vector === undefined) return !known;
    const elements = Number(q.vector.slice(1));
    const bits = type.endsWith('16') ? 16 : 32;
    const isVector = (isHalf && operation in { add: 0, min: 0, max: 0 }) || (operation === 'add' && type === 'f32');
    return !isVector || elements * bits > 128;
  },
};
const REPLICATED_PLACE = {
  scope: SCOPES,
  space: ['global'],
  vector: VECTORS,
  type: ['b32', 'b64', 'u32', 'u64', 's32', 's64', ...FLOATS],
} as const;
const REPLICATED = { ...REPLICATED_PLACE, operation: ['add', 'min', 'max', 'and', 'or', 'xor'] } as const;

export const ACCESS_INSTRUCTIONS = {
  ld: load('generic', {
    ptx: '1.0; .relaxed, .acquire 6.0; .mmio 8.2; .mmio.acquire 9.3; .proxy::readonly 9.4',
    target: 'sm_10; .relaxed, .acquire sm_70',
  }),
  st: store('generic', {
    ptx: '1.0; .relaxed, .release 6.0; .mmio 8.2; .mmio.release 9.3',
    target: 'sm_10; .relaxed, .release sm_70',
  }),
  atom: atomic('generic', {
    ptx: '1.1; .acquire, .release, .acq_rel 6.0; .cas.b16 6.3; .b128 8.3',
    target: 'sm_11; orders and scopes sm_70; .b128 sm_90',
  }),
  ldu: uniformLoad,
  'multimem.ld_reduce': instruction({
    slots: { order: ['weak', 'relaxed', 'acquire'], ...REPLICATED, accumulator: ['acc::f32', 'acc::f16'] },
    required: ['operation', 'type'],
    defaults: { order: 'weak' },
    rules: [WEAK_HAS_NO_SCOPE, STRONG_HAS_SCOPE, REPLICATED_FORMS],
    operands: 'd, [a]',
    destination: true,
    advised: 'access',
    since: MULTIMEM,
    decode: (at, qualifiers) => decodeLoad(at, { ...qualifiers, space: 'global' }, 'generic'),
  }),
  'multimem.st': instruction({
    slots: { order: ['weak', 'relaxed', 'release'], ...REPLICATED_PLACE },
    required: ['type'],
    defaults: { order: 'weak' },
    rules: [WEAK_HAS_NO_SCOPE, STRONG_HAS_SCOPE],
    operands: '[a], b',
    advised: 'access',
    since: MULTIMEM,
    decode: (at, qualifiers) => decodeStore(at, { ...qualifiers, space: 'global' }, 'generic'),
  }),
  'multimem.red': instruction({
    slots: { order: ['relaxed', 'release'], ...REPLICATED },
    required: ['operation', 'type'],
    defaults: { order: 'relaxed', scope: 'sys' },
    rules: [REPLICATED_FORMS],
    operands: '[a], b',
    advised: 'access',
    since: MULTIMEM,
    decode: (at, qualifiers) => decodeAtomic(at, { ...qualifiers, space: 'global' }, 'generic', true),
  }),
  'st.bulk': instruction({
    slots: { order: ['weak'], space: ['shared::cta'] },
    operands: '[a], size, 0',
    since: { ptx: '8.6', target: 'sm_100' },
    decode: decodeBulkStore,
  }),
  discard: instruction({
    slots: { space: ['global'], level: ['L2'] },
    required: ['level'],
    operands: '[a], 128',
    since: { ptx: '7.4', target: 'sm_80' },
    decode: decodeDiscard,
  }),
  prefetch: hint({ space: ['global', 'local', 'const', 'param'], level: LEVELS, mode: ['tensormap'] }, '[a]', FERMI),
  prefetchu: hint({ level: ['L1'] }, '[a]', FERMI),
  applypriority: hint({ space: ['global'], level: ['L2::evict_normal'] }, '[a], 128', {
    ptx: '7.4',
    target: 'sm_80',
  }),
  'cp.async.bulk.prefetch': {
    ...hint({ space: ['global'], level: ['L2'], cache: ['L2::cache_hint'] }, '[a], size{, policy}', HOPPER),
    required: ['level', 'space'],
    decode: decodePrefetch,
  },
  'cp.async.bulk.prefetch.tensor': {
    ...hint(
      {
        dimension: ['1d', '2d', '3d', '4d', '5d'],
        space: ['global'],
        level: ['L2'],
        query: ['tile', 'im2col', 'tile::gather4', 'im2col::w', 'im2col::w::128'],
        cache: ['L2::cache_hint'],
      },
      '[map, {c}]{, offsets}{, policy}',
      HOPPER,
    ),
    required: ['dimension', 'space', 'level'],
  },
  'createpolicy.cvt': policy('d, a', { level: ['L2'] }),
  'createpolicy.fractional': policy('d{, fraction}', {}),
  'createpolicy.range': policy('d, [a], primary, total', { space: ['global'] }),
  red: reduction('generic', {
    ptx: '1.2; .release 6.0',
    target: 'sm_11; orders and scopes sm_70',
  }),
  tld: load('texture', 'dialect'),
  suld: load('surface', 'dialect'),
  cold: load('constant', 'dialect'),
  ldc: load('constant', 'dialect'),
  sust: store('surface', 'dialect'),
  suatom: atomic('surface', 'dialect'),
  sured: reduction('surface', 'dialect'),
} as const satisfies Record<string, Instruction>;
