import { error } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import {
  type DataType,
  dataTypeOf,
  PREDICATE,
  showDataType,
  type TypeName,
  UNTYPED_DEFAULT,
} from '../program/data-type.js';
import { bitsOfNumber, numberOfBits } from '../program/float-format.js';
import { type FloatFunction, openFunction } from '../program/float-function.js';
import { computeArithmetic, truncate } from '../program/integer.js';
import type { VirtualRange, Window } from '../program/locations.js';
import { operandWidth } from '../program/operand-width.js';
import {
  type Address,
  type Arithmetic,
  constant,
  type Guard,
  type Operand,
  type Operation,
  register,
} from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import { OPEN_REGISTERS } from '../program/special-registers.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import type { Decoder } from './decoder.js';
import { StepNumbers } from './numbers.js';

/** Predefined registers that are no wider than 32 bits (PTX ISA, Special Registers). */
const NARROW =
  /^((n?(tid|ctaid)|n?clusterid|cluster_n?ctaid)\.[xyz]|n?(laneid|warpid|smid)|clock|lanemask_..|envreg\d+)$/;
const STEP_BITS = 48;
const bits = (width: number): DataType => ({ kind: 'b', width });

/** How registers are used that need not have the width of the type. */
export interface Use {
  readonly widerAllowed?: boolean;
  readonly untyped?: boolean;
}

/** What an address operand says. */
export interface FoundAddress {
  readonly address: Address;
  /** The location that it names outright. */
  readonly range: VirtualRange | undefined;
}

/** What is decoded: an instruction, or something else that takes place somewhere in the text. */
type Decoded = Pick<InstructionSyntax, 'span'> &
  Partial<Pick<InstructionSyntax, 'mnemonic' | 'qualifiers' | 'operands'>> & {
    readonly guard?: Guard | undefined;
    readonly usedBytes?: bigint | undefined;
  };

/**
 * Decodes one instruction: reads its operands, and makes its operations. Steps between them compute into registers of
 * our own; what is constant takes none.
 */
export class InstructionDecoder {
  readonly span: Span;
  readonly mnemonic: string;
  readonly qualifiers: InstructionSyntax['qualifiers'];
  readonly operands: readonly OperandSyntax[];
  readonly guard: Guard | undefined;
  /** Which bytes of a load are used, as bits. */
  readonly usedBytes: bigint | undefined;

  constructor(
    readonly decoder: Decoder,
    { span, mnemonic = '', qualifiers = [], operands = [], guard, usedBytes }: Decoded,
  ) {
    this.usedBytes = usedBytes;
    this.span = span;
    this.mnemonic = mnemonic;
    this.qualifiers = qualifiers;
    this.operands = operands;
    this.guard = guard && { register: guard.register, negated: guard.negated };
  }

  /** The name with all qualifiers. */
  get name(): string {
    return [this.mnemonic, ...this.qualifiers.map(({ text }) => text)].join('.');
  }

  /** The lane of the thread. */
  get lane(): Operand {
    const { ofAll, placement } = this.decoder.thread;
    return ofAll?.lane ?? constant(placement.lane);
  }

  /** The number of its warp in the CTA, where that is known. */
  get warpNumber(): Operand | undefined {
    const { ofAll, placement } = this.decoder.thread;
    if (ofAll !== undefined) return ofAll.warp;
    return placement.warpNumber === undefined ? undefined : constant(placement.warpNumber);
  }

  /** Whether it is the thread that acts for its warp, the first that the test shows. */
  get isFirstLane(): Operand {
    const { ofAll, placement } = this.decoder.thread;
    if (ofAll !== undefined) return this.of(32).equal(ofAll.lane, constant(0));
    return constant(placement.lane <= placement.firstLane ? 1 : 0);
  }

  get placement(): Placement {
    return this.decoder.thread.placement;
  }

  /** Says what is wrong with an operand, or with the whole instruction. */
  refuse(operand: { readonly span: Span } | undefined, message: string, hint?: string): undefined {
    this.decoder.diagnostics.push(error('L0104', operand?.span ?? this.span, message, hint));
    return undefined;
  }

  emit(operation: Operation, guard = this.guard): void {
    this.decoder.statements.push({ operation, guard, span: this.span });
  }

