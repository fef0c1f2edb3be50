import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const COMMAND_LINE = join(ROOT, 'dist/cli/main.js');

/** At a part of the sorted numbers: 0.5 is the median. */
export const at = (numbers, part) => [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * part)];
export const median = (numbers) => at(numbers, 0.5);

/** Seconds of wall time of a process, and how it ended; undefined where it passed the limit or failed to decide. */
export function timed(command, args, limit = 600) {
  const start = performance.now();
  const { status, error, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: limit * 1000,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 26,
  });
  const seconds = (performance.now() - start) / 1000;
  return { seconds: error === undefined ? seconds : undefined, status, output: stdout ?? '' };
}

/** `node -e 0`, the unit of all ratios: the median of 11. */
export const unit = () => median(Array.from({ length: 11 }, () => timed(process.execPath, ['-e', '0']).seconds));

/** Calls with the path of a file of that text, which is gone afterwards. */
export function withFile(text, use) {
  const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-bench-'));
  try {
    const path = join(folder, 'test.litmus');
    writeFileSync(path, text);
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The exponent e of y = c * x^e that fits best (least squares on logarithms). */
export function exponent(points) {
  const logs = points.filter(([x, y]) => x > 0 && y > 0).map(([x, y]) => [Math.log(x), Math.log(y)]);
  if (logs.length < 2) return undefined;
  const mean = (i) => logs.reduce((sum, point) => sum + point[i], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const covariance = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return covariance / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}
