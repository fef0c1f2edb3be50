import type { Code } from '../kernel/code.js';
import { operandWidth } from '../program/operand-width.js';
import { registersRead, registersWritten } from '../program/operands.js';
import {
  type Arithmetic,
  isComputation,
  type Operand,
  type Operation,
  type ProgramStatement,
} from '../program/operation.js';

/** How a value depends on a varied one, along one way through the code: not at all, evenly (`a + b*v`), or somehow. */
export type Level = 'fixed' | 'even' | 'any';
const highest = (levels: readonly Level[]): Level =>
  levels.includes('any') ? 'any' : levels.includes('even') ? 'even' : 'fixed';

/** What must be looked at where a statement is executed. */
export interface Watched {
  /**
   * `extend`: what is widened must not wrap around; `compare`: it must come out alike; `choose`: the same operand must
   * be taken; `known`: nothing of it may be open.
   */
  readonly rule: 'extend' | 'compare' | 'choose' | 'known';
  readonly comparison?: Arithmetic['name'];
  readonly operands: readonly { readonly operand: Operand; readonly width: number }[];
  readonly signed: boolean;
}

/** How much of what a kernel does depends on varied values. */
export interface Dependence {
  /** The first thing for which likeness cannot be told. */
  readonly refused: string | undefined;
  readonly watched: ReadonlyMap<number, Watched>;
  /** Loads and stores whose address is even in the values. */
  readonly moving: ReadonlySet<number>;
  /** Stores of what depends on the values. */
  readonly dependentStores: ReadonlySet<number>;
  /** Loads of varied parameters. */
  readonly ofParameters: ReadonlySet<number>;
}

/** How the bytes at an address depend on the varied values: those of parameters. */
export type LevelAt = (address: bigint, bytes: number) => Level;

/** @param dependentLoads - Loads of memory, by statement, that find what depends on the values. */
export function dependenceOf(code: Code, levelAt: LevelAt, dependentLoads: ReadonlySet<number>): Dependence {
  const found = new Levels(code, levelAt, dependentLoads);
  found.settle();
  return found.dependence();
}

class Levels {
  private readonly levels = new Map<string, Level>();

  constructor(
    private readonly code: Code,
    private readonly levelAt: LevelAt,
    private readonly dependentLoads: ReadonlySet<number>,
  ) {}

