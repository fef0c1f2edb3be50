import { type DataType, dataTypeOf, PREDICATE } from '../program/data-type.js';
import { type BarrierOperation, type Collective, constant, type Operand, register } from '../program/operation.js';
import type { InstructionDecoder } from './instruction-decoder.js';

/**
 * vote.sync, match.sync, redux.sync, activemask and elect.sync: values over the lanes of a mask; they order no memory.
 */
const WORD: DataType = { kind: 'b', width: 32 };
const ZERO: Operand = constant(0n);
const VOTES = { all: 'and', any: 'or', uni: 'uniform', ballot: 'ballot' } as const satisfies Record<string, Collective>;
const REDUCTIONS = {
  add: 'add',
  min: 'minimum',
  max: 'maximum',
  and: 'and',
  or: 'or',
  xor: 'xor',
} as const satisfies Record<string, Collective>;

/** Any lanes of the warp may be active, the thread's own among them; nobody waits. */
export function decodeActiveMask(at: InstructionDecoder): void {
  const target = at.target(at.operands[0], WORD);
  if (target === undefined) return;
  const reduction = { operation: 'active', target, value: ZERO, width: 1, signed: false, resultWidth: 32 } as const;
  emit(at, 'arrive', ZERO, reduction);
}

export function decodeVote(at: InstructionDecoder, { mode }: { readonly mode: keyof typeof VOTES }): void {
  const [destination, given, members] = at.operands;
  const mask = at.value(members, WORD);
  const value = given === undefined ? undefined : at.predicate(given);
  const resultType = mode === 'ballot' ? WORD : PREDICATE;
  const target = at.target(destination, resultType);
  if (mask === undefined || value === undefined || target === undefined) return;
  const operation = VOTES[mode];
  const resultWidth = resultType.width;
  emit(at, 'red', mask, { operation, target, value, width: 1, signed: false, resultWidth });
}

export function decodeRedux(
  at: InstructionDecoder,
  qualifiers: {
    readonly operation: keyof typeof REDUCTIONS;
    readonly type: 'u32' | 's32' | 'b32' | 'f32';
    readonly magnitude?: string;
    readonly quietNan?: string;
  },
): void {
  if (qualifiers.type === 'f32') return void reduceFloats(at, qualifiers);
  const [destination, given, members] = at.operands;
  const mask = at.value(members, WORD);
  const signed = qualifiers.type === 's32';
  const type: DataType = { kind: signed ? 's' : 'u', width: 32 };
  const value = at.value(given, type);
  const target = at.target(destination, type);
  if (mask === undefined || value === undefined || target === undefined) return;
  const operation = REDUCTIONS[qualifiers.operation];
  emit(at, 'red', mask, { operation, target, value, width: 32, signed, resultWidth: 32 });
}

const NAN = 0x7fff_ffffn;
const LEAST = 0x8000_0000n;

/**
 * The least or greatest of floating-point numbers is that of integers in the same order; NaN is past all of them, at
 * the end where it is seen (.NaN), or at the one where it is not.
 */
function reduceFloats(
  at: InstructionDecoder,
  { operation, magnitude, quietNan }: { operation: string; magnitude?: string; quietNan?: string },
): void {
  const [destination, given, members] = at.operands;
  const float: DataType = { kind: 'f', width: 32 };
  const mask = at.value(members, WORD);
  const value = at.value(given, float);
  const target = at.target(destination, float);
  if (mask === undefined || value === undefined || target === undefined) return;
  const word = at.of(32, true);
  const inOrder = (bits: Operand): Operand =>
    word.xor(bits, word.and(word.shiftRight(bits, constant(31)), constant(NAN)));
  const absolute = word.and(value, constant(NAN));
  const isNan = at.of(32).less(constant(0x7f80_0000), absolute);
  const pastAll = constant((operation === 'min') === (quietNan === undefined) ? NAN : LEAST);
  const key = word.select(isNan, pastAll, inOrder(magnitude === undefined ? value : absolute));
  emit(at, 'red', mask, {
    ...{ operation: REDUCTIONS[operation === 'min' ? 'min' : 'max'], target, value: key, width: 32 },
    ...{ signed: true, resultWidth: 32 },
  });
  const found: Operand = register(target);
  at.result(target, float, word.select(word.equal(found, pastAll), constant(NAN), inOrder(found)));
}

export function decodeMatch(
  at: InstructionDecoder,
  { mode, type }: { readonly mode: 'any' | 'all'; readonly type: 'b32' | 'b64' },
): void {
  const [destination, given, members] = at.operands;
  const mask = at.value(members, WORD);
  const word = dataTypeOf(type);
  const value = at.value(given, word);
  if (destination?.kind === 'pair' && mode !== 'all')
    return void at.refuse(destination, 'match.any returns a mask only');
  if (mask === undefined || value === undefined) return;
  const operation = mode === 'all' ? 'match-all' : 'match-any';
  decodeMaskAndPredicate(at, mask, { operation, value, width: word.width });
}

