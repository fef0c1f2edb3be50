import { type Deadline, exceeded, TIMEOUT } from '../../program/undecided.js';
import type { Formula, FormulaBuilder } from '../formula/formula.js';
import { FormulaClauses } from './clauses.js';
import type { Refutation } from './refutation.js';
import type { SecondParty } from './second-party.js';
import type { CheckResult, SatSolver, Solver, SolverContext } from './solver.js';

/**
 * The SAT solver of this project: what an encoding asks is small and asked often, so that it pays to have no border
 * between the formulas and the search. All solvers of a context share clauses, and what one question has taught.
 *
 * @example
 * ```ts
 * const solver = new Cdcl();
 * ```
 */
export class Cdcl implements SatSolver {
  readonly version: string;

  /** `secondParty`: what confirms each refutation; nothing does if it is not given. */
  constructor(readonly secondParty?: SecondParty) {
    this.version = secondParty === undefined ? 'cdcl' : `cdcl, ${secondParty.version}`;
  }

  /** @internal */
  context(builder: FormulaBuilder): SolverContext {
    const clauses = new FormulaClauses(builder, this.secondParty !== undefined);
    return {
      assert: (formula) => {
        clauses.add(formula);
      },
      solver: () => new CdclSolver(builder, clauses, this.secondParty),
      dispose: () => undefined,
    };
  }
}

/** In milliseconds: from then on whoever confirms long proofs can start beside the search. */
const LONG_SEARCH = 300;

class CdclSolver implements Solver {
  /** Assumed in each check: its constraints hold where this does. */
  private readonly active: Formula;
  private readonly assumed: Formula[] = [];
  private depth = 0;
  private refuted: ReadonlySet<number> = new Set();
  private found: (node: number) => boolean = () => false;

  constructor(
    builder: FormulaBuilder,
    private readonly clauses: FormulaClauses,
    private readonly secondParty: SecondParty | undefined,
  ) {
    this.active = builder.variable('active');
    clauses.use(this.active);
  }

  add(formula: Formula): void {
    if (this.depth === 0) this.clauses.addIf(this.active, formula);
    else {
      this.clauses.use(formula);
      this.assumed.push(formula);
    }
  }

  within<T>(build: () => T): T {
    const before = this.assumed.length;
    this.depth++;
    try {
      return build();
    } finally {
      this.assumed.length = before;
      this.depth--;
    }
  }

  check(deadline: Deadline): CheckResult {
    let over = exceeded(deadline);
    if (over !== undefined) return { unknown: over };
    this.clauses.addDefinitions();
    const before = deadline.remaining();
    const result = this.clauses.search([this.active, ...this.assumed], () => {
      over = exceeded(deadline);
      // Its proof will be long, if there is one.
      if (before - deadline.remaining() > LONG_SEARCH) this.secondParty?.expect?.();
      return over === undefined;
    });
    // The search goes on to other questions: what it found for this one is kept.
    if (result === 'sat') this.found = this.clauses.assignment();
    if (result === 'unsat') this.refuted = this.clauses.core();
    return result === 'given up' ? { unknown: over ?? TIMEOUT } : result;
  }

  core(): ReadonlySet<number> {
    return this.refuted;
  }

  refutation(): Refutation | undefined {
    const found = this.clauses.refutation();
    return found && { ...found, condition: this.active };
  }

  exclude(): void {
    this.clauses.keepRefutation();
  }

  assignment(): (node: number) => boolean {
    return this.found;
  }
}
