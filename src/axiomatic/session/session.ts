import type { ExecutionVerdict } from '../../cat/check-execution.js';
import { withCoherenceAxioms } from '../../cat/local-checks.js';
import type { Model } from '../../cat/model.js';
import { forbidsThinAir } from '../../cat/thin-air.js';
import type { Span } from '../../diagnostics/source.js';
import type { EventStructure } from '../../events/events.js';
import { holdsOf } from '../../execution/run-program.js';
import { mayStopLater, type Promises, promisesIn, withCuda } from '../../program/forward-progress.js';
import type { Program, Proposition } from '../../program/program.js';
import { termsIn } from '../../program/proposition.js';
import { pairsMayWait } from '../../program/tensor-memory.js';
import { BOUND, BudgetExceeded, checkDeadline, type Undecided } from '../../program/undecided.js';
import { buildEvents, makesCopies } from '../../semantics/build-events.js';
import { openValuesThatMatter } from '../../semantics/open-values.js';
import { Claims } from '../confirmation/claims.js';
import { encodeExecution } from '../encoding/encode-execution.js';
import { encodeModel } from '../encoding/encode-model.js';
import { featureWithoutMeaning, mixedSizesWithoutMeaning } from '../encoding/model-coverage.js';
import { FALSE, type Formula, FormulaBuilder, TRUE } from '../formula/formula.js';
import type { SatSolver } from '../solver/solver.js';
import {
  ConsistentExecutions,
  type EngineOptions,
  mayWait,
  type Reachability,
  type Reopen,
} from './consistent-executions.js';
import { type Enumeration, enumerateStates } from './enumerate-states.js';
import type { Forbidden } from './explain-forbidden.js';
import { explainUnreachable, inferredAgainstFlag, inferredAgainstUndefined } from './explain-unreachable.js';
import { withKnownFunctions } from './known-functions.js';
import { reachUndefined, type UndefinedBehavior } from './reach-undefined.js';
import { encodeWithFewPlaces } from './rule-out-places.js';
import { type Counts, tellsOf } from './tells-of.js';

const MOST_NODES = 8_000_000;

export interface OpenOptions extends Omit<EngineOptions, 'keepsThreads'> {
  /** `if any waits`: where no thread may wait, the executions in which each ends are all there are. */
  readonly keepsThreads?: boolean | 'if any waits';
}

/** The executions of one program under one model, ready to be asked about. */
export class AxiomaticSession extends ConsistentExecutions {
  /**
   * Encodes; a reason instead, where the test cannot be decided under this model. What axioms are known to exclude is
   * not encoded, unless they are not to be `builtIn`.
   */
  static open(
    solver: SatSolver,
    program: Program,
    model: Model,
    { keepsThreads: keeps = false, ...others }: OpenOptions,
    builtIn = true,
  ): AxiomaticSession | { readonly unknown: Undecided } {
    if (program.unknown !== undefined) return { unknown: program.unknown };
    const unrolled = (spinRounds: number): EventStructure | Undecided =>
      buildEvents(program, {
        ...{ bound: others.unroll, spinRounds, halts: others.halts },
        failingCasWrites: others.failingCasWrites === true,
      });
    const once = keeps === true ? unrolled(2) : unrolled(1);
    if ('kind' in once) return { unknown: once };
    const keepsThreads = keeps === 'if any waits' ? mayWait(once) : keeps;
    const structure = keepsThreads && keeps !== true ? unrolled(2) : once;
    if ('kind' in structure) return { unknown: structure };
    const options: EngineOptions = { ...others, keepsThreads };
    const unknown = featureWithoutMeaning(model, structure);
    if (unknown !== undefined) return { unknown };
    const coherenceAxioms = builtIn ? withCoherenceAxioms(model) : undefined;
    const thinAir = !builtIn || !forbidsThinAir(model, makesCopies(program));
    const few = encodeWithFewPlaces(solver, builtIn ? model : undefined, options, (ruledOut) => {
      const builder = new FormulaBuilder((nodes) => {
        if (nodes > MOST_NODES) throw new BudgetExceeded({ kind: 'memory', what: 'memory: the formula is too large' });
        checkDeadline(options.deadline);
      });
      return encodeExecution(builder, structure, { thinAir, keepsThreads, ruledOut, coherenceAxioms });
    });
    if ('kind' in few) return { unknown: few };
    const { encoding } = few;
    const { builder } = encoding;
    const missing = mixedSizesWithoutMeaning(model, encoding);
    if (missing !== undefined) return { unknown: missing };
    const encoded = encodeModel(model, encoding);
    const context = withKnownFunctions(builder, solver.context(builder), encoding.chosen);
    for (const formula of encoding.constraints) context.assert(formula);
    const filter = {
      proposition: program.filter,
      formula: program.filter === undefined ? TRUE : encoding.proposition(program.filter),
    };
    return new AxiomaticSession(model, few, encoded, filter, context, options, (changes) => {
      if (changes.builtIn === false && !builtIn) return undefined;
      const { builtIn: keeps = builtIn, progress, ...more } = changes;
      const changed = progress === undefined ? program : { ...program, progress };
      const reopened = AxiomaticSession.open(solver, changed, model, { ...options, ...more }, keeps);
      return 'unknown' in reopened ? undefined : reopened;
    });
  }

