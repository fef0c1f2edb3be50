import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_LINE, timed } from '../measure.mjs';

const TESTS = 8000;

/** Many tests on one core and on all, and again out of the cache. */
export const title = `A suite of ${TESTS} generated tests`;

export function* rows() {
  const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-bench-'));
  try {
    const suite = join(folder, 'suite.litmus');
    const given = ['gen', '--count', String(TESTS), '--seed', '31', '--out', '-'];
    writeFileSync(suite, spawnSync(process.execPath, [COMMAND_LINE, ...given], { maxBuffer: 2 ** 28 }).stdout);
    const check = [COMMAND_LINE, 'check', suite, '--quiet', '--no-times', '-f', `text=${join(folder, 'out')}`];
    const cores = availableParallelism();
    const alone = timed('taskset', ['-c', '0', process.execPath, ...check, '-j', '1']).seconds;
    yield { name: '-j 1, on one core', seconds: alone };
    const together = timed(process.execPath, [...check, '-j', String(cores)]).seconds;
    yield { name: `-j ${cores}`, seconds: together };
    if (alone !== undefined && together !== undefined)
      yield { name: `how many times as fast -j ${cores} is`, number: alone / together };
    const cached = [...check, `--cache=${join(folder, 'cache')}`];
    yield { name: `-j ${cores}, into the cache`, seconds: timed(process.execPath, cached).seconds };
    yield { name: 'out of the cache', seconds: timed(process.execPath, cached).seconds };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
