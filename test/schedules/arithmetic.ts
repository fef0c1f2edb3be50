import { bitOperation } from './bits.js';
import {
  type Compiled,
  type Compiler,
  type Family,
  gives,
  isSigned,
  operandAt,
  partsOf,
  pure,
  typeOf,
} from './compile.js';
import { convert } from './conversions.js';
import { floatComparison, floatOperation, formatOf } from './floats.js';
import { byHalves, comparison, integer, type Operation } from './integers.js';
import { Unsupported } from './launch.js';
import { type Instruction, widthOf } from './module.js';
import type { Operand } from './operands.js';
import { high, joined, kept, low, read, TWO32, type Value } from './values.js';

/** Instructions that see registers alone. */
interface Known {
  readonly widths: readonly number[];
  readonly run: Operation;
}

function known(at: Instruction): Known | undefined {
  const { words } = at;
  const type = typeOf(at);
  const [name = '', mode = ''] = words;
  const width = widthOf(type);
  const onFloats = floatOperation(words, type);
  if (onFloats !== undefined) return onFloats;
  const onBits = bitOperation(words, width, type);
  if (onBits !== undefined) return onBits;
  const full = /^(lo|hi|wide)$/.test(mode) && /^(mul|mad)$/.test(name) ? `${name}.${mode}` : name;
  const isHalves = /16x2$/.test(type);
  const found = integer(full, isHalves ? 16 : width, isSigned(type), words.includes('sat'));
  if (found === undefined || !isHalves) return found;
  return { widths: found.widths.map(() => 32), run: byHalves(found.run) };
}

/** One result, from as many sources as the operation takes. */
export const simple: Family = (at, compiler) => {
  const operation = known(at);
  if (operation === undefined) throw new Unsupported(`${at.opcode} is not known`);
  const { run } = operation;
  const slots = at.operands.slice(1).map((one, i) => compiler.source(one, operation.widths[i] ?? 32));
  const [a = 0, b = a, c = a, d = a] = slots;
  const target = compiler.target(at.operands[0]);
  if (slots.length === 1) return gives(target, (regs) => run(regs[a]!, 0, 0, 0));
  if (slots.length === 2) return gives(target, (regs) => run(regs[a]!, regs[b]!, 0, 0));
  return gives(target, (regs) => run(regs[a]!, regs[b]!, regs[c]!, regs[d]!));
};

/** `add.cc`, `addc.cc`, `sub.cc`, `subc`, `mad.lo.cc`, `madc.hi`: with the carry of the thread. */
export const carrying: Family = (at, compiler) => {
  const { words } = at;
  const type = typeOf(at);
  const width = widthOf(type);
  const name = words[0]!.replace(/^(add|sub|mad)c$/, '$1');
  const takes = name !== words[0];
  const gives = words.includes('cc');
  if (!takes && !gives) return simple(at, compiler);
  const target = compiler.target(at.operands[0]);
  const [a = 0, b = 0, c = 0] = at.operands.slice(1).map((one) => compiler.source(one, width));
  const bits = BigInt(width);
  const plain = (value: Value): bigint => BigInt.asUintN(width, BigInt(value));
  return pure((thread) => {
    const { regs, carry } = thread;
    const flag = takes ? BigInt(carry) : 0n;
    let sum: bigint;
    if (name === 'mad') {
      const product = BigInt(read(regs[a]!, width, isSigned(type))) * BigInt(read(regs[b]!, width, isSigned(type)));
      sum = BigInt.asUintN(width, words.includes('hi') ? product >> bits : product) + plain(regs[c]!) + flag;
    } else if (name === 'add') sum = plain(regs[a]!) + plain(regs[b]!) + flag;
    else sum = plain(regs[a]!) - plain(regs[b]!) - flag;
    regs[target] = kept(sum, width);
    if (gives) thread.carry = sum < 0n || sum >> bits !== 0n ? 1 : 0;
  });
};

const BOOLEAN: Readonly<Record<string, (a: boolean, b: boolean) => boolean>> = {
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  xor: (a, b) => a !== b,
};

function comparisonOf(at: Instruction): {
  run: (a: Value, b: Value) => boolean;
  width: number;
  join: string | undefined;
} {
  const type = typeOf(at);
  const width = widthOf(type);
  const [, name = ''] = at.words;
  const run = formatOf(type) === undefined ? comparison(name, width, isSigned(type)) : floatComparison(name, type);
  if (run === undefined) throw new Unsupported(`${at.opcode} is not known`);
  return { run, width, join: at.words.slice(2).find((word) => word in BOOLEAN) };
}

export const setp: Family = (at, compiler) => {
  const { run, width, join } = comparisonOf(at);
  const into = at.operands[0];
  const p = compiler.target(into?.kind === 'pair' ? into.first : into);
  const q = into?.kind === 'pair' ? compiler.target(into.second) : -1;
  const a = compiler.source(at.operands[1], width);
  const b = compiler.source(at.operands[2], width);
  if (join === undefined && q < 0) return gives(p, (regs) => (run(regs[a]!, regs[b]!) ? 1 : 0));
  const combine = BOOLEAN[join ?? 'and']!;
  const third = join === undefined ? undefined : compiler.predicate(at.operands[3]);
  return pure(({ regs }) => {
    const holds = run(regs[a]!, regs[b]!);
    const other = third === undefined || regs[third.slot] === third.sense;
    regs[p] = combine(holds, other) ? 1 : 0;
    if (q >= 0) regs[q] = combine(!holds, other) ? 1 : 0;
  });
};