  /** Whether some consistent execution, in which every thread runs to its end, has a final state that satisfies P. */
  reach(proposition: Proposition): Reachability {
    // What speaks of no value is false within every bound.
    const mentionsNothing = termsIn(proposition).every(({ kind }) => kind === 'number');
    if (mentionsNothing && !holdsOf(proposition, new Map())) return { kind: 'unreachable' };
    // What another question has found may answer this one as well.
    const found = this.options.simplest === true ? undefined : this.foundBefore(proposition);
    if (found !== undefined) return { kind: 'reachable', ...found };
    const goal = this.upToSymmetry(this.encoding.proposition(proposition), [proposition]);
    return this.ask(goal, (execution) => holdsOf(proposition, execution.finalState));
  }

  /**
   * Whether a `flag` of the model is raised in some execution, and by which events that count; undefined if the model
   * has no such flag.
   */
  reachFlag(name: string, counts?: Counts): (Reachability & { readonly events: readonly number[] }) | undefined {
    const { checks, flagged, encoding } = this;
    const flags = checks.filter(({ check }) => check.role === 'flag' && check.name === name);
    if (flags.length === 0) return undefined;
    const told = flags.map((flag) => tellsOf(flag, encoding.builder, counts));
    const goal = encoding.builder.any(told.map((one) => one.goal));
    const events = (verdict: ExecutionVerdict): readonly number[] | undefined =>
      told.map((one) => one.events(verdict)).find((found) => found !== undefined);
    const answer = this.ask(this.upToSymmetry(goal), (_, verdict) => events(verdict) !== undefined, flagged);
    return { ...answer, events: (answer.kind === 'reachable' ? events(answer.verdict) : undefined) ?? [] };
  }

  /** No execution is left, neither one that ends nor one that waits for ever, and no filter leaves them out. */
  get isEmpty(): boolean {
    return this.filter.proposition === undefined && this.satisfiable(TRUE) === 'unsat';
  }

  /** Whether some execution leaves a thread waiting for ever; undefined if such executions are left out here. */
  reachDeadlock(): Reachability | undefined {
    const { options, encoding } = this;
    if (options.keepsThreads !== true) return undefined;
    const promises = promisesIn(encoding.universe.structure.program);
    if (promises.length > 0 && options.halts === undefined) return this.reachDeadlockWithHalts(promises);
    // Threads that are alike differ by their ids in what is promised to them.
    const { deadlock } = encoding.deadlock;
    const answer = this.ask(
      promises.length > 0 ? deadlock : this.upToSymmetry(deadlock),
      ({ ends }) => ends.some(({ kind }) => kind !== 'ended'),
      'stopped',
    );
    const open = answer.kind === 'unreachable' ? pairsMayWait(this.encoding.universe.structure.program) : undefined;
    return open === undefined ? answer : { kind: 'unknown', reason: open };
  }

