import { ATOMIC_OPERATIONS } from '../program/operation.js';
import { SCOPES } from '../program/placement.js';
import type { InstructionSyntax, Qualifier } from '../syntax/litmus-ast.js';
import { ARITHMETIC_INSTRUCTIONS } from './arithmetic-instructions.js';
import { ASYNC_INSTRUCTIONS } from './async-instructions.js';
import { CLUSTER_AND_WARP_INSTRUCTIONS } from './cluster-and-warp-instructions.js';
import { CONTROL_INSTRUCTIONS } from './control-instructions.js';
import type { InstructionSpec } from './instruction-spec.js';
import { MBARRIER_INSTRUCTIONS } from './mbarrier-instructions.js';
import {
  ATOM_TYPES,
  BARRIER_COUNT,
  FENCE_FORM,
  FENCE_RESTRICTION,
  MEMBAR_PROXY_FORM,
  MMIO_FORM,
  MMIO_SPACE,
  PROXY_FENCE_FORM,
  STRONG_HAS_SCOPE,
  VOLATILE_ALONE,
  WEAK_HAS_NO_SCOPE,
} from './qualifier-rules.js';

const SCALARS = ['b8', 'b16', 'b32', 'b64', 'u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64'];
const SPACES = ['global', 'shared', 'shared::cta', 'shared::cluster'];
const VECTORS = ['v2', 'v4'];
const NO_RELEASE = {
  release: 'a load can acquire, it cannot release',
  acq_rel: 'a load can acquire, it cannot release',
  sc: 'PTX has fence.sc; an access is at most .acquire',
};
const NO_ACQUIRE = {
  acquire: 'a store can release, it cannot acquire',
  acq_rel: 'a store can release, it cannot acquire',
  sc: 'PTX has fence.sc; an access is at most .release',
};
const load = (more: Partial<InstructionSpec> = {}): InstructionSpec => ({
  family: 'load',
  slots: {
    order: ['weak', 'relaxed', 'acquire', 'volatile'],
    mmio: ['mmio'],
    scope: SCOPES,
    space: SPACES,
    cache: ['ca', 'cg', 'cs', 'lu', 'cv'],
    vector: VECTORS,
    type: [...SCALARS, 'b128'],
  },
  operands: 'd, [a]',
  operandCount: [2, 2],
  destination: true,
  rules: [WEAK_HAS_NO_SCOPE, VOLATILE_ALONE, STRONG_HAS_SCOPE, MMIO_FORM, MMIO_SPACE],
  refused: NO_RELEASE,
  ptx: '1.0; .relaxed, .acquire 6.0; .mmio 8.2',
  target: 'sm_10; .relaxed, .acquire sm_70',
  ...more,
});

const store = (more: Partial<InstructionSpec> = {}): InstructionSpec => ({
  family: 'store',
  slots: {
    order: ['weak', 'relaxed', 'release', 'volatile'],
    mmio: ['mmio'],
    scope: SCOPES,
    space: SPACES,
    cache: ['wb', 'cg', 'cs', 'wt'],
    vector: VECTORS,
    type: [...SCALARS, 'b128'],
  },
  operands: '[a], b',
  operandCount: [2, 2],
  destination: false,
  rules: [WEAK_HAS_NO_SCOPE, VOLATILE_ALONE, STRONG_HAS_SCOPE, MMIO_FORM, MMIO_SPACE],
  refused: NO_ACQUIRE,
  ptx: '1.0; .relaxed, .release 6.0; .mmio 8.2',
  target: 'sm_10; .relaxed, .release sm_70',
  ...more,
});

