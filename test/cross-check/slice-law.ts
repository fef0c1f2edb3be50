import type { SatSolver } from '../../src/axiomatic/solver/solver.js';
import type { Model } from '../../src/cat/model.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { SliceableTest } from './sliceable-tests.js';

type Answers = ReadonlyMap<string, string | undefined>;

/** What a slice is compared with: the whole test, by one solver and model. */
export interface SliceComparison {
  readonly solver: SatSolver;
  readonly model: Model;
  /** In milliseconds. */
  readonly timeout: number;
}

/** A slice answers what the whole test answers: where it does not, and how much was compared. */
export function compareSlice(
  test: SliceableTest,
  comparison: SliceComparison,
): { readonly wrong: readonly string[]; readonly compared: number; readonly open: number } {
  const [slice, whole] = [answersOf(test, false, comparison), answersOf(test, true, comparison)];
  const wrong: string[] = [];
  let [compared, open] = [0, 0];
  for (const [question, answer] of whole) {
    const other = slice.get(question);
    if (answer === undefined || other === undefined) open += 1;
    else compared += 1;
    if (answer !== undefined && other !== undefined && answer !== other)
      wrong.push(`${question}: ${other} in the slice, ${answer} in the whole\n${test.text}`);
  }
  return { wrong, compared, open };
}

/** What a test answers; undefined: it is not decided. */
function answersOf({ text, modules }: SliceableTest, isWhole: boolean, comparison: SliceComparison): Answers {
  const { solver, model, timeout } = comparison;
  const { value, diagnostics } = loadTests({ path: 'sliceable.litmus', text, modules, isWhole });
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  const states = !text.includes('= ?');
  const clock = (): number => performance.now();
  const found = checkTest(solver, program, model, { unroll: 3, timeout, clock, states, reasons: false });
  const list = (found.states?.list ?? []).map(({ state }) => [...state].map((pair) => pair.join('=')).join(' '));
  return new Map([
    ...found.conditions.map(({ condition, observation }) => {
      const { start, end, source } = condition.span;
      return [source.text.slice(start, end), observation] as const;
    }),
    ...found.expectations.map(
      ({ expectation, outcome }) =>
        [`expect ${expectation.expectation}`, outcome === 'undecided' ? undefined : outcome] as const,
    ),
    ['states', states && found.states?.incomplete === undefined ? list.sort().join('\n') : undefined],
  ]);
}
