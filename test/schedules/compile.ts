import { Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import { type Entry, type Instruction, widthOf } from './module.js';
import type { Operand } from './operands.js';
import type { Thread } from './threads.js';
import { bitsOfDouble, bitsOfFloat, kept, type Value } from './values.js';

/** What an instruction leaves its thread with: it goes on, waits, or goes on where the instruction has said. */
export const NEXT = 0;
export const BLOCKED = 1;
export const JUMPED = 2;
export type Step = 0 | 1 | 2;
export type Run = (thread: Thread, machine: Machine) => Step;

export interface Compiled {
  readonly run: Run;
  /** Whether others may notice it: between such steps threads change. */
  readonly isVisible: boolean;
}

export interface Code extends Compiled {
  /** The slot of the guard, or -1, and the value at which the instruction is executed. */
  readonly guard: number;
  readonly sense: 0 | 1;
}

/** A name of the module that stands for an address in its space. */
export type FindAddress = (name: string) => number | undefined;

/**
 * Turns the instructions of an entry into functions. Whatever is read has a slot in the register file: numbers and
 * addresses too, and special registers, which get their value when a thread is made.
 */
export class Compiler {
  /** The register file of a thread as it begins, but for special registers. */
  readonly template: Value[];
  readonly specials = new Map<string, number>();
  private readonly numbers = new Map<string, number>();
  private readonly findAddress: FindAddress;
  private readonly sinkSlot: number;
  private readonly entry: Entry;

  constructor(entry: Entry, findAddress: FindAddress) {
    this.entry = entry;
    this.template = new Array<Value>(entry.registers).fill(0);
    this.findAddress = findAddress;
    this.sinkSlot = this.add(0);
  }

  /** Where the value of a source is found, as one of so many bits. */
  source(operand: Operand | undefined, width: number): number {
    switch (operand?.kind) {
      case 'register':
        return operand.slot;
      case 'number':
        return this.number(kept(operand.value, width));
      case 'decimal':
        return this.number(width === 64 ? bitsOfDouble(operand.value) : bitsOfFloat(operand.value));
      case 'special': {
        const known = this.specials.get(operand.name);
        if (known !== undefined) return known;
        const slot = this.add(0);
        this.specials.set(operand.name, slot);
        return slot;
      }
      case 'symbol': {
        const address = this.findAddress(operand.name);
        if (address === undefined) throw new Unsupported(`${operand.name} is not known`);
        return this.number(address + operand.offset);
      }
      case 'sink':
        return this.number(0);
      default:
        throw new Unsupported(`no ${operand?.kind ?? 'operand'} is expected here`);
    }
  }

  /** Where a result goes. */
  target(operand: Operand | undefined): number {
    if (operand?.kind === 'register') return operand.slot;
    if (operand === undefined || operand.kind === 'sink') return this.sinkSlot;
    throw new Unsupported(`a ${operand.kind} is no place for a result`);
  }

  /** A predicate that may be negated: its slot, and what it is if it holds. */
  predicate(operand: Operand | undefined): { readonly slot: number; readonly sense: 0 | 1 } {
    if (operand?.kind === 'not') return { slot: this.source(operand.operand, 1), sense: 0 };
    return { slot: this.source(operand, 1), sense: 1 };
  }

  /** How to find the address of an operand such as `[%rd1+4]`. */
  address(operand: Operand | undefined): (thread: Thread) => number {
    if (operand?.kind !== 'address') throw new Unsupported('an address is expected here');
    const { base, offset } = operand;
    const slot = this.source(base, 64);
    if (base.kind === 'register' && base.width <= 32) return ({ regs }) => ((regs[slot] as number) + offset) >>> 0;
    return ({ regs }) => Number(regs[slot]) + offset;
  }

  /** Whether an address is of a place through which a call passes something. */
  isOfCall(operand: Operand | undefined): boolean {
    if (operand?.kind !== 'address' || operand.base.kind !== 'symbol') return false;
    return this.entry.variables.get(operand.base.name)?.space === 'param';
  }

  number(value: Value): number {
    const key = String(value);
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const slot = this.add(value);
    this.numbers.set(key, slot);
    return slot;
  }

  private add(value: Value): number {
    return this.template.push(value) - 1;
  }
}

/** The operand at a place, which must be there. */
export function operandAt(at: Instruction, index: number): Operand {
  const operand = at.operands[index];
  if (operand === undefined) throw new Unsupported(`${at.opcode} has too few operands`);
  return operand;
}

/** The type that ends an opcode. */
export function typeOf(at: Instruction): string {
  for (let i = at.words.length - 1; i > 0; i--)
    if (/^(pred|(bf|[bsuf])\d+(x\d)?)$/.test(at.words[i]!)) return at.words[i]!;
  throw new Unsupported(`${at.opcode} has no type`);
}

export function isSigned(type: string): boolean {
  return type.startsWith('s');
}

/** The parts of a vector, or the operand alone. */
export function partsOf(operand: Operand): readonly Operand[] {
  return operand.kind === 'vector' ? operand.parts : [operand];
}

export function widthOfRegister(operand: Operand | undefined, type: string): number {
  return operand?.kind === 'register' ? operand.width : widthOf(type);
}

export const pure = (run: (thread: Thread) => void): Compiled => ({
  run: (thread) => {
    run(thread);
    return NEXT;
  },
  isVisible: false,
});

/** The result of registers alone. */
export const gives = (target: number, of: (regs: Value[]) => Value): Compiled => ({
  run: ({ regs }) => {
    regs[target] = of(regs);
    return NEXT;
  },
  isVisible: false,
});

export const visible = (run: (thread: Thread, machine: Machine) => void): Compiled => ({
  run: (thread, machine) => {
    run(thread, machine);
    return NEXT;
  },
  isVisible: true,
});

export type Family = (at: Instruction, compiler: Compiler) => Compiled;