export const set: Family = (at, compiler) => {
  const { run, width, join } = comparisonOf(at);
  const isFloat = at.words.at(-2) === 'f32';
  const target = compiler.target(at.operands[0]);
  const a = compiler.source(at.operands[1], width);
  const b = compiler.source(at.operands[2], width);
  const third = join === undefined ? undefined : compiler.predicate(at.operands[3]);
  return pure(({ regs }) => {
    let holds = run(regs[a]!, regs[b]!);
    if (third !== undefined) holds = BOOLEAN[join!]!(holds, regs[third.slot] === third.sense);
    regs[target] = holds ? (isFloat ? 0x3f800000 : -1) : 0;
  });
};

export const selp: Family = (at, compiler) => {
  const width = widthOf(typeOf(at));
  const target = compiler.target(at.operands[0]);
  const a = compiler.source(at.operands[1], width);
  const b = compiler.source(at.operands[2], width);
  const { slot, sense } = compiler.predicate(at.operands[3]);
  return gives(target, (regs) => (regs[slot] === sense ? regs[a]! : regs[b]!));
};

export const slct: Family = (at, compiler) => {
  const isFloat = at.words.at(-1) === 'f32';
  const width = widthOf(at.words.find((word) => /^[bsuf]\d+$/.test(word)) ?? 'b32');
  const target = compiler.target(at.operands[0]);
  const [a = 0, b = 0] = at.operands.slice(1, 3).map((one) => compiler.source(one, width));
  const c = compiler.source(at.operands[3], 32);
  const of = isFloat ? formatOf('f32')!.of : (value: Value) => low(value);
  return gives(target, (regs) => (of(regs[c]!) >= 0 ? regs[a]! : regs[b]!));
};

/** The bits of parts, from the low end; `_` gives none. */
function packed(at: Instruction, compiler: Compiler, parts: readonly Operand[], width: number): Compiled {
  const target = compiler.target(at.operands[0]);
  const size = width / parts.length;
  const slots = parts.map((part) => compiler.source(part, size));
  if (width === 64 && size === 32) return gives(target, (regs) => joined(low(regs[slots[0]!]!), low(regs[slots[1]!]!)));
  return pure(({ regs }) => {
    let bits = 0n;
    slots.forEach((slot, i) => {
      bits |= BigInt.asUintN(size, BigInt(regs[slot]!)) << BigInt(i * size);
    });
    regs[target] = kept(bits, width);
  });
}

function unpacked(at: Instruction, compiler: Compiler, parts: readonly Operand[], width: number): Compiled {
  const source = compiler.source(at.operands[1], width);
  const size = width / parts.length;
  const slots = parts.map((part) => compiler.target(part));
  if (width === 64 && size === 32)
    return pure(({ regs }) => {
      const value = regs[source]!;
      regs[slots[0]!] = low(value);
      regs[slots[1]!] = high(value);
    });
  return pure(({ regs }) => {
    const bits = BigInt.asUintN(width, BigInt(regs[source]!));
    slots.forEach((slot, i) => {
      regs[slot] = kept(bits >> BigInt(i * size), size);
    });
  });
}

const CLOCK = /^%(clock|clock_hi|clock64|globaltimer|globaltimer_lo|globaltimer_hi)$/;

export const mov: Family = (at, compiler) => {
  const width = widthOf(typeOf(at));
  const into = operandAt(at, 0);
  const from = operandAt(at, 1);
  if (from.kind === 'vector' && into.kind !== 'vector') return packed(at, compiler, partsOf(from), width);
  if (into.kind === 'vector' && from.kind !== 'vector') return unpacked(at, compiler, partsOf(into), width);
  if (from.kind === 'special' && CLOCK.test(from.name)) {
    const target = compiler.target(into);
    const isHigh = from.name.endsWith('_hi');
    return pure((thread) => {
      thread.clockRegister += 1 + (thread.launch.random.next() & 0xfff);
      const now = thread.clockRegister;
      if (isHigh) thread.regs[target] = Math.floor(now / TWO32);
      else thread.regs[target] = width === 32 ? now | 0 : now;
    });
  }
  const target = compiler.target(into);
  const source = compiler.source(from, width);
  return gives(target, (regs) => regs[source]!);
};

export const cvt: Family = (at, compiler) => {
  const into = operandAt(at, 0);
  const types = at.words.filter((word) => /^(bf|[bsuf])\d+(x2)?$/.test(word));
  const [to = '', from = ''] = types;
  const target = compiler.target(into);
  const run = convert(at.words, to, from, into.kind === 'register' ? into.width : widthOf(to));
  const source = compiler.source(at.operands[1], widthOf(from));
  if (at.operands.length > 2) {
    const second = compiler.source(at.operands[2], widthOf(from));
    return gives(target, (regs) => run(regs[source]!, regs[second]!));
  }
  return gives(target, (regs) => run(regs[source]!, 0));
};

export const testp: Family = (at, compiler) => {
  const type = typeOf(at);
  const { of, width } = formatOf(type)!;
  const target = compiler.target(at.operands[0]);
  const source = compiler.source(at.operands[1], width);
  const smallest = type === 'f64' ? 2 ** -1022 : 2 ** -126;
  const tests: Readonly<Record<string, (value: number) => boolean>> = {
    finite: (value) => Number.isFinite(value),
    infinite: (value) => Math.abs(value) === Number.POSITIVE_INFINITY,
    number: (value) => !Number.isNaN(value),
    notanumber: (value) => Number.isNaN(value),
    normal: (value) => Number.isFinite(value) && Math.abs(value) >= smallest,
    subnormal: (value) => value !== 0 && Math.abs(value) < smallest,
  };
  const test = tests[at.words[1]!];
  if (test === undefined) throw new Unsupported(`${at.opcode} is not known`);
  return gives(target, (regs) => (test(of(regs[source]!)) ? 1 : 0));
};
