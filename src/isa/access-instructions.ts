import { ATOMIC_OPERATIONS, type Proxy } from '../program/operation.js';
import { SCOPES } from '../program/placement.js';
import { decodeAtomic, decodeLoad, decodeStore } from './decode-access.js';
import { FLOATS, type Instruction, instruction, type Since } from './instruction.js';
import {
  ATOM_TYPES,
  MMIO_FORM,
  MMIO_SPACE,
  STRONG_HAS_SCOPE,
  VOLATILE_ALONE,
  WEAK_HAS_NO_SCOPE,
} from './qualifier-rules.js';

/** The entries of ld, st, atom and red, and of the words that Dat3M and nvlitmus have for the legacy proxies. */
const SCALARS = ['b8', 'b16', 'b32', 'b64', 'u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64', 'b128'] as const;
const SPACES = ['global', 'shared', 'shared::cta', 'shared::cluster'] as const;
const VECTORS = ['v2', 'v4'] as const;
const RULES = [WEAK_HAS_NO_SCOPE, VOLATILE_ALONE, STRONG_HAS_SCOPE, MMIO_FORM, MMIO_SPACE];
/** What loads and stores have in common. */
const ACCESS = {
  defaults: { order: 'weak' },
  operandCount: [2, 2],
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
      space: SPACES,
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
    notYet: [
      ...['nc', 'local', 'const', 'param', 'param::entry', 'param::func', 'proxy::readonly', 'unified', 'v8'],
      ...['f32', 'f64'],
    ],
    since,
    decode: (decoder, syntax, qualifiers) => decodeLoad(decoder, syntax, qualifiers, proxy),
  });

const store = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ACCESS,
    slots: {
      order: ['weak', 'relaxed', 'release', 'volatile'],
      mmio: ['mmio'],
      scope: SCOPES,
      space: SPACES,
      cache: ['wb', 'cg', 'cs', 'wt'],
      vector: VECTORS,
      type: SCALARS,
    },
    operands: '[a], b',
    refused: {
      acquire: CANNOT_ACQUIRE,
      acq_rel: CANNOT_ACQUIRE,
      sc: 'PTX has fence.sc; an access is at most .release',
    },
    notYet: ['local', 'param', 'param::func', 'v8', 'f32', 'f64'],
    since,
    decode: (decoder, syntax, qualifiers) => decodeStore(decoder, syntax, qualifiers, proxy),
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
  notYet: [...FLOATS, 'noftz', 'v2', 'v4', 'v8'],
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
      space: SPACES,
      operation: ATOMIC_OPERATIONS,
      type: ['b16', 'b32', 'b64', 'b128', 'u32', 'u64', 's32', 's64'],
    },
    operands: 'd, [a], b{, c}',
    operandCount: [3, 4],
    destination: true,
    refused: ATOMIC_REFUSED,
    since,
    decode: (decoder, syntax, qualifiers) => decodeAtomic(decoder, syntax, qualifiers, proxy, false),
  });

const reduction = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ATOMIC,
    slots: {
      order: ['relaxed', 'release'],
      scope: SCOPES,
      space: SPACES,
      operation: ['add', 'sub', 'inc', 'dec', 'min', 'max', 'and', 'or', 'xor'],
      type: ['b32', 'b64', 'u32', 'u64', 's32', 's64'],
    },
    operands: '[a], b',
    operandCount: [2, 2],
    refused: {
      ...ATOMIC_REFUSED,
      acquire: NOTHING_ACQUIRED,
      acq_rel: NOTHING_ACQUIRED,
      cas: 'use atom',
      exch: 'use atom',
    },
    since,
    decode: (decoder, syntax, qualifiers) => decodeAtomic(decoder, syntax, qualifiers, proxy, true),
  });

export const ACCESS_INSTRUCTIONS = {
  ld: load('generic', {
    ptx: '1.0; .relaxed, .acquire 6.0; .mmio 8.2',
    target: 'sm_10; .relaxed, .acquire sm_70',
  }),
  st: store('generic', {
    ptx: '1.0; .relaxed, .release 6.0; .mmio 8.2',
    target: 'sm_10; .relaxed, .release sm_70',
  }),
  atom: atomic('generic', {
    ptx: '1.1; .acquire, .release, .acq_rel 6.0; .cas.b16 6.3; .b128 8.3',
    target: 'sm_11; orders and scopes sm_70; .b128 sm_90',
  }),
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
