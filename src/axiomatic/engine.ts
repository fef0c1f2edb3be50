import { checkExecution, type ExecutionVerdict } from '../cat/check-execution.js';
import type { Model } from '../cat/model.js';
import { forbidsThinAir } from '../cat/thin-air.js';
import { withoutInferred } from '../cat/variants.js';
import { positionOf } from '../diagnostics/source.js';
import type { CandidateExecution, FinalState } from '../execution/candidate-execution.js';
import { holdsOf } from '../execution/run-program.js';
import { WILD_RULE } from '../program/locations.js';
import type { Program, Proposition } from '../program/program.js';
import { buildEvents } from '../semantics/build-events.js';
import { canBlock } from '../semantics/interpret.js';
import { decodeExecution } from './decode.js';
import { type ExecutionEncoding, encodeExecution } from './encode-execution.js';
import { type EncodedCheck, type EncodedModel, encodeModel } from './encode-model.js';
import { type Attempt, explainForbidden, type Forbidden, inferredThatMatter } from './explain-forbidden.js';
import { BudgetExceeded, evaluateFormula, FALSE, type Formula, FormulaBuilder, not, TRUE } from './formula.js';
import { featureWithoutMeaning, mixedSizesWithoutMeaning } from './model-coverage.js';
import type { CheckResult, Deadline, Solver, SolverContext, Z3 } from './solver.js';

export interface EngineOptions {
  /** How often a loop body is executed at most. */
  readonly unroll: number;
  readonly deadline: Deadline;
  readonly mostStates: number;
  /**
   * Also executions in which threads never end: barriers keep threads for ever, and loops that only wait are executed
   * twice, which shows what their earlier rounds may do.
   */
  readonly keepsThreads?: boolean;
  readonly failingCasWrites?: boolean;
  /** Scalar accesses are no more than bytes where they race. */
  readonly tearing?: boolean;
}

/** Whether some execution does what was asked, with one that does. */
export type Reachability =
  | { readonly kind: 'reachable'; readonly execution: CandidateExecution; readonly verdict: ExecutionVerdict }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Whether every execution of a test is defined; otherwise the rule that one breaks, and that execution where it can be
 * shown.
 */
export type UndefinedBehaviour =
  | { readonly kind: 'defined' }
  | {
      readonly kind: 'undefined';
      readonly rule: string;
      readonly execution: CandidateExecution | undefined;
      /** What breaks the rule there. */
      readonly events: readonly number[];
    }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface Enumeration {
  readonly states: readonly { readonly state: FinalState; readonly execution: CandidateExecution }[];
  /** Why there may be more. */
  readonly incomplete: string | undefined;
}

const MOST_NODES = 8_000_000;

/** The rule of the models that scalar accesses are whole; the end of a test keeps to it as well. */
const TORN = 'torn';
/** The rule, of no model, that the end of the grid completes asynchronous operations. */
const GRID_END = 'grid-end';

/** How far the executions that a question is about go: every thread to its end, or until nothing more happens. */
type Extent = 'ended' | 'stopped';

/** The executions of one program under one model, ready to be asked about. */
export class AxiomaticSession {
  private solverInUse: Solver | undefined;
  private cutPossible: boolean | string | undefined;
  private outside: { readonly certain: boolean; readonly reason: string } | 'nowhere' | undefined;

  private constructor(
    private readonly model: Model,
    readonly encoding: ExecutionEncoding,
    private readonly encoded: EncodedModel,
    private readonly filter: { readonly proposition: Proposition | undefined; readonly formula: Formula },
    private readonly context: SolverContext,
    private readonly options: EngineOptions,
    /** Another session on the same question, with other options. */
    private readonly reopen: (changes: {
      readonly thinAir?: true;
      readonly keepsThreads?: true;
    }) => AxiomaticSession | undefined,
  ) {}

