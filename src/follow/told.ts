import { truncate } from '../program/integer.js';
import type { Arithmetic, ArithmeticName, Operand } from '../program/operation.js';
import type { Told } from './open-ways.js';
import type { Turn } from './turn.js';
import { type Bounds, boundsOfWidth, readAs } from './value-bounds.js';

/** What tells something of its operand though it is no predicate: that it is 0. */
export const TELLING: ReadonlySet<ArithmeticName> = new Set(['and', 'shift-right']);

/** What a predicate that is open tells of what it is computed from, in a lane. */
export function toldBy(
  turn: Turn,
  lane: number,
  arithmetic: Arithmetic,
  operands: readonly Operand[],
): readonly Told[] {
  const [a, b = a] = operands;
  if (a === undefined || b === undefined) return [];
  const toldOf = (operand: Operand): readonly Told[] => turn.fact(turn.warp.told, operand, lane) ?? [];
  switch (arithmetic.name) {
    case 'less':
    case 'less-or-equal':
      return compared(turn, lane, arithmetic, [a, b]);
    case 'equal': {
      const given = turn.bounds(b, lane, arithmetic.width);
      const isGiven = (one: Told): boolean => given.step === 0n && one.if === given.first;
      const ofOperand = toldOf(a).filter(isGiven);
      return [...compared(turn, lane, arithmetic, [a, b]), ...ofOperand.map((one) => ({ ...one, if: 1n }))];
    }
    case 'shift-right':
      return withoutHighBits(turn, lane, arithmetic, [a, b]);
    case 'and':
    case 'or': {
      if (arithmetic.width > 1) return arithmetic.name === 'and' ? withoutHighBits(turn, lane, arithmetic, [a, b]) : [];
      const whole = arithmetic.name === 'and' ? 1n : 0n;
      return operands.flatMap(toldOf).filter((one) => one.if === whole);
    }
    case 'not':
      return toldOf(a).map((one) => ({ ...one, if: 1n - one.if }));
    case 'move':
      return toldOf(a);
    default:
      return [];
  }
}

/**
 * What is 0 says of the number whose high bits it has: `v & ~63` and `v >> 6` that v is below 64. That a register has
 * that value is told of it as of a predicate.
 */
function withoutHighBits(
  turn: Turn,
  lane: number,
  { name, width }: Arithmetic,
  [a, b]: readonly [Operand, Operand],
): readonly Told[] {
  const given = turn.bounds(b, lane, width);
  if (given.step !== 0n) return [];
  const value = truncate(given.first, width);
  const isShift = name === 'shift-right';
  const below = isShift ? (value < BigInt(width) ? 1n << value : 0n) : (1n << BigInt(width)) - value;
  // A mask of all bits from one on.
  if (below <= 1n || (below & (below - 1n)) !== 0n) return [];
  return toldOfRegister(turn, a, { if: 0n, bounds: { first: 0n, last: below - 1n, step: 1n }, width, signed: false });
}

/** That of what a register holds now, if it is as wide. */
function toldOfRegister({ warp }: Turn, operand: Operand, told: Omit<Told, 'register' | 'version'>): readonly Told[] {
  if (operand.kind !== 'register') return [];
  const register = warp.code.indexOf.get(operand.name) ?? -1;
  if (warp.code.registers.get(operand.name)?.type.width !== told.width) return [];
  return [{ register, version: warp.versions[register] ?? 0, ...told }];
}

/** How far the first of two reaches, and from where on the second is, if a comparison holds, and if it does not. */
function compared(
  turn: Turn,
  lane: number,
  { name, width, signed: isSigned }: Arithmetic,
  [a, b]: readonly [Operand, Operand],
): readonly Told[] {
  const signed = isSigned && name !== 'equal';
  const all = boundsOfWidth(width, signed);
  const [one, other] = [a, b].map((operand) => readAs(turn.bounds(operand, lane, width), width, signed)) as [
    Bounds,
    Bounds,
  ];
  const tell = (operand: Operand, value: bigint, bounds: Partial<Bounds>): readonly Told[] =>
    toldOfRegister(turn, operand, { if: value, bounds: { ...all, ...bounds }, width, signed });
  if (name === 'equal')
    return [
      ...tell(a, 1n, { first: other.first, last: other.last }),
      ...tell(b, 1n, { first: one.first, last: one.last }),
    ];
  const gap = name === 'less' ? 1n : 0n;
  return [
    ...tell(a, 1n, { last: other.last - gap }),
    ...tell(b, 1n, { first: one.first + gap }),
    ...tell(a, 0n, { first: other.first + 1n - gap }),
    ...tell(b, 0n, { last: one.last - 1n + gap }),
  ];
}