  /** A step that may be executed whether the guard holds or not. */
  private emitAlways(operation: Operation): void {
    this.decoder.statements.push({ operation, guard: undefined, span: this.span });
  }

  /** An operation that is executed where the guard of the instruction holds and a value is 1 as well. */
  emitWhere(value: Operand, operation: Operation): void {
    if (value.kind === 'constant') {
      if (value.value === 1n) this.emit(operation);
      return;
    }
    const bit = this.of(1);
    const own = this.guard && register(this.guard.register);
    const holds = own === undefined ? value : bit.and(value, this.guard?.negated === true ? bit.not(own) : own);
    if (holds.kind === 'register') this.emit(operation, { register: holds.name, negated: false });
  }

  /** The behavior is undefined, by that rule, unless the value is 1. */
  require(value: Operand, rule: UndefinedRule): void {
    this.emit({ kind: 'require', value, rule });
  }

  /** The behavior is undefined, by that rule, where an address or size is no multiple of so many bytes. */
  requireMultiple(value: Operand, bytes: number, width = 64, rule: UndefinedRule = 'alignment'): void {
    const holds = this.of(width).isMultiple(value, bytes);
    if (holds.kind === 'register' || holds.value !== 1n) this.require(holds, rule);
  }

  /** A register of our own, for the steps between. */
  temporary(type: DataType): string {
    return this.decoder.temporary(type, this.span);
  }

  /** A register of our own that lasts from one instruction to another. */
  hidden(name: string, type: DataType): Operand {
    this.decoder.hidden(name, type, this.span);
    return register(name);
  }

  /** Leaves a value in such a register. */
  keep(name: string, type: DataType, value: Operand): void {
    this.hidden(name, type);
    this.result(name, type, value);
  }

  compute(arithmetic: Arithmetic, operands: readonly Operand[]): Operand {
    const values = operands.map((operand, i) =>
      operand.kind === 'constant' ? truncate(operand.value, operandWidth(arithmetic, i)) : undefined,
    );
    if (values.every((value) => value !== undefined)) return constant(computeArithmetic(arithmetic, values));
    const type = bits(arithmetic.resultWidth);
    const target = this.temporary(type);
    this.emitAlways({ kind: 'compute', target, type, arithmetic, operands });
    return register(target);
  }

  constant(bits: bigint): Operand {
    return constant(bits);
  }

  /** A value of so many bits that PTX leaves open, or that a function of floating-point numbers gives. */
  open(width: number, of?: FloatFunction, operands: readonly Operand[] = []): Operand {
    const type = bits(width);
    const target = this.temporary(type);
    this.emitAlways({ kind: 'open', target, type, function: of, operands });
    return register(target);
  }

  /** Arithmetic on numbers of one width. */
  of(width: number, signed = false): StepNumbers {
    return new StepNumbers(this, width, signed);
  }

  /**
   * Leaves a result in the register that the instruction names. A value may be the result of several registers, and
   * used by further steps; where it is the last step's and nothing else uses it, the two become one (fuseSteps).
   */
  result(target: string, type: DataType, value: Operand): void {
    const arithmetic = { name: 'move', signed: false, width: type.width, resultWidth: type.width } as const;
    this.emit({ kind: 'compute', target, type, arithmetic, operands: [value] });
  }

  /** A predicate operand, `p` or `!p`. */
  predicate(operand: OperandSyntax): Operand | undefined {
    if (operand.kind !== 'negated') return this.value(operand, PREDICATE);
    this.read(operand.name, PREDICATE, this.span);
    return this.of(1).not(register(operand.name));
  }

  /** An address as an operand: it has 64 bits, of shared memory also 32. */
  private addressValue(
    operand: { readonly name: string; readonly span: Span },
    offset: bigint,
    type: DataType,
  ): Operand | undefined {
    const { base, object } = this.decoder.location(operand.name, operand.span);
    const least = object.space === 'global' || object.space === 'param' ? 64 : 32;
    return type.width < least
      ? this.refuse(operand, `the address of ${operand.name} has ${least} bits, and this takes .${showDataType(type)}`)
      : constant(base + offset);
  }

