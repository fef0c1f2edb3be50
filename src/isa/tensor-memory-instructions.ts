import { decodeAlloc, decodeDealloc, decodeRelinquish, decodeTensorCommit } from './decode-tensor-allocation.js';
import { decodeTensorCopy, decodeTensorMultiply, decodeTensorShift } from './decode-tensor-product.js';
import { decodeTensorWait, decodeTransfer } from './decode-tensor-transfer.js';
import { type Instruction, instruction, SYNC } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import type { Rule } from './qualifier-rules.js';

/** The entries of tcgen05 (PTX ISA 9.7.18, TensorCore 5th Generation Family Instructions). */
const BLACKWELL = { ptx: '8.6', target: 'sm_100a' };
const GROUP = { group: ['cta_group::1', 'cta_group::2'] } as const;

const transfer = (name: 'ld' | 'st'): Instruction =>
  instruction({
    slots: {
      ...SYNC,
      shape: ['32x32b', '16x64b', '16x128b', '16x256b', '16x32bx2'],
      number: ['x1', 'x2', 'x4', 'x8', 'x16', 'x32', 'x64', 'x128'],
      packed: name === 'ld' ? ['pack::16b'] : ['unpack::16b'],
      type: ['b32'],
    },
    required: ['sync', 'shape', 'number', 'type'],
    operands: name === 'ld' ? 'r, [taddr]{, half}' : '[taddr]{, half}, r',
    ...(name === 'ld' ? { destination: true as const } : {}),
    since: BLACKWELL,
    decode: (at, qualifiers) => decodeTransfer(at, qualifiers, name),
  });

const wait = (name: 'ld' | 'st'): Instruction =>
  instruction({
    slots: SYNC,
    required: ['sync', 'aligned'],
    operands: '',
    since: BLACKWELL,
    decode: (at) => decodeTensorWait(at, name),
  });

const fence = (step: 'before_thread_sync' | 'after_thread_sync'): Instruction =>
  instruction({
    slots: {},
    operands: '',
    advised: 'presence',
    since: BLACKWELL,
    decode: (at) => at.emit({ kind: 'tensor-step', step }),
  });

/** Instructions of a warp that allocates. */
const allocation = (
  facts: { readonly operands: string; readonly space?: true; readonly type: boolean },
  decode: (at: InstructionDecoder, qualifiers: { readonly group: string }) => void,
): Instruction =>
  instruction({
    slots: {
      ...GROUP,
      ...SYNC,
      ...(facts.space === undefined ? {} : { space: ['shared::cta'] as const }),
      ...(facts.type ? { type: ['b32'] as const } : {}),
    },
    required: facts.type ? ['group', 'sync', 'aligned', 'type'] : ['group', 'sync', 'aligned'],
    operands: facts.operands,
    since: BLACKWELL,
    decode,
  });

const PLAIN_KINDS = ['kind::f16', 'kind::tf32', 'kind::f8f6f4', 'kind::i8'] as const;
/** How many scales a kind with .block_scale may have to a row. */
const SCALES: Readonly<Record<string, readonly string[]>> = {
  'kind::mxf8f6f4': ['scale_vec::1X', 'block32'],
  'kind::mxf4': ['scale_vec::2X', 'block32'],
  'kind::mxf4nvf4': ['scale_vec::2X', 'scale_vec::4X', 'block16', 'block32'],
};
const uses = (buffers: readonly string[]): readonly string[] =>
  buffers.flatMap((buffer) => ['fill', 'use', 'lastuse', 'discard'].map((use) => `collector::${buffer}::${use}`));

const KIND_WITH_SCALES: Rule = {
  rule: (q) =>
    q.kind !== undefined && q.kind in SCALES
      ? `.${q.kind} goes with .block_scale, and with ${SCALES[q.kind]?.map((one) => `.${one}`).join(' or ')}`
      : `.${q.kind} has no scales`,
  broken: ({ kind = '', metadata, scale }) => {
    const scales = SCALES[kind];
    if (scales === undefined) return metadata !== undefined || scale !== undefined;
    return metadata === undefined || (scale === undefined ? kind === 'kind::mxf4nvf4' : !scales.includes(scale));
  },
};
const SHIFTED_A: Rule = {
  rule: '.ashift goes with kinds without scales, and with neither .collector::a::fill nor .collector::a::use',
  broken: (q) => q.ashift !== undefined && ((q.kind ?? '') in SCALES || /::(fill|use)$/.test(q.collector ?? '')),
};
const PRODUCT = 'd, a, b{, [sp-meta]}, i-desc{, [scale-a], [scale-b]}{, mask}, enable-input-d{, last}';

