import type { DataType } from '../program/data-type.js';

/** The names of one kernel: its registers, and the parameters that hand over addresses. */
export class KernelNames {
  /** Registers of the kernel with their types. */
  readonly registers = new Map<string, string>();
  /** What the launch hands the address of, or for a descriptor the descriptor, by the register that holds it. */
  readonly handedOver = new Map<string, string>();
  /** Variables that the bodies name. */
  readonly used = new Set<string>();
  private readonly own = new Map<string, string>();

  /** `taken`: words of the test. */
  constructor(private readonly taken: ReadonlySet<string>) {}

  /** A name that the test does not have. */
  fresh(word: string): string {
    let name = word.replace(/[^\w$]/g, '_');
    while (this.taken.has(name)) name = `${name}_`;
    return name;
  }

  use(name: string): void {
    this.used.add(name);
  }

  /** A register of the test: threads share one where it is of one type. */
  register(name: string, type: DataType): string {
    const word = typeOf(type);
    const register = `%${name}`;
    const known = this.registers.get(register);
    if (known === undefined || known === word) {
      this.registers.set(register, word);
      return register;
    }
    const other = `%${this.fresh(`${name}_${word}`)}`;
    this.registers.set(other, word);
    return other;
  }

  /** A register for an address, or for what else the kernel needs. */
  address(word: string, type = 'b64'): string {
    const known = this.own.get(word);
    if (known !== undefined) return known;
    const register = `%${this.fresh(word)}`;
    this.own.set(word, register);
    this.registers.set(register, type);
    return register;
  }

  argument(name: string): string {
    const register = this.address(`at_${name}`);
    this.handedOver.set(name, register);
    return register;
  }

  parameter(name: string): string {
    return this.fresh(`param_${name}`);
  }
}

/** Bits of any type go into registers of untyped bits; the sign is kept, for conditions. */
function typeOf({ kind, width }: DataType): string {
  if (kind === 'pred') return 'pred';
  return `${kind === 's' ? 's' : 'b'}${Math.max(16, width)}`;
}
