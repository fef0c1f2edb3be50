import { INTEGER_TYPES } from './data-type.js';
import { ATOMIC_OPERATIONS } from './operation.js';
import { SCOPES } from './placement.js';
import {
  ATOM_TYPES,
  BARRIER_COUNT,
  CVT_TWO_TYPES,
  FENCE_FORM,
  MEMBAR_FORM,
  MMIO_FORM,
  MMIO_SPACE,
  MUL_FORM,
  type Rule,
  SETP_TYPES,
  STRONG_HAS_SCOPE,
  VOLATILE_ALONE,
  WEAK_HAS_NO_SCOPE,
} from './qualifier-rules.js';

/** What an instruction's qualifiers speak of. In PTX text they may stand in any order (ptxas takes them so). */
export type Slot =
  | 'order'
  | 'mmio'
  | 'scope'
  | 'space'
  | 'type'
  | 'vector'
  | 'cache'
  | 'operation'
  | 'comparison'
  | 'combination'
  | 'proxy'
  | 'proxyKind'
  | 'level'
  | 'action'
  | 'aligned'
  | 'uniform'
  | 'half';

/** The function that gives an instruction its meaning: one for each family, in `decode-*.ts`. */
export type Family = 'load' | 'store' | 'atomic' | 'fence' | 'membar' | 'barrier' | 'move' | 'arithmetic' | 'compare' | 'select' | 'convert' | 'branch' | 'compareBranch' | 'exit';

export interface InstructionSpec {
  readonly family: Family;
  /** The values each slot may take. */
  readonly slots: Partial<Record<Slot, readonly string[]>>;
  /** Slots that must be filled. A missing type makes the instruction a shorthand of the Dat3M dialect. */
  readonly required?: readonly Slot[];
  /** As the ISA writes them. */
  readonly operands: string;
  readonly operandCount: readonly [least: number, most: number];
  /** Whether the first operand is a register that is written. */
  readonly destination: boolean;
  /** Combinations that the ISA does not have; they do not bind the shorthand. */
  readonly rules: readonly Rule[];
  /** Qualifiers that a user may well write here, with the reason why they do not exist. */
  readonly refused?: Readonly<Record<string, string>>;
  /** The first version of the PTX ISA, and the first target, that has it. */
  readonly ptx: string;
  readonly target: string;
  /** Not PTX: a name of the Dat3M or the nvlitmus dialect. */
  readonly shorthandOnly?: true;
}

const SCALARS = ['b8', 'b16', 'b32', 'b64', 'u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64'];
const SPACES = ['global', 'shared', 'shared::cta', 'shared::cluster'];
const VECTORS = ['v2', 'v4'];
const NO_RELEASE = { release: 'a load can acquire, it cannot release', acq_rel: 'a load can acquire, it cannot release', sc: 'PTX has fence.sc; an access is at most .acquire' };
const NO_ACQUIRE = { acquire: 'a store can release, it cannot acquire', acq_rel: 'a store can release, it cannot acquire', sc: 'PTX has fence.sc; an access is at most .release' };
const arithmetic = (types: readonly string[], operandCount: 2 | 3, more: Partial<InstructionSpec> = {}): InstructionSpec => ({
  family: 'arithmetic',
  slots: { type: types },
  operands: operandCount === 3 ? 'd, a, b' : 'd, a',
  operandCount: [operandCount, operandCount],
  destination: true,
  rules: [],
  ptx: '1.0',
  target: 'sm_10',
  ...more,
});
const WORDS = ['u16', 'u32', 'u64', 's16', 's32', 's64'];
const BITS = ['b16', 'b32', 'b64', 'pred'];

