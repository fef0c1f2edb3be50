import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, mutatedModel, Tally } from '../mutation.mjs';
import { ROOT } from '../places.mjs';
import { SHARED_MUTANTS } from './shared-mutants.mjs';

/**
 * Puts each deliberate mistake of shared-mutants.mjs into the code that both engines share, and looks for a generated
 * test, or one of a folder of litmus/, on which the comparison with the reference, or a law, then notices it.
 *
 * node test/cross-check/mutate-shared.mjs [pattern] [programs] [seed]
 */
const [pattern = '', programs = '600', seed = '2'] = process.argv.slice(2);
const JUDGE = 'test/cross-check/judge.ts';
const right = await import(await bundle(JUDGE, 'cross-check/judge.mjs'));
const judge = await right.judgeWith();
const tally = new Tally(({ test, number }) => `test ${test.name}, the ${number + 1}th of ${test.family}`);
/** By family: its tests, how many of them the right code has judged, and those on which it agrees. */
const pools = new Map();
function poolOf(family) {
  if (!pools.has(family)) {
    const found = family.startsWith('litmus/')
      ? written(family)
      : right.testsOf(family, Number(seed), Number(programs));
    pools.set(family, { tests: found.map((test, number) => ({ test, number })), checked: 0, fine: [] });
  }
  return pools.get(family);
}
/** All tests of a folder of litmus/. */
function written(family) {
  const names = readdirSync(join(ROOT, family)).filter((name) => name.endsWith('.litmus'));
  return names.sort().map((name) => ({ name, family, text: readFileSync(join(ROOT, family, name), 'utf8') }));
}
/** Tests on which the right code agrees, found as they are needed. */
function* agreed(family) {
  const pool = poolOf(family);
  yield* tally.likeliestFirst(pool.fine);
  while (pool.checked < pool.tests.length) {
    const one = pool.tests[pool.checked++];
    if (judge(one.test, one.number) !== 'fine') continue;
    pool.fine.push(one);
    yield one;
  }
}

async function killerOf(mutant, number) {
  const model = mutatedModel(mutant);
  const outfile = await bundle(JUDGE, `cross-check/judge-${number}.mjs`, model === undefined ? mutant : undefined);
  const mutated = await import(outfile);
  rmSync(outfile);
  const wrong = await mutated.judgeWith(model);
  for (const one of agreed(mutant.family ?? 'program')) if (wrong(one.test, one.number) === 'noticed') return one;
  return undefined;
}

for (const [number, mutant] of SHARED_MUTANTS.entries()) {
  const name = `${mutant.back === undefined ? '' : `${mutant.back} taken back: `}${mutant.in}: ${mutant.what}`;
  if (name.includes(pattern)) tally.record(name, mutant, await killerOf(mutant, number));
}
tally.finish();
