import type { Random } from './random.js';

/** What threads are observed by, the first of them P0. */
export const observedIn = (threads: readonly ProgramThread[]): readonly string[] =>
  threads.flatMap(({ registers }, i) => registers.map((name) => `P${i}:${name}`));

/** The body of a thread as it grows. */
export class ProgramThread {
  readonly lines: string[] = [];
  /** Registers that are observed at the end. */
  readonly registers: string[] = [];
  lastRegister: string | undefined;
  private made = 0;
  private readonly types = new Map<string, string>();

  constructor(private readonly thread: number) {}

  line(text: string): void {
    this.lines.push(text);
  }

  register(type: string): string {
    const name = `${type === 'u16' || type === 'u8' ? 'h' : 'r'}${this.made++}`;
    this.types.set(name, type);
    this.registers.push(name);
    this.lastRegister = name;
    return name;
  }

  predicate(): string {
    const name = `p${this.made++}`;
    this.registers.push(name);
    return name;
  }

  label(): string {
    return `L${this.thread}_${this.made++}`;
  }

  /** A register to store, sometimes. */
  known(random: Random, type: string): string | undefined {
    const fitting = [...this.types].filter(([, other]) => other === type).map(([name]) => name);
    return fitting.length > 0 && random.chance(35) ? random.pick(fitting) : undefined;
  }

  /** A predicate that tells whether a register is 0. */
  test(random: Random): string | undefined {
    const read = [...this.types.keys()];
    if (read.length === 0) return undefined;
    const register = random.pick(read);
    const predicate = `q${this.made++}`;
    const comparison = random.pick(['eq', 'ne']);
    this.line(`setp.${comparison}.u32 ${predicate}, ${this.widened(register)}, 0;`);
    return predicate;
  }

  /** A register that holds a number. */
  number(value: number): string {
    const name = `n${this.made++}`;
    this.line(`mov.u32 ${name}, ${value};`);
    return name;
  }

  plus(register: string, value: number): string {
    const name = `n${this.made++}`;
    this.line(`add.u32 ${name}, ${this.widened(register)}, ${value};`);
    return name;
  }

  /** The value of a register in one of 32 bits. */
  private widened(register: string): string {
    const type = this.types.get(register) ?? 'u32';
    if (type === 'u32') return register;
    const wide = `n${this.made++}`;
    this.line(`cvt.u32.${type} ${wide}, ${register};`);
    return wide;
  }
}
