import { Cdcl } from '../../src/axiomatic/solver/cdcl.js';
import type { Model } from '../../src/cat/model.js';
import { readModel } from '../../src/cat/resolve-model.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import { Random } from '../../src/generate/random.js';
import { loadInOrder, loadModel } from '../../src/library/node.js';
import { checkLaw } from './check-law.js';
import { LAWS } from './laws.js';
import { compareThree } from './three.js';

/**
 * Judges programs by the comparison of the three and by the laws: what mutate-shared.mjs bundles with a mistake in it.
 */
export async function judgeWith(
  modelText?: string,
): Promise<(text: string, number: number) => 'fine' | 'noticed' | 'unknown'> {
  const solver = new Cdcl();
  const read =
    modelText === undefined
      ? loadModel('ptx-9.4')
      : readModel('ptx-9.4', { path: 'ptx-9.4.cat', text: modelText }, BASE_KINDS);
  const model: Model | undefined = read.value;
  if (model === undefined) throw new Error(read.diagnostics[0]?.message);
  const comparison = { solver, model, inOrder: loadInOrder(), timeout: 10_000, budget: { work: 500_000 } };
  return (text, number) => {
    try {
      const { kind } = compareThree({ text }, comparison);
      if (kind === 'disagreement') return 'noticed';
      const law = LAWS[number % LAWS.length];
      if (
        law !== undefined &&
        checkLaw(law, text, new Random(number), { solver, model, timeout: 10_000 }).kind === 'broken'
      )
        return 'noticed';
      return kind === 'agree' ? 'fine' : 'unknown';
    } catch {
      return 'noticed';
    }
  };
}

export function programTexts(seed: number, count: number): readonly string[] {
  const texts: string[] = [];
  for (const { text } of generateTests({ seed, mostEvents: 6, families: ['program'] })) {
    texts.push(text);
    if (texts.length === count) break;
  }
  return texts;
}
