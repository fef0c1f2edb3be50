import { createRequire } from 'node:module';
import { type Deadline, exceeded, TIMEOUT, type Undecided } from '../../program/undecided.js';
import { type Formula, type FormulaBuilder, type Formulas, nodesUnder, not, TRUE } from '../formula/formula.js';
import { remembered } from '../formula/remembered.js';
import { QueriedFormulas, type Query } from './query.js';
import type { SecondParty } from './second-party.js';
import type { CheckResult, SatSolver, Solver, SolverContext, SolverKind } from './solver.js';

/** z3's WASM, compiled. */
export interface CompiledZ3 {
  readonly compiled: 'z3';
}

/** What is used of the global of that name; without types of a browser it has none. */
declare const WebAssembly: {
  readonly Instance: new (module: CompiledZ3, imports: object) => { readonly exports: object };
};

const require = createRequire(import.meta.url);

/** Where z3's WASM lies, for whoever compiles it beforehand: that is most of its start, and done by other threads. */
export const pathOfZ3 = (): string => require.resolve('z3-solver/build/z3-built.wasm');

/** Reads the script around the WASM; the second time it is there. */
export const scriptOfZ3 = (): unknown => require('z3-solver/build/z3-built.js');

/**
 * z3, by its low-level interface and synchronously: the only file that knows it. Every context is new and is deleted
 * after its test, so that memory stays flat; error codes are read before each check, since a failed call does not
 * throw.
 */
export class Z3 implements SatSolver, SecondParty {
  private constructor(
    private readonly em: Em,
    readonly version: string,
  ) {}

  /**
   * Starts z3: once in a process, about a tenth of a second; less where it has been compiled.
   *
   * @example
   * ```ts
   * const solver = await Z3.start();
   * ```
   */
  static async start(module?: CompiledZ3): Promise<Z3> {
    const start = scriptOfZ3() as (overrides: object) => Promise<Em>;
    const em = await start({
      // On a slow machine Emscripten prints every ten seconds that it still compiles; what fails is thrown.
      printErr: () => undefined,
      ...(module !== undefined && { instantiateWasm: instantiating(module) }),
    });
    em.ccall('Z3_global_param_set', 'void', ['string', 'string'], ['model.compact', 'false']);
    em.ccall('Z3_global_param_set', 'void', ['string', 'string'], ['memory_max_size', '1500']);
    return new Z3(em, em.ccall('Z3_get_full_version', 'string', [], []) as string);
  }

  /** @internal */
  context(builder: FormulaBuilder): SolverContext {
    return new Z3Context(this.em, builder);
  }

  /** @internal */
  decide(query: Query, deadline: Deadline): CheckResult {
    const formulas = new QueriedFormulas(query);
    const context = new Z3Context(this.em, formulas);
    try {
      for (const formula of formulas.asserted) context.assert(formula);
      return context.solver('query').check(deadline);
    } finally {
      context.dispose();
    }
  }
}

/** What Emscripten calls in the place of reading and compiling. */
const instantiating =
  (module: CompiledZ3) =>
  (imports: object, receive: (...given: readonly unknown[]) => void): object => {
    const instance = new WebAssembly.Instance(module, imports);
    receive(instance, module);
    return instance.exports;
  };

const OUT_OF_MEMORY: Undecided = { kind: 'memory', what: 'memory limit of z3 reached' };

/** The functions of the Emscripten module. */
interface Em {
  readonly HEAPU32: Uint32Array;
  ccall(name: string, result: string | null, types: readonly string[], args: readonly unknown[]): unknown;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  readonly [name: `_Z3_${string}`]: (...args: number[]) => number;
}

/** z3's measure of effort; a second or so of it. Ordinary tests need far less. */
const FIRST_LIMIT = 1_000_000;
const LARGEST_LIMIT = 4_000_000_000;

/** The formulas of one test in z3, shared by its solvers. */
class Z3Context implements SolverContext {
  private readonly context: number;
  private readonly asts = new Map<number, number>();
  private readonly declarations = new Map<number, number>();
  private readonly boolSort: number;
  private buffer = 0;
  private bufferLength = 0;