const atomic = (more: Partial<InstructionSpec> = {}): InstructionSpec => ({
  family: 'atomic',
  slots: {
    order: ['relaxed', 'acquire', 'release', 'acq_rel'],
    scope: SCOPES,
    space: SPACES,
    operation: ATOMIC_OPERATIONS,
    type: ['b16', 'b32', 'b64', 'b128', 'u32', 'u64', 's32', 's64'],
  },
  required: ['operation'],
  operands: 'd, [a], b{, c}',
  operandCount: [3, 4],
  destination: true,
  rules: [ATOM_TYPES],
  refused: {
    weak: 'atomic operations are always strong',
    sc: 'PTX has fence.sc; an atomic is at most .acq_rel',
    volatile: 'atomic operations take no .volatile',
  },
  ptx: '1.1; .acquire, .release, .acq_rel 6.0; .cas.b16 6.3; .b128 8.3',
  target: 'sm_11; orders and scopes sm_70; .b128 sm_90',
  ...more,
});

const reduction = (more: Partial<InstructionSpec> = {}): InstructionSpec =>
  atomic({
    operands: '[a], b',
    operandCount: [2, 2],
    destination: false,
    rules: [
      {
        rule: 'red is only .relaxed or .release: it returns nothing that could be acquired',
        broken: (q) => q.order === 'acquire' || q.order === 'acq_rel',
      },
      {
        rule: 'red has no .cas and no .exch: use atom',
        broken: (q) => q.operation === 'cas' || q.operation === 'exch',
      },
      ATOM_TYPES,
    ],
    ptx: '1.2; .release 6.0',
    ...more,
  });

const barrier = (more: Partial<InstructionSpec>): InstructionSpec => ({
  family: 'barrier',
  slots: {},
  required: ['action'],
  operands: 'a{, b}',
  operandCount: [1, 4],
  destination: false,
  rules: [BARRIER_COUNT],
  ptx: '1.0',
  target: 'sm_10',
  ...more,
});

const proxyFence = (more: Partial<InstructionSpec> = {}): InstructionSpec => ({
  family: 'proxyFence',
  slots: {
    proxyKind: ['alias', 'generic', 'texture', 'surface', 'constant', 'async'],
    direction: ['async::generic', 'tensormap::generic'],
    order: ['acquire', 'release'],
    scope: SCOPES,
    restriction: [
      'sync_restrict::shared::cta',
      'sync_restrict::shared::cluster',
      'sync_restrict::shared::cluster::read',
    ],
    space: ['global', 'shared::cta', 'shared::cluster'],
  },
  operands: '{[addr], size}',
  operandCount: [0, 2],
  destination: false,
  rules: [PROXY_FENCE_FORM],
  ptx: '7.5; .async 8.0; tensormap::generic 8.3; async::generic 8.6; .alias.acquire, .alias.release, ::read 9.4',
  target: 'sm_70; .async and later sm_90',
  ...more,
});

/**
 * Every instruction that has a meaning here. A mnemonic without an entry is an error; so is an entry without a family.
 */
export const INSTRUCTIONS = {
  ld: load(),
  st: store(),
  atom: atomic(),
  red: reduction(),
  tld: load({ shorthandOnly: true, ptx: '-', target: '-' }),
  suld: load({ shorthandOnly: true, ptx: '-', target: '-' }),
  cold: load({ shorthandOnly: true, ptx: '-', target: '-' }),
  ldc: load({ shorthandOnly: true, ptx: '-', target: '-' }),
  sust: store({ shorthandOnly: true, ptx: '-', target: '-' }),
  suatom: atomic({ shorthandOnly: true, ptx: '-', target: '-' }),
  sured: reduction({ shorthandOnly: true, ptx: '-', target: '-' }),
  fence: {
    family: 'fence',
    slots: {
      order: ['sc', 'acq_rel', 'acquire', 'release'],
      scope: SCOPES,
      restriction: ['mbarrier_init', 'sync_restrict::shared::cta', 'sync_restrict::shared::cluster'],
    },
    operands: '',
    operandCount: [0, 0],
    destination: false,
    rules: [FENCE_RESTRICTION, FENCE_FORM],
    refused: { relaxed: 'a relaxed fence would order nothing', weak: 'fences are strong' },
    ptx: '6.0; .cluster 7.8; .mbarrier_init 8.0; .acquire, .release, .sync_restrict 8.6',
    target: 'sm_70; .acquire, .release, .cluster, restrictions sm_90',
  },
  'fence.proxy': proxyFence(),
  'membar.proxy': proxyFence({ rules: [MEMBAR_PROXY_FORM, ...proxyFence().rules] }),
  membar: {
    family: 'membar',
    slots: { level: ['cta', 'gl', 'sys'] },
    operands: '',
    operandCount: [0, 0],
    destination: false,
    rules: [],
    required: ['level'],
    refused: {
      gpu: 'the level is called .gl: membar.gl is fence.sc.gpu',
      cluster: 'membar has .cta, .gl and .sys only; use fence.sc.cluster',
    },
    ptx: '1.4',
    target: 'sm_10',
  },
  bar: barrier({
    slots: {
      level: ['cta', 'warp'],
      action: ['sync', 'arrive', 'red'],
      operation: ['popc', 'and', 'or'],
      type: ['u32', 'pred'],
    },
  }),
  barrier: barrier({
    slots: {
      level: ['cta'],
      action: ['sync', 'arrive', 'red'],
      aligned: ['aligned'],
      operation: ['popc', 'and', 'or'],
      type: ['u32', 'pred'],
    },
    ptx: '6.0',
    target: 'sm_30',
  }),
  ...MBARRIER_INSTRUCTIONS,
  ...ASYNC_INSTRUCTIONS,
  ...CLUSTER_AND_WARP_INSTRUCTIONS,
  ...ARITHMETIC_INSTRUCTIONS,
  ...CONTROL_INSTRUCTIONS,
} as const satisfies Record<string, InstructionSpec>;

