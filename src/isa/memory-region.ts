import { constant } from '../program/operation.js';
import { type Instruction, instruction } from './instruction.js';
import { inOne } from './place.js';
import { address, literal, memory, U64, value } from './typed-operands.js';

/** st.bulk and discard: accesses of one thread to a run of bytes (PTX ISA, st.bulk, discard). */
const LARGEST_STORE = 16_777_216;
const DISCARDED = 128;

export const REGION_INSTRUCTIONS = {
  'st.bulk': instruction({
    slots: { order: ['weak'], space: ['shared::cta'] },
    operands: '[a], size, 0',
    since: { ptx: '8.6', target: 'sm_100' },
    typed: ({ space }) => [address(space), value(U64), literal((stored) => stored === 0n, 'st.bulk stores 0')],
    decode: (at, _, [base, bytes]) => {
      const of = at.of(64);
      const fits = of.lessOrEqual(bytes, constant(LARGEST_STORE));
      at.require(at.of(1).and(fits, of.isMultiple(bytes, 8)), 'bulk-store-size');
      at.requireMultiple(base, 8);
      const written = { base, offset: 0n, window: 'shared::cta' } as const;
      at.emit({ kind: 'region', action: 'write', address: written, bytes, contents: 'zero' });
    },
  }),
  discard: instruction({
    slots: { space: ['global'], level: ['L2'] },
    required: ['level'],
    operands: '[a], 128',
    since: { ptx: '7.4', target: 'sm_80' },
    typed: ({ space }) => [
      memory(space, DISCARDED, 1),
      literal((size) => size === BigInt(DISCARDED), `discard is of ${DISCARDED} bytes`),
    ],
    decode: (at, _, [place]) => {
      const base = inOne(at, place);
      at.requireMultiple(base, DISCARDED);
      const written = { base, offset: 0n, window: 'global' } as const;
      at.emit({
        ...{ kind: 'region', action: 'write', address: written, bytes: constant(DISCARDED), contents: 'unstable' },
      });
    },
  }),
} as const satisfies Record<string, Instruction>;