/** Some lane of the mask is elected, for one mask always the same (PTX ISA, elect.sync; semantics/elections.ts). */
export function decodeElect(at: InstructionDecoder): void {
  const [destination, members] = at.operands;
  if (destination?.kind !== 'pair') return void at.refuse(destination, 'elect.sync writes a pair: d|p, or _|p');
  const mask = at.value(members, WORD);
  if (mask !== undefined) decodeMaskAndPredicate(at, mask, { operation: 'elect', value: ZERO, width: 1 });
}

const SHUFFLES = { up: 'shuffle-up', down: 'shuffle-down', bfly: 'shuffle-bfly', idx: 'shuffle-idx' } as const;

/** The lane from which a lane takes a word, and whether it is within bounds (PTX ISA, shfl.sync). */
export function decodeShuffle(at: InstructionDecoder, { mode }: { readonly mode: keyof typeof SHUFFLES }): void {
  const [destination, given, b, c, members] = at.operands;
  const operands = [given, b, c, members].map((operand) => at.value(operand, WORD));
  const [value, position, control, mask] = operands;
  const names =
    destination?.kind === 'pair'
      ? [destination.first, destination.second]
      : [destination?.kind === 'name' ? destination.name : undefined, undefined];
  const [target, predicate] = [WORD, PREDICATE].map((type, i) => {
    const name = names[i];
    const span = destination?.span ?? at.span;
    return name === undefined ? undefined : at.target({ kind: 'name', name, offset: 0n, span }, type);
  });
  if (names[0] === undefined) return void at.refuse(undefined, 'shfl.sync names the register to write');
  if (value === undefined || position === undefined || control === undefined || mask === undefined) return;
  const [word, signed, bit] = [at.of(32), at.of(32, true), at.of(1)];
  const lane = constant(at.placement.lane);
  const five = (operand: Operand, from = 0): Operand =>
    word.and(word.shiftRight(operand, constant(from)), constant(31));
  const [offset, clamp, segment] = [five(position), five(control), five(control, 8)];
  const inverse = word.and(word.not(segment), constant(31));
  const least = word.and(lane, segment);
  const most = word.or(least, word.and(clamp, inverse));
  const source = {
    up: () => word.subtract(lane, offset),
    down: () => word.add(lane, offset),
    bfly: () => word.xor(lane, offset),
    idx: () => word.or(least, word.and(offset, inverse)),
  }[mode]();
  const within = mode === 'up' ? signed.lessOrEqual(most, source) : signed.lessOrEqual(source, most);
  // A lane that asks out of bounds keeps its own word; so it asks for that.
  const asked = word.select(within, source, lane);
  const both = word.concatenate([value, asked]);
  const found = at.temporary({ kind: 'b', width: 64 });
  emit(at, 'red', mask, {
    ...{ operation: SHUFFLES[mode], target: found, value: both, width: 64, signed: false, resultWidth: 64 },
  });
  const result: Operand = register(found);
  // Nothing is said of the word of a lane that has exited, is not in the mask or does not execute the instruction.
  const taken = word.select(bit.element(result, 64, 32), word.element(result, 64, 0), at.open(32));
  if (target !== undefined) at.result(target, WORD, word.select(within, taken, value));
  if (predicate !== undefined) at.result(predicate, PREDICATE, within);
}

/** Results of a word and a predicate come as one value: the predicate is bit 32. */
function decodeMaskAndPredicate(
  at: InstructionDecoder,
  mask: Operand,
  reduction: { readonly operation: Collective; readonly value: Operand; readonly width: number },
): void {
  const [destination] = at.operands;
  const both = at.temporary({ kind: 'b', width: 64 });
  emit(at, 'red', mask, { ...reduction, target: both, signed: false, resultWidth: 64 });
  const [word, predicate] =
    destination?.kind === 'pair'
      ? [destination.first, destination.second]
      : [destination?.kind === 'name' ? destination.name : undefined, undefined];
  const span = destination?.span ?? at.span;
  const named = (name: string | undefined, type: DataType): string | undefined =>
    name === undefined ? undefined : at.target({ kind: 'name', name, offset: 0n, span }, type);
  const wordTarget = named(word, WORD);
  const predicateTarget = named(predicate, PREDICATE);
  if (wordTarget !== undefined) at.result(wordTarget, WORD, at.of(32).element(register(both), 64, 0));
  if (predicateTarget !== undefined) at.result(predicateTarget, PREDICATE, at.of(1).element(register(both), 64, 32));
}

function emit(
  at: InstructionDecoder,
  action: 'red' | 'arrive',
  mask: Operand,
  reduction: NonNullable<BarrierOperation['reduction']>,
): void {
  at.emit({
    kind: 'barrier',
    action,
    level: 'lanes',
    id: mask,
    count: undefined,
    aligned: false,
    reduction,
  });
}
