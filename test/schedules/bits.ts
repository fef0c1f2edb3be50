import { isSigned } from './compile.js';
import type { Operation } from './integers.js';
import { kept, low, read, type Value } from './values.js';

/** Instructions on bits (PTX ISA 9.7.7 and around): by name without type, the widths of what they take, the result. */
export interface BitOperation {
  readonly widths: readonly number[];
  readonly run: Operation;
}

const big = (value: Value): bigint => BigInt(value);
const unsigned = (value: Value): number => low(value) >>> 0;

function lengthOf(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

function bits(value: Value, width: number): bigint {
  return BigInt.asUintN(width, big(value));
}

function extracted(a: Value, b: Value, c: Value, width: number, signed: boolean): Value {
  const position = low(b) & 255;
  const length = low(c) & 255;
  const all = bits(a, width);
  if (length === 0) return 0;
  const sign = signed ? (all >> BigInt(Math.min(position + length - 1, width - 1))) & 1n : 0n;
  let result = 0n;
  for (let i = 0; i < width; i++) {
    const bit = i < length && position + i < width ? (all >> BigInt(position + i)) & 1n : sign;
    result |= bit << BigInt(i);
  }
  return kept(result, width);
}

function inserted(a: Value, b: Value, c: Value, d: Value, width: number): Value {
  const position = low(c) & 255;
  const length = Math.min(low(d) & 255, width - position);
  if (length <= 0) return b;
  const mask = ((1n << BigInt(length)) - 1n) << BigInt(position);
  return kept((bits(b, width) & ~mask) | ((bits(a, width) << BigInt(position)) & mask), width);
}

const PERMUTED: Readonly<Record<string, (i: number, c: number) => number>> = {
  f4e: (i, c) => i + c,
  b4e: (i, c) => (c - i + 8) % 8,
  rc8: (_i, c) => c,
  ecl: (i, c) => Math.max(i, c),
  ecr: (i, c) => Math.min(i, c),
  rc16: (i, c) => 2 * (c & 1) + (i & 1),
};

function permuted(a: Value, b: Value, c: Value, mode: string | undefined): number {
  const byteAt = (index: number): number => (low(index < 4 ? a : b) >>> (8 * (index & 3))) & 255;
  let result = 0;
  for (let i = 0; i < 4; i++) {
    const nibble = (low(c) >>> (4 * i)) & 15;
    const byte = byteAt(mode === undefined ? nibble & 7 : PERMUTED[mode]!(i, low(c) & 3));
    const value = mode === undefined && nibble & 8 ? (byte & 128 ? 255 : 0) : byte;
    result |= value << (8 * i);
  }
  return result;
}

function looked(a: number, b: number, c: number, table: number): number {
  let result = 0;
  for (let row = 0; row < 8; row++)
    if ((table >> row) & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  return result;
}

function dotted(a: Value, b: Value, c: Value, words: readonly string[]): Value {
  const [, second = '', third = '', fourth = ''] = words;
  const isFour = words[0] === 'dp4a';
  const [aType, bType] = isFour ? [second, third] : [third, fourth];
  const size = isFour ? 8 : 16;
  const part = (value: Value, i: number, width: number, type: string): number =>
    read((low(value) >>> (i * width)) & ((1 << width) - 1), width, isSigned(type)) as number;
  let sum = low(c);
  for (let i = 0; i < (isFour ? 4 : 2); i++) {
    const at = isFour ? i : i + (second === 'hi' ? 2 : 0);
    sum = (sum + part(a, i, size, aType) * part(b, at, 8, bType)) | 0;
  }
  return sum;
}

function shifted(a: Value, b: Value, c: Value, isLeft: boolean, wraps: boolean): number {
  const amount = BigInt(wraps ? low(c) & 31 : Math.min(unsigned(c), 32));
  const pair = (bits(b, 32) << 32n) | bits(a, 32);
  return kept(isLeft ? ((pair << amount) >> 32n) & 0xffffffffn : pair >> amount, 32) as number;
}

function found(a: Value, width: number, signed: boolean, asShift: boolean): number {
  const value = big(read(a, width, signed));
  const length = lengthOf(value < 0n ? ~value : value);
  if (length === 0) return -1;
  return asShift ? width - length : length - 1;
}

function nth(mask: number, base: number, offset: number): number {
  if (offset === 0) return (mask >>> base) & 1 ? base : -1;
  const step = offset > 0 ? 1 : -1;
  let left = Math.abs(offset);
  for (let i = base; i >= 0 && i < 32; i += step) if ((mask >>> i) & 1 && --left === 0) return i;
  return -1;
}

function extended(a: Value, b: Value, wraps: boolean, signed: boolean): number {
  const count = wraps ? low(b) & 31 : unsigned(b);
  if (count === 0) return 0;
  return count >= 32 ? low(a) : low(read(low(a) & (2 ** count - 1), count, signed));
}

function masked(a: Value, b: Value, wraps: boolean): number {
  const position = wraps ? low(a) & 31 : unsigned(a);
  const width = wraps ? low(b) & 31 : unsigned(b);
  if (position > 31 || width === 0) return 0;
  return kept(((1n << BigInt(Math.min(width, 32))) - 1n) << BigInt(position), 32) as number;
}

/** Of the words of an opcode; the type is its last one. */
export function bitOperation(words: readonly string[], width: number, type: string): BitOperation | undefined {
  const signed = isSigned(type);
  const w = width;
  switch (words[0]) {
    case 'popc':
      return { widths: [w], run: (a) => bits(a, w).toString(2).replaceAll('0', '').length };
    case 'clz':
      return { widths: [w], run: (a) => w - lengthOf(bits(a, w)) };
    case 'brev':
      return {
        widths: [w],
        run: (a) => kept(BigInt(`0b${[...bits(a, w).toString(2).padStart(w, '0')].reverse().join('')}`), w),
      };
    case 'bfind':
      return { widths: [w], run: (a) => found(a, w, signed, words[1] === 'shiftamt') };
    case 'fns':
      return { widths: [32, 32, 32], run: (a, b, c) => nth(low(a), unsigned(b), low(c)) };
    case 'bfe':
      return { widths: [w, 32, 32], run: (a, b, c) => extracted(a, b, c, w, signed) };
    case 'bfi':
      return { widths: [w, w, 32, 32], run: (a, b, c, d) => inserted(a, b, c, d, w) };
    case 'szext':
      return { widths: [32, 32], run: (a, b) => extended(a, b, words[1] === 'wrap', signed) };
    case 'bmsk':
      return { widths: [32, 32], run: (a, b) => masked(a, b, words[1] === 'wrap') };
    case 'prmt':
      return { widths: [32, 32, 32], run: (a, b, c) => permuted(a, b, c, words[2]) };
    case 'lop3':
      if (words.length > 2) return undefined;
      return { widths: [32, 32, 32, 32], run: (a, b, c, d) => looked(low(a), low(b), low(c), low(d)) };
    case 'shf':
      return { widths: [32, 32, 32], run: (a, b, c) => shifted(a, b, c, words[1] === 'l', words[2] === 'wrap') };
    case 'dp4a':
    case 'dp2a':
      return { widths: [32, 32, 32], run: (a, b, c) => dotted(a, b, c, words) };
    default:
      return undefined;
  }
}
