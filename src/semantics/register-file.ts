/** Changes that are looked up beside a whole file of registers; with more a new file is made. */
const MOST_CHANGES = 12;

/** What registers hold: immutable, with few changes kept apart, so that an instruction copies no more than these. */
export class RegisterFile<T> {
  private constructor(
    private readonly whole: ReadonlyMap<string, T>,
    private readonly changes: ReadonlyMap<string, T>,
  ) {}

  static of<T>(registers: ReadonlyMap<string, T>): RegisterFile<T> {
    return new RegisterFile(registers, new Map());
  }

  get(name: string): T | undefined {
    return this.changes.get(name) ?? this.whole.get(name);
  }

  /** The same but for registers that have been written. */
  with(written: ReadonlyMap<string, T>): RegisterFile<T> {
    const changes = new Map(this.changes);
    for (const [name, value] of written) changes.set(name, value);
    return changes.size > MOST_CHANGES
      ? RegisterFile.of(new RegisterFile(this.whole, changes).all())
      : new RegisterFile(this.whole, changes);
  }

  /** All of them, those that were there at first before those that were first written later. */
  all(): ReadonlyMap<string, T> {
    if (this.changes.size === 0) return this.whole;
    const all = new Map(this.whole);
    for (const [name, value] of this.changes) all.set(name, value);
    return all;
  }
}
