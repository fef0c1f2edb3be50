import { checkExecution, type ExecutionVerdict } from '../../cat/check-execution.js';
import type { Model } from '../../cat/model.js';
import { citation } from '../../diagnostics/source.js';
import type { EventStructure, Halts } from '../../events/events.js';
import type { CandidateExecution } from '../../execution/candidate-execution.js';
import { holdsOf } from '../../execution/run-program.js';
import type { Progress } from '../../program/forward-progress.js';
import { interchangeableThreads } from '../../program/interchangeable-threads.js';
import type { Proposition } from '../../program/program.js';
import { BOUND, type Deadline, type Undecided } from '../../program/undecided.js';
import { canBlock } from '../../semantics/interpret.js';
import type { Claims } from '../confirmation/claims.js';
import type { ExecutionEncoding } from '../encoding/encode-execution.js';
import type { EncodedCheck, EncodedModel } from '../encoding/encode-model.js';
import { encodeSymmetry } from '../encoding/encode-symmetry.js';
import { numberOf } from '../formula/bits.js';
import { evaluator, FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import { remembered } from '../formula/remembered.js';
import type { CheckResult, Solver, SolverContext } from '../solver/solver.js';
import { decodeExecution } from './decode.js';
import { InferredRules } from './inferred-rules.js';
import { question } from './question.js';
import type { FewPlaces } from './rule-out-places.js';
import { simplestExecution } from './simplest-execution.js';
import type { Counts } from './tells-of.js';

export interface EngineOptions {
  /** How often a loop body is executed at most. */
  readonly unroll: number;
  readonly deadline: Deadline;
  readonly mostStates: number;
  /** Hears of each refutation that answers rest on. */
  readonly claims: Claims;
  /**
   * Also executions in which threads never end: barriers keep threads for ever, and loops that only wait are executed
   * twice, which shows what their earlier rounds may do.
   */
  readonly keepsThreads?: boolean;
  /** With that: threads may also stop for good where nothing promises that they go on. */
  readonly halts?: Halts | undefined;
  readonly failingCasWrites?: boolean;
  /** Scalar accesses are no more than bytes where they race. */
  readonly tearing?: boolean;
  /** Of the executions that do what was asked, show the one that is easiest to follow. */
  readonly simplest?: boolean;
}

/** Whether some execution does what was asked, with one that does. */
export type Reachability =
  | { readonly kind: 'reachable'; readonly execution: CandidateExecution; readonly verdict: ExecutionVerdict }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'unknown'; readonly reason: Undecided };

/** How far the executions that a question is about go: every thread to its end, or until nothing more happens. */
export type Extent = 'ended' | 'stopped';

/** An execution that the solver found, with what the model says of it. */
export interface Verified {
  readonly execution: CandidateExecution;
  readonly verdict: ExecutionVerdict;
}
export type Fits = (execution: CandidateExecution, verdict: ExecutionVerdict) => boolean;

/** Some execution has an address outside of memory: for certain, which breaks a rule, or perhaps. */
type Outside =
  | { readonly certain: true; readonly rule: 'outside-memory'; readonly line: string | undefined }
  | { readonly certain: false; readonly reason: Undecided };

const reasonOf = (outside: Outside): Undecided =>
  outside.certain ? { kind: 'address', what: `an address outside of memory (${outside.line})` } : outside.reason;

/** Opens another question on the same program and model, with other options; undefined if that would be the same. */
export type Reopen = (changes: {
  /** Also what axioms are known to exclude is encoded. */
  readonly builtIn?: false;
  readonly keepsThreads?: true;
  readonly halts?: Halts;
  /** Something else is promised to the threads. */
  readonly progress?: Progress;
  readonly claims?: Claims;
}) => ConsistentExecutions | undefined;

/** Whether some thread may wait, or come to a trap. */
export function mayWait({ threads, events }: EventStructure): boolean {
  return threads.some(({ spins, traps }) => spins.length + traps.length > 0) || events.some(canBlock);
}

/** The executions of one program that one model allows, as formulas, and the solver that is asked about them. */
export class ConsistentExecutions {
  private solverInUse: Solver | undefined;
  private cutPossible: 'impossible' | Undecided | undefined;
  private outside: Outside | 'nowhere' | undefined;

  constructor(
    readonly model: Model,
    private readonly few: FewPlaces,
    readonly encoded: EncodedModel,
    readonly filter: { readonly proposition: Proposition | undefined; readonly formula: Formula },
    readonly context: SolverContext,
    readonly options: EngineOptions,
    readonly reopen: Reopen,
  ) {}

  dispose(): void {
    this.context.dispose();
  }

  get encoding(): ExecutionEncoding {
    return this.few.encoding;
  }