  constructor(
    private readonly em: Em,
    readonly builder: Formulas,
  ) {
    const config = this.call('mk_config');
    this.context = this.call('mk_context', config);
    this.call('del_config', config);
    // Without a handler z3 would only set the error code, which is what `failure` reads.
    this.boolSort = this.call('mk_bool_sort', this.context);
  }

  readonly asserted: Formula[] = [];
  assert(formula: Formula): void {
    this.asserted.push(formula);
  }

  solver(kind: SolverKind): Solver {
    const solver =
      kind === 'query'
        ? this.call('mk_solver_from_tactic', this.context, this.tactic('sat'))
        : this.call('mk_solver_for_logic', this.context, this.symbol('QF_FD'));
    this.call('solver_inc_ref', this.context, solver);
    return new Z3Solver(this, solver);
  }

  dispose(): void {
    this.call('del_context', this.context);
    if (this.buffer !== 0) this.em._free(this.buffer);
  }

  /** @internal */
  call(name: string, ...args: number[]): number {
    return this.em[`_Z3_${name}`]?.(...args) ?? 0;
  }

  /** @internal */
  inContext(name: string, ...args: number[]): number {
    return this.call(name, this.context, ...args);
  }

  /** The message of a failed call since the last check, if there is one. @internal */
  failure(): string | undefined {
    const code = this.inContext('get_error_code');
    return code === 0
      ? undefined
      : (this.em.ccall('Z3_get_error_msg', 'string', ['number', 'number'], [this.context, code]) as string);
  }

  /** @internal */
  text(name: string, ...args: number[]): string {
    return this.em.ccall(
      `Z3_${name}`,
      'string',
      ['number', ...args.map(() => 'number')],
      [this.context, ...args],
    ) as string;
  }

  /** @internal */
  symbol(text: string): number {
    return this.em.ccall('Z3_mk_string_symbol', 'number', ['number', 'string'], [this.context, text]) as number;
  }

  private tactic(name: string): number {
    return this.em.ccall('Z3_mk_tactic', 'number', ['number', 'string'], [this.context, name]) as number;
  }

  /** The z3 term of a formula. @internal */
  term(formula: Formula): number {
    for (const [index, node] of nodesUnder(this.builder, formula, this.asts)) {
      const term =
        node.kind === 'variable'
          ? this.declare(index)
          : node.operands.length === 0
            ? this.inContext('mk_false')
            : this.conjunction(node.operands);
      this.asts.set(index, term);
    }
    return this.literal(formula);
  }

  /** Node 0 is the constant; every other node without operands would be one too. */
  private conjunction(operands: readonly Formula[]): number {
    if (operands.length > this.bufferLength) {
      if (this.buffer !== 0) this.em._free(this.buffer);
      this.bufferLength = operands.length * 2;
      this.buffer = this.em._malloc(this.bufferLength * 4);
    }
    const terms = operands.map((operand) => this.literal(operand));
    this.em.HEAPU32.set(terms, this.buffer >> 2);
    return this.inContext('mk_and', operands.length, this.buffer);
  }

  private readonly negations = new Map<number, number>();
  private literal(formula: Formula): number {
    const positive = this.asts.get(formula >> 1) ?? 0;
    if ((formula & 1) === 0) return positive;
    return remembered(this.negations, formula, () => this.inContext('mk_not', positive));
  }

  private declare(index: number): number {
    const declaration = this.inContext('mk_func_decl', this.symbol(`v${index}`), 0, 0, this.boolSort);
    this.declarations.set(index, declaration);
    return this.inContext('mk_app', declaration, 0, 0);
  }

  /** The declarations of the variables that have become part of a constraint, by node. @internal */
  get declared(): ReadonlyMap<number, number> {
    return this.declarations;
  }
}

const L_TRUE = 1;
const L_FALSE = -1;

