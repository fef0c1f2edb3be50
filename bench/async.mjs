import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Cdcl, checkTest, loadTests } from '../build/library/index.js';
import { loadModel } from '../build/library/node.js';

/**
 * Tests of mbarriers, asynchronous operations and kernels under ptx-9.4, warm: the whole test with its race, deadlock
 * and definedness, and that by the number of conditions and expectations it decides. The second run counts.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const clock = () => performance.now();
const solver = new Cdcl();
const model = loadModel('ptx-9.4').value;
const folders = ['mbarrier', 'async', 'cluster', 'proxies', 'kernels'];
for (const round of ['cold', 'warm']) {
  for (const folder of folders) {
    const rows = readdirSync(join(root, 'litmus', folder)).map((file) => {
      const source = { path: file, text: readFileSync(join(root, 'litmus', folder, file), 'utf8') };
      const begin = clock();
      const [program] = loadTests(source).value;
      const result = checkTest(solver, program, model, {
        unroll: 3,
        timeout: 60_000,
        clock,
        states: false,
        reasons: false,
      });
      const time = clock() - begin;
      return { file, time, verdict: time / (result.conditions.length + result.expectations.length) };
    });
    if (round === 'cold') continue;
    const worst = rows.reduce((a, b) => (a.time > b.time ? a : b));
    console.log(
      `${folder.padEnd(9)} ${rows.length} tests   median: a test ` +
        `${median(rows.map(({ time }) => time)).toFixed(1)} ms, a verdict ` +
        `${median(rows.map(({ verdict }) => verdict)).toFixed(1)} ms   longest: ${worst.file} ` +
        `${worst.time.toFixed(0)} ms`,
    );
  }
}
