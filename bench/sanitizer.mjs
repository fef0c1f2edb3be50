import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_LINE, ROOT } from './measure.mjs';
import { readRaces, readSanitizer, tableOf } from './read-sanitizer.mjs';

/** `node bench/sanitizer.mjs sanitizer.txt [TESTS]`: our answers beside those of compute-sanitizer, in Markdown. */
const [path, tests = 'litmus/kernels/launched'] = process.argv.slice(2);
if (path === undefined || !existsSync(path)) {
  console.error(
    `${path ?? 'no file'}: there is no such file; expected: node bench/sanitizer.mjs sanitizer.txt [TESTS]`,
  );
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-bench-'));
const json = join(folder, 'checked.json');
try {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [COMMAND_LINE, 'check', '-v', '-f', 'text', '-f', `json=${json}`, tests],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (!existsSync(json)) throw new Error(`check ${tests} has written no JSON, run npm run build first:\n${stderr}`);
  const { results } = JSON.parse(readFileSync(json, 'utf8'));
  console.log(tableOf(readSanitizer(readFileSync(path, 'utf8')), results, readRaces(stdout)));
} finally {
  rmSync(folder, { recursive: true });
}
