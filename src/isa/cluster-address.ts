import { dataTypeOf, PREDICATE } from '../program/data-type.js';
import { RANK_FIELD, sharedAddress, WINDOW_BYTES, WINDOWS, type Window } from '../program/locations.js';
import { constant, type Operand } from '../program/operation.js';
import { FERMI, type Instruction, instruction } from './instruction.js';
import { type InstructionDecoder, windowOf } from './instruction-decoder.js';
import { result, U32, U64, value } from './typed-operands.js';

/**
 * mapa, getctarank, cvta and isspacep (PTX ISA, Data Movement and Conversion): arithmetic on addresses, whose layout is
 * that of locations.ts.
 */
const SPACES = [
  ...(['global', 'shared', 'shared::cta', 'shared::cluster', 'local', 'const'] as const),
  ...(['param', 'param::entry', 'param::func'] as const),
] as const;
const OF_CLUSTER = {
  slots: { space: ['shared::cluster'], type: ['u32', 'u64'] },
  required: ['type'],
  destination: true,
  since: { ptx: '7.8', target: 'sm_90' },
} as const;

/** Whether an address lies in the window of a state space (PTX ISA, isspacep); the window of global is all the rest. */
function liesIn(at: InstructionDecoder, address: Operand, window: Window): Operand {
  const { clusterIndex, rank, clusterSize } = at.placement;
  const ofCta = (one: number): readonly [from: bigint, to: bigint] => {
    const from = sharedAddress(clusterIndex, one, 0n);
    return [from, from + WINDOW_BYTES];
  };
  const ranges: Partial<Record<Window, readonly (readonly [from: bigint, to: bigint])[]>> = {
    const: [[WINDOWS.const, WINDOWS.local]],
    local: [[WINDOWS.local, WINDOWS.end]],
    param: [[WINDOWS.param, WINDOWS.paramEnd]],
    'shared::cta': [ofCta(rank)],
    'shared::cluster': Array.from({ length: clusterSize }, (_, one) => ofCta(one)),
  };
  const [of, bit] = [at.of(64), at.of(1)];
  const inside = (ranges[window] ?? [[WINDOWS.shared, WINDOWS.end]])
    .map(([from, to]) => bit.and(of.lessOrEqual(constant(from), address), of.less(address, constant(to))))
    .reduce((some, one) => bit.or(some, one));
  return window === 'global' ? bit.not(inside) : inside;
}

export const ADDRESS_INSTRUCTIONS = {
  /** The address of the same location in the shared memory of the CTA with that rank. */
  mapa: instruction({
    ...OF_CLUSTER,
    operands: 'd, a, b',
    typed: ({ type }) => [result(dataTypeOf(type)), value(dataTypeOf(type)), value(U32)],
    decode: (at, qualifiers, [target, from, rank]) => {
      const type = dataTypeOf(qualifiers.type);
      const of = at.of(type.width);
      const offset = of.and(from, constant(BigInt.asUintN(type.width, ~RANK_FIELD.mask)));
      at.result(target, type, of.or(offset, of.shiftLeft(rank, constant(RANK_FIELD.shift))));
    },
  }),
  /** The rank of the CTA whose shared memory holds an address. */
  getctarank: instruction({
    ...OF_CLUSTER,
    operands: 'd, a',
    typed: ({ type }) => [result(U32), value(dataTypeOf(type))],
    decode: (at, { type }, [target, address]) => {
      const rank = at.of(dataTypeOf(type).width).shiftRightBy(address, RANK_FIELD.shift, RANK_FIELD.width);
      at.result(target, U32, at.of(RANK_FIELD.width).convert(rank, U32.width));
    },
  }),
  /**
   * Generic addresses and those of the state spaces are the same numbers here. What `cvta.to` gives for an address
   * outside of the space is undefined; `.shared` alone takes those of the whole cluster
   * (docs/decisions/cvta-to-shared.md).
   */
  cvta: instruction({
    slots: { action: ['to'], space: SPACES, type: ['u32', 'u64'] },
    required: ['space', 'type'],
    operands: 'd, a',
    destination: true,
    since: FERMI,
    typed: ({ type }) => [result(dataTypeOf(type)), value(dataTypeOf(type))],
    decode: (at, { type: typeName, action, space }, [target, address]) => {
      const type = dataTypeOf(typeName);
      const mayLeave = action === 'to' && space !== 'global' && space !== 'shared::cluster';
      if (!mayLeave) return at.result(target, type, address);
      const window = space === 'shared' ? 'shared::cluster' : windowOf(space);
      at.result(target, type, at.of(type.width).where(liesIn(at, address, window), address));
    },
  }),
  isspacep: instruction({
    slots: { space: SPACES },
    required: ['space'],
    operands: 'p, a',
    destination: true,
    since: { ptx: '2.0; .const 3.1; .param 7.7', target: 'sm_20' },
    typed: () => [result(PREDICATE), value(U64, { widerAllowed: true, untyped: true })],
    decode: (at, { space }, [target, address]) => at.result(target, PREDICATE, liesIn(at, address, windowOf(space))),
  }),
} as const satisfies Record<string, Instruction>;
