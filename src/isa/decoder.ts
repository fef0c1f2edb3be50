import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
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
import { openFunction } from '../program/float-function.js';
import type { LocationTable, VirtualRange, Window } from '../program/locations.js';
import type { Address, Guard, Operand, Operation, ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import { OPEN_REGISTERS } from '../program/special-registers.js';
import type { TensorMemory } from '../program/tensor-memory.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import type { Contractible } from './contractible.js';
import { constant, Steps } from './steps.js';

/** A use of a register at a type: what the width check needs. */
export interface RegisterUse {
  readonly register: string;
  readonly type: DataType;
  readonly span: Span;
  /** Whether the instruction also takes wider registers, as ld, st and cvt do. */
  readonly widerAllowed: boolean;
  /** Shorthand without types is not held to widths. */
  readonly untyped: boolean;
}

/** Predefined registers that are no wider than 32 bits (PTX ISA, Special Registers). */
const NARROW =
  /^((n?(tid|ctaid)|n?clusterid|cluster_n?ctaid)\.[xyz]|n?(laneid|warpid|smid)|clock|lanemask_..|envreg\d+)$/;

/** What decoding one thread has found so far, and the means to read operands. */
export class Decoder {
  readonly statements: ProgramStatement[] = [];
  readonly reads: RegisterUse[] = [];
  readonly writes: RegisterUse[] = [];
  readonly diagnostics: Diagnostic[] = [];
  /** Instructions that products go into sums by; of the one that is being decoded in `parts`. */
  readonly contractible: Contractible[] = [];
  readonly parts: Omit<Contractible, 'at'>[] = [];
  private temporaries = 0;

  constructor(
    readonly placement: Placement,
    readonly locations: LocationTable,
    /** Registers that the thread declares, initializes or writes. */
    readonly registers: ReadonlySet<string>,
    /** Those of them that it declares as predicates. */
    private readonly predicates: ReadonlySet<string>,
    /** The values of the predefined registers that the place of the thread settles. */
    readonly specialRegisters: ReadonlyMap<string, bigint>,
    /** Makes the location of an undeclared name. */
    readonly implicitLocation: (name: string, span: Span) => VirtualRange,
    /** The test is in the Dat3M dialect: in columns, without a typed declaration. */
    readonly isDat3m = false,
    /** Variables that calls hand over, by name: how many bytes. */
    readonly cells: ReadonlyMap<string, number> = new Map(),
    /** The grids that its own is a dependent launch of. */
    readonly prerequisites: readonly number[] = [],
    /** Registers that asynchronous matrix operations of the thread use. */
    readonly fragments: ReadonlySet<string> = new Set(),
    /** Matrix descriptors that the test declares. */
    readonly descriptors: ReadonlyMap<string, bigint> = new Map(),
    /** The tensor memory of the test, if an instruction uses it. */
    readonly tensorMemory: TensorMemory | undefined = undefined,
  ) {}

  refuse(span: Span, message: string, hint?: string): undefined {
    this.diagnostics.push(error('L0104', span, message, hint));
    return undefined;
  }

  emit(instruction: InstructionSyntax, operation: Operation, guard?: Guard): void {
    this.statements.push({ operation, guard: guard ?? guardOf(instruction), span: instruction.span });
  }

  /** A step that may be executed whether the guard holds or not. */
  emitAlways(instruction: InstructionSyntax, operation: Operation): void {
    this.statements.push({ operation, guard: undefined, span: instruction.span });
  }

  /** A register of our own, for the steps between. */
  temporary(type: DataType, span: Span): string {
    this.temporaries += 1;
    const register = `#${this.temporaries}`;
    this.writes.push({ register, type, span, widerAllowed: true, untyped: true });
    return register;
  }

  /** A register of our own that lasts from one instruction to another. */
  hidden(register: string, type: DataType, span: Span): void {
    this.writes.push({ register, type, span, widerAllowed: true, untyped: true });
  }

  /** Whether a name is a register declared or used as a predicate. */
  isPredicate(name: string): boolean {
    return (
      this.predicates.has(name) || this.writes.some(({ register, type }) => register === name && type.kind === 'pred')
    );
  }

  /** A predicate operand, `p` or `!p`. */
  predicate(instruction: InstructionSyntax, operand: OperandSyntax): Operand | undefined {
    if (operand.kind !== 'negated') return this.value(operand, PREDICATE);
    this.reads.push({
      register: operand.name,
      type: PREDICATE,
      span: instruction.span,
      widerAllowed: false,
      untyped: false,
    });
    return { kind: 'register', name: this.negate(instruction, operand.name) };
  }

  /** Emits the negation of a predicate and gives the register that holds it. */
  negate(instruction: InstructionSyntax, register: string): string {
    const target = this.temporary(PREDICATE, instruction.span);
    const arithmetic = { name: 'not', signed: false, width: 1, resultWidth: 1 } as const;
    this.emitAlways(instruction, {
      kind: 'compute',
      target,
      type: PREDICATE,
      arithmetic,
      operands: [{ kind: 'register', name: register }],
    });
    return target;
  }

  /** The location that a name means in this thread, if it is not one of its registers. */
  location(name: string, span: Span): VirtualRange {
    return this.locations.resolve(name, this.placement) ?? this.implicitLocation(name, span);
  }

  isLocation(name: string): boolean {
    return this.locations.named(name).length > 0;
  }

  /** An address as an operand: it has 64 bits, of shared memory also 32. */
  private addressValue(name: string, span: Span, offset: bigint, type: DataType): Operand | undefined {
    const { base, object } = this.location(name, span);
    const least = object.space === 'global' || object.space === 'param' ? 64 : 32;
    if (type.width < least)
      return this.refuse(span, `the address of ${name} has ${least} bits, and this takes .${showDataType(type)}`);
    return { kind: 'constant', value: base + offset };
  }

  /** A register or constant that an instruction reads at a type. */
  value(
    operand: OperandSyntax | undefined,
    type: DataType,
    use: { readonly widerAllowed?: boolean; readonly untyped?: boolean } = {},
  ): Operand | undefined {
    if (operand === undefined) return undefined;
    switch (operand.kind) {
      case 'number':
        if (operand.fraction !== undefined || operand.floatWidth !== undefined || type.kind === 'f')
          return this.floatConstant(operand, type);
        if (operand.value >= 1n << BigInt(type.width) || operand.value < -(1n << BigInt(type.width - 1))) {
          return this.refuse(operand.span, `${operand.value} does not fit into .${showDataType(type)}`);
        }
        return { kind: 'constant', value: BigInt.asUintN(type.width, operand.value) };
      case 'name': {
        const descriptor = this.registers.has(operand.name) ? undefined : this.descriptors.get(operand.name);
        if (descriptor !== undefined) return constant(descriptor);
        if (this.isLocation(operand.name) && !this.registers.has(operand.name))
          return this.addressValue(operand.name, operand.span, operand.offset, type);
        if (operand.offset !== 0n)
          return this.refuse(operand.span, 'a register takes an offset only inside an address');
        const special = this.registers.has(operand.name) ? undefined : this.specialRegisters.get(operand.name);
        if (!this.registers.has(operand.name) && NARROW.test(operand.name) && type.width > 32)
          return this.refuse(operand.span, `%${operand.name} has 32 bits, and this takes .${showDataType(type)}`);
        if (special !== undefined) return { kind: 'constant', value: BigInt.asUintN(type.width, special) };
        if (!this.registers.has(operand.name) && isSpecialRegister(operand.name))
          return this.openRegister(operand.name, operand.span, type);
        this.reads.push({
          register: operand.name,
          type,
          span: operand.span,
          widerAllowed: use.widerAllowed === true,
          untyped: use.untyped === true,
        });
        return { kind: 'register', name: operand.name };
      }
      case 'addressOf':
        return this.addressValue(operand.name, operand.span, 0n, type);
      default:
        return this.refuse(operand.span, 'expected a register, a number or an address here');
    }
  }

  /** Constants of .f32 and .f64 have a decimal point, or are bits after 0f or 0d, which .b32 or .b64 take as well. */
  private floatConstant(number: Extract<OperandSyntax, { kind: 'number' }>, type: DataType): Operand | undefined {
    const { value, fraction, floatWidth, span } = number;
    if (fraction === undefined && floatWidth === undefined)
      return this.refuse(
        span,
        `${value} is an integer, and this takes .${showDataType(type)}`,
        type.width < 32 ? 'put it into a register' : `write ${value}.0, or its bits as 0f3F800000`,
      );
    if (type.kind === 'b' && floatWidth === type.width) return constant(value);
    if (type.kind !== 'f' || type.width < 32)
      return this.refuse(
        span,
        `${span.source.text.slice(span.start, span.end)} is a floating-point number; this takes .${showDataType(type)}`,
      );
    if (floatWidth === type.width) return constant(value);
    return constant(bitsOfNumber(fraction ?? numberOfBits(value, floatWidth ?? 64), type.width));
  }

  /** A predefined register that the place of the thread does not settle. */
  private openRegister(name: string, span: Span, type: DataType): Operand | undefined {
    const known = OPEN_REGISTERS.find(({ names }) => names.test(name));
    if (known === undefined || this.instruction === undefined)
      return this.refuse(span, `there is no special register %${name}`);
    const steps = new Steps(this, this.instruction);
    if (known.below !== undefined) {
      const word = steps.of(32);
      const most = this.openRegister(known.below, span, { kind: 'u', width: 32 }) ?? constant(1);
      const value = steps.open(32);
      return word.select(word.less(value, most), value, constant(0));
    }
    if (known.once !== undefined) {
      const of = known.once === 'grid' ? `grid ${this.placement.grid}` : `thread ${this.placement.thread}`;
      const value = steps.open(type.width, openFunction(`%${name} of ${of}`, type.width));
      return known.atLeast === undefined ? value : steps.of(type.width).maximum(value, constant(known.atLeast));
    }
    if (known.counter === undefined) return steps.open(type.width);
    // Counters do not go back: each time some more, of so few bits that they do not wrap.
    const register = `#${known.counter}`;
    const whole: DataType = { kind: 'u', width: 64 };
    this.hidden(register, whole, span);
    const counter = steps.of(64);
    const now = counter.add(
      { kind: 'register', name: register },
      steps.of(STEP_BITS).convert(steps.open(STEP_BITS), 64),
    );
    steps.result(register, whole, now);
    const kept: Operand = { kind: 'register', name: register };
    return counter.shiftRight(kept, constant(name.endsWith('_hi') ? 32 : 0), type.width);
  }

  /** What the last instruction with `.cc` left in the carry flag, where that is known from the text before. */
  flagKind: number | undefined;

  /** The instruction that is being decoded. */
  instruction: InstructionSyntax | undefined;

  /** A register that an instruction writes; `_` gives undefined, as does a mistake. */
  target(
    operand: OperandSyntax | undefined,
    type: DataType,
    use: { readonly widerAllowed?: boolean; readonly sink?: boolean; readonly untyped?: boolean } = {},
  ): string | undefined {
    if (operand === undefined) return undefined;
    if (operand.kind === 'sink')
      return use.sink === true
        ? undefined
        : this.refuse(operand.span, 'this instruction cannot discard its result: name a register');
    if (operand.kind !== 'name' || operand.offset !== 0n)
      return this.refuse(operand.span, 'expected the register to write');
    this.writes.push({
      register: operand.name,
      type,
      span: operand.span,
      widerAllowed: use.widerAllowed === true,
      untyped: use.untyped === true,
    });
    return operand.name;
  }

  /** An address operand, `[x]`, `[r+4]`, or as shorthand without brackets, with the location it names outright. */
  address(
    operand: OperandSyntax | undefined,
    window: Window,
  ): { readonly address: Address; readonly range: VirtualRange | undefined; readonly span: Span } | undefined {
    if (operand === undefined) return undefined;
    if (operand.kind !== 'address' && operand.kind !== 'name' && operand.kind !== 'tensor')
      return this.refuse(operand.span, 'expected an address such as [x], [x+4] or [r1]');
    const base = operand.kind === 'name' ? operand.name : operand.base;
    if (typeof base === 'bigint')
      return this.refuse(operand.span, 'an address is a location or a register, never a number');
    const percent = operand.kind !== 'name' && operand.percent;
    const { span } = operand;
    const offset = operand.kind === 'tensor' ? 0n : operand.offset;
    if (percent || (this.registers.has(base) && !this.isLocation(base))) {
      this.reads.push({ register: base, type: { kind: 'b', width: 32 }, span, widerAllowed: true, untyped: true });
      return { address: { base: { kind: 'register', name: base }, offset, window }, range: undefined, span };
    }
    if (window === 'param' && !this.isLocation(base))
      return this.refuse(span, `parameter ${base} is not declared`, `say what it is: .param .u64 ${base} = &x;`);
    const range = this.location(base, span);
    return { address: { base: { kind: 'constant', value: range.base }, offset, window }, range, span };
  }

  /** The type that an instruction works on: the one written, else the location's, else a 32-bit integer. */
  type(written: TypeName | undefined, range?: VirtualRange): DataType {
    return written === undefined ? (range?.elementType ?? UNTYPED_DEFAULT) : dataTypeOf(written);
  }
}

const STEP_BITS = 48;

/** Predefined, read-only registers (PTX ISA, Special Registers). */
const isSpecialRegister = (name: string): boolean =>
  name.includes('.') || OPEN_REGISTERS.some(({ names }) => names.test(name));

export function guardOf(instruction: InstructionSyntax): Guard | undefined {
  const guard = instruction.guard;
  return guard === undefined ? undefined : { register: guard.register, negated: guard.negated };
}

/**
 * The window that a state space qualifier names; without one the address is generic. `.shared` is the own CTA's memory.
 */
export function windowOf(space: string | undefined): Window {
  switch (space) {
    case 'shared':
      return 'shared::cta';
    case 'param::entry':
    case 'param::func':
      return 'param';
    case 'shared::cta':
    case 'shared::cluster':
    case 'global':
    case 'const':
    case 'param':
    case 'local':
      return space;
    default:
      return 'generic';
  }
}
