import { firstWrongStep } from '../../../src/axiomatic/confirmation/check-proof.js';
import { evaluator, type Formula, FormulaBuilder, not, TRUE } from '../../../src/axiomatic/formula/formula.js';
import { Cdcl } from '../../../src/axiomatic/solver/cdcl.js';
import { queryOf } from '../../../src/axiomatic/solver/query.js';
import type { SatSolver, Solver } from '../../../src/axiomatic/solver/solver.js';
import { Z3 } from '../../../src/axiomatic/solver/z3.js';
import { Random } from '../../../src/generate/random.js';

/** What notices a mistake of the search: in the order in which they are asked. */
export type NoticedBy =
  | 'the assignment'
  | 'what was asked'
  | 'z3'
  | 'the proof'
  | 'z3, asked by itself'
  | 'it throws'
  | 'it goes round';

/** Questions that are asked of a search for so long that it goes round for ever if it still has no answer. */
const MOST_CHECKS = 2_000;
const FOREVER = { remaining: () => 1e12 };

interface Question {
  readonly goal: Formula;
  /** It is told to stop so soon that it mostly has no answer, and then asked again. */
  readonly hurried: boolean;
  /** What is refuted is kept for later questions. */
  readonly excludes: boolean;
}

/** Formulas with few and with many solutions, flat and nested, and what is asked of them in turn. */
class Problem {
  readonly builder = new FormulaBuilder();
  readonly shared: readonly Formula[];
  readonly own: readonly Formula[];
  readonly questions: readonly Question[];
  private readonly variables: readonly Formula[];

  constructor(private readonly random: Random) {
    const count = random.pick([6, 12, 40, 90]);
    this.variables = Array.from({ length: count }, (_, i) => this.builder.variable(`x${i}`));
    const clauses = Math.round(count * (3 + random.below(16) / 10));
    this.shared = Array.from({ length: clauses }, () => this.clause());
    this.own = Array.from({ length: random.below(4) }, () => this.nested(2));
    this.questions = Array.from({ length: 1 + random.below(5) }, () => ({
      goal: this.nested(1 + random.below(4)),
      hurried: random.chance(20),
      excludes: random.chance(40),
    }));
  }

  private literal(): Formula {
    const variable = this.random.pick(this.variables);
    return this.random.chance(50) ? variable : not(variable);
  }

  private clause(): Formula {
    return this.builder.or(...Array.from({ length: this.random.pick([1, 2, 3, 3, 3, 3, 3, 3]) }, () => this.literal()));
  }

  private nested(depth: number): Formula {
    if (depth === 0) return this.random.chance(60) ? this.literal() : this.clause();
    const parts = [this.nested(depth - 1), this.nested(depth - 1), this.literal()];
    const [a = TRUE, b = TRUE] = parts;
    return this.random.pick([
      () => this.builder.and(...parts),
      () => this.builder.or(...parts),
      () => this.builder.xor(a, b),
    ])();
  }
}

/** Asks in turn, and gives what is noticed of each answer; undefined where all are right. */
export function noticedIn(seed: number, z3: Z3): NoticedBy | undefined {
  const random = new Random(seed);
  const problem = new Problem(random);
  const { builder, shared, own } = problem;
  const context = new Cdcl(z3).context(builder);
  try {
    for (const formula of shared) context.assert(formula);
    const solver = context.solver('query');
    for (const formula of own) solver.add(formula);
    for (const question of problem.questions) {
      const noticed = ask(solver, question, [...shared, ...own], builder, z3);
      if (noticed !== undefined) return noticed;
    }
    return undefined;
  } catch {
    return 'it throws';
  } finally {
    context.dispose();
  }
}

function ask(
  solver: Solver,
  { goal, hurried, excludes }: Question,
  held: readonly Formula[],
  builder: FormulaBuilder,
  z3: Z3,
): NoticedBy | undefined {
  // The contrary goes before it, so that what stays of a question is seen.
  for (const one of [not(goal), goal]) {
    let asked = 0;
    const deadline = { remaining: () => (++asked > MOST_CHECKS ? 0 : 1) };
    const noticed = solver.within((): NoticedBy | undefined => {
      solver.add(one);
      if (hurried) solver.check({ remaining: () => (asked++ === 0 ? 1 : 0) });
      const result = solver.check(deadline);
      if (typeof result === 'object') return 'it goes round';
      const expected = decidedBy(z3, builder, [...held, one]);
      if (result === 'sat') {
        const holds = [...held, one].every(evaluator(builder, solver.assignment()));
        return holds ? undefined : 'the assignment';
      }
      const refutation = solver.refutation();
      if (refutation === undefined || refutation === 'own') return 'it throws';
      const { assumptions, condition } = refutation;
      if (assumptions.some((formula) => formula !== one && formula !== condition)) return 'what was asked';
      if (z3.decide(queryOf([refutation]), FOREVER) !== 'unsat') return 'z3';
      if (firstWrongStep(refutation, () => true) !== -1) return 'the proof';
      return result === expected ? undefined : 'z3, asked by itself';
    });
    if (noticed !== undefined) return noticed;
    if (excludes && decidedBy(z3, builder, [...held, one]) === 'unsat') solver.exclude(one);
  }
  return undefined;
}

function decidedBy(solver: SatSolver, builder: FormulaBuilder, formulas: readonly Formula[]): unknown {
  const context = solver.context(builder);
  try {
    for (const formula of formulas) context.assert(formula);
    return context.solver('query').check(FOREVER);
  } finally {
    context.dispose();
  }
}

/** One for all mutants of a run. */
export const start = (): Promise<Z3> => Z3.start();