  private readonly orders = new Map<string, Formula>();
  /**
   * A goal, of executions that differ by an exchange of like threads only asked of one: of threads that neither the
   * filter nor the propositions of which the goal is made can tell apart.
   */
  upToSymmetry(goal: Formula, propositions: readonly Proposition[] = []): Formula {
    const { program } = this.encoding.universe.structure;
    const { proposition: filter } = this.filter;
    const groups = interchangeableThreads(program, filter === undefined ? propositions : [filter, ...propositions]);
    const order = remembered(this.orders, JSON.stringify(groups), () => encodeSymmetry(this.encoding, groups));
    return this.encoding.builder.and(goal, order);
  }

  private rules: InferredRules | undefined;
  /** Which rules that the specification does not state an answer rests on. */
  get inferredRules(): InferredRules {
    this.rules ??= new InferredRules(this, this.few.inferred);
    return this.rules;
  }

  get checks(): readonly EncodedCheck[] {
    return this.encoded.checks;
  }

  /**
   * Whether some thread may wait, so that executions in which it does so for ever, or for several rounds, are left out
   * here.
   */
  get leavesWaitingOut(): boolean {
    return mayWait(this.encoding.universe.structure);
  }

  /**
   * Flags and undefined behavior count as soon as they appear, also where a thread never ends; a filter speaks of ends.
   */
  get flagged(): Extent {
    return this.options.keepsThreads === true && this.filter.proposition === undefined ? 'stopped' : 'ended';
  }

  /** What every consistent execution satisfies, beside what every execution does; axioms can be left out. */
  base(dropped: ReadonlySet<EncodedCheck> = new Set()): readonly Formula[] {
    const { finals } = this.encoding;
    const axioms = this.checks
      .filter((encoded) => encoded.check.role === 'axiom' && !dropped.has(encoded))
      .map(({ holds }) => holds);
    const whole = this.scalarsAreWhole;
    return [...axioms, whole, finals.gridEndCompletes];
  }

  extentFormulas(extent: Extent): readonly Formula[] {
    return extent === 'ended' ? [this.encoding.ended, this.filter.formula] : [this.encoding.stopped];
  }

  /** Every access goes to a location: only such an execution can be decoded. */
  get inMemory(): Formula {
    return not(this.encoding.addresses.outside);
  }

  /** Scalar accesses are whole also under a model that has nothing to say of it. */
  get scalarsAreWhole(): Formula {
    const { finals, memory, builder } = this.encoding;
    if (this.options.tearing === true) return TRUE;
    return this.model.baseNames.has('rf-part') ? finals.areWhole : builder.and(finals.areWhole, memory.readsAreWhole());
  }

  get finalsAreWhole(): Formula {
    return this.options.tearing === true ? TRUE : this.encoding.finals.areWhole;
  }

  /** Whether some execution of that extent reaches a goal; what the solver finds must fit when it is run again. */
  ask(goal: Formula, fits: Fits, extent: Extent = 'ended'): Reachability {
    return this.asked(goal, fits, extent, () => {
      const outside = this.leavesMemory();
      return outside === undefined ? this.boundReason() : reasonOf(outside);
    });
  }

  /** The same of executions with no address outside of memory. */
  askInMemory(goal: Formula, fits: Fits, extent: Extent): Reachability {
    return this.asked(goal, fits, extent, () => this.boundReason());
  }

  /** The same, and of executions within the bound only. */
  askWithinBound(goal: Formula, fits: Fits, extent: Extent): Reachability {
    return this.asked(goal, fits, extent, () => undefined);
  }

  /** `open`: why what was not found may be there. */
  private asked(goal: Formula, fits: Fits, extent: Extent, open: () => Undecided | undefined): Reachability {
    const found = this.find(goal, fits, extent);
    if (found.kind === 'reachable' && this.options.simplest === true)
      return { kind: 'reachable', ...simplestExecution(this, goal, fits, extent, found) };
    if (found.kind !== 'unreachable') return found;
    const reason = open();
    return reason === undefined ? found : { kind: 'unknown', reason };
  }

  /** Some execution within the bound and in memory that reaches a goal. */
  find(goal: Formula, fits: Fits, extent: Extent): Reachability {
    const found = this.look(goal, fits, extent);
    if (found.kind === 'unreachable' && goal !== FALSE)
      this.options.claims.add(this.solver(), [goal, ...this.extentFormulas(extent), this.inMemory]);
    return found;
  }

  /** The same where no answer rests on it that there is none. */
  look(goal: Formula, fits: Fits, extent: Extent): Reachability {
    if (goal === FALSE) return { kind: 'unreachable' };
    return this.question([goal, ...this.extentFormulas(extent), this.inMemory], (answer, solver): Reachability => {
      if (typeof answer === 'object') return { kind: 'unknown', reason: answer.unknown };
      if (answer === 'unsat') return { kind: 'unreachable' };
      return { kind: 'reachable', ...this.verified(solver.assignment(), fits) };
    });
  }

  /** The same without an execution to show. */
  satisfiable(goal: Formula): CheckResult {
    return this.question([goal, ...this.extentFormulas(this.flagged)], (answer) => answer);
  }

  private question<T>(formulas: readonly Formula[], read: (answer: CheckResult, solver: Solver) => T): T {
    return question(this.solver(), formulas, this.options.deadline, read);
  }

