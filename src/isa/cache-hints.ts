import { FERMI, HOPPER, type Instruction, instruction, type Since, type Slots } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { B64, U32 } from './typed-operands.js';

/** Hints about caches, which neither change a value nor order anything (PTX ISA, prefetch, applypriority). */
const hint = (slots: Slots, operands: string, since: Since): Instruction =>
  instruction({ slots, operands, since, decode: readAddresses });

function readAddresses(at: InstructionDecoder): void {
  for (const operand of at.operands)
    if (operand.kind === 'address' || operand.kind === 'tensor') at.address(operand, 'generic');
}

const LEVELS = ['L1', 'L2', 'L2::evict_last', 'L2::evict_normal'] as const;
const EVICTION = ['L2::evict_last', 'L2::evict_normal', 'L2::evict_first', 'L2::evict_unchanged'] as const;
/** A policy for caches, 64 bits of which nothing is known. */
const policy = (operands: string, slots: Slots): Instruction =>
  instruction({
    slots: { level: EVICTION, mode: EVICTION, ...slots, type: ['b64'] },
    required: ['level', 'type'],
    operands,
    destination: true,
    since: { ptx: '7.4', target: 'sm_80' },
    decode: (at) => {
      const target = at.target(at.operands[0], B64);
      if (target !== undefined) at.result(target, B64, at.open(64));
    },
  });

export const HINT_INSTRUCTIONS = {
  prefetch: hint({ space: ['global', 'local', 'const', 'param'], level: LEVELS, mode: ['tensormap'] }, '[a]', FERMI),
  prefetchu: hint({ level: ['L1'] }, '[a]', FERMI),
  applypriority: hint({ space: ['global'], level: ['L2::evict_normal'] }, '[a], 128', {
    ptx: '7.4',
    target: 'sm_80',
  }),
  'cp.async.bulk.prefetch': {
    ...hint({ space: ['global'], level: ['L2'] }, '[a], size', HOPPER),
    cacheHints: true,
    required: ['level', 'space'],
    // Nothing tells of its completion, and nothing is returned.
    decode: (at) => {
      readAddresses(at);
      const bytes = at.value(at.operands[1], U32);
      if (bytes !== undefined) at.require(at.of(32).isMultiple(bytes, 16), 'prefetch-size');
    },
  },
  'cp.async.bulk.prefetch.tensor': {
    ...hint(
      {
        dimension: ['1d', '2d', '3d', '4d', '5d'],
        space: ['global'],
        level: ['L2'],
        query: ['tile', 'im2col', 'tile::gather4', 'im2col::w', 'im2col::w::128'],
      },
      '[map, {c}]{, offsets}',
      HOPPER,
    ),
    cacheHints: true,
    required: ['dimension', 'space', 'level'],
  },
  'createpolicy.cvt': policy('d, a', { level: ['L2'] }),
  'createpolicy.fractional': policy('d{, fraction}', {}),
  'createpolicy.range': policy('d, [a], primary, total', { space: ['global'] }),
} as const satisfies Record<string, Instruction>;