  /** Encodes; a reason instead, where the test cannot be decided under this model. */
  static open(
    z3: Z3,
    program: Program,
    model: Model,
    options: EngineOptions,
    thinAir = !forbidsThinAir(model),
  ): AxiomaticSession | { readonly unknown: string } {
    const keepsThreads = options.keepsThreads === true;
    const structure = buildEvents(program, {
      bound: options.unroll,
      spinRounds: keepsThreads ? 2 : 1,
      failingCasWrites: options.failingCasWrites === true,
    });
    if (typeof structure === 'string') return { unknown: structure };
    const unknown = featureWithoutMeaning(model, structure);
    if (unknown !== undefined) return { unknown };
    const builder = new FormulaBuilder((nodes) => {
      if (nodes > MOST_NODES) throw new BudgetExceeded('memory: the formula is too large');
      if (options.deadline.remaining() <= 0) throw new BudgetExceeded('timeout');
    });
    const encoding = encodeExecution(builder, structure, { thinAir, keepsThreads });
    if (typeof encoding === 'string') return { unknown: encoding };
    const missing = mixedSizesWithoutMeaning(model, encoding);
    if (missing !== undefined) return { unknown: missing };
    const encoded = encodeModel(model, encoding);
    const formula = program.filter === undefined ? TRUE : encoding.proposition(program.filter);
    return new AxiomaticSession(
      model,
      encoding,
      encoded,
      { proposition: program.filter, formula },
      z3.context(builder),
      options,
      (changes) => {
        if (changes.thinAir === true && thinAir) return undefined;
        const reopened = AxiomaticSession.open(
          z3,
          program,
          model,
          { ...options, ...changes },
          changes.thinAir ?? thinAir,
        );
        return 'unknown' in reopened ? undefined : reopened;
      },
    );
  }

  /**
   * Whether some thread may wait, so that executions in which it does so for ever, or for several rounds, are left out
   * here.
   */
  get leavesWaitingOut(): boolean {
    const { threads, events } = this.encoding.universe.structure;
    return threads.some(({ spins }) => spins.length > 0) || events.some(canBlock);
  }

  get checks(): readonly EncodedCheck[] {
    return this.encoded.checks;
  }

  dispose(): void {
    this.context.dispose();
  }

  /** Whether some consistent execution, in which every thread runs to its end, has a final state that satisfies P. */
  reach(proposition: Proposition): Reachability {
    // What speaks of no value is false within every bound.
    if (mentionsNothing(proposition) && !holdsOf(proposition, new Map())) return { kind: 'unreachable' };
    return this.ask(this.encoding.proposition(proposition), (execution) => holdsOf(proposition, execution.finalState));
  }

  /** Whether a `flag` of the model is raised in some execution; undefined if the model has no such flag. */
  reachFlag(name: string): Reachability | undefined {
    const flag = this.checks.find(({ check }) => check.role === 'flag' && check.name === name);
    return flag === undefined
      ? undefined
      : this.ask(
          flag.holds,
          (_, verdict) => verdict.checks.some(({ check, holds }) => check === flag.check && holds),
          this.flagged,
        );
  }

  /**
   * Flags and undefined behaviour count as soon as they appear, also where a thread never ends; a filter speaks of
   * ends.
   */
  private get flagged(): Extent {
    return this.options.keepsThreads === true && this.filter.proposition === undefined ? 'stopped' : 'ended';
  }

  /** Whether some execution leaves a thread waiting for ever; undefined if such executions are left out here. */
  reachDeadlock(): Reachability | undefined {
    return this.options.keepsThreads === true
      ? this.ask(this.encoding.deadlock.deadlock, ({ ends }) => ends.some(({ kind }) => kind !== 'ended'), 'stopped')
      : undefined;
  }

  /** Whether a thread would wait for ever in some execution, if no read had to come to see a write. */
  get needsProgress(): boolean {
    const { deadlock, withoutProgress } = this.encoding.deadlock;
    return deadlock !== withoutProgress && this.satisfiable(withoutProgress) === 'sat';
  }

  /** Whether some execution does what the model, or PTX, leaves undefined, and by which rule. */
  reachUndefined(): UndefinedBehaviour {
    const outside = this.leavesMemory();
    if (outside !== undefined)
      return outside.certain
        ? { kind: 'undefined', rule: outside.reason, execution: undefined, events: [] }
        : { kind: 'unknown', reason: outside.reason };
    const broken = this.encoding.builder.any(this.encoding.violations.map(({ formula }) => formula));
    const answer = this.ask(broken, ({ violations }) => violations.length > 0, this.flagged);
    if (answer.kind === 'reachable') {
      const [violation] = answer.execution.violations;
      return {
        kind: 'undefined',
        rule: violation?.rule ?? '',
        execution: answer.execution,
        events: violation === undefined ? [] : [violation.event],
      };
    }
    // What one question leaves open, another may still find.
    let open = answer.kind === 'unknown' ? answer : undefined;
    for (const { check, holds } of this.checks) {
      if (check.role !== 'undefined_unless' || holds === TRUE) continue;
      const answer = this.ask(
        not(holds),
        (_, verdict) => verdict.checks.some((one) => one.check === check && !one.holds),
        this.flagged,
      );
      if (answer.kind === 'reachable') {
        const events = answer.verdict.checks.find((one) => one.check === check)?.witness ?? [];
        return { kind: 'undefined', rule: check.name, execution: answer.execution, events: [...new Set(events)] };
      }
      if (answer.kind === 'unknown') open ??= answer;
    }
    return open ?? { kind: 'defined' };
  }

