import { ConditionBuilder } from '../build/build-conditions.js';
import { type Diagnosed, type Diagnostic, hasErrors } from '../diagnostics/diagnostic.js';
import type { Program } from '../program/program.js';
import { parseCondition } from '../syntax/parse-condition.js';

/**
 * The program with another condition in place of its own and of its expectations, as with `--condition`.
 *
 * @example
 * ```ts
 * const { value: asked } = overrideCondition(program, 'exists (P1:r0 == 1)');
 * ```
 */
export function overrideCondition(program: Program, text: string): Diagnosed<Program> {
  const { value: clause, failure } = parseCondition({ path: '--condition', text });
  if (failure !== undefined) return { value: undefined, diagnostics: [failure] };
  const builder = new ConditionBuilder(program.threads, program.locations);
  builder.add(clause);
  const diagnostics: readonly Diagnostic[] = builder.diagnostics;
  if (hasErrors(diagnostics)) return { value: undefined, diagnostics };
  const kept = program.observed.filter((old) => !builder.observed.some((one) => one.name === old.name));
  return {
    value: {
      ...program,
      conditions: builder.conditions,
      expectations: builder.expectations,
      observed: [...builder.observed, ...(program.filter === undefined ? [] : kept)],
    },
    diagnostics,
  };
}
