import { truncate } from '../program/integer.js';
import { operandWidth } from '../program/operand-width.js';
import type { Arithmetic, Operand } from '../program/operation.js';
import { at } from './lane-value.js';
import type { Turn } from './turn.js';
import type { Bounds } from './value-bounds.js';
import type { Ticket } from './warp.js';

/** What is taken of two in a lane, where it is known which. */
export function selectedOf(
  turn: Turn,
  lane: number,
  { name }: Arithmetic,
  [condition, a, b]: readonly Operand[],
): Operand | undefined {
  if (name !== 'select' || condition === undefined) return undefined;
  const holds = at(turn.value(condition, 1), lane);
  return holds === undefined ? undefined : holds === 1n ? a : b;
}

/** What is made of a ticket alone, and grows with it evenly: nothing of it wraps around. */
export function ticketBy(
  turn: Turn,
  lane: number,
  arithmetic: Arithmetic,
  operands: readonly Operand[],
): Ticket | undefined {
  const selected = selectedOf(turn, lane, arithmetic, operands);
  if (selected !== undefined) return turn.fact(turn.warp.tickets, selected, lane);
  const all = operands.map((operand) => turn.fact(turn.warp.tickets, operand, lane));
  const index = all.findIndex((one) => one !== undefined);
  const own = all[index];
  if (own === undefined) return undefined;
  const width = operandWidth(arithmetic, index);
  const others = operands.map((operand, i) => (i === index ? undefined : turn.bounds(operand, lane, width)));
  if (others.some((other) => other !== undefined && other.step !== 0n)) return undefined;
  // What is read as a signed number is none below 0.
  const isWidened = arithmetic.resultWidth > width;
  const given = within(own, isWidened && arithmetic.signed ? width - 1 : width);
  if (arithmetic.name === 'concatenate') return given && joined(given, index, others, width);
  const other = others.find((one) => one !== undefined)?.first ?? 0n;
  return given && grown(given, index, arithmetic, truncate(other, width));
}

/** A ticket beside numbers that are known. */
function joined(own: Ticket, index: number, others: readonly (Bounds | undefined)[], width: number): Ticket {
  const all = others.map((other) => (other === undefined ? own.first : truncate(other.first, width)));
  const first = all.reduce((sum, one, i) => sum + (one << BigInt(i * width)), 0n);
  return { ...own, first, scale: own.scale << BigInt(index * width) };
}

/** The low bits of a ticket, if the others are the same of all that it may give. */
export function lowBitsOf(own: Ticket, width: number): Ticket | undefined {
  const [high, last] = [own.first, own.first + own.scale * own.count].map((one) => one >> BigInt(width));
  return high === last ? { ...own, first: truncate(own.first, width) } : undefined;
}

function grown(own: Ticket, at: number, arithmetic: Arithmetic, other: bigint): Ticket | undefined {
  const { name, signed, width, resultWidth } = arithmetic;
  const { first, scale } = own;
  const times = (factor: bigint): Ticket | undefined => {
    const ofEither = [factor, factor - (1n << BigInt(width))].map((by) =>
      within({ ...own, first: truncate(first * by, resultWidth), scale: scale * by }, resultWidth),
    );
    // In a wider result it matters whether the factor is a number below 0.
    if (resultWidth > width) return ofEither[signed && factor >> BigInt(width - 1) === 1n ? 1 : 0];
    return ofEither.find((one) => one !== undefined);
  };
  switch (name) {
    case 'move':
    case 'convert':
      return within(own, resultWidth);
    case 'add':
      return within({ ...own, first: truncate(first + other, resultWidth) }, resultWidth);
    case 'subtract':
      return at === 0
        ? within({ ...own, first: truncate(first - other, resultWidth) }, resultWidth)
        : within({ ...own, first: truncate(other - first, resultWidth), scale: -scale }, resultWidth);
    case 'multiply':
    case 'multiply-wide':
      return times(other);
    case 'shift-right':
      return at === 0 && other === 0n ? lowBitsOf(own, resultWidth) : undefined;
    case 'shift-left':
      return at === 0 && other < MOST_SHIFTED ? times(1n << other) : undefined;
    default:
      return undefined;
  }
}

/** Whether all that a ticket may give is a number of so many bits. */
export function within(ticket: Ticket, width: number): Ticket | undefined {
  const { first, scale, count } = ticket;
  const isNumber = (value: bigint): boolean => value >= 0n && value < 1n << BigInt(width);
  return isNumber(first) && isNumber(first + scale * count) ? ticket : undefined;
}

/** A ticket that is shifted further takes no place in memory. */
const MOST_SHIFTED = 32n;
