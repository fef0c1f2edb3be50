import { describe, expect, it } from 'vitest';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { Random } from '../../src/generate/random.js';
import { hangs, type ReferencePromise } from '../reference/forward-progress.js';
import { halfOf } from '../shares.js';
import { builtInModel, programOf, solver } from '../support.js';
import { drawLoopingProgram, FOUND, writeLoopingProgram } from './looping-programs.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? halfOf(40));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261126);

const ALONE = ['fair', 'obe', 'hsa', 'hsa-obe', 'lobe', 'unfair'] as const;
const PROMISES: readonly (readonly [text: string, promise: ReferencePromise])[] = [
  ...ALONE.map((model) => [model, model] as const),
  ['cuda', 'cuda'],
];

/** A promise by levels, of a program that has both. */
function drawLevels(random: Random, hasBoth: boolean): readonly (readonly [string, ReferencePromise])[] {
  if (!hasBoth) return [];
  const draw = () => ALONE[random.below(ALONE.length)] ?? 'fair';
  const [gpu, cta] = [draw(), draw()];
  return [[`gpu=${gpu},cta=${cta}`, { gpu, cta }]];
}

describe('programs that loop over one word', () => {
  for (const [what, program, text, promise] of FOUND)
    it(`hang as the reference says: ${what}`, () => {
      const [hang] = hangs(program, [promise]);
      const model = builtInModel('ptx-9.4');
      const test = programOf(writeLoopingProgram(program, text));
      // With a condition beside, the formula is asked, and the machine by all that it can do.
      const more = programOf(`${writeLoopingProgram(program, text)}exists (x == 0)\n`);
      for (const one of [test, more])
        for (const { expectations } of [checkTest(solver, one, model, {}), checkOperationally(one, model)])
          expect(expectations[0]?.outcome).toBe(hang === true ? 'broken' : 'met');
    });

  it(`hang where a search that shares nothing with the engines says so: ${CASES} programs, seed ${SEED}`, () => {
    const random = new Random(SEED);
    const model = builtInModel('ptx-9.4');
    const wrong: string[] = [];
    const kinds = new Set<string>();
    for (let i = 0; i < CASES; i++) {
      const program = drawLoopingProgram(random);
      const ctas = program.threads.map(({ cta }) => cta);
      const hasBoth = new Set(ctas).size > 1 && new Set(ctas).size < ctas.length;
      const promises = [...PROMISES, ...drawLevels(random, hasBoth)];
      const expected = hangs(
        program,
        promises.map(([, promise]) => promise),
      );
      kinds.add(expected.map(Number).join(''));
      for (const [place, [text]] of promises.entries()) {
        const source = writeLoopingProgram(program, text);
        const test = programOf(source);
        const word = expected[place] === true ? 'broken' : 'met';
        const [axioms] = checkTest(solver, test, model, {}).expectations;
        const [machine] = checkOperationally(test, model).expectations;
        for (const [by, found] of [
          ['axioms', axioms],
          ['machine', machine],
        ] as const)
          if (found?.outcome !== word) wrong.push(`${by}: ${found?.outcome}, not ${word}\n${source}`);
      }
    }
    expect(wrong.join('\n')).toBe('');
    // Programs that all models judge alike would tell nothing.
    expect(kinds.size).toBeGreaterThan(3);
  }, 86_400_000);
});
