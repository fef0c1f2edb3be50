import { rmSync } from 'node:fs';
import { bundle, mutatedModel, Tally } from '../mutation.mjs';
import { SHARED_MUTANTS } from './shared-mutants.mjs';

/**
 * Puts each deliberate mistake of shared-mutants.mjs into the code that both engines share, and looks for a generated
 * program on which the comparison with the reference, or a law, then notices it.
 *
 * node test/cross-check/mutate-shared.mjs [pattern] [programs] [seed]
 */
const [pattern = '', programs = '600', seed = '2'] = process.argv.slice(2);
const JUDGE = 'test/cross-check/judge.ts';
const right = await import(await bundle(JUDGE, 'cross-check/judge.mjs'));
const judge = await right.judgeWith();
const texts = right.programTexts(Number(seed), Number(programs)).map((text, number) => ({ text, number }));
const tally = new Tally(({ number }) => `program ${number}`);
const fine = [];
let checked = 0;
/** Programs on which the right code agrees, found as they are needed. */
function* agreed() {
  yield* tally.likeliestFirst(fine);
  for (; checked < texts.length; ) {
    const program = texts[checked++];
    if (judge(program.text, program.number) !== 'fine') continue;
    fine.push(program);
    yield program;
  }
}

async function killerOf(mutant, number) {
  const model = mutatedModel(mutant);
  const outfile = await bundle(JUDGE, `cross-check/judge-${number}.mjs`, model === undefined ? mutant : undefined);
  const mutated = await import(outfile);
  rmSync(outfile);
  const wrong = await mutated.judgeWith(model);
  for (const program of agreed()) if (wrong(program.text, program.number) === 'noticed') return program;
  return undefined;
}

for (const [number, mutant] of SHARED_MUTANTS.entries()) {
  const name = `${mutant.back === undefined ? '' : `${mutant.back} taken back: `}${mutant.in}: ${mutant.what}`;
  if (name.includes(pattern)) tally.record(name, mutant, await killerOf(mutant, number));
}
tally.finish();