  /** A register or constant that an instruction reads at a type. */
  value(operand: OperandSyntax | undefined, type: DataType, use: Use = {}): Operand | undefined {
    if (operand === undefined) return undefined;
    switch (operand.kind) {
      case 'number':
        if (operand.fraction !== undefined || operand.floatWidth !== undefined || type.kind === 'f')
          return this.floatConstant(operand, type);
        if (operand.value >= 1n << BigInt(type.width) || operand.value < -(1n << BigInt(type.width - 1)))
          return this.refuse(operand, `${operand.value} does not fit into .${showDataType(type)}`);
        return constant(BigInt.asUintN(type.width, operand.value));
      case 'name':
        return this.namedValue(operand, type, use);
      case 'addressOf':
        return this.addressValue(operand, 0n, type);
      default:
        return this.refuse(operand, 'expected a register, a number or an address here');
    }
  }

  private namedValue(operand: Extract<OperandSyntax, { kind: 'name' }>, type: DataType, use: Use): Operand | undefined {
    const { name, offset, span } = operand;
    const { decoder } = this;
    const isRegister = decoder.thread.registers.has(name);
    const descriptor = isRegister ? undefined : decoder.thread.descriptors.get(name);
    if (descriptor !== undefined) return constant(descriptor);
    if (!isRegister && decoder.isLocation(name)) return this.addressValue(operand, offset, type);
    if (offset !== 0n) return this.refuse(operand, 'a register takes an offset only inside an address');
    if (!isRegister && NARROW.test(name) && type.width > 32)
      return this.refuse(operand, `%${name} has 32 bits, and this takes .${showDataType(type)}`);
    const special = isRegister ? undefined : decoder.thread.specialRegisters.get(name);
    if (special !== undefined) return constant(BigInt.asUintN(type.width, special));
    if (!isRegister && isSpecialRegister(name)) return this.openRegister(name, span, type);
    return this.read(name, type, span, use);
  }

  private read(name: string, type: DataType, span: Span, { widerAllowed = false, untyped = false }: Use = {}): Operand {
    this.decoder.reads.push({ register: name, type, span, widerAllowed, untyped });
    return register(name);
  }

  /** Constants of .f32 and .f64 have a decimal point, or are bits after 0f or 0d, which .b32 or .b64 take as well. */
  private floatConstant(number: Extract<OperandSyntax, { kind: 'number' }>, type: DataType): Operand | undefined {
    const { value, fraction, floatWidth, span } = number;
    if (fraction === undefined && floatWidth === undefined)
      return this.refuse(
        number,
        `${value} is an integer, and this takes .${showDataType(type)}`,
        type.width < 32 ? 'put it into a register' : `write ${value}.0, or its bits as 0f3F800000`,
      );
    if (type.kind === 'b' && floatWidth === type.width) return constant(value);
    if (type.kind !== 'f' || type.width < 32)
      return this.refuse(
        number,
        `${span.source.text.slice(span.start, span.end)} is a floating-point number; this takes .${showDataType(type)}`,
      );
    if (floatWidth === type.width) return constant(value);
    if (floatWidth === 32)
      return this.refuse(number, 'digits after 0f are the bits of an .f32; this takes .f64', 'write 0d and 16 digits');
    return constant(bitsOfNumber(fraction ?? numberOfBits(value, floatWidth ?? 64), type.width));
  }

  /** A predefined register that the place of the thread does not settle. */
  private openRegister(name: string, span: Span, type: DataType): Operand | undefined {
    const known = OPEN_REGISTERS.find(({ names }) => names.test(name));
    if (known === undefined) return this.refuse({ span }, `there is no special register %${name}`);
    if (known.below !== undefined) {
      const word = this.of(32);
      const most = this.openRegister(known.below, span, { kind: 'u', width: 32 }) ?? constant(1);
      const value = this.open(32);
      return word.select(word.less(value, most), value, constant(0));
    }
    if (known.once !== undefined) {
      const of = known.once === 'grid' ? `grid ${this.placement.grid}` : `thread ${this.placement.thread}`;
      const value = this.open(type.width, openFunction(`%${name} of ${of}`, type.width));
      return known.atLeast === undefined ? value : this.of(type.width).maximum(value, constant(known.atLeast));
    }
    if (known.counter === undefined) return this.open(type.width);
    // Counters do not go back: each time some more, of so few bits that they do not wrap.
    const whole: DataType = { kind: 'u', width: 64 };
    const counter = this.of(64);
    const kept = this.hidden(`#${known.counter}`, whole);
    this.result(`#${known.counter}`, whole, counter.add(kept, this.of(STEP_BITS).convert(this.open(STEP_BITS), 64)));
    return counter.shiftRight(kept, constant(name.endsWith('_hi') ? 32 : 0), type.width);
  }

