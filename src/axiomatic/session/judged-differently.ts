import type { Model } from '../../cat/model.js';
import { forbidsThinAir } from '../../cat/thin-air.js';
import type { Program } from '../../program/program.js';
import { checkDeadline, within } from '../../program/undecided.js';
import { buildEvents, makesCopies } from '../../semantics/build-events.js';
import { encodeExecution } from '../encoding/encode-execution.js';
import { type EncodedCheck, encodeModel } from '../encoding/encode-model.js';
import { featureWithoutMeaning, mixedSizesWithoutMeaning } from '../encoding/model-coverage.js';
import { FALSE, type Formula, FormulaBuilder, TRUE } from '../formula/formula.js';
import type { SatSolver } from '../solver/solver.js';
import type { EngineOptions } from './consistent-executions.js';

/**
 * Whether two models may judge some execution of a program differently: by an axiom, a flag or a condition of
 * definedness. One question about executions, in place of many about outcomes: `no` is certain, and mostly seen without
 * a search, since equal definitions become one formula. What a model leaves undecided (a feature that it says nothing
 * about, what lies beyond the unrolling bound or outside of memory) is for the many.
 */
export function mayBeJudgedDifferently(
  solver: SatSolver,
  program: Program,
  a: Model,
  b: Model,
  { unroll, deadline, claims, failingCasWrites = false }: EngineOptions,
): boolean {
  const structure = buildEvents(program, { bound: unroll, spinRounds: 2, failingCasWrites });
  if ('kind' in structure) return true;
  const models = [a, b];
  if (models.some((model) => featureWithoutMeaning(model, structure) !== undefined)) return true;
  const builder = new FormulaBuilder(() => {
    checkDeadline(deadline);
  });
  const work = (): boolean => {
    const encoding = encodeExecution(builder, structure, {
      thinAir: [a, b].some((model) => !forbidsThinAir(model, makesCopies(program))),
      keepsThreads: true,
    });
    if ('kind' in encoding || encoding.cut !== FALSE || encoding.addresses.outside !== FALSE) return true;
    // Whether scalars are whole is no axiom of every model, and concerns the end of a test, which is no event.
    const mayTear = encoding.memory.partialReadsFrom.pairs.length > 0 || encoding.finals.areWhole !== TRUE;
    if (mayTear && a.baseNames.has('rf-part') !== b.baseNames.has('rf-part')) return true;
    if (models.some((model) => mixedSizesWithoutMeaning(model, encoding) !== undefined)) return true;
    const [first, second] = [encodeModel(a, encoding).checks, encodeModel(b, encoding).checks];
    const consistent = (checks: readonly EncodedCheck[]): Formula =>
      builder.all(checks.flatMap(({ check, holds }) => (check.role === 'axiom' ? [holds] : [])));
    const others = (checks: readonly EncodedCheck[]): ReadonlyMap<string, Formula> =>
      new Map(
        checks.flatMap(({ check, holds }) =>
          check.role === 'axiom' ? [] : [[`${check.role} ${check.name}`, holds] as const],
        ),
      );
    const [mine, yours] = [others(first), others(second)];
    const names = [...new Set([...mine.keys(), ...yours.keys()])];
    // A flag that a model does not have is never raised, a condition that it does not have always met.
    const usual = (name: string): Formula => (name.startsWith('flag') ? FALSE : TRUE);
    const reported = builder.any(
      names.map((name) => builder.xor(mine.get(name) ?? usual(name), yours.get(name) ?? usual(name))),
    );
    const [here, there] = [consistent(first), consistent(second)];
    const different = builder.or(builder.xor(here, there), builder.and(here, there, reported));
    if (different === FALSE) return false;
    const context = solver.context(builder);
    try {
      for (const formula of [...encoding.constraints, different]) context.assert(formula);
      const asked = context.solver('query');
      if (asked.check(deadline) !== 'unsat') return true;
      claims.add(asked, []);
      return false;
    } finally {
      context.dispose();
    }
  };
  return within(work, () => true);
}
