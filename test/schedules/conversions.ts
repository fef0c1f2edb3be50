import { isSigned } from './compile.js';
import { formatOf } from './floats.js';
import { clamped } from './integers.js';
import { Unsupported } from './launch.js';
import { widthOf } from './module.js';
import { kept, low, read, type Value } from './values.js';

/** `cvt` (PTX ISA 9.7.10): between integers, floats, and both; a register that is wider than the type is extended. */
type Convert = (value: Value, second: Value) => Value;

function toEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

function roundingOf(words: readonly string[]): (value: number) => number {
  if (words.includes('rzi')) return Math.trunc;
  if (words.includes('rmi')) return Math.floor;
  if (words.includes('rpi')) return Math.ceil;
  return toEven;
}

/** A number of a type, in a register of so many bits. */
function extended(value: bigint, type: string, width: number): Value {
  const bits = widthOf(type);
  return kept(isSigned(type) ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value), width);
}

function betweenIntegers(words: readonly string[], to: string, from: string, width: number): Convert {
  const source = widthOf(from);
  const target = widthOf(to);
  if (words.includes('sat'))
    return (value) => extended(clamped(BigInt(read(value, source, isSigned(from))), target, isSigned(to)), to, width);
  if (source === 32 && target === 64 && width === 64 && !isSigned(from)) return (value) => low(value) >>> 0;
  if (target === 32 && width === 32) {
    if (source >= 32) return low;
    return (value) => read(low(value), source, isSigned(from)) as number;
  }
  return (value) => extended(BigInt(read(source <= 32 ? low(value) : value, source, isSigned(from))), to, width);
}

export function convert(words: readonly string[], to: string, from: string, width: number): Convert {
  const source = formatOf(from);
  const target = formatOf(to);
  if (words[1] === 'pack' || !/^(bf|[bsuf])\d+(x2)?$/.test(to) || from === '')
    throw new Unsupported(`${words.join('.')} is not known`);
  if (to === 'f16x2' || to === 'bf16x2') {
    const half = formatOf(to.slice(0, -2))!;
    // The first of the two becomes the upper half.
    return (value, second) => low(half.bits(source!.of(second))) | (low(half.bits(source!.of(value))) << 16);
  }
  if (source === undefined && target === undefined) return betweenIntegers(words, to, from, width);
  const round = roundingOf(words);
  if (source !== undefined && target !== undefined) {
    const isRounded = words.some((word) => /^r[nzmp]i$/.test(word));
    const saturates = words.includes('sat');
    return (value) => {
      const number = isRounded ? round(source.of(value)) : source.of(value);
      return target.bits(saturates ? Math.min(Math.max(number || 0, 0), 1) : number);
    };
  }
  if (target !== undefined) return (value) => target.bits(Number(read(value, widthOf(from), isSigned(from))));
  return (value) => {
    const number = source!.of(value);
    const limit = 2 ** widthOf(to);
    const whole = Number.isNaN(number) ? 0 : Math.min(Math.max(round(number), -limit), limit);
    return extended(clamped(BigInt(whole), widthOf(to), isSigned(to)), to, width);
  };
}
