import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../diagnostics/usage-error.js';
import { checkSass } from '../export/check-sass.js';
import { readText } from '../files/read-text.js';
import { writeText } from '../files/write-text.js';
import type { Marks } from '../report/outcome-tables.js';
import { plural } from '../report/words.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { compareOptions, runCompare } from './compare-command.js';
import { EXIT_CODES, type ExitCode, worst } from './exit-codes.js';
import { CONTROLS, TEXTS, writeBundle } from './export-command.js';
import { anyNumber, count, quantity, text } from './option.js';

const POSITIONALS = {
  paths: anyNumber('tests, or folders of them; with --from those of the bundle, if none is named'),
};
const { tests: _, ...COMPARING } = compareOptions;
const OPTIONS = {
  out: text('the folder of the bundle (default: one for temporary files)', 'o'),
  from: text('the folder of a bundle that has been run, with what it left there: nothing is run again'),
  keep: text('a folder for what is worth keeping of the run: logs, tests, and notes on what ptxas made of them'),
  seconds: { ...quantity('seconds', 0.001, 'for each test and kind of stress'), default: 0.02 },
  search: {
    ...quantity('search', 0, 'seconds to look for kinds of stress under which the controls show'),
    default: 20,
  },
  seed: { ...count('seed', 0, 'of what is done by chance'), default: 1 },
  ...COMPARING,
};
type RunArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const runCommand = defineCommand({
  usage: 'run [paths..]',
  describe: 'run tests on a GPU, and hold what is seen against a model and the machine',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runTests,
});

/** Exports tests, runs them where a GPU is, and compares; or compares what a bundle has left that ran elsewhere. */
async function runTests({ paths, out, from, keep, ...args }: RunArguments): Promise<ExitCode> {
  const folder = from ?? out ?? mkdtempSync(join(tmpdir(), 'ptx-litmus-'));
  if (from === undefined) {
    if (paths.length === 0) throw new UsageError('name tests, or folders of them, to run');
    process.stderr.write(await writeBundle(paths, folder, args.at));
    runBundle(folder, args);
  }
  const log = join(folder, 'observed.log');
  if (!existsSync(log)) throw new UsageError(noLog(folder));
  const tests = [...(paths.length === 0 ? [join(folder, TEXTS)] : paths), join(folder, CONTROLS)].filter((one) =>
    existsSync(one),
  );
  const marks = marksOf(folder);
  if (keep !== undefined) keepRun(folder, keep, marks);
  const code = await runCompare({ ...args, logs: [log], tests, beyond: args.beyond ?? 'sc' }, marks);
  return worst([code, reportControls(folder, args.reporter === 'text')]);
}

const noLog = (folder: string): string =>
  existsSync(join(folder, 'observed.tar.gz'))
    ? `${folder}/observed.log is not there, and observed.tar.gz is: unpack that first, in ${folder}`
    : `${folder}/observed.log is not there: bash ${folder}/run.sh writes it, on a machine with a GPU`;

/** Builds a bundle and runs it; what stands against that is told as the runner tells it. */
function runBundle(folder: string, { seconds, search, seed }: Pick<RunArguments, 'seconds' | 'search' | 'seed'>): void {
  const words = [join(folder, 'run.sh'), String(seconds), String(seed), String(search)];
  const { status } = spawnSync('bash', words, { stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  throw new UsageError(
    `the bundle was not run (see above): it is in ${folder}, and bash ${words[0]} runs it where a GPU is; ` +
      `ptx-litmus run --from ${folder} goes on from what that leaves there`,
  );
}

/** What ptxas made of the tests of a bundle, where it is not what they say: by their SASS, or as it was kept. */
function marksOf(folder: string): Marks {
  const marks = new Map<string, string[]>();
  const add = (name: string, found: readonly string[]): void => {
    if (found.length > 0) marks.set(name, [...(marks.get(name) ?? []), ...found]);
  };
  const kept = join(folder, NOTES);
  if (existsSync(kept)) {
    for (const [, name = '', note = ''] of readText(kept).matchAll(/^([^\t\n]+)\t(.+)$/gm)) add(name, [note]);
    return marks;
  }
  const manifest = readText(join(folder, 'manifest.txt'));
  for (const [, name = '', module = ''] of manifest.matchAll(/^test (\S+)\nmodule (\S+)\.cubin$/gm)) {
    const [ptx, sass] = [join(folder, `${module}.ptx`), join(folder, `${module}.sass`)];
    if (existsSync(ptx) && existsSync(sass)) add(name, checkSass(readText(ptx), readText(sass)));
  }
  return marks;
}

const NOTES = 'notes.tsv';
/** Of a run; of its SASS only the notes are kept. */
const KEPT = ['observed.log', 'controls.tsv', 'machine.txt', 'left-out.txt', CONTROLS];

/** Writes what is needed to hold a run against other models, or later versions of this one. */
function keepRun(folder: string, keep: string, marks: Marks): void {
  for (const name of KEPT) {
    const path = join(folder, name);
    if (existsSync(path)) writeText(join(keep, name), readText(path));
  }
  const wereRun = new Set(
    Array.from(readText(join(folder, KEPT[0] ?? '')).matchAll(/^Test (\S+) /gm), ([, name]) => name),
  );
  const texts = readText(join(folder, TEXTS)).split(/^(?=PTX )/m);
  const ran = texts.filter((text) => wereRun.has(/^PTX (\S+)/.exec(text)?.[1]));
  writeText(join(keep, TEXTS), ran.join(''));
  const kept = [...marks].filter(([name]) => wereRun.has(name));
  writeText(join(keep, NOTES), kept.flatMap(([name, found]) => found.map((note) => `${name}\t${note}\n`)).join(''));
}

/** Whether the controls of a run have shown what they must: without that, "not observed" says nothing. */
function reportControls(folder: string, isShown: boolean): ExitCode {
  const path = join(folder, 'controls.tsv');
  if (!existsSync(path)) return EXIT_CODES.good;
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const controls = lines.map((line) => {
    const [name = '', how, weak = '0', samples = '0', stress = ''] = line.split('\t');
    return { name, isBad: (how === 'must') === (weak === '0'), must: how === 'must', weak, samples, stress };
  });
  const bad = controls.filter(({ isBad }) => isBad);
  if (isShown)
    process.stdout.write(
      [
        'controls',
        ...controls.map(
          ({ name, must, weak, samples, stress }) =>
            `  ${name.padEnd(24)} ${must ? 'must be seen' : 'must not be'}  ${weak} of ${samples}` +
            (must && weak !== '0' ? ` under ${stress}` : ''),
        ),
        bad.length === 0
          ? `all ${plural(controls.length, 'control')} as they must be`
          : `${plural(bad.length, 'control')} not as they must be: ${bad.map(({ name }) => name).join(', ')}; what ` +
            'was not observed of their kind says nothing',
        '',
      ].join('\n'),
    );
  return bad.length === 0 ? EXIT_CODES.good : EXIT_CODES.undecided;
}