  /** Decodes an assignment and checks it with the concrete evaluation: no answer rests on the encoding alone. */
  verified(assigned: (node: number) => boolean, fits: Fits): Verified {
    const execution = decodeExecution(this.encoding, assigned);
    const verdict = checkExecution(this.model, execution);
    const broken = verdict.checks.find(({ check, holds }) => check.role === 'axiom' && !holds);
    if (broken !== undefined)
      throw new Error(`the execution found by the solver breaks axiom ${broken.check.name} of ${this.model.name}`);
    if (!fits(execution, verdict)) throw new Error('the execution found by the solver is not what was asked for');
    const complete = execution.ends.every(({ kind }) => kind === 'ended');
    if (complete && this.filter.proposition !== undefined && !holdsOf(this.filter.proposition, execution.finalState))
      throw new Error('the execution found by the solver does not pass the filter');
    const found = { execution, verdict };
    if (complete) this.complete.push(found);
    return found;
  }

  /** An execution that some question has found, in which every thread ends, with such a final state. */
  foundBefore(proposition: Proposition): Verified | undefined {
    return this.complete.find(({ execution }) => holdsOf(proposition, execution.finalState));
  }

  /**
   * Whether some execution has an address outside of memory, for certain or perhaps; it has no memory to show, and no
   * question but this finds it.
   */
  leavesMemory(counts?: Counts): Outside | undefined {
    if (this.encoding.addresses.outside === FALSE) return undefined;
    if (counts !== undefined) return this.findOutside(counts);
    this.outside ??= this.findOutside(() => true) ?? 'nowhere';
    return this.outside === 'nowhere' ? undefined : this.outside;
  }

  private findOutside(counts: Counts): Outside | undefined {
    const { builder, addresses } = this.encoding;
    const counted = [...addresses.accessesOutside].filter(([event]) => counts([event]));
    if (counted.length === 0) return undefined;
    const goal = builder.any(counted.map(([, formula]) => formula));
    const result = this.satisfiable(goal);
    if (result === 'unsat') this.options.claims.add(this.solver(), [goal, ...this.extentFormulas(this.flagged)], true);
    if (result === 'sat') return { certain: true, rule: 'outside-memory', line: this.lineOutside(counted) };
    return result === 'unsat' ? undefined : { certain: false, reason: result.unknown };
  }

  /** Where such an address is used. */
  private lineOutside(accesses: readonly (readonly [number, Formula])[]): string | undefined {
    const { universe } = this.encoding;
    for (const [id, formula] of accesses) {
      const address = this.addressWhere(formula, id);
      const event = universe.events[id];
      if (address === undefined || event?.span === undefined) continue;
      const { locations, threads } = universe.structure.program;
      const thread = event.thread === undefined ? '' : `, ${threads[event.thread]?.name}`;
      return `${citation(event.span)}${thread}: ${locations.describe(address, (event.type?.width ?? 0) / 8)}`;
    }
    return undefined;
  }

  /** The address of an access in an execution of which a formula holds; undefined if there is none. */
  private addressWhere(formula: Formula, event: number): bigint | undefined {
    const { builder, threads } = this.encoding;
    return this.question([formula, ...this.extentFormulas(this.flagged)], (answer, solver) =>
      answer === 'sat'
        ? numberOf(threads.runs[event]?.address ?? [], evaluator(builder, solver.assignment()))
        : undefined,
    );
  }

  /** The bound, if some consistent execution goes round a loop more often than it was unrolled. */
  boundReason(): Undecided | undefined {
    if (this.encoding.cut === FALSE) return undefined;
    // Where other threads may wait, executions in which they do are left out here.
    if (this.options.keepsThreads !== true && this.leavesWaitingOut) return this.boundReasonWithWaiting();
    if (this.cutPossible === undefined) {
      const result = this.question([this.encoding.cut], (answer) => answer);
      if (result === 'unsat') this.options.claims.add(this.solver(), [this.encoding.cut], true);
      this.cutPossible = result === 'sat' ? BOUND : result === 'unsat' ? 'impossible' : result.unknown;
    }
    return this.cutPossible === 'impossible' ? undefined : this.cutPossible;
  }

  private boundReasonWithWaiting(): Undecided | undefined {
    if (this.cutPossible === undefined) {
      const waiting = this.reopen({ keepsThreads: true });
      try {
        this.cutPossible = (waiting === undefined ? BOUND : waiting.boundReason()) ?? 'impossible';
      } finally {
        waiting?.dispose();
      }
    }
    return this.cutPossible === 'impossible' ? undefined : this.cutPossible;
  }

  /** Executions that were found so far, in which every thread ends. */
  private readonly complete: Verified[] = [];
  /** The solver for single questions. */
  private solver(): Solver {
    if (this.solverInUse !== undefined) return this.solverInUse;
    const solver = this.context.solver('query');
    for (const formula of this.base()) solver.add(formula);
    this.solverInUse = solver;
    return solver;
  }
}
