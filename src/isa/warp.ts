import { type DataType, dataTypeOf, PREDICATE } from '../program/data-type.js';
import { type Collective, constant, type Operand, register } from '../program/operation.js';
import { HOPPER, type Instruction, instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { B32, B64, predicate, result, resultAndPredicate, U32, value } from './typed-operands.js';
import { exchange } from './warp-exchange.js';

/**
 * vote.sync, match.sync, shfl.sync, redux.sync, activemask and elect.sync (PTX ISA, Parallel Synchronization and
 * Communication Instructions): values over the lanes of a mask; they order no memory.
 */
const ZERO: Operand = constant(0n);
const F32: DataType = { kind: 'f', width: 32 };
const VOTES = { all: 'and', any: 'or', uni: 'uniform', ballot: 'ballot' } as const satisfies Record<string, Collective>;
const REDUCTIONS = {
  add: 'add',
  min: 'minimum',
  max: 'maximum',
  and: 'and',
  or: 'or',
  xor: 'xor',
} as const satisfies Record<string, Collective>;

/** Bits are reduced as numbers are. */
const reducedType = (type: 'u32' | 's32' | 'b32' | 'f32'): DataType => (type === 'b32' ? U32 : dataTypeOf(type));

const NAN = 0x7fff_ffffn;
const LEAST = 0x8000_0000n;

/**
 * The least or greatest of floating-point numbers is that of integers in the same order; NaN is past all of them, at
 * the end where it is seen (.NaN), or at the one where it is not.
 */
function reduceFloats(
  at: InstructionDecoder,
  {
    operation,
    magnitude,
    quietNan,
  }: { readonly operation: string; readonly magnitude?: string; readonly quietNan?: string },
  [target, given, mask]: readonly [string, Operand, Operand],
): void {
  const word = at.of(32, true);
  const inOrder = (bits: Operand): Operand =>
    word.xor(bits, word.and(word.shiftRight(bits, constant(31)), constant(NAN)));
  const absolute = word.and(given, constant(NAN));
  const isNan = at.of(32).less(constant(0x7f80_0000), absolute);
  const pastAll = constant((operation === 'min') === (quietNan === undefined) ? NAN : LEAST);
  const key = word.select(isNan, pastAll, inOrder(magnitude === undefined ? given : absolute));
  const extreme = REDUCTIONS[operation === 'min' ? 'min' : 'max'];
  exchange(at, mask, { operation: extreme, target, value: key, width: 32, signed: true, resultWidth: 32 });
  const found: Operand = register(target);
  at.result(target, F32, word.select(word.equal(found, pastAll), constant(NAN), inOrder(found)));
}

type Targets = readonly [string | undefined, string | undefined];

/** Results of a word and a predicate come as one value: the predicate is bit 32. */
function exchangeForBoth(
  at: InstructionDecoder,
  mask: Operand,
  given: { readonly operation: Collective; readonly value: Operand; readonly width: number },
  [target, found]: Targets,
): void {
  const both = at.temporary(B64);
  exchange(at, mask, { ...given, target: both, resultWidth: 64 });
  if (target !== undefined) at.result(target, B32, at.of(32).element(register(both), 64, 0));
  if (found !== undefined) at.result(found, PREDICATE, at.of(1).element(register(both), 64, 32));
}

const SHUFFLES = { up: 'shuffle-up', down: 'shuffle-down', bfly: 'shuffle-bfly', idx: 'shuffle-idx' } as const;

/** The lane from which a lane takes a word, and whether it is within bounds (PTX ISA, shfl.sync). */
function shuffle(
  at: InstructionDecoder,
  mode: keyof typeof SHUFFLES,
  [[target, isWithin], given, position, control, mask]: readonly [Targets, Operand, Operand, Operand, Operand],
): void {
  if (target === undefined) return void at.refuse(undefined, 'shfl.sync names the register to write');
  const [word, signed, bit] = [at.of(32), at.of(32, true), at.of(1)];
  const { lane } = at;
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
  const both = word.concatenate([given, asked]);
  const found = at.temporary(B64);
  exchange(at, mask, { operation: SHUFFLES[mode], target: found, value: both, width: 64, resultWidth: 64 });
  const taken = register(found);
  // Nothing is said of the word of a lane that has exited, is not in the mask or does not execute the instruction.
  const known = word.where(bit.element(taken, 64, 32), word.element(taken, 64, 0));
  at.result(target, B32, word.select(within, known, given));
  if (isWithin !== undefined) at.result(isWithin, PREDICATE, within);
}

export const WARP_INSTRUCTIONS = {
  vote: instruction({
    slots: { sync: ['sync'], mode: ['all', 'any', 'uni', 'ballot'], type: ['pred', 'b32'] },
    required: ['sync', 'mode', 'type'],
    operands: 'd, {!}a, membermask',
    destination: true,
    rules: [
      {
        rule: 'vote.sync is .all.pred, .any.pred, .uni.pred or .ballot.b32',
        broken: (q) => (q.mode === 'ballot') !== (q.type === 'b32'),
      },
    ],
    since: { ptx: '6.0', target: 'sm_30' },
    typed: ({ type }) => [result(dataTypeOf(type)), predicate, value(B32)],
    decode: (at, { mode, type }, [target, given, mask]) =>
      exchange(at, mask, {
        ...{ operation: VOTES[mode], target, value: given, width: 1, resultWidth: dataTypeOf(type).width },
      }),
  }),
  match: instruction({
    slots: { mode: ['any', 'all'], sync: ['sync'], type: ['b32', 'b64'] },
    required: ['mode', 'sync', 'type'],
    operands: 'd{|p}, a, membermask',
    destination: true,
    since: { ptx: '6.0', target: 'sm_70' },
    typed: ({ type }) => [resultAndPredicate(B32), value(dataTypeOf(type)), value(B32)],
    decode: (at, { mode, type }, [targets, given, mask]) => {
      if (at.operands[0]?.kind === 'pair' && mode !== 'all')
        return void at.refuse(at.operands[0], 'match.any returns a mask only');
      const { width } = dataTypeOf(type);
      exchangeForBoth(at, mask, { operation: `match-${mode}`, value: given, width }, targets);
    },
  }),
  shfl: instruction({
    slots: { sync: ['sync'], mode: ['up', 'down', 'bfly', 'idx'], type: ['b32'] },
    required: ['sync', 'mode', 'type'],
    operands: 'd{|p}, a, b, c, membermask',
    destination: true,
    since: { ptx: '6.0', target: 'sm_30' },
    typed: () => [resultAndPredicate(B32), value(B32), value(B32), value(B32), value(B32)],
    decode: (at, { mode }, operands) => shuffle(at, mode, operands),
  }),
  /** Any lanes of the warp may be active, the thread's own among them; nobody waits. */
  activemask: instruction({
    slots: { type: ['b32'] },
    required: ['type'],
    operands: 'd',
    destination: true,
    since: { ptx: '6.2', target: 'sm_30' },
    typed: () => [result(B32)],
    decode: (at, _, [target]) => {
      const active = { operation: 'active', target, value: ZERO, width: 1, resultWidth: 32 } as const;
      exchange(at, ZERO, active, { action: 'arrive' });
    },
  }),
  redux: instruction({
    slots: {
      sync: ['sync'],
      operation: ['add', 'min', 'max', 'and', 'or', 'xor'],
      magnitude: ['abs'],
      quietNan: ['NaN'],
      type: ['u32', 's32', 'b32', 'f32'],
    },
    required: ['sync', 'operation', 'type'],
    operands: 'd, a, membermask',
    destination: true,
    rules: [
      {
        rule:
          'redux.sync is .add, .min, .max with .u32 or .s32, .and, .or, .xor with .b32, or .min, .max {.abs} {.NaN} ' +
          'with .f32',
        broken: (q) =>
          ['and', 'or', 'xor'].includes(q.operation ?? '') !== (q.type === 'b32') ||
          (q.type === 'f32' ? q.operation === 'add' : q.magnitude !== undefined || q.quietNan !== undefined),
      },
    ],
    since: { ptx: '7.0; .f32 8.6', target: 'sm_80; .f32 sm_100a' },
    typed: ({ type }) => [result(reducedType(type)), value(reducedType(type)), value(B32)],
    decode: (at, qualifiers, operands) => {
      if (qualifiers.type === 'f32') return reduceFloats(at, qualifiers, operands);
      const [target, given, mask] = operands;
      const operation = REDUCTIONS[qualifiers.operation];
      const signed = qualifiers.type === 's32';
      exchange(at, mask, { operation, target, value: given, width: 32, signed, resultWidth: 32 });
    },
  }),
  /** Some lane of the mask is elected, for one mask always the same (PTX ISA, elect.sync; semantics/elections.ts). */
  'elect.sync': instruction({
    slots: {},
    operands: 'd|p, membermask',
    destination: true,
    since: HOPPER,
    typed: () => [resultAndPredicate(B32), value(B32)],
    decode: (at, _, [targets, mask]) => {
      const [destination] = at.operands;
      if (destination?.kind !== 'pair') return void at.refuse(destination, 'elect.sync writes a pair: d|p, or _|p');
      exchangeForBoth(at, mask, { operation: 'elect', value: ZERO, width: 1 }, targets);
    },
  }),
} as const satisfies Record<string, Instruction>;
