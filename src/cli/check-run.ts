import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { checkOperationally } from '../check/check-operationally.js';
import { type CheckOptions, checkTest } from '../check/check-test.js';
import { checkVariants } from '../check/check-variants.js';
import { crossCheck } from '../check/cross-check.js';
import { overrideCondition } from '../check/override-condition.js';
import type { TestResult } from '../check/result.js';
import { type Diagnostic, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { builtInModels, loadInOrder } from '../files/load-model.js';
import type { Program } from '../program/program.js';
import { type FoundTest, loadFound } from './find-tests.js';
import { internalError } from './internal-error.js';
import type { LimitArguments } from './limits.js';

/** Who decides: the axioms by a solver, the operational machine, or both, which are then compared. */
export const ENGINES = ['axiomatic', 'operational', 'both'] as const;
export type Engine = (typeof ENGINES)[number];

/** The tests of some sources, with what is wrong with their texts. */
export interface LoadedTests {
  readonly programs: readonly Program[];
  readonly diagnostics: readonly Diagnostic[];
  /** Sources with errors. */
  readonly unreadable: number;
}

export function loadPrograms(
  sources: readonly FoundTest[],
  { condition, ...limits }: LimitArguments & { readonly condition?: string | undefined },
  models: readonly Model[],
): LoadedTests {
  const loaded = sources.map((source) => {
    const tests = loadFound(source, limits);
    const overridden = (tests.value ?? []).map((program) =>
      condition === undefined ? { value: program, diagnostics: [] } : overrideCondition(program, condition),
    );
    return {
      programs: overridden.flatMap(({ value }) => (value === undefined ? [] : [value])),
      diagnostics: [...tests.diagnostics, ...overridden.flatMap(({ diagnostics }) => diagnostics)],
      unreadable: tests.value === undefined || overridden.some(({ value }) => value === undefined),
    };
  });
  const programs = loaded.flatMap((one) => one.programs);
  return {
    programs,
    diagnostics: [
      ...loaded.flatMap(({ diagnostics }) => diagnostics),
      ...programs.flatMap((program) => unknownModels(program, models)),
    ],
    unreadable: loaded.filter(({ unreadable }) => unreadable).length,
  };
}

/** A clause for a model that nobody knows is never checked: most likely a misspelling. */
function unknownModels(program: Program, models: readonly Model[]): readonly Diagnostic[] {
  const known = [...new Set([...builtInModels(), ...models.map(({ name }) => name)])];
  return [...program.conditions, ...program.expectations].flatMap(({ models: limit, span }) =>
    (limit ?? [])
      .filter((model) => !known.includes(model))
      .map((model) =>
        warning(
          'L0207',
          span,
          `this is for a model ${model}, which is not known, and is not checked`,
          didYouMean(model, known) ?? `the models are ${known.join(', ')}`,
        ),
      ),
  );
}

/** Decides single tests as the command line asks. */
export class TestChecker {
  private readonly inOrder: Model | undefined;

  constructor(
    private readonly solver: SatSolver,
    private readonly engine: Engine,
    private readonly options: CheckOptions,
    /** The same model with another value of an open choice, if verdicts that depend on one are asked for. */
    private readonly withVariant: ((model: Model, variant: string) => Model) | undefined,
  ) {
    this.inOrder = engine === 'both' ? loadInOrder() : undefined;
  }

  /** Undefined where a bug of ours was met, which is printed: it must not cost the results of the other tests. */
  check(program: Program, model: Model): TestResult | undefined {
    try {
      const decided = this.decide(program, model);
      const { withVariant } = this;
      return withVariant === undefined
        ? decided
        : {
            ...decided,
            unspecified: checkVariants(
              this.solver,
              program,
              decided,
              (variant) => withVariant(model, variant),
              this.options,
            ),
          };
    } catch (thrown) {
      process.stderr.write(internalError(thrown, ` in ${program.name} (${program.source.path})`));
      return undefined;
    }
  }

  private decide(program: Program, model: Model): TestResult {
    if (this.engine === 'operational') return checkOperationally(program, model, this.options);
    const decided = checkTest(this.solver, program, model, this.options);
    return this.inOrder === undefined
      ? decided
      : { ...decided, crossCheck: crossCheck(this.solver, program, model, this.inOrder, this.options) };
  }
}