  /**
   * Whether some execution has an address outside of memory, for certain or perhaps; it has no memory to show, and no
   * question but this finds it.
   */
  private leavesMemory(): { readonly certain: boolean; readonly reason: string } | undefined {
    if (this.encoding.wild === FALSE) return undefined;
    if (this.outside === undefined) {
      const result = this.satisfiable(this.encoding.wild);
      if (result === 'sat') this.outside = { certain: true, reason: `${WILD_RULE}${this.placeOutside()}` };
      else this.outside = result === 'unsat' ? 'nowhere' : { certain: false, reason: result.unknown };
    }
    return this.outside === 'nowhere' ? undefined : this.outside;
  }

  /** Where such an address is used. */
  private placeOutside(): string {
    const [event] = [...this.encoding.wildAccesses].find(([, formula]) => this.satisfiable(formula) === 'sat') ?? [];
    const span = event === undefined ? undefined : this.encoding.universe.events[event]?.span;
    return span === undefined ? '' : ` (line ${positionOf(span.source, span.start).line})`;
  }

  /** All final states, each with one execution, by blocking each one found. */
  enumerate(): Enumeration {
    const { builder, universe } = this.encoding;
    const { observed } = universe.structure.program;
    const bits = [...new Set(observed.flatMap((observable) => this.encoding.observable(observable)))].filter(
      (bit) => bit !== TRUE && bit !== FALSE,
    );
    const solver = this.context.solver('enumeration');
    for (const formula of [...this.base(), ...this.extentFormulas('ended')]) solver.add(formula);
    const states: { state: FinalState; execution: CandidateExecution }[] = [];
    for (;;) {
      const result = solver.check(this.options.deadline);
      if (typeof result === 'object') return { states, incomplete: result.unknown };
      if (result === 'unsat') break;
      if (states.length >= this.options.mostStates)
        return { states, incomplete: `more than ${this.options.mostStates} final states` };
      const assigned = solver.assignment();
      const { execution } = this.verified(assigned, () => true);
      states.push({ state: execution.finalState, execution });
      if (bits.length === 0) break;
      const memo = new Map<number, boolean>();
      solver.add(builder.any(bits.map((bit) => (evaluateFormula(builder, bit, assigned, memo) ? not(bit) : bit))));
    }
    const bound = this.boundReason();
    return { states, incomplete: bound };
  }

  /** Why a proposition is unreachable; `core`: also which axioms it takes. */
  explainUnreachable(proposition: Proposition, core = false): Forbidden {
    const goal = this.encoding.proposition(proposition);
    const axioms = this.checks.filter(({ check }) => check.role === 'axiom');
    const { builder } = this.encoding;
    const without = (dropped: ReadonlySet<EncodedCheck>, more: readonly Formula[] = []): Attempt =>
      this.attempt([...this.base(dropped), ...this.extentFormulas('ended'), this.inMemory, goal, ...more]);
    const explained = explainForbidden(this.model, { axioms, without, any: (formulas) => builder.any(formulas) }, core);
    if (explained !== undefined)
      return {
        ...explained,
        inferred: inferredThatMatter(this.inferred, (names) => this.attemptWithoutDefinitions(names, () => goal)),
      };
    // The end of a test is no event of which an axiom could speak.
    const atEnd = [TORN, GRID_END].filter(
      (rule) =>
        this.inferred.includes(rule) && this.attemptWithoutDefinitions(new Set([rule]), () => goal).result === 'sat',
    );
    if (atEnd.length > 0) return { axioms: [], failures: [], execution: undefined, core: [], inferred: atEnd };
    // An axiom against thin air is also built into what reads may return: look again without that.
    const reopened = this.reopen({ thinAir: true });
    try {
      return (
        reopened?.explainUnreachable(proposition, core) ?? {
          axioms: [],
          failures: [],
          execution: undefined,
          core: [],
          inferred: [],
        }
      );
    } finally {
      reopened?.dispose();
    }
  }

