import { Cdcl } from '../../src/axiomatic/solver/cdcl.js';
import type { Model } from '../../src/cat/model.js';
import { readModel } from '../../src/cat/resolve-model.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import type { Family } from '../../src/generate/families.js';
import { type GeneratedTest, generateTests } from '../../src/generate/generate-tests.js';
import { Random } from '../../src/generate/random.js';
import { loadInOrder, loadModel } from '../../src/library/node.js';
import { checkLaw } from './check-law.js';
import { LAWS } from './laws.js';
import { compareSlice } from './slice-law.js';
import { type SliceableTest, sliceableTest } from './sliceable-tests.js';
import { compareThree } from './three.js';

/** Generated, or of litmus/; of the family `slice` one that is held to its slice. */
type JudgedTest = Pick<GeneratedTest, 'name' | 'text' | 'module' | 'asThreads'> & {
  readonly family: string;
  readonly sliceable?: SliceableTest;
};

/**
 * Judges tests by the comparison of the three and by the laws: what mutate-shared.mjs bundles with a mistake in it.
 */
export async function judgeWith(
  modelText?: string,
): Promise<(test: JudgedTest, number: number) => 'fine' | 'noticed' | 'unknown'> {
  const solver = new Cdcl();
  const read =
    modelText === undefined
      ? loadModel('ptx-9.4')
      : readModel('ptx-9.4', { path: 'ptx-9.4.cat', text: modelText }, BASE_KINDS);
  const model: Model | undefined = read.value;
  if (model === undefined) throw new Error(read.diagnostics[0]?.message);
  const comparison = {
    solver,
    model,
    inOrder: loadInOrder(),
    timeout: 10_000,
    mostStates: 5000,
    budget: { work: 500_000 },
  };
  return (test, number) => {
    try {
      if (test.sliceable !== undefined) {
        const { wrong, compared } = compareSlice(test.sliceable, { solver, model, timeout: 4_000 });
        return wrong.length > 0 ? 'noticed' : compared > 0 ? 'fine' : 'unknown';
      }
      const { kind } = compareThree(test, comparison);
      if (kind === 'disagreement') return 'noticed';
      // The laws change what is written in a test, and know nothing of modules and grids.
      const law = test.family === 'program' ? LAWS[number % LAWS.length] : undefined;
      if (
        law !== undefined &&
        checkLaw(law, test.text, new Random(number), { solver, model, timeout: 10_000 }).kind === 'broken'
      )
        return 'noticed';
      return kind === 'agree' ? 'fine' : 'unknown';
    } catch {
      return 'noticed';
    }
  };
}

export function testsOf(family: Family | 'slice', seed: number, count: number): readonly JudgedTest[] {
  if (family === 'slice')
    return Array.from({ length: count }, (_, i) => {
      const sliceable = sliceableTest(seed + i);
      return { name: `slice-${seed + i}`, family, text: sliceable.text, sliceable };
    });
  const tests: JudgedTest[] = [];
  for (const test of generateTests({ seed, mostEvents: 6, families: [family] })) {
    tests.push(test);
    if (tests.length === count) break;
  }
  return tests;
}
