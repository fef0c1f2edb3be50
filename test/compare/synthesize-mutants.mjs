import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mayBeJudgedDifferently } from '../../build/axiomatic/session/judged-differently.js';
import { findingsOf } from '../../build/check/findings.js';
import { compareFindings } from '../../build/compare/compare-models.js';
import { synthesize } from '../../build/compare/synthesize.js';
import { Cdcl, FAMILIES, readModel } from '../../build/library/index.js';
import { mutatedModel } from '../mutation.mjs';
import { MUTANTS } from '../operational/mutants.mjs';

/**
 * Puts each deliberate mistake of mutants.mjs into the model and searches, as `diff --synthesize` does, for a test that
 * tells it from the right one, a minute each.
 *
 * node test/compare/synthesize-mutants.mjs [pattern of mutants]
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const [pattern = ''] = process.argv.slice(2);
const SECONDS = 60;
const solver = new Cdcl();
const text = readFileSync(join(root, 'models/ptx-9.4.cat'), 'utf8');
const read = (changed) => readModel('ptx-9.4', { path: 'ptx-9.4.cat', text: changed }).value;
const right = read(text);
const limits = () => {
  const start = performance.now();
  return {
    unroll: 3,
    deadline: { remaining: () => start + 10_000 - performance.now() },
    mostOutcomes: 2000,
    mostStates: 2000,
  };
};

let found = 0;
const mistakes = MUTANTS.filter(
  (mutant) => mutatedModel(mutant) !== undefined && mutant.survives === undefined && mutant.what.includes(pattern),
);
for (const mutant of mistakes) {
  const { what } = mutant;
  const wrong = read(mutatedModel(mutant));
  const compare = (program) =>
    mayBeJudgedDifferently(solver, program, right, wrong, limits())
      ? compareFindings(findingsOf(solver, program, right, limits()), findingsOf(solver, program, wrong, limits()))
      : { differences: [], open: [] };
  const start = performance.now();
  const result = synthesize(compare, {
    seed: 1,
    families: [...FAMILIES].reverse(),
    mostEvents: 6,
    mostTests: 9000,
    remaining: () => start + SECONDS * 1000 - performance.now(),
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(5);
  const instructions = result.found?.program.threads.reduce((sum, { statements }) => sum + statements.length, 0);
  if (result.found !== undefined) found += 1;
  console.log(
    `${seconds} s  ${String(result.tests).padStart(5)} tests  ` +
      `${result.found === undefined ? 'NOT FOUND' : `${String(instructions).padStart(2)} instructions`}  ${what}`,
  );
}
console.log(`${found} of ${mistakes.length} mistakes told apart within ${SECONDS} s each`);
