import { parseArgs } from 'node:util';
import { describeFound } from './describe-found.js';
import { runSchedules } from './run.js';

/**
 * Runs kernel tests under random schedules and prints what was found. Node does not run TypeScript by itself: bundle
 * this file first, `npx esbuild test/schedules/main.ts --bundle --platform=node --format=esm --outfile=FILE.mjs`, and
 * then `node FILE.mjs --schedules 200 --seed 1 TEST.litmus...`
 */
const { values, positionals } = parseArgs({
  options: { schedules: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});
for (const path of positionals) {
  const start = performance.now();
  const found = runSchedules(path, { schedules: Number(values.schedules), seed: Number(values.seed) });
  console.log(`${path} (${Math.round(performance.now() - start)} ms)\n${describeFound(found)}`);
}
