import { type GeneratedTest, type GenerationOptions, generateTests } from '../../src/generate/generate-tests.js';

/** The first tests that a seed gives. */
export function drawTests(
  count: number,
  seed: number,
  options: Omit<GenerationOptions, 'seed'> = {},
): readonly GeneratedTest[] {
  const tests: GeneratedTest[] = [];
  for (const test of generateTests({ seed, ...options })) {
    tests.push(test);
    if (tests.length === count) break;
  }
  return tests;
}
