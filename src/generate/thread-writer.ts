import type { Place } from './places.js';

/** The text of one thread as it grows. */
export class ThreadWriter {
  readonly lines: string[] = [];
  /** What the outcome of the cycle needs of this thread's registers. */
  readonly outcome: string[] = [];
  readonly observed: string[] = [];
  /** The register of the last load, for dependencies on it, with the value it should have. */
  lastRead: { readonly register: string; readonly value: number } | undefined;
  #landing: string | undefined;
  readonly #used = new Map<string, number>();

  constructor(
    readonly name: string,
    readonly place: Place,
  ) {}

  line(text: string): void {
    this.lines.push(`  ${text}`);
  }

  label(name: string): void {
    this.lines.push(`${name}:`);
  }

  /** Skips the rest of the accesses, unless the last read has the value of the outcome; false if there was no read. */
  branch(): boolean {
    if (this.lastRead === undefined) return false;
    const predicate = this.fresh('%p');
    this.line(`setp.ne.u32 ${predicate}, ${this.lastRead.register}, ${this.lastRead.value};`);
    this.#landing ??= this.fresh('skip');
    this.line(`@${predicate} bra ${this.#landing};`);
    return true;
  }

  /** Where the branches lead. */
  land(): void {
    if (this.#landing !== undefined) this.label(this.#landing);
    this.#landing = undefined;
  }

  /** A name not used before: `r` for registers that are observed, `%p`, `%rd` and `%s` (32 bits) for others. */
  fresh(prefix: 'r' | '%p' | '%rd' | '%s' | 'wait' | 'skip'): string {
    const number = this.#used.get(prefix) ?? 0;
    this.#used.set(prefix, number + 1);
    return `${prefix}${number}`;
  }

  /** A register for a value that was read, which should be `value`. */
  observe(value: number): string {
    const register = this.fresh('r');
    this.outcome.push(`${this.name}:${register} == ${value}`);
    this.observed.push(`${this.name}:${register}`);
    this.lastRead = { register, value };
    return register;
  }

  /** A register for a value that a write replaced: it is observed, but the cycle says nothing of it. */
  observeOnly(): string {
    const register = this.fresh('r');
    this.observed.push(`${this.name}:${register}`);
    return register;
  }
}
