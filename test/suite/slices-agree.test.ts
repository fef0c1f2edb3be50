import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { builtInModel, checkProgram, stateLines } from '../support.js';
import { type SliceableTest, sliceableTest } from './sliceable-tests.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? 60);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261124);
const TIMEOUT = 4_000;

type Answers = ReadonlyMap<string, string | undefined>;

/** What a test answers; undefined: it is not decided. */
async function answersOf({ text, modules }: SliceableTest, isWhole: boolean): Promise<Answers> {
  const { value, diagnostics } = loadTests({ path: 'sliceable.litmus', text, modules, isWhole });
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  const states = !text.includes('= ?');
  const found = await checkProgram(program, builtInModel('ptx-9.4'), { timeout: TIMEOUT, states });
  return new Map([
    ...found.conditions.map(({ condition, observation }) => {
      const { start, end, source } = condition.span;
      return [source.text.slice(start, end), observation] as const;
    }),
    ...found.expectations.map(
      ({ expectation, outcome }) =>
        [`expect ${expectation.expectation}`, outcome === 'undecided' ? undefined : outcome] as const,
    ),
    ['states', states && found.states?.incomplete === undefined ? stateLines(found).join('\n') : undefined],
  ]);
}

describe('a slice answers what the whole test answers', () => {
  it(`in ${CASES} generated tests with large arrays, other names of them, and kernels`, async () => {
    const wrong: string[] = [];
    let [compared, open] = [0, 0];
    for (let seed = SEED; seed < SEED + CASES; seed++) {
      const test = sliceableTest(seed);
      const [slice, whole] = [await answersOf(test, false), await answersOf(test, true)];
      for (const [question, answer] of whole) {
        const other = slice.get(question);
        if (answer === undefined || other === undefined) open += 1;
        else compared += 1;
        if (answer !== undefined && other !== undefined && answer !== other)
          wrong.push(`seed ${seed}: ${question}: ${other} in the slice, ${answer} in the whole\n${test.text}`);
      }
    }
    if (process.env['FUZZ_CASES'] !== undefined) console.log(`${compared} answers compared, ${open} open`);
    expect(wrong.join('\n')).toBe('');
    expect(compared).toBeGreaterThan(3 * CASES);
  });
});
