import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle, Tally } from '../../mutation.mjs';
import { SEARCH_MUTANTS } from './search-mutants.mjs';

/**
 * Puts each deliberate mistake of search-mutants.mjs into the search, and counts the problems until something notices
 * it: the assignment that was found, z3 or the check of the proof that are to confirm a refutation, or z3 asked by
 * itself. Each runs in a process of its own, since some go round for ever.
 *
 * node test/axiomatic/solver/mutate-search.mjs [pattern] [problems] [seed]
 */
const JUDGE = 'test/axiomatic/solver/judge-search.ts';
const MOST_TIME = 120_000;
const [mode] = process.argv.slice(2);
if (mode === '--judge') await judge(...process.argv.slice(3));
else await mutate(...process.argv.slice(2));

/** In a process of its own: the first problem on which something is noticed. */
async function judge(bundled, problems, seed) {
  const { noticedIn, start } = await import(pathToFileURL(bundled).href);
  const z3 = await start();
  for (let problem = 0; problem < Number(problems); problem++) {
    const by = noticedIn(Number(seed) + problem, z3);
    if (by === undefined) continue;
    console.log(JSON.stringify({ by, problem }));
    process.exit();
  }
  process.exit();
}

async function noticed(mutant, name, problems, seed) {
  const outfile = await bundle(JUDGE, `solver/${name}.mjs`, mutant);
  const args = [fileURLToPath(import.meta.url), '--judge', outfile, problems, seed];
  const { stdout, error, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: MOST_TIME });
  rmSync(outfile);
  if (error?.code === 'ETIMEDOUT') return { by: 'it does not end', problem: 'some' };
  if (status !== 0) throw new Error(stderr);
  return stdout === '' ? undefined : JSON.parse(stdout);
}

async function mutate(pattern = '', problems = '2000', seed = '1') {
  const wrong = await noticed(undefined, 'right', '300', seed);
  if (wrong !== undefined) throw new Error(`without a mistake, ${wrong.by} notices one at problem ${wrong.problem}`);
  const tally = new Tally(({ by, problem }) => `${by}, at problem ${problem}`);
  for (const [number, mutant] of SEARCH_MUTANTS.entries()) {
    const name = `${mutant.in}: ${mutant.what}`;
    if (name.includes(pattern)) tally.record(name, mutant, await noticed(mutant, `mutant-${number}`, problems, seed));
  }
  tally.finish();
}