  private attempt(formulas: readonly Formula[]): Attempt {
    const solver = this.context.solver('query');
    for (const formula of formulas) solver.add(formula);
    const memo = new Map<number, boolean>();
    return {
      result: solver.check(this.options.deadline),
      execution: () => decodeExecution(this.encoding, solver.assignment()),
      holds: (formula) => evaluateFormula(this.encoding.builder, formula, solver.assignment(), memo),
    };
  }

  /** The inferred rules without which a flag that no execution raises would be raised. */
  inferredAgainstFlag(name: string): readonly string[] {
    const raised = (checks: readonly EncodedCheck[]): Formula =>
      checks.find(({ check }) => check.role === 'flag' && check.name === name)?.holds ?? FALSE;
    return inferredThatMatter(this.inferred, (names) => this.attemptWithoutDefinitions(names, raised, this.flagged));
  }

  /** The inferred rules without which some execution would be undefined. */
  inferredAgainstUndefined(): readonly string[] {
    const { builder, violations } = this.encoding;
    const broken = (checks: readonly EncodedCheck[]): Formula =>
      builder.any([
        ...violations.map(({ formula }) => formula),
        ...checks.filter(({ check }) => check.role === 'undefined_unless').map(({ holds }) => not(holds)),
      ]);
    return inferredThatMatter(this.inferred, (names) => this.attemptWithoutDefinitions(names, broken, this.flagged));
  }

  /** Whether a goal, stated of the model without some inferred rules, is reached under that model. */
  private attemptWithoutDefinitions(
    names: ReadonlySet<string>,
    goalOf: (checks: readonly EncodedCheck[]) => Formula,
    extent: Extent = 'ended',
  ): Attempt {
    const { checks } = encodeModel(withoutInferred(this.model, names), this.encoding);
    const goal = goalOf(checks);
    const axioms = checks.filter(({ check }) => check.role === 'axiom').map(({ holds }) => holds);
    const atEnd = [
      names.has(TORN) ? TRUE : this.scalarsAreWhole,
      names.has(GRID_END) ? TRUE : this.encoding.memory.gridEndCompletes,
    ];
    return this.attempt([
      ...this.encoding.constraints,
      ...axioms,
      ...atEnd,
      ...this.encoding.builder.allDefinitions(),
      ...this.extentFormulas(extent),
      this.inMemory,
      goal,
    ]);
  }

  /** The inferred definitions that may matter to this test, and rules about its end. */
  private get inferred(): readonly string[] {
    const atEnd = [
      ...(this.finalsAreWhole === TRUE ? [] : [TORN]),
      ...(this.encoding.memory.gridEndCompletes === TRUE ? [] : [GRID_END]),
    ];
    return [...new Set([...this.encoded.inferred, ...atEnd])];
  }

  private get finalsAreWhole(): Formula {
    return this.options.tearing === true ? TRUE : this.encoding.memory.finalsAreWhole;
  }

  /** Scalar accesses are whole also under a model that has nothing to say of it. */
  private get scalarsAreWhole(): Formula {
    const { memory, builder } = this.encoding;
    if (this.options.tearing === true) return TRUE;
    return this.model.baseNames.has('rf-part')
      ? memory.finalsAreWhole
      : builder.and(memory.finalsAreWhole, memory.readsAreWhole);
  }

  /** The constraints of a query about P, for `--emit-smt2`. */
  constraintsFor(proposition: Proposition): readonly Formula[] {
    const goal = this.encoding.proposition(proposition);
    return [...this.base(), ...this.extentFormulas('ended'), goal];
  }

  private ask(
    goal: Formula,
    fits: (execution: CandidateExecution, verdict: ExecutionVerdict) => boolean,
    extent: Extent = 'ended',
  ): Reachability {
    if (goal !== FALSE) {
      const solver = this.solver();
      const result = solver.within((): Reachability | undefined => {
        solver.add(goal);
        for (const formula of [...this.extentFormulas(extent), this.inMemory]) solver.add(formula);
        const answer = solver.check(this.options.deadline);
        if (typeof answer === 'object') return { kind: 'unknown', reason: answer.unknown };
        return answer === 'sat' ? { kind: 'reachable', ...this.verified(solver.assignment(), fits) } : undefined;
      });
      if (result !== undefined) return result;
    }
    const reason = this.leavesMemory()?.reason ?? this.boundReason();
    return reason === undefined ? { kind: 'unreachable' } : { kind: 'unknown', reason };
  }

