import { type DataType, dataTypeOf, PREDICATE, type TypeName } from '../program/data-type.js';
import { RANK_FIELD, sharedAddress, WINDOWS } from '../program/locations.js';
import type { ArithmeticName, Operand } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import type { Decoder } from './decoder.js';
import { constant, Steps } from './steps.js';

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
export function decodeMapAddress(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Typed): void {
  const type = dataTypeOf(qualifiers.type);
  const [destination, address, rank] = instruction.operands;
  const from = decoder.value(address, type);
  const to = decoder.value(rank, RANK);
  const target = decoder.target(destination, type);
  if (from === undefined || to === undefined || target === undefined) return;
  const step = (name: ArithmeticName, into: string, operands: readonly Operand[]): Operand => {
    decoder.emit(instruction, {
      kind: 'compute',
      target: into,
      type,
      arithmetic: { name, signed: false, width: type.width, resultWidth: type.width },
      operands,
    });
    return { kind: 'register', name: into };
  };
  const temporary = (): string => decoder.temporary(type, instruction.span);
  const offset = step('and', temporary(), [
    from,
    constant(BigInt.asUintN(type.width, ~(MASK << BigInt(RANK_FIELD.shift)))),
  ]);
  const window = step('shift-left', temporary(), [to, constant(BigInt(RANK_FIELD.shift))]);
  step('or', target, [offset, window]);
}

/** The rank of the CTA whose shared memory holds an address. */
export function decodeClusterRank(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Typed): void {
  const type = dataTypeOf(qualifiers.type);
  const [destination, address] = instruction.operands;
  const from = decoder.value(address, type);
  const target = decoder.target(destination, RANK);
  if (from === undefined || target === undefined) return;
  const arithmetic = { name: 'shift-right', signed: false, width: type.width, resultWidth: RANK_FIELD.width } as const;
  decoder.emit(instruction, {
    kind: 'compute',
    target,
    type: RANK,
    arithmetic,
    operands: [from, constant(BigInt(RANK_FIELD.shift))],
  });
}

/** Whether an address lies in the window of a state space (PTX ISA, isspacep); the window of global is all the rest. */
function liesIn(steps: Steps, placement: Placement, address: Operand, space: string): Operand {
  const [of, bit] = [steps.of(64), steps.of(1)];
  const between = (from: bigint, to: bigint): Operand =>
    bit.and(of.lessOrEqual(constant(from), address), of.less(address, constant(to)));
  switch (space) {
    case 'const':
      return between(WINDOWS.const, WINDOWS.local);
    case 'local':
      return between(WINDOWS.local, WINDOWS.end);
    case 'param':
    case 'param::entry':
    case 'param::func':
      return between(WINDOWS.param, WINDOWS.paramEnd);
    case 'shared':
    case 'shared::cta': {
      const own = sharedAddress(placement.clusterIndex, placement.rank, 0n);
      return between(own, own + RANK_FIELD.bytes);
    }
    case 'shared::cluster': {
      const first = sharedAddress(placement.clusterIndex, 0, 0n);
      return between(first, first + (RANK_FIELD.bytes << BigInt(RANK_FIELD.width)));
    }
    default:
      return bit.not(between(WINDOWS.shared, WINDOWS.end));
  }
}

export function decodeIsSpace(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { space }: { readonly space: string },
): void {
  const [destination, address] = instruction.operands;
  const value = decoder.value(address, { kind: 'u', width: 64 }, { widerAllowed: true, untyped: true });
  const target = decoder.target(destination, PREDICATE);
  if (value === undefined || target === undefined) return;
  const steps = new Steps(decoder, instruction);
  steps.result(target, PREDICATE, liesIn(steps, decoder.placement, value, space));
}

/**
 * Generic addresses and those of the state spaces are the same numbers here. What `cvta.to` gives for an address
 * outside of the space is undefined.
 */
export function decodeConvertAddress(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { type: typeName, action, space }: Typed & { readonly action?: 'to'; readonly space: string },
): void {
  const type = dataTypeOf(typeName);
  const [destination, address] = instruction.operands;
  const value = decoder.value(address, type);
  const target = decoder.target(destination, type);
  if (value === undefined || target === undefined) return;
  const steps = new Steps(decoder, instruction);
  const mayLeave = action === 'to' && space !== 'global' && space !== 'shared::cluster';
  if (!mayLeave) return steps.result(target, type, value);
  const inside = liesIn(steps, decoder.placement, value, space);
  if (inside.kind === 'constant')
    return steps.result(target, type, inside.value === 0n ? steps.open(type.width) : value);
  steps.result(target, type, steps.of(type.width).select(inside, value, steps.open(type.width)));
}
