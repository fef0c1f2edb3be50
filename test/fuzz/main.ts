import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Failure, fuzzInProcess } from './in-process.js';
import { fuzzProcesses } from './processes.js';

/**
 * Breaks texts of every kind, and command lines: `npm run fuzz -- --cases 100000 --processes 2000 --seed 1`. A failure
 * is written to a file in the folder of temporary files, with the text; what is mended gets a test of its own.
 */
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    processes: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
});
const root = process.env['PTX_LITMUS_ROOT'] ?? process.cwd();
const out = join(tmpdir(), 'ptx-litmus-fuzz-failures');
mkdirSync(out, { recursive: true });
const hear =
  (what: string) =>
  (done: number, failures: number): void =>
    void process.stderr.write(`\r${what}: ${done}, ${failures} failures`);

async function report(what: string, found: Promise<readonly Failure[]>): Promise<number> {
  const failures = await found;
  for (const [i, { kind, text, what: how }] of failures.entries())
    writeFileSync(join(out, `${what}-${values.seed}-${i}.${kind}`), `${how}\n=====\n${text}`);
  console.log(`\n${what}: ${failures.length} failures${failures.length === 0 ? '' : `, in ${out}`}`);
  return failures.length;
}

const seed = Number(values.seed);
const count =
  (await report('texts', fuzzInProcess(Number(values.cases), seed, hear('texts')))) +
  (await report(
    'commands',
    fuzzProcesses(join(root, 'dist/cli/main.js'), Number(values.processes), seed, hear('commands')),
  ));
process.exitCode = count === 0 ? 0 : 1;
