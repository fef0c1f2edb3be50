import { type FloatFunction, isChoice, keyOf } from '../program/float-function.js';
import type { Arithmetic, ArithmeticName } from '../program/operation.js';
import { remembered } from '../program/remembered.js';

/** A value: itself where it is known, else its number. */
export type Numbered = bigint | number;

/** Parts of one width that a value is put together from, the first one lowest. */
interface Parts {
  readonly width: number;
  readonly values: readonly Numbered[];
}

/** What one function makes: by the number of its operands, that of its result. */
type Results = Map<number, number>;

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

/** A pair of numbers below this is one number, exactly. */
const MOST_NUMBERS = 2 ** 26;

/**
 * Numbers of values that are open: two with one number are equal in every execution, since they are made in one way of
 * one thing, or are in one word of memory. (Value numbering; here over all that the threads of a run compute.)
 */
export class ValueNumbers {
  private readonly constants = new Map<bigint, number>();
  private readonly pairs: Results = new Map();
  /** By a function in words, and by the object that says so. */
  private readonly byName = new Map<string, Results>();
  private readonly byFunction = new WeakMap<Arithmetic | FloatFunction, Results>();
  private readonly parts = new Map<number, Parts>();
  private last = 0;

  /** Of something of which nothing else is made alike. */
  fresh(): number {
    return this.last++;
  }

  /** What a computation makes of its operands, each in its width. */
  computed(arithmetic: Arithmetic, given: readonly Numbered[]): Numbered {
    const { name, signed, width, resultWidth } = arithmetic;
    const [first = 0n, second = 0n, third = 0n] = given;
    const results = (): Results =>
      remembered(this.byFunction, arithmetic, () => this.named(`${name} ${signed} ${width} ${resultWidth}`));
    switch (name) {
      case 'move':
        return first;
      case 'select':
        if (typeof first === 'bigint') return first === 1n ? second : third;
        break;
      case 'convert':
        return this.resized(first, width, resultWidth, signed);
      case 'concatenate':
        return this.put(results(), given, { width, values: given });
      case 'shift-right':
        if (typeof second === 'bigint' && Number(second) + resultWidth <= width)
          return this.element(first, Number(second), resultWidth, width);
    }
    return this.put(results(), COMMUTING.has(name) ? [this.either(given)] : given);
  }

  /** The same of floating-point numbers, and of what is known to be a function alone. */
  applied(of: FloatFunction, given: readonly Numbered[]): Numbered {
    // What each execution chooses is no function, and what is read of the hardware is another value for others.
    if (isChoice(of) || given.length === 0) return this.fresh();
    const results = remembered(this.byFunction, of, () => this.named(keyOf(of)));
    const commutes = COMMUTING_FLOATS.has(of.name) && of.to !== 'f64';
    return commutes ? this.put(results, [this.either(given.slice(0, 2)), ...given.slice(2)]) : this.put(results, given);
  }

  /** What a lane takes of what another one gives, of `of` bits: so many low ones, and above them a 1. */
  taken(given: Numbered, width: number, of: number): Numbered {
    const values = [this.element(given, 0, width, of), 1n];
    return this.put(this.named(`taken ${width}`), values, { width, values });
  }

  /** Cut, or extended by sign or zeros. */
  resized(value: Numbered, from: number, to: number, signed: boolean): Numbered {
    if (typeof value === 'bigint' || from === to) return value;
    if (to < from) return this.element(value, 0, to, from);
    return this.put(this.named(`extended ${signed} ${from} ${to}`), [value], { width: from, values: [value] });
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
    return this.put(this.named(`bits ${from} ${width}`), [value]);
  }

  private named(name: string): Results {
    const known = this.byName.get(name) ?? new Map<number, number>();
    this.byName.set(name, known);
    return known;
  }

  private put(results: Results, given: readonly Numbered[], parts?: Parts): number {
    let key = this.numberOf(given[0] ?? 0n);
    for (let i = 1; i < given.length; i++) key = this.pair(key, this.numberOf(given[i] ?? 0n));
    const known = results.get(key);
    if (known !== undefined) return known;
    const number = this.fresh();
    results.set(key, number);
    if (parts !== undefined) this.parts.set(number, parts);
    return number;
  }

  /** The number of some operands that come in any order. */
  private either(given: readonly Numbered[]): number {
    const [first = 0, second] = given.map((one) => this.numberOf(one)).sort((a, b) => a - b);
    return second === undefined ? first : this.pair(first, second);
  }

  private pair(first: number, second: number): number {
    // Of so many it is not asked any more which are equal.
    if (this.last >= MOST_NUMBERS) return this.fresh();
    const key = first * MOST_NUMBERS + second;
    const known = this.pairs.get(key) ?? this.fresh();
    this.pairs.set(key, known);
    return known;
  }

  private numberOf(value: Numbered): number {
    if (typeof value === 'number') return value;
    const known = this.constants.get(value) ?? this.fresh();
    this.constants.set(value, known);
    return known;
  }
}
