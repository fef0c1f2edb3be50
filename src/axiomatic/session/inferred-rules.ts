import { encodeGuardedModel } from '../encoding/encode-guarded-model.js';
import type { EncodedCheck } from '../encoding/encode-model.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import type { CheckResult, Solver } from '../solver/solver.js';
import type { ConsistentExecutions, Extent } from './consistent-executions.js';
import { question } from './question.js';

/** The rule of the models that scalar accesses are whole; the end of a test keeps to it as well. */
export const TORN = 'torn';
/** The rule, of no model, that the end of the grid completes asynchronous operations. */
export const GRID_END = 'grid-end';

/** What is to be reached, in terms of the checks of the model. */
export type GoalOf = (checks: readonly EncodedCheck[]) => Formula;

/**
 * The inferred definitions of a model, and rules about the end of a test: which of them an answer rests on. The model
 * is encoded once more, with a variable for each of them that says whether it is kept.
 */
export class InferredRules {
  /** Those that may matter to this test. */
  readonly names: readonly string[];
  private readonly kept: ReadonlyMap<string, Formula>;
  private asked: { readonly solver: Solver; readonly checks: readonly EncodedCheck[] } | undefined;

  /** `builtIn`: rules that the encoding rests on already, whatever the question; all answers are said to. */
  constructor(
    private readonly executions: ConsistentExecutions,
    private readonly builtIn: readonly string[],
  ) {
    const { encoding, encoded } = executions;
    const atEnd = [
      ...(executions.finalsAreWhole === TRUE ? [] : [TORN]),
      ...(encoding.finals.gridEndCompletes === TRUE ? [] : [GRID_END]),
    ];
    this.names = [...new Set([...encoded.inferred, ...atEnd])];
    this.kept = new Map(this.names.map((name) => [name, encoding.builder.variable(`kept ${name}`)]));
  }

  /**
   * The rules without which a goal that is out of reach would be reachable: those of which one is enough, else all, if
   * they are enough together.
   */
  thatMatter(goalOf: GoalOf, extent: Extent): readonly string[] {
    return [...new Set([...this.askedFor(goalOf, extent), ...this.builtIn])];
  }

  private askedFor(goalOf: GoalOf, extent: Extent): readonly string[] {
    const { names } = this;
    if (names.length === 0 || this.check(goalOf, extent, new Set(names)).result !== 'sat') return [];
    if (names.length === 1) return names;
    // What a proof that the goal is out of reach does not use does not matter alone.
    let needed = this.check(goalOf, extent, new Set()).uses;
    const alone = names.filter((name) => {
      if (!needed(name)) return false;
      const { result, uses } = this.check(goalOf, extent, new Set([name]));
      if (result === 'unsat' && !uses(name)) {
        const before = needed;
        needed = (other) => before(other) && uses(other);
      }
      return result === 'sat';
    });
    return alone.length > 0 ? alone : names;
  }

  /** Whether a goal is reached without one rule. */
  mattersAlone(name: string, goalOf: GoalOf, extent: Extent): boolean {
    return this.names.includes(name) && this.check(goalOf, extent, new Set([name])).result === 'sat';
  }

  private check(
    goalOf: GoalOf,
    extent: Extent,
    dropped: ReadonlySet<string>,
  ): { readonly result: CheckResult; readonly uses: (name: string) => boolean } {
    const { executions } = this;
    const { solver, checks } = this.guarded();
    const chosen = new Map([...this.kept].map(([name, kept]) => [name, dropped.has(name) ? not(kept) : kept]));
    const asked = [...chosen.values(), ...executions.extentFormulas(extent), executions.inMemory, goalOf(checks)];
    return question(solver, asked, executions.options.deadline, (result) => {
      const core = result === 'unsat' ? solver.core() : undefined;
      return { result, uses: (name) => core === undefined || core.has(chosen.get(name) ?? TRUE) };
    });
  }

  private guarded(): { readonly solver: Solver; readonly checks: readonly EncodedCheck[] } {
    if (this.asked !== undefined) return this.asked;
    const { model, encoding, context, scalarsAreWhole } = this.executions;
    const { builder, finals } = encoding;
    const { checks } = encodeGuardedModel(model, encoding, this.kept);
    const solver = context.solver('query');
    for (const { check, holds } of checks) if (check.role === 'axiom') solver.add(holds);
    solver.add(builder.implies(this.kept.get(TORN) ?? TRUE, scalarsAreWhole));
    solver.add(builder.implies(this.kept.get(GRID_END) ?? TRUE, finals.gridEndCompletes));
    this.asked = { solver, checks };
    return this.asked;
  }
}

/** The goal that a flag be raised. */
export const flagRaised =
  (name: string): GoalOf =>
  (checks) =>
    checks.find(({ check }) => check.role === 'flag' && check.name === name)?.holds ?? FALSE;