  /** Raises levels until nothing changes. */
  settle(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const [at, statement] of this.code.statements.entries())
        for (const target of registersWritten(statement.operation)) {
          const level = highest([this.ofRegister(target), this.resultOf(at, statement.operation, target)]);
          changed ||= level !== this.ofRegister(target);
          this.levels.set(target, level);
        }
    }
  }

  dependence(): Dependence {
    const watched = new Map<number, Watched>();
    const [moving, dependentStores, ofParameters] = [new Set<number>(), new Set<number>(), new Set<number>()];
    let refused: string | undefined;
    for (const [at, statement] of this.code.statements.entries()) {
      const { operation } = statement;
      refused ??= this.refusedAt(statement);
      const own = this.watchedAt(operation);
      if (own !== undefined) watched.set(at, own);
      if (operation.kind !== 'load' && operation.kind !== 'store') continue;
      if (this.of(operation.address.base) === 'even') moving.add(at);
      if (operation.kind === 'store' && this.all(operation.values) !== 'fixed') dependentStores.add(at);
      if (operation.kind === 'load' && this.ofParameter(operation) !== 'fixed') ofParameters.add(at);
    }
    return { refused, watched, moving, dependentStores, ofParameters };
  }

  private ofRegister(name: string): Level {
    return this.levels.get(name) ?? 'fixed';
  }

  private of(operand: Operand): Level {
    return operand.kind === 'constant' ? 'fixed' : this.ofRegister(operand.name);
  }

  private all(operands: readonly Operand[]): Level {
    return highest(operands.map((one) => this.of(one)));
  }

  private widthOf(register: string): number {
    return this.code.registers.get(register)?.type.width ?? 0;
  }

  private resultOf(at: number, operation: Operation, target: string): Level {
    const { kind } = operation;
    if (kind === 'compute') {
      const level = this.computed(operation.arithmetic, operation.operands);
      return level === 'even' && this.widthOf(target) > operation.arithmetic.resultWidth ? 'any' : level;
    }
    if (kind === 'open') return this.all(operation.operands) === 'fixed' ? 'fixed' : 'any';
    // What else would depend on the values is refused.
    if (kind !== 'load') return 'fixed';
    if (this.of(operation.address.base) !== 'fixed' || this.dependentLoads.has(at)) return 'any';
    const level = this.ofParameter(operation);
    return level === 'even' && this.widthOf(target) > operation.type.width ? 'any' : level;
  }

  /** How a load depends on parameters at a constant address. */
  private ofParameter({ address, type, targets }: Extract<Operation, { kind: 'load' }>): Level {
    if (address.base.kind !== 'constant') return 'fixed';
    const bytes = type.width / 8;
    const first = address.base.value + address.offset;
    return highest(targets.map((_, i) => this.levelAt(first + BigInt(i * bytes), bytes)));
  }

  private computed(arithmetic: Arithmetic, operands: readonly Operand[]): Level {
    const { name, width, resultWidth } = arithmetic;
    const levels = operands.map((one) => this.of(one));
    const level = highest(levels);
    if (level !== 'even') return level;
    const isNarrow = operands.some(
      (one, i) =>
        one.kind === 'register' && levels[i] === 'even' && this.widthOf(one.name) < operandWidth(arithmetic, i),
    );
    if (isNarrow) return 'any';
    const isOne = levels.filter((one) => one === 'even').length === 1;
    const isModular = resultWidth <= width;
    switch (name) {
      case 'move':
      case 'convert':
        return 'even';
      case 'add':
      case 'subtract':
      case 'not':
      case 'minimum':
      case 'maximum':
        return isModular ? 'even' : 'any';
      case 'multiply':
        return isModular && isOne ? 'even' : 'any';
      case 'multiply-wide':
        return isOne ? 'even' : 'any';
      case 'shift-left':
        return isModular && levels[0] === 'even' && isOne ? 'even' : 'any';
      case 'select':
        return isModular && levels[0] === 'fixed' ? 'even' : 'any';
      case 'equal':
      case 'less':
      case 'less-or-equal':
        // It comes out alike, or else the values are not.
        return 'fixed';
      default:
        return 'any';
    }
  }

  private watchedAt(operation: Operation): Watched | undefined {
    if (operation.kind === 'load' || operation.kind === 'store') {
      const { base } = operation.address;
      if (base.kind === 'constant' || this.of(base) !== 'even') return undefined;
      return { rule: 'extend', operands: [{ operand: base, width: this.widthOf(base.name) }], signed: false };
    }
    if (operation.kind !== 'compute') return undefined;
    const { arithmetic } = operation;
    const { name, width, resultWidth, signed } = arithmetic;
    const operands = operation.operands.map((operand, i) => ({ operand, width: operandWidth(arithmetic, i) }));
    const level = this.all(operation.operands);
    if (level === 'fixed') return undefined;
    // What is said of an open condition goes further than its value.
    if (level === 'any') return resultWidth === 1 ? { rule: 'known', operands, signed } : undefined;
    const even = operands.filter(({ operand }) => this.of(operand) === 'even');
    switch (name) {
      case 'equal':
      case 'less':
      case 'less-or-equal':
        return { rule: 'compare', comparison: name, operands, signed };
      case 'minimum':
      case 'maximum':
        return { rule: 'choose', operands, signed };
      case 'multiply-wide':
        return { rule: 'extend', operands: even, signed };
      case 'move':
      case 'convert':
        if (resultWidth > width) return { rule: 'extend', operands: even, signed: name === 'convert' && signed };
    }
    return resultWidth === 1 ? { rule: 'known', operands, signed } : undefined;
  }

  private refusedAt({ operation, guard }: ProgramStatement): string | undefined {
    if (guard !== undefined && this.ofRegister(guard.register) !== 'fixed') return 'a branch or a guard';
    if (isComputation(operation)) return undefined;
    if (operation.kind !== 'load' && operation.kind !== 'store')
      return registersRead(operation).some((name) => this.ofRegister(name) !== 'fixed') ? operation.kind : undefined;
    if (this.of(operation.address.base) === 'any') return 'an address';
    // It may be an address that is handed on.
    const isHandedOn = operation.kind === 'store' && operation.type.width >= 64;
    return isHandedOn && this.all(operation.values) !== 'fixed' ? 'data of 64 bits' : undefined;
  }
}
