import { computeArithmetic, truncate } from '../program/integer.js';
import { operandWidth } from '../program/operand-width.js';
import type { Arithmetic, Operand } from '../program/operation.js';
import { remembered } from '../program/remembered.js';
import { at } from './lane-value.js';
import { type Grown, grownAt, grownBy, numberGrowths } from './ticket-growth.js';
import type { Turn } from './turn.js';
import { type Bounds, commonBounds, isWithin, readAs } from './value-bounds.js';
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

/**
 * What is made of one ticket alone: as a number of so many bits, it may wrap around. Known is what is the same of all
 * that the ticket may be.
 */
export function ticketBy(
  turn: Turn,
  lane: number,
  arithmetic: Arithmetic,
  operands: readonly Operand[],
): Ticket | bigint | undefined {
  const selected = selectedOf(turn, lane, arithmetic, operands);
  if (selected !== undefined) return turn.fact(turn.warp.tickets, selected, lane);
  const all = operands.map((operand) => turn.fact(turn.warp.tickets, operand, lane));
  const index = all.findIndex((one) => one !== undefined);
  const own = all[index];
  if (own === undefined) return undefined;
  const others = operands.map((operand, i) =>
    all[i] === undefined ? turn.bounds(operand, lane, operandWidth(arithmetic, i)) : undefined,
  );
  if (others.some((other) => other !== undefined && other.step !== 0n)) return undefined;
  const given = all.map((one, i) => one ?? others[i]?.first ?? 0n);
  return alike(own, index, arithmetic, given) ?? tabled(own, arithmetic, given);
}

/** What grows as one ticket does. */
function alike(
  own: Ticket,
  index: number,
  arithmetic: Arithmetic,
  given: readonly (Ticket | bigint)[],
): Ticket | undefined {
  const others = given.filter((one) => typeof one === 'bigint');
  if (arithmetic.name === 'concatenate') return joined(own, index, given, operandWidth(arithmetic, index));
  const [a, b] = given;
  if (typeof a === 'object' && typeof b === 'object') return together(a, b, arithmetic);
  const [other = 0n] = others;
  return grown(own, index, arithmetic, truncate(other, operandWidth(arithmetic, index)));
}

/** What is computed of each value that one ticket may have. */
function tabled(own: Ticket, arithmetic: Arithmetic, given: readonly (Ticket | bigint)[]): Ticket | bigint | undefined {
  const { count, unit } = own;
  if (count / unit >= MOST_TABLED) return undefined;
  if (given.some((one) => typeof one === 'object' && one.from !== own.from)) return undefined;
  const { known, numberOf } = remembered(TABLED, arithmetic, () => new Tabled());
  const key = given.map((one) =>
    typeof one === 'bigint' ? `${one}` : `${one.first} + ${one.scale} * ${numberOf(one.growth)}`,
  );
  const name = `${key.join(', ')}, to ${count} by ${unit}`;
  const made = known.get(name) ?? grownBy(valuesBy(own, arithmetic, given), arithmetic.resultWidth, unit);
  known.set(name, made);
  return typeof made === 'bigint' ? made : { ...own, ...made };
}

const valuesBy = (
  { count, unit }: Ticket,
  arithmetic: Arithmetic,
  given: readonly (Ticket | bigint)[],
): readonly bigint[] =>
  Array.from({ length: Number(count / unit) + 1 }, (_, number) => {
    const valueOf = (one: Ticket | bigint, i: number): bigint => {
      const width = operandWidth(arithmetic, i);
      return typeof one === 'bigint' ? truncate(one, width) : grownAt(one, number, unit, width);
    };
    return computeArithmetic(arithmetic, given.map(valueOf));
  });

/** A ticket beside numbers that are known. */
function joined(given: Ticket, index: number, parts: readonly (Ticket | bigint)[], width: number): Ticket | undefined {
  const own = within(given, width);
  if (own === undefined || parts.some((part, i) => i !== index && typeof part === 'object')) return undefined;
  const all = parts.map((part) => (typeof part === 'bigint' ? truncate(part, width) : own.first));
  const first = all.reduce((sum, one, i) => sum + (one << BigInt(i * width)), 0n);
  return { ...own, first, scale: own.scale << BigInt(index * width) };
}

/** What two that are made of one ticket come to, if that still grows with it. */
function together(a: Ticket, b: Ticket, { name, resultWidth }: Arithmetic): Ticket | undefined {
  if (a.from !== b.from || a.growth !== b.growth || (name !== 'add' && name !== 'subtract')) return undefined;
  const by = name === 'add' ? 1n : -1n;
  const sum = modulo({ ...a, first: a.first + by * b.first, scale: a.scale + by * b.scale }, resultWidth);
  return sum.scale === 0n ? undefined : sum;
}

