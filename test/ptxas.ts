import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SWEEP_ALL } from './shares.js';

/** What is wrong with a module: lines, which count from 1, with messages; no line, if it is refused as a whole. */
export type Assembled = 'sound' | { readonly wrong: ReadonlyMap<number, string> };

/**
 * What ptxas has said, by a hash of its version, its options and the text: nothing if the text is sound, else the lines
 * that are wrong. With SWEEP=all it is asked all the same, and must say what is kept; what is not kept it is asked
 * always. UPDATE_PTXAS=1, with --maxWorkers=1, keeps what it says.
 */
const KEPT = join(import.meta.dirname, 'ptxas-answers.json');
const kept = new Map(Object.entries(JSON.parse(readFileSync(KEPT, 'utf8')) as Record<string, string>));
const isUpdated = process.env['UPDATE_PTXAS'] !== undefined;

let version: string | undefined;
function versionOfPtxas(): string {
  version ??= /V[\d.]+/.exec(spawnSync('ptxas', ['--version'], { encoding: 'utf8' }).stdout)?.[0] ?? 'none';
  return version;
}

/** Assembles a module, whose target is an option. */
export function assemble(text: string, ...options: readonly string[]): Assembled {
  const key = createHash('sha256')
    .update([versionOfPtxas(), ...options, text].join('\n'))
    .digest('hex')
    .slice(0, 16);
  const known = kept.get(key);
  if (known !== undefined && !SWEEP_ALL && !isUpdated) return assembledAs(known);
  const found = ask(text, options);
  const now = found === 'sound' ? '' : [...found.wrong.keys()].join() || 'all';
  if (known !== undefined && known !== now && !isUpdated)
    throw new Error(`ptxas says "${now}" of a module of which "${known}" is kept: UPDATE_PTXAS=1 keeps what it says`);
  if (isUpdated) {
    kept.set(key, now);
    writeFileSync(
      KEPT,
      `${JSON.stringify(Object.fromEntries([...kept].sort()), undefined, 0).replaceAll(',"', ',\n"')}\n`,
    );
  }
  return found;
}

function assembledAs(known: string): Assembled {
  if (known === '') return 'sound';
  const lines = known === 'all' ? [] : known.split(',').map(Number);
  return { wrong: new Map(lines.map((line) => [line, 'refused by ptxas, as is kept'])) };
}

function ask(text: string, options: readonly string[]): Assembled {
  const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-ptxas-'));
  const path = join(folder, 'module.ptx');
  writeFileSync(path, text);
  const { status, stderr, stdout } = spawnSync('ptxas', [...options, path, '-o', '/dev/null'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  rmSync(folder, { recursive: true });
  if (status === 0) return 'sound';
  const messages = [...`${stderr}${stdout}`.matchAll(/line (\d+); ((?:error|fatal).*)/g)];
  return { wrong: new Map(messages.map(([, line, message = '']) => [Number(line), message])) };
}