  /** Decodes an assignment and checks it with the concrete evaluation: no answer rests on the encoding alone. */
  private verified(
    assigned: (node: number) => boolean,
    fits: (execution: CandidateExecution, verdict: ExecutionVerdict) => boolean,
  ): { readonly execution: CandidateExecution; readonly verdict: ExecutionVerdict } {
    const execution = decodeExecution(this.encoding, assigned);
    const verdict = checkExecution(this.model, execution);
    const broken = verdict.checks.find(({ check, holds }) => check.role === 'axiom' && !holds);
    if (broken !== undefined)
      throw new Error(`the execution found by z3 breaks axiom ${broken.check.name} of ${this.model.name}`);
    if (!fits(execution, verdict)) throw new Error('the execution found by z3 is not what was asked for');
    const complete = execution.ends.every(({ kind }) => kind === 'ended');
    if (complete && this.filter.proposition !== undefined && !holdsOf(this.filter.proposition, execution.finalState))
      throw new Error('the execution found by z3 does not pass the filter');
    return { execution, verdict };
  }

  /** "bound", if some consistent execution goes round a loop more often than it was unrolled. */
  boundReason(): string | undefined {
    if (this.encoding.cut === FALSE) return undefined;
    // Where other threads may wait, executions in which they do are left out here.
    if (this.options.keepsThreads !== true && this.leavesWaitingOut) return this.boundReasonWithWaiting();
    if (this.cutPossible === undefined) {
      const solver = this.context.solver('query');
      for (const formula of this.base()) solver.add(formula);
      solver.add(this.encoding.cut);
      const result = solver.check(this.options.deadline);
      this.cutPossible = result === 'sat' ? true : result === 'unsat' ? false : result.unknown;
    }
    return this.cutPossible === true ? 'bound' : this.cutPossible === false ? undefined : this.cutPossible;
  }

  private boundReasonWithWaiting(): string | undefined {
    if (this.cutPossible === undefined) {
      const waiting = this.reopen({ keepsThreads: true });
      try {
        const reason = waiting === undefined ? 'bound' : waiting.boundReason();
        this.cutPossible = reason ?? false;
      } finally {
        waiting?.dispose();
      }
    }
    return typeof this.cutPossible === 'string' ? this.cutPossible : undefined;
  }

  private satisfiable(goal: Formula): CheckResult {
    const solver = this.solver();
    return solver.within(() => {
      solver.add(goal);
      for (const formula of this.extentFormulas(this.flagged)) solver.add(formula);
      return solver.check(this.options.deadline);
    });
  }

  private constraintsAdded = 0;
  private definitionsAdded = 0;
  /**
   * The solver for single questions; constraints that came up since, such as those of final values first asked for now,
   * are added.
   */
  private solver(): Solver {
    const { constraints, builder } = this.encoding;
    const definitions = builder.allDefinitions();
    let solver = this.solverInUse;
    if (solver === undefined) {
      solver = this.context.solver('query');
      this.solverInUse = solver;
      for (const formula of this.base()) solver.add(formula);
    } else {
      for (const formula of [...constraints.slice(this.constraintsAdded), ...definitions.slice(this.definitionsAdded)])
        solver.add(formula);
    }
    this.constraintsAdded = constraints.length;
    this.definitionsAdded = definitions.length;
    return solver;
  }

  /** Every access goes to a location: only such an execution can be decoded. */
  private get inMemory(): Formula {
    return not(this.encoding.wild);
  }

  private extentFormulas(extent: Extent): readonly Formula[] {
    return extent === 'ended' ? [this.encoding.ended, this.filter.formula] : [this.encoding.stopped];
  }

  private base(dropped: ReadonlySet<EncodedCheck> = new Set()): readonly Formula[] {
    const axioms = this.checks
      .filter((encoded) => encoded.check.role === 'axiom' && !dropped.has(encoded))
      .map(({ holds }) => holds);
    const whole = this.scalarsAreWhole;
    const definitions = this.encoding.builder.allDefinitions();
    return [...this.encoding.constraints, ...definitions, ...axioms, whole, this.encoding.memory.gridEndCompletes];
  }
}

function mentionsNothing(proposition: Proposition): boolean {
  switch (proposition.kind) {
    case 'constant':
      return true;
    case 'compare':
      return proposition.left.kind === 'number' && proposition.right.kind === 'number';
    case 'not':
      return mentionsNothing(proposition.operand);
    default:
      return proposition.operands.every(mentionsNothing);
  }
}
