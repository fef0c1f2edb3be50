import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { checkTest } from '../check/check-test.js';
import { DEFAULT_LIMITS, DEFAULT_UNROLL, deadlineOf, type Limits } from '../check/limits.js';
import { expecting, loadTests, wholeTest } from '../check/load-tests.js';
import type { Source } from '../diagnostics/source.js';
import type { WholeRun } from '../order/whole-run.js';
import type { Program } from '../program/program.js';
import { resolveExpectation } from '../program/resolve-expectation.js';
import { checkDeadline, type Deadline, describeUndecided, inTime } from '../program/undecided.js';
import type { Clause } from '../syntax/condition-ast.js';

/** What a test is found to do, as far as a change of its fences may change it. */
export interface Verdicts {
  /** Of each condition whether its outcome can be reached and be avoided, of each expectation whether it is met. */
  readonly answers: readonly string[];
  /** Whether each condition that expects something, and each expectation, is met. */
  readonly met: readonly boolean[];
  readonly undefinedBy: string | undefined;
  /** By which rule. */
  readonly undefinedRule: string | undefined;
  /** Whether something that the test expects is broken. */
  readonly isBroken: boolean;
  /** Why something that the test expects could not be decided, where nothing of it is broken. */
  readonly open: string | undefined;
  /** What no change may bring in: a race and a deadlock, each whether there is none for certain. */
  readonly without: { readonly race: boolean; readonly deadlock: boolean };
}

/** What the search for advice may take, and who hears of it. */
export interface JudgeOptions extends Partial<Limits> {
  /** How often a loop body is executed at most; 3 if not given. */
  readonly unroll?: number;
  /** What is asked of a variant, if not what it asks itself. */
  readonly condition?: Clause;
  /** Hears how many variants were decided. */
  readonly onCheck?: (checks: number) => void;
  /** Ends the search with what was found until then, as its time would. */
  readonly signal?: AbortSignal;
  /**
   * Verdicts that were found before, by texts as they stand: each counts as decided.
   *
   * @internal
   */
  readonly known?: {
    find(text: string): Verdicts | undefined;
    keep(text: string, verdicts: Verdicts): void;
  };
}

/**
 * Decides variants of a test, for `advise`, each once; a variant that is no valid test has no verdicts, nor has one for
 * which no time is left: what was found until then stands.
 */
export class Judge {
  /** How many variants were decided. */
  checks = 0;
  /** Some variant was not decided. */
  outOfTime = false;
  /** In milliseconds: how long the first of them took, which is the test itself. */
  private timeOfTest = 0;
  private readonly limits: Limits;
  private readonly deadline: Deadline;
  private readonly known = new Map<string, Verdicts | undefined>();

  constructor(
    private readonly solver: SatSolver,
    private readonly model: Model,
    private readonly options: JudgeOptions = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...options };
    this.deadline = deadlineOf(this.limits);
  }

  /** What a variant, or the test itself, is found to do. */
  async verdicts(variant: Source): Promise<Verdicts | undefined> {
    const text = textsOf(variant);
    if (!this.known.has(text)) {
      // A turn of the event loop for whoever wants to end the search.
      await new Promise((resolve) => setImmediate(resolve));
      this.known.set(text, this.decide(variant, text));
    }
    return this.known.get(text);
  }

  /** Whether PTX has such instructions. */
  isValid(variant: Source): boolean {
    return loadTests(variant).value !== undefined;
  }

  /** What one run of all threads of the launches of a test does; undefined where it is about some of them. */
  runOf(source: Source): WholeRun | undefined {
    const [program] = loadTests(source, this.limits, 'answers', this.options.condition).value ?? [];
    const whole = program && wholeTest(program);
    return whole && inTime(() => whole.follow(() => checkDeadline(this.deadline)));
  }

  private decide(variant: Source, text: string): Verdicts | undefined {
    const before = this.options.known?.find(text);
    if (before !== undefined) {
      this.checks += 1;
      return before;
    }
    const left = this.deadline.remaining();
    // The test itself is decided in any case.
    if ((left <= 0 || this.options.signal?.aborted === true) && this.checks > 0) {
      this.outOfTime = true;
      return undefined;
    }
    // One variant that is hard to decide must not take the time of all others; as hard as the test itself each may be.
    const most = this.checks === 0 ? left : Math.max(VARIANT_PART * this.limits.timeout, 3 * this.timeOfTest);
    const timeout = Math.max(1, Math.min(left, most));
    const [program] = loadTests(variant, { ...this.limits, timeout }, 'answers', this.options.condition).value ?? [];
    if (program === undefined) return undefined;
    this.checks += 1;
    this.options.onCheck?.(this.checks);
    const verdicts = this.verdictsOf(program, text, timeout);
    if (this.checks === 1) this.timeOfTest = left - this.deadline.remaining();
    return verdicts;
  }

  private verdictsOf(program: Program, text: string, timeout: number): Verdicts {
    // A change must not bring in a race or a deadlock, whether the test speaks of them or not.
    const always = (['no-race', 'no-deadlock'] as const).map((expectation) =>
      resolveExpectation({ expectation, models: undefined, span: { source: program.source, start: 0, end: 0 } }),
    );
    const { conditions, expectations, undefinedBy } = checkTest(this.solver, expecting(program, always), this.model, {
      ...this.limits,
      unroll: this.options.unroll ?? DEFAULT_UNROLL,
      timeout,
    });
    const open = [...conditions, ...expectations].flatMap((one) => one.undecided ?? []);
    if (open.some(({ kind }) => kind === 'timeout')) this.outOfTime = true;
    const [race, deadlock] = expectations.slice(program.expectations.length).map(({ outcome }) => outcome === 'met');
    const outcomes = [
      ...conditions.map(({ expectation }) => expectation),
      ...expectations.slice(0, program.expectations.length).map(({ outcome }) => outcome),
    ];
    const isBroken = outcomes.includes('broken');
    const verdicts: Verdicts = {
      without: { race: race === true, deadlock: deadlock === true },
      answers: [
        ...conditions.map(({ reachable, avoidable }) => `${reachable} ${avoidable}`),
        ...expectations.map(({ outcome }) => outcome),
        undefinedBy === undefined ? 'defined' : 'undefined',
      ],
      met: [
        ...conditions.map(({ expectation }) => expectation === 'met' || expectation === 'none'),
        ...expectations.slice(0, program.expectations.length).map(({ outcome }) => outcome === 'met'),
      ],
      undefinedBy: undefinedBy?.sentence,
      undefinedRule: undefinedBy?.rule,
      isBroken,
      open: isBroken ? undefined : open.map(describeUndecided)[0],
    };
    if (open.length === 0) this.options.known?.keep(text, verdicts);
    return verdicts;
  }
}

/** The part of the time for all variants that one of them may take. */
const VARIANT_PART = 0.1;

/** Whether nothing has changed: no outcome came in or went, no race, no deadlock, no undefined behavior. */
export const areSame = (before: Verdicts, now: Verdicts | undefined): boolean =>
  now !== undefined &&
  now.undefinedBy === before.undefinedBy &&
  now.answers.every((answer, i) => answer === before.answers[i]);

/** Whether all is met that is asked, and nothing else that is wrong has come in. */
export const isMended = (before: Verdicts, { met, undefinedBy, without }: Verdicts): boolean =>
  met.every((one) => one) &&
  undefinedBy === undefined &&
  (without.race || !before.without.race) &&
  (without.deadlock || !before.without.deadlock);

/** A test with its modules as one text. */
const textsOf = ({ text, modules }: Source): string =>
  modules === undefined ? text : JSON.stringify([text, ...Object.values(modules)]);
