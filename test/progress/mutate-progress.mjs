import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle, Tally } from '../mutation.mjs';
import { PROGRESS_MUTANTS } from './progress-mutants.mjs';

/**
 * Puts each deliberate mistake of progress-mutants.mjs into what decides forward progress, and says what notices it: an
 * idiom of docs/forward-progress.md, a launch, or a generated program by the reference.
 *
 * node test/progress/mutate-progress.mjs [pattern] [programs]
 */
const JUDGE = 'test/progress/judge-progress.ts';
const MOST_TIME = 600_000;
const [mode] = process.argv.slice(2);
if (mode === '--judge') await judge(...process.argv.slice(3));
else await mutate(...process.argv.slice(2));

/** In a process of its own, since some mistakes go round for ever. */
async function judge(bundled, programs) {
  const { noticed } = await import(pathToFileURL(bundled).href);
  const by = noticed(Number(programs));
  if (by !== undefined) console.log(JSON.stringify(by));
  process.exit();
}

async function noticedIn(mutant, name, programs) {
  const outfile = await bundle(JUDGE, `progress/${name}.mjs`, mutant);
  const args = [fileURLToPath(import.meta.url), '--judge', outfile, programs];
  const { stdout, error, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: MOST_TIME });
  rmSync(outfile);
  if (error?.code === 'ETIMEDOUT') return 'it does not end';
  if (status !== 0) throw new Error(stderr);
  return stdout === '' ? undefined : JSON.parse(stdout);
}

async function mutate(pattern = '', programs = '1500') {
  const wrong = await noticedIn(undefined, 'right', '20');
  if (wrong !== undefined) throw new Error(`without a mistake one is noticed: ${wrong}`);
  const tally = new Tally(String);
  for (const [number, mutant] of PROGRESS_MUTANTS.entries()) {
    const name = `${mutant.in}: ${mutant.what}`;
    if (name.includes(pattern)) tally.record(name, mutant, await noticedIn(mutant, `mutant-${number}`, programs));
  }
  tally.finish();
}
