import { rmSync } from 'node:fs';
import { bundle, mutatedModel, Tally } from '../mutation.mjs';
import { SHARED_MUTANTS } from './shared-mutants.mjs';

/**
 * Puts each deliberate mistake of shared-mutants.mjs into the code that both engines share, and looks for a generated
 * test on which the comparison with the reference, or a law, then notices it.
 *
 * node test/cross-check/mutate-shared.mjs [pattern] [programs] [seed]
 */
const [pattern = '', programs = '600', seed = '2'] = process.argv.slice(2);
const JUDGE = 'test/cross-check/judge.ts';
const right = await import(await bundle(JUDGE, 'cross-check/judge.mjs'));
const judge = await right.judgeWith();
const tally = new Tally(({ test }) => `generated test ${test.name}`);
/** By family: its tests, how many of them the right code has judged, and those on which it agrees. */
const pools = new Map();
function poolOf(family) {
  if (!pools.has(family)) {
    const tests = right.testsOf(family, Number(seed), Number(programs)).map((test, number) => ({ test, number }));
    pools.set(family, { tests, checked: 0, fine: [] });
  }
  return pools.get(family);
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
