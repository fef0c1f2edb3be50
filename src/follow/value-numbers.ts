import { type FloatFunction, isChoice, keyOf } from '../program/float-function.js';
import type { Arithmetic, ArithmeticName } from '../program/operation.js';

/** A value: itself where it is known, else its number. */
export type Numbered = bigint | number;

/** Parts of one width that a value is put together from, the first one lowest. */
interface Parts {
  readonly width: number;
  readonly values: readonly Numbered[];
}

const COMMUTING: ReadonlySet<ArithmeticName> = new Set([
  ...([
    'add',
    'multiply',
    'multiply-high',
    'multiply-wide',
    'minimum',
    'maximum',
    'and',
    'or',
    'xor',
    'equal',
  ] as const),
]);

/** Their first two operands; of two NaN of .f64 either may be the result (PTX ISA, NaN of .f64). */
const COMMUTING_FLOATS: ReadonlySet<string> = new Set(['add', 'multiply', 'fma', 'minimum', 'maximum']);

/**
 * Numbers of values that are open: two with one number are equal in every execution, since they are made in one way of
 * one thing, or are in one word of memory. (Value numbering; here over all that the threads of a run compute.)
 */
export class ValueNumbers {
  private readonly known = new Map<string, number>();
  private readonly parts = new Map<number, Parts>();
  private last = 0;

  /** Of something of which nothing else is made alike. */
  fresh(): number {
    return this.last++;
  }

  /** What a computation makes of its operands, each in its width. */
  computed({ name, signed, width, resultWidth }: Arithmetic, given: readonly Numbered[]): Numbered {
    const [first = 0n, second = 0n, third = 0n] = given;
    switch (name) {
      case 'move':
        return first;
      case 'select':
        if (typeof first === 'bigint') return first === 1n ? second : third;
        break;
      case 'convert':
        return this.resized(first, width, resultWidth, signed);
      case 'concatenate':
        return this.put(`${name} ${width} ${keysOf(given)}`, { width, values: given });
      case 'shift-right':
        if (typeof second === 'bigint' && Number(second) + resultWidth <= width)
          return this.element(first, Number(second), resultWidth, width);
    }
    const operands = COMMUTING.has(name) ? inOrder(given) : given;
    return this.put(`${name} ${signed} ${width} ${resultWidth} ${keysOf(operands)}`);
  }

  /** The same of floating-point numbers, and of what is known to be a function alone. */
  applied(of: FloatFunction, given: readonly Numbered[]): Numbered {
    // What each execution chooses is no function, and what is read of the hardware is another value for others.
    if (isChoice(of) || given.length === 0) return this.fresh();
    const commutes = COMMUTING_FLOATS.has(of.name) && of.to !== 'f64';
    const operands = commutes ? [...inOrder(given.slice(0, 2)), ...given.slice(2)] : given;
    return this.put(`${keyOf(of)} ${keysOf(operands)}`);
  }

  /** What a lane takes of what another one gives, of `of` bits: so many low ones, and above them a 1. */
  taken(given: Numbered, width: number, of: number): Numbered {
    const values = [this.element(given, 0, width, of), 1n];
    return this.put(`taken ${width} ${keysOf(values)}`, { width, values });
  }

  /** Cut, or extended by sign or zeros. */
  resized(value: Numbered, from: number, to: number, signed: boolean): Numbered {
    if (typeof value === 'bigint' || from === to) return value;
    if (to < from) return this.element(value, 0, to, from);
    return this.put(`extended ${signed} ${from} ${to} ${value}`, { width: from, values: [value] });
  }

  /** Some bits of a value. */
  private element(value: Numbered, from: number, width: number, of: number): Numbered {
    if (typeof value === 'bigint') return BigInt.asUintN(width, value >> BigInt(from));
    if (from === 0 && width === of) return value;
    const parts = this.parts.get(value);
    if (parts !== undefined && Math.floor(from / parts.width) === Math.floor((from + width - 1) / parts.width)) {
      const part = parts.values[Math.floor(from / parts.width)];
      if (part !== undefined) return this.element(part, from % parts.width, width, parts.width);
    }
    return this.put(`bits ${from} ${width} ${value}`);
  }

  private put(key: string, parts?: Parts): number {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const number = this.fresh();
    this.known.set(key, number);
    if (parts !== undefined) this.parts.set(number, parts);
    return number;
  }
}

const keysOf = (given: readonly Numbered[]): string =>
  given.map((one) => (typeof one === 'bigint' ? `=${one}` : `${one}`)).join();

const inOrder = (given: readonly Numbered[]): readonly Numbered[] =>
  given.length === 2 && keysOf(given.slice(0, 1)) > keysOf(given.slice(1)) ? given.toReversed() : given;
