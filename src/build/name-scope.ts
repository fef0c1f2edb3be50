/** The names that a block, or the body of a function, declares (PTX ISA, Kernel and Function Directives). */
export class NameScope {
  private readonly names = new Map<string, string>();
  private readonly labels = new Map<string, string>();

  /** `depth`: 0 for the body of a thread, whose names stay as they are. */
  constructor(
    private readonly outer: NameScope | undefined,
    readonly depth: number,
  ) {}

  private unique(name: string): string {
    return this.depth === 0 ? name : `${name}~${this.depth}`;
  }

  declare(name: string): string {
    this.names.set(name, this.unique(name));
    return this.unique(name);
  }

  /** `r<4>` declares r0 to r3. */
  declareRegisters(name: string, count: number | undefined): void {
    if (count === undefined) this.declare(name);
    else if (this.depth !== 0) for (let i = 0; i < count; i++) this.declare(`${name}${i}`);
  }

  declareLabel(name: string): void {
    this.labels.set(name, this.unique(name));
  }

  /** What a name of a register or a variable means here. */
  name(name: string): string {
    return this.names.get(name) ?? this.outer?.name(name) ?? name;
  }

  label(name: string): string {
    return this.labels.get(name) ?? this.outer?.label(name) ?? name;
  }
}