  /** A register that an instruction writes; `_` gives undefined, as does a mistake. */
  target(
    operand: OperandSyntax | undefined,
    type: DataType,
    { widerAllowed = false, untyped = false, sink = false }: Use & { readonly sink?: boolean } = {},
  ): string | undefined {
    if (operand === undefined) return undefined;
    if (operand.kind === 'sink')
      return sink ? undefined : this.refuse(operand, 'this instruction cannot discard its result: name a register');
    if (operand.kind !== 'name' || operand.offset !== 0n) return this.refuse(operand, 'expected the register to write');
    this.decoder.writes.push({ register: operand.name, type, span: operand.span, widerAllowed, untyped });
    return operand.name;
  }

  /** The registers that `d|p` names; of either there may be none. */
  pair(
    operand: OperandSyntax | undefined,
    first: DataType,
    second: DataType,
    use: Use = {},
  ): readonly [string | undefined, string | undefined] {
    const named = (name: string | undefined, type: DataType): string | undefined =>
      name === undefined
        ? undefined
        : this.target({ kind: 'name', name, offset: 0n, span: operand?.span ?? this.span }, type, use);
    if (operand?.kind === 'pair') {
      if (operand.first !== undefined && operand.first === operand.second)
        this.refuse(
          operand,
          `both results are written to %${operand.first}`,
          'name two registers, or _ for one of them',
        );
      return [named(operand.first, first), named(operand.second, second)];
    }
    return [operand?.kind === 'name' ? named(operand.name, first) : undefined, undefined];
  }

  /** An address operand, `[x]`, `[r+4]`, or as shorthand without brackets. */
  address(operand: OperandSyntax | undefined, window: Window): FoundAddress | undefined {
    if (operand === undefined) return undefined;
    if (operand.kind !== 'address' && operand.kind !== 'name' && operand.kind !== 'tensor')
      return this.refuse(operand, 'expected an address such as [x], [x+4] or [r1]');
    const { decoder } = this;
    const base = operand.kind === 'name' ? operand.name : operand.base;
    if (typeof base === 'bigint') return this.refuse(operand, 'an address is a location or a register, never a number');
    const percent = operand.kind !== 'name' && operand.percent;
    const { span } = operand;
    const offset = operand.kind === 'tensor' ? 0n : operand.offset;
    if (percent || (decoder.thread.registers.has(base) && !decoder.isLocation(base))) {
      const value = this.read(base, bits(32), span, { widerAllowed: true, untyped: true });
      return { address: { base: value, offset, window }, range: undefined };
    }
    if (window === 'param' && !decoder.isLocation(base))
      return this.refuse(operand, `parameter ${base} is not declared`, `say what it is: .param .u64 ${base} = &x;`);
    const range = decoder.location(base, span);
    return { address: { base: constant(range.base), offset, window }, range };
  }

  /** The type that an instruction works on: the one written, else the location's, else a 32-bit integer. */
  type(written: TypeName | undefined, range?: VirtualRange): DataType {
    return written === undefined ? (range?.elementType ?? UNTYPED_DEFAULT) : dataTypeOf(written);
  }
}

/** Predefined, read-only registers (PTX ISA, Special Registers). */
const isSpecialRegister = (name: string): boolean =>
  name.includes('.') || OPEN_REGISTERS.some(({ names }) => names.test(name));

const WINDOWS: Readonly<Record<string, Window>> = {
  shared: 'shared::cta',
  'param::entry': 'param',
  'param::func': 'param',
  'shared::cta': 'shared::cta',
  'shared::cluster': 'shared::cluster',
  global: 'global',
  const: 'const',
  param: 'param',
  local: 'local',
};

/**
 * The window that a state space qualifier names; without one the address is generic. `.shared` is the own CTA's memory.
 */
export const windowOf = (space: string | undefined): Window => WINDOWS[space ?? ''] ?? 'generic';