export const TENSOR_MEMORY_INSTRUCTIONS = {
  'tcgen05.alloc': allocation({ operands: '[dst], columns', space: true, type: true }, decodeAlloc),
  'tcgen05.dealloc': allocation({ operands: 'taddr, columns', type: true }, decodeDealloc),
  'tcgen05.relinquish_alloc_permit': allocation({ operands: '', type: false }, decodeRelinquish),
  'tcgen05.ld': transfer('ld'),
  'tcgen05.st': transfer('st'),
  'tcgen05.wait::ld': wait('ld'),
  'tcgen05.wait::st': wait('st'),
  'tcgen05.fence::before_thread_sync': fence('before_thread_sync'),
  'tcgen05.fence::after_thread_sync': fence('after_thread_sync'),
  'tcgen05.commit': instruction({
    slots: {
      ...GROUP,
      mechanism: ['mbarrier::arrive::one'],
      space: ['shared::cluster'],
      multicast: ['multicast::cluster'],
      type: ['b64'],
    },
    required: ['group', 'mechanism', 'type'],
    operands: '[mbar]{, mask}',
    since: BLACKWELL,
    decode: decodeTensorCommit,
  }),
  'tcgen05.cp': instruction({
    slots: {
      ...GROUP,
      shape: ['128x256b', '4x256b', '128x128b', '64x128b', '32x128b'],
      multicast: ['warpx2::02_13', 'warpx2::01_23', 'warpx4'],
      packed: ['b8x16'],
      source: ['b6x16_p32', 'b4x16_p64'],
    },
    required: ['group', 'shape'],
    operands: '[taddr], s-desc',
    rules: [
      {
        rule: '.64x128b goes with .warpx2, .32x128b with .warpx4, other shapes with neither; formats come in two',
        broken: (q) => {
          const wanted = { '64x128b': 'warpx2', '32x128b': 'warpx4' }[q.shape ?? ''];
          const isWrong = wanted === undefined ? q.multicast !== undefined : q.multicast?.startsWith(wanted) !== true;
          return isWrong || (q.packed === undefined) !== (q.source === undefined);
        },
      },
    ],
    since: BLACKWELL,
    decode: decodeTensorCopy,
  }),
  'tcgen05.shift': instruction({
    slots: { ...GROUP, direction: ['down'] },
    required: ['group', 'direction'],
    operands: '[taddr]',
    since: BLACKWELL,
    decode: decodeTensorShift,
  }),
  'tcgen05.mma': instruction({
    slots: {
      ...GROUP,
      sparsity: ['sp'],
      kind: [...PLAIN_KINDS, ...Object.keys(SCALES)],
      metadata: ['block_scale'],
      scale: [...new Set(Object.values(SCALES).flat())],
      ashift: ['ashift'],
      collector: uses(['a']),
    },
    required: ['group', 'kind'],
    operands: PRODUCT,
    rules: [KIND_WITH_SCALES, SHIFTED_A],
    since: BLACKWELL,
    decode: (at, qualifiers) => decodeTensorMultiply(at, qualifiers, false),
  }),
  'tcgen05.mma.ws': instruction({
    slots: {
      group: ['cta_group::1'],
      sparsity: ['sp'],
      kind: PLAIN_KINDS,
      collector: uses(['b0', 'b1', 'b2', 'b3']),
    },
    required: ['group', 'kind'],
    operands: PRODUCT,
    operandCount: [5, 7],
    since: BLACKWELL,
    decode: (at, qualifiers) => decodeTensorMultiply(at, qualifiers, true),
  }),
} as const satisfies Record<string, Instruction>;