const load = (more: Partial<InstructionSpec> = {}): InstructionSpec => ({
  family: 'load',
  slots: { order: ['weak', 'relaxed', 'acquire', 'volatile'], mmio: ['mmio'], scope: SCOPES, space: SPACES, cache: ['ca', 'cg', 'cs', 'lu', 'cv'], vector: VECTORS, type: SCALARS },
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
  slots: { order: ['weak', 'relaxed', 'release', 'volatile'], mmio: ['mmio'], scope: SCOPES, space: SPACES, cache: ['wb', 'cg', 'cs', 'wt'], vector: VECTORS, type: SCALARS },
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
  refused: { weak: 'atomic operations are always strong', sc: 'PTX has fence.sc; an atomic is at most .acq_rel', volatile: 'atomic operations take no .volatile' },
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
      { rule: 'red is only .relaxed or .release: it returns nothing that could be acquired', broken: (q) => q.order === 'acquire' || q.order === 'acq_rel' },
      { rule: 'red has no .cas and no .exch: use atom', broken: (q) => q.operation === 'cas' || q.operation === 'exch' },
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

const compareBranch: InstructionSpec = {
  family: 'compareBranch',
  slots: {},
  operands: 'a, b, label',
  operandCount: [3, 3],
  destination: false,
  rules: [],
  ptx: '-',
  target: '-',
  shorthandOnly: true,
};

/** Every instruction that has a meaning here. A mnemonic without an entry is an error; so is an entry without a family. */
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
    slots: { order: ['sc', 'acq_rel', 'acquire', 'release'], scope: SCOPES, proxy: ['proxy'], proxyKind: ['alias', 'generic', 'texture', 'surface', 'constant'] },
    operands: '',
    operandCount: [0, 0],
    destination: false,
    rules: [FENCE_FORM],
    refused: { relaxed: 'a relaxed fence would order nothing', weak: 'fences are strong' },
    ptx: '6.0; .proxy 7.5; .cluster 7.8; .acquire, .release 8.6',
    target: 'sm_70; .acquire, .release, .cluster sm_90',
  },
  membar: {
    family: 'membar',
    slots: { level: ['cta', 'gl', 'sys'], proxy: ['proxy'], proxyKind: ['alias', 'generic', 'texture', 'surface', 'constant'] },
    operands: '',
    operandCount: [0, 0],
    destination: false,
    rules: [MEMBAR_FORM],
    refused: { gpu: 'the level is called .gl: membar.gl is fence.sc.gpu', cluster: 'membar has .cta, .gl and .sys only; use fence.sc.cluster' },
    ptx: '1.4; .proxy 7.5',
    target: 'sm_10',
  },
  bar: barrier({ slots: { level: ['cta', 'warp'], action: ['sync', 'arrive', 'red'], operation: ['popc', 'and', 'or'], type: ['u32', 'pred'] } }),
  barrier: barrier({
    slots: { level: ['cta'], action: ['sync', 'arrive', 'red'], aligned: ['aligned'], operation: ['popc', 'and', 'or'], type: ['u32', 'pred'] },
    ptx: '6.0',
    target: 'sm_30',
  }),
  mov: { ...arithmetic(['b16', 'b32', 'b64', 'b128', ...WORDS, 'pred'], 2), family: 'move' },
  add: arithmetic(WORDS, 3),
  sub: arithmetic(WORDS, 3),
  mul: arithmetic(WORDS, 3, { slots: { half: ['lo', 'hi', 'wide'], type: WORDS }, rules: [MUL_FORM] }),
  div: arithmetic(WORDS, 3),
  and: arithmetic(BITS, 3),
  or: arithmetic(BITS, 3),
  xor: arithmetic(BITS, 3),
  not: arithmetic(BITS, 2),
  shl: arithmetic(['b16', 'b32', 'b64'], 3),
  shr: arithmetic(['b16', 'b32', 'b64', ...WORDS], 3),
  min: arithmetic(WORDS, 3),
  max: arithmetic(WORDS, 3),
  setp: {
    ...arithmetic(['b16', 'b32', 'b64', ...WORDS], 3),
    family: 'compare',
    slots: { comparison: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'lo', 'ls', 'hi', 'hs'], combination: ['and', 'or', 'xor'], type: ['b16', 'b32', 'b64', ...WORDS] },
    required: ['comparison', 'type'],
    operands: 'p{|q}, a, b{, {!}c}',
    operandCount: [3, 4],
    rules: [SETP_TYPES],
  },
  selp: { ...arithmetic(['b16', 'b32', 'b64', ...WORDS], 3), family: 'select', required: ['type'], operands: 'd, a, b, c', operandCount: [4, 4] },
  cvt: {
    ...arithmetic(
      INTEGER_TYPES.filter((type) => /^[us]/.test(type)),
      2,
    ),
    family: 'convert',
    rules: [CVT_TWO_TYPES],
  },
  bra: { family: 'branch', slots: { uniform: ['uni'] }, operands: 'label', operandCount: [1, 1], destination: false, rules: [], ptx: '1.0', target: 'sm_10' },
  goto: { family: 'branch', slots: {}, operands: 'label', operandCount: [1, 1], destination: false, rules: [], ptx: '-', target: '-', shorthandOnly: true },
  beq: compareBranch,
  bne: compareBranch,
  blt: compareBranch,
  ble: compareBranch,
  bgt: compareBranch,
  bge: compareBranch,
  exit: { family: 'exit', slots: {}, operands: '', operandCount: [0, 0], destination: false, rules: [], ptx: '1.0', target: 'sm_10' },
  ret: { family: 'exit', slots: { uniform: ['uni'] }, operands: '', operandCount: [0, 0], destination: false, rules: [], ptx: '1.0', target: 'sm_10' },
} as const satisfies Record<string, InstructionSpec>;

export type Mnemonic = keyof typeof INSTRUCTIONS;

export function isMnemonic(text: string): text is Mnemonic {
  return Object.hasOwn(INSTRUCTIONS, text);
}

/** Instructions that PTX has and this tool gives no meaning yet, so that they are told apart from misspellings. */
export const OTHER_PTX_INSTRUCTIONS: ReadonlySet<string> = new Set(
  `abs activemask addc alloca applypriority bfe bfi bfind bmsk brev brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvta discard dp2a dp4a
  elect ex2 fma fns getctarank griddepcontrol isspacep istypep ldmatrix ldu lg2 lop3 mad mad24 madc mapa match mbarrier mma movmatrix mul24 multimem nanosleep neg pmevent
  popc prefetch prefetchu prmt rcp redux rem rsqrt sad set setmaxnreg shf shfl sin slct sqrt stackrestore stacksave stmatrix subc suq sured.b szext tanh tcgen05 tensormap
  testp tex tld4 trap txq vote wgmma wmma`.split(/\s+/),
);

/** Qualifiers that PTX has on instructions above, without a meaning here yet. */
export const OTHER_PTX_QUALIFIERS: ReadonlySet<string> = new Set(
  `async async::generic tensormap::generic mbarrier_init sync_restrict::shared::cta sync_restrict::shared::cluster noftz nc sat local param const param::entry param::func v8 f16 f16x2 bf16
  bf16x2 f32 f64 b128 cluster unified rn rz rm rp rni rzi rmi rpi ftz`.split(/\s+/),
);