class Z3Solver implements Solver {
  private readonly parameters: number;
  private readonly limitSymbol: number;

  /** @internal */
  constructor(
    private readonly owner: Z3Context,
    private readonly solver: number,
  ) {
    this.parameters = owner.inContext('mk_params');
    owner.inContext('params_inc_ref', this.parameters);
    this.limitSymbol = owner.symbol('rlimit');
    this.setLimit(FIRST_LIMIT);
    owner.inContext('solver_assert', solver, owner.term(TRUE));
    const failure = owner.failure();
    if (failure !== undefined) throw new Error(`z3: ${failure}`);
  }

  add(formula: Formula): void {
    this.owner.inContext('solver_assert', this.solver, this.owner.term(formula));
  }

  private asserted = 0;
  private definitions = 0;
  private depth = 0;
  /** What holds in every question is added outside of any `within`. */
  private addShared(): void {
    if (this.depth > 0) return;
    const { asserted, builder } = this.owner;
    const definitions = builder.allDefinitions();
    for (const formula of [...asserted.slice(this.asserted), ...definitions.slice(this.definitions)]) this.add(formula);
    this.asserted = asserted.length;
    this.definitions = definitions.length;
  }

  within<T>(build: () => T): T {
    this.addShared();
    this.depth++;
    this.owner.inContext('solver_push', this.solver);
    try {
      return build();
    } finally {
      this.owner.inContext('solver_pop', this.solver, 1);
      this.depth--;
    }
  }

  /** Checks in rounds of growing effort; between rounds it looks at the deadline. */
  check(deadline: Deadline): CheckResult {
    this.addShared();
    for (let limit = FIRST_LIMIT; ; ) {
      const failure = this.owner.failure();
      if (failure !== undefined)
        return { unknown: /memory/i.test(failure) ? OUT_OF_MEMORY : { kind: 'solver', what: `z3: ${failure}` } };
      const over = exceeded(deadline);
      if (over !== undefined) return { unknown: over };
      this.setLimit(limit);
      const before = deadline.remaining();
      const result = this.owner.inContext('solver_check', this.solver);
      if (result === L_TRUE) return 'sat';
      if (result === L_FALSE) return 'unsat';
      const reason = this.owner.text('solver_get_reason_unknown', this.solver);
      if (/memory/i.test(reason)) return { unknown: OUT_OF_MEMORY };
      // Where the limit is reached before the search has begun, z3 gives no reason.
      if (!/cancel|limit|resource|no reason given/i.test(reason))
        return { unknown: { kind: 'solver', what: `z3: ${reason}` } };
      const after = deadline.remaining();
      if (after <= 0 || limit >= LARGEST_LIMIT) return { unknown: TIMEOUT };
      // As much effort as the rest of the time allows at the rate of this round, but not much more at once.
      const affordable = (limit / Math.max(1, before - after)) * after;
      limit = Math.min(4 * limit, Math.max(FIRST_LIMIT, Math.round(affordable)), LARGEST_LIMIT);
    }
  }

  core(): undefined {
    return undefined;
  }

  refutation(): 'own' {
    return 'own';
  }

  exclude(formula: Formula): void {
    this.add(not(formula));
  }

  assignment(): (node: number) => boolean {
    const model = this.owner.inContext('solver_get_model', this.solver);
    this.owner.inContext('model_inc_ref', model);
    const { declared } = this.owner;
    const values = new Map<number, boolean>();
    for (const [node, declaration] of declared) {
      const value = this.owner.inContext('model_get_const_interp', model, declaration);
      values.set(node, value !== 0 && this.owner.inContext('get_bool_value', value) === L_TRUE);
    }
    this.owner.inContext('model_dec_ref', model);
    return (node) => values.get(node) ?? false;
  }

  private setLimit(limit: number): void {
    this.owner.inContext('params_set_uint', this.parameters, this.limitSymbol, limit >>> 0);
    this.owner.inContext('solver_set_params', this.solver, this.parameters);
  }
}
