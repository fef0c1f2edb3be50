import { type DataType, dataTypeOf, PREDICATE, type TypeName } from '../program/data-type.js';
import { RANK_FIELD, sharedAddress, WINDOWS, type Window } from '../program/locations.js';
import { constant, type Operand } from '../program/operation.js';
import { type InstructionDecoder, windowOf } from './instruction-decoder.js';

/**
 * mapa, getctarank and cvta (PTX ISA, Data Movement and Conversion): arithmetic on addresses, whose layout is that of
 * locations.ts.
 */
interface Typed {
  readonly type: TypeName;
}
const RANK: DataType = { kind: 'u', width: 32 };
const MASK = (1n << BigInt(RANK_FIELD.width)) - 1n;

/** The address of the same location in the shared memory of the CTA with that rank. */
export function decodeMapAddress(at: InstructionDecoder, qualifiers: Typed): void {
  const type = dataTypeOf(qualifiers.type);
  const [destination, address, rank] = at.operands;
  const from = at.value(address, type);
  const to = at.value(rank, RANK);
  const target = at.target(destination, type);
  if (from === undefined || to === undefined || target === undefined) return;
  const of = at.of(type.width);
  const offset = of.and(from, constant(BigInt.asUintN(type.width, ~(MASK << BigInt(RANK_FIELD.shift)))));
  at.result(target, type, of.or(offset, of.shiftLeft(to, constant(RANK_FIELD.shift))));
}

/** The rank of the CTA whose shared memory holds an address. */
export function decodeClusterRank(at: InstructionDecoder, qualifiers: Typed): void {
  const type = dataTypeOf(qualifiers.type);
  const [destination, address] = at.operands;
  const from = at.value(address, type);
  const target = at.target(destination, RANK);
  if (from === undefined || target === undefined) return;
  const rank = at.of(type.width).shiftRight(from, constant(RANK_FIELD.shift), RANK_FIELD.width);
  at.result(target, RANK, at.of(RANK_FIELD.width).convert(rank, RANK.width));
}

/** Whether an address lies in the window of a state space (PTX ISA, isspacep); the window of global is all the rest. */
function liesIn(at: InstructionDecoder, address: Operand, window: Window): Operand {
  const { clusterIndex, rank } = at.placement;
  const own = sharedAddress(clusterIndex, rank, 0n);
  const cluster = sharedAddress(clusterIndex, 0, 0n);
  const ranges: Partial<Record<Window, readonly [from: bigint, to: bigint]>> = {
    const: [WINDOWS.const, WINDOWS.local],
    local: [WINDOWS.local, WINDOWS.end],
    param: [WINDOWS.param, WINDOWS.paramEnd],
    'shared::cta': [own, own + RANK_FIELD.bytes],
    'shared::cluster': [cluster, cluster + (RANK_FIELD.bytes << BigInt(RANK_FIELD.width))],
  };
  const [from, to] = ranges[window] ?? [WINDOWS.shared, WINDOWS.end];
  const [of, bit] = [at.of(64), at.of(1)];
  const inside = bit.and(of.lessOrEqual(constant(from), address), of.less(address, constant(to)));
  return window === 'global' ? bit.not(inside) : inside;
}

export function decodeIsSpace(at: InstructionDecoder, { space }: { readonly space: string }): void {
  const [destination, address] = at.operands;
  const value = at.value(address, { kind: 'u', width: 64 }, { widerAllowed: true, untyped: true });
  const target = at.target(destination, PREDICATE);
  if (value === undefined || target === undefined) return;
  at.result(target, PREDICATE, liesIn(at, value, windowOf(space)));
}

/**
 * Generic addresses and those of the state spaces are the same numbers here. What `cvta.to` gives for an address
 * outside of the space is undefined.
 */
export function decodeConvertAddress(
  at: InstructionDecoder,
  { type: typeName, action, space }: Typed & { readonly action?: 'to'; readonly space: string },
): void {
  const type = dataTypeOf(typeName);
  const [destination, address] = at.operands;
  const value = at.value(address, type);
  const target = at.target(destination, type);
  if (value === undefined || target === undefined) return;
  const mayLeave = action === 'to' && space !== 'global' && space !== 'shared::cluster';
  if (!mayLeave) return at.result(target, type, value);
  const inside = liesIn(at, value, windowOf(space));
  if (inside.kind === 'constant') return at.result(target, type, inside.value === 0n ? at.open(type.width) : value);
  at.result(target, type, at.of(type.width).select(inside, value, at.open(type.width)));
}
