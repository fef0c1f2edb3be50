import { rmSync } from 'node:fs';
import { bundle, Tally } from '../mutation.mjs';
import { RANGE_MUTANTS } from './range-mutants.mjs';

/**
 * Puts each deliberate mistake of range-mutants.mjs into what tells which values are alike, and looks for a kernel of
 * which something else is said then.
 *
 * node test/ranges/mutate-ranges.mjs [pattern of mutants]
 */
const [pattern = ''] = process.argv.slice(2);
const JUDGE = 'test/ranges/judge-ranges.ts';
const right = await import(await bundle(JUDGE, 'judge-ranges.mjs'));
const expected = [...right.verdicts()];
if (expected.some(({ says }) => says.startsWith('throws'))) throw new Error('a kernel that cannot be judged');
const tally = new Tally(({ name }) => name);

for (const [number, mutant] of RANGE_MUTANTS.entries()) {
  const name = `${mutant.in}: ${mutant.what}`;
  if (!name.includes(pattern)) continue;
  const outfile = await bundle(JUDGE, `judge-ranges-${number}.mjs`, mutant);
  const { verdicts } = await import(outfile);
  rmSync(outfile);
  let killer;
  let at = 0;
  for (const { says } of verdicts()) {
    const one = expected[at++];
    if (one.says === says) continue;
    killer = one;
    break;
  }
  tally.record(name, mutant, killer);
}
tally.finish();
