import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isOfShare } from './shares.js';
import { ROOT } from './support.js';

const FOLDER = join(ROOT, 'observations');
const MAIN = join(ROOT, 'dist/cli/main.js');
/** What is told of a run, of which the log has everything else. */
interface JudgedLog {
  readonly verdicts: readonly {
    readonly test: string;
    readonly observed: number;
    readonly violations: readonly unknown[];
    readonly undecided?: string;
  }[];
  readonly withoutTest: readonly unknown[];
}

const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];

/** What a log says of a sixth of its tests; with SWEEP=all it is the whole log. */
const shareOfLog = (text: string): string =>
  text
    .split(/^(?=Test )/m)
    .filter((part) => isOfShare(/^Test (\S+)/.exec(part)?.[1] ?? '', 6, 'observations'))
    .join('');

async function judged(run: string): Promise<JudgedLog> {
  const at = (name: string): string => join(FOLDER, run, name);
  const tests = ['tests.litmus', 'controls.litmus'].flatMap((name) => ['-t', at(name)]);
  const folder = mkdtempSync(join(tmpdir(), 'observations-'));
  const log = join(folder, 'observed.log');
  writeFileSync(log, shareOfLog(readFileSync(at('observed.log'), 'utf8')));
  // Beside violations and undecided tests the exit code says nothing that is not looked at here.
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'compare', log, ...tests, '-f', 'json'], {
    maxBuffer: 2 ** 28,
  }).catch((thrown: { stdout: string }) => thrown);
  rmSync(folder, { recursive: true });
  return JSON.parse(stdout).logs[0];
}

describe.each(readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'observed.log'))))(
  'what was observed on %s',
  (run) => {
    it('is allowed by the model, but where ptxas has changed the test', { timeout: 600_000 }, async () => {
      const { verdicts, withoutTest } = await judged(run);
      const changed = new Map(
        linesOf(join(FOLDER, run, 'notes.tsv')).map((line) => line.split('\t') as [string, string]),
      );
      const violating = verdicts.filter(({ violations }) => violations.length > 0).map(({ test }) => test);
      expect(withoutTest).toEqual([]);
      expect(verdicts.length).toBeGreaterThan(0);
      expect(violating.filter((test) => !changed.has(test))).toEqual([]);
      // Each of them is told, with what its SASS shows.
      const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
      expect(violating.filter((test) => !readme.includes(`\`${test}\``))).toEqual([]);
    });

    it('is from a run whose controls were as they must be', () => {
      const controls = linesOf(join(FOLDER, run, 'controls.tsv')).map((line) => line.split('\t'));
      expect(controls.length).toBeGreaterThan(0);
      for (const [name, how, weak] of controls) expect(weak === '0', name).toBe(how !== 'must');
    });
  },
);