/** The low bits of a ticket, if the others are the same of all that it may give. */
export function lowBitsOf(own: Ticket, width: number): Ticket | undefined {
  const [least, most] = rangeOf(own).map((one) => one >> BigInt(width));
  return least === most ? { ...own, first: truncate(own.first, width) } : undefined;
}

function grown(own: Ticket, at: number, arithmetic: Arithmetic, other: bigint): Ticket | undefined {
  const { name, signed, width, resultWidth } = arithmetic;
  const { first, scale } = own;
  const made = (of: Pick<Ticket, 'first' | 'scale'>): Ticket => modulo({ ...own, ...of }, resultWidth);
  switch (name) {
    case 'move':
      return made(own);
    case 'convert':
      return resultWidth <= width ? made(own) : inWider(own, width, signed);
    case 'add':
      return made({ first: first + other, scale });
    case 'subtract':
      return at === 0 ? made({ first: first - other, scale }) : made({ first: other - first, scale: -scale });
    case 'or':
    case 'xor':
      return isBeside(own, other) ? made({ first: first + other, scale }) : undefined;
    case 'multiply':
    case 'multiply-wide': {
      if (resultWidth === width) return made({ first: first * other, scale: scale * other });
      const number = inWider(own, width, signed);
      const by = signed ? BigInt.asIntN(width, other) : other;
      return number && made({ first: number.first * by, scale: number.scale * by });
    }
    case 'shift-right': {
      const number = within(own, width);
      return at === 0 && other === 0n && number !== undefined ? lowBitsOf(number, resultWidth) : undefined;
    }
    case 'shift-left':
      return at === 0 && other < MOST_SHIFTED ? made({ first: first << other, scale: scale << other }) : undefined;
    default:
      return undefined;
  }
}

/** Whether a number has bits only where none of what a ticket may give has any: below the steps that it makes. */
function isBeside({ first, scale }: Ticket, other: bigint): boolean {
  const steps = scale & -scale;
  return other < steps && (first & other) === 0n;
}

/** As a number of a wider register, which has what was a sign before where it is read as signed. */
export function inWider(own: Ticket, width: number, signed: boolean): Ticket | undefined {
  return within(own, signed ? width - 1 : width);
}

/** Between which numbers of so many bits it is what a ticket may give, if that is known to be within some besides. */
export function boundsOfTicket(ticket: Ticket, given: Bounds | undefined, width: number): Bounds | undefined {
  const own = within(ticket, width);
  if (own === undefined) return given;
  const { scale } = own;
  const [low, high] = rangeOf(own);
  const all = { first: low, last: high, step: low === high ? 0n : scale > 0n ? scale : -scale };
  return given === undefined ? all : (commonBounds(readAs(given, width, false), all) ?? all);
}

/** The same as a number of so many bits, whose steps are the shorter ones of those that come to the same there. */
const modulo = (ticket: Ticket, width: number): Ticket => ({
  ...ticket,
  first: truncate(ticket.first, width),
  scale: BigInt.asIntN(width, ticket.scale),
});

/** The least and the greatest number that a ticket may give. */
function rangeOf({ first, scale, count, growth }: Ticket): readonly [least: bigint, most: bigint] {
  const ends = growth === undefined ? [0n, count] : [growth.least, growth.most];
  const [a = first, b = first] = ends.map((end) => first + scale * end);
  return a < b ? [a, b] : [b, a];
}

/** The numbers within bounds that a ticket may give which does not grow evenly. */
export function numbersOf(ticket: Ticket, bounds: Bounds): readonly bigint[] | undefined {
  const { first, scale, growth } = ticket;
  if (growth === undefined || within(ticket, 64) === undefined) return undefined;
  return growth.at.map((at) => first + scale * at).filter((one) => isWithin(one, bounds));
}

/** All that a ticket may give, if these are numbers of so many bits and none wraps around; undefined if not. */
export function within(ticket: Ticket, width: number): Ticket | undefined {
  const [least, most] = rangeOf(ticket);
  return least >= 0n && most < 1n << BigInt(width) ? ticket : undefined;
}

/** A ticket that is shifted further takes no place in memory. */
const MOST_SHIFTED = 32n;

/** Of no more tickets it is computed one by one what is made of them. */
const MOST_TABLED = 4096n;
const TABLED = new WeakMap<Arithmetic, Tabled>();

/** By what is given, what a computation makes of it. */
class Tabled {
  readonly known = new Map<string, Grown | bigint>();
  readonly numberOf = numberGrowths();
}