export type Mnemonic = keyof typeof INSTRUCTIONS;

/** Of `cp.reduce.async.bulk.tensor`, in qualifiers. */
const LONGEST_NAME = 4;

/**
 * The entry of an instruction, with the qualifiers that its name does not hold: the entry with the longest name counts.
 */
export function specOf({
  mnemonic,
  qualifiers,
}: InstructionSyntax):
  | { readonly name: Mnemonic; readonly spec: InstructionSpec; readonly qualifiers: readonly Qualifier[] }
  | undefined {
  for (let words = Math.min(qualifiers.length, LONGEST_NAME); words >= 0; words--) {
    const name = [mnemonic, ...qualifiers.slice(0, words).map(({ text }) => text)].join('.');
    if (isMnemonic(name)) return { name, spec: INSTRUCTIONS[name], qualifiers: qualifiers.slice(words) };
  }
  return undefined;
}

/** The entries whose names begin with a word: the forms of `mbarrier`, of `cp` and so on. */
export function formsOf(mnemonic: string): readonly string[] {
  return Object.keys(INSTRUCTIONS).filter((name) => name.startsWith(`${mnemonic}.`));
}

function isMnemonic(text: string): text is Mnemonic {
  return Object.hasOwn(INSTRUCTIONS, text);
}

/** Instructions that PTX has and this tool gives no meaning yet, so that they are told apart from misspellings. */
export const OTHER_PTX_INSTRUCTIONS: ReadonlySet<string> = new Set(
  `abs addc alloca applypriority bfe bfi bfind bmsk brev brkpt brx call clz cnot copysign cos createpolicy discard
  dp2a   dp4a ex2 fma fns isspacep istypep ldmatrix ldu lg2 lop3 mad mad24 madc mma movmatrix mul24 multimem neg
  pmevent   prefetch prefetchu prmt rcp rem rsqrt sad set setmaxnreg shf shfl sin slct sqrt stackrestore stacksave
  stmatrix subc suq   sured.b szext tanh tcgen05 testp tex tld4 trap txq wgmma wmma`.split(/\s+/),
);

/** Qualifiers that PTX has on instructions above, without a meaning here yet. */
export const OTHER_PTX_QUALIFIERS: ReadonlySet<string> = new Set(
  `generic::fabric fabric::generic fabric::fabric noftz nc sat local param const param::entry param::func v8 f16 f16x2
  bf16 bf16x2 f32 f64 unified rn rz rm rp rni rzi rmi rpi ftz proxy::readonly phase_type::primary
  phase_type::conditional phase_type report layout::v0 layout::v1`.split(/\s+/),
);