  /** The same where threads may stop for good that nothing promises to go on. */
  private reachDeadlockWithHalts(promises: Promises): Reachability | undefined {
    return this.reachHalting({ halts: mayStopLater(promises) ? 'anywhere' : 'at the start' });
  }

  /** The same by what CUDA promises; nothing rests on the answer. */
  reachDeadlockByCuda(): Reachability | undefined {
    const { progress } = withCuda(this.encoding.universe.structure.program);
    return this.reachHalting({ halts: 'at the start', progress, claims: new Claims(undefined) });
  }

  private reachHalting(changes: Parameters<Reopen>[0]): Reachability | undefined {
    const halting = this.reopen({ keepsThreads: true, ...changes });
    if (!(halting instanceof AxiomaticSession)) return { kind: 'unknown', reason: BOUND };
    try {
      return halting.reachDeadlock();
    } finally {
      halting.dispose();
    }
  }

  /** Whether some execution comes to a trap; undefined if such executions are left out here. */
  reachTrap(): Reachability | undefined {
    const { options, encoding } = this;
    if (encoding.trapped === FALSE) return { kind: 'unreachable' };
    if (options.keepsThreads !== true) return undefined;
    return this.ask(
      this.upToSymmetry(encoding.trapped),
      ({ ends }) => ends.some(({ kind }) => kind === 'trapped'),
      'stopped',
    );
  }

  /** Whether a thread would wait for ever in some execution, if no read had to come to see a write. */
  get needsProgress(): boolean {
    const { deadlock, withoutProgress } = this.encoding.deadlock;
    return deadlock !== withoutProgress && this.satisfiable(withoutProgress) === 'sat';
  }

  /** What gives values that PTX leaves open, where answers may depend on them. */
  openValues(): readonly Span[] {
    const { universe, analysis } = this.encoding;
    const spans = openValuesThatMatter(universe.structure, analysis).map(({ span }) => span);
    return [...new Map(spans.map((span) => [span.start, span])).values()];
  }

  /** Whether some execution does what the model, or PTX, leaves undefined, by events that count, and by which rule. */
  reachUndefined(counts?: Counts): UndefinedBehavior {
    return reachUndefined(this, counts);
  }

  /** The same of executions within the bound. */
  reachUndefinedWithinBound(): UndefinedBehavior {
    return reachUndefined(this, undefined, true);
  }

  /** All final states, each with one execution. */
  enumerate(): Enumeration {
    return enumerateStates(this);
  }

  /** Why a proposition is unreachable; `core`: also which axioms it takes. */
  explainUnreachable(proposition: Proposition, core = false): Forbidden {
    return explainUnreachable(this, proposition, core);
  }

  /** The inferred rules without which a flag that no execution raises would be raised. */
  inferredAgainstFlag(name: string): readonly string[] {
    return inferredAgainstFlag(this, name);
  }

  /** The inferred rules without which some execution would be undefined. */
  inferredAgainstUndefined(): readonly string[] {
    return inferredAgainstUndefined(this);
  }

  /** The formulas of a question about P, for `--emit-smt2`. */
  constraintsFor(proposition: Proposition): {
    readonly builder: FormulaBuilder;
    readonly formulas: readonly Formula[];
  } {
    const { encoding } = this;
    const { builder } = encoding;
    const goal = encoding.proposition(proposition);
    return {
      builder,
      formulas: [
        ...encoding.constraints,
        ...builder.allDefinitions(),
        ...this.base(),
        ...this.extentFormulas('ended'),
        goal,
      ],
    };
  }
}
