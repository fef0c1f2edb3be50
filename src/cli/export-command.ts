import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Model } from '../cat/model.js';
import { exploreProgram, MOST_STATES } from '../check/check-operationally.js';
import { DEFAULT_UNROLL } from '../check/limits.js';
import { loadTests, parseTests } from '../check/load-tests.js';
import type { Source } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { bundleFiles } from '../export/bundle.js';
import { type Control, controlOf } from '../export/controls.js';
import { type ExportedLaunches, exportLaunches } from '../export/export-launches.js';
import { type ExportedTest, exportTest } from '../export/export-test.js';
import { launchFiles } from '../export/launch-manifest.js';
import { mayBlock } from '../export/refusals.js';
import { loadModel } from '../files/load-model.js';
import { writeText } from '../files/write-text.js';
import type { Program } from '../program/program.js';
import { describeUndecided } from '../program/undecided.js';
import { plural } from '../report/words.js';
import { printLitmus } from '../syntax/print-litmus.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { findTests } from './find-tests.js';
import { atLeastOne, text } from './option.js';
import { AT } from './options.js';

const POSITIONALS = { paths: atLeastOne('tests, or folders of them') };
const OPTIONS = { out: text('the folder of the bundle', 'o'), ...AT };
type ExportArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const exportCommand = defineCommand({
  usage: 'export <paths..>',
  describe: 'write a bundle that runs tests on a GPU, with the CUDA toolkit alone',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runExport,
});

const RUNNER = fileURLToPath(new URL('../export/runner/', import.meta.url));
/** What every run shows, or must not. */
export const CONTROLS = 'controls.litmus';
/** The tests of a bundle as they were exported, but for the controls. */
export const TEXTS = 'tests.litmus';
const RUNNER_FILES = [
  'run.cu',
  'manifest.h',
  'configurations.h',
  'tensor-maps.h',
  CONTROLS,
  'Makefile',
  'run.sh',
  'launch.cu',
  'sanitize.sh',
];

/** Writes the modules of tests with a runner; those that no GPU runs are told, with the reason. */
async function runExport({ paths, out, at }: ExportArguments): Promise<ExitCode> {
  if (out === undefined) throw new UsageError('name a folder for the bundle: --out DIR');
  process.stdout.write(await writeBundle(paths, out, at));
  return EXIT_CODES.good;
}

/** Writes a bundle of tests into a folder; returns what is in it, in words. */
export async function writeBundle(paths: readonly string[], out: string, at?: string): Promise<string> {
  const { tests, texts, controls, launched, refused } = exportAll(await findTests(paths, { at }));
  for (const [path, contents] of [...bundleFiles(tests, controls), ...launchFiles(launched)])
    writeText(join(out, path), contents);
  for (const name of RUNNER_FILES) writeText(join(out, name), readFileSync(join(RUNNER, name), 'utf8'));
  writeText(join(out, TEXTS), texts.join('\n'));
  writeText(join(out, 'not-exported.txt'), `${refused.join('\n')}\n`);
  return (
    `${plural(tests.length, 'test')} in ${out}, ${controls.size} of them controls; ` +
    `bash ${join(out, 'run.sh')} builds and runs them on a GPU\n` +
    (launched.length === 0
      ? ''
      : `${plural(launched.length, 'kernel test')}; bash ${join(out, 'sanitize.sh')} OUT runs them on a GPU\n`) +
    `${plural(refused.length, 'test')} left out, with the reasons in ${join(out, 'not-exported.txt')}\n`
  );
}

/** What a bundle is made of. */
interface ExportedTests {
  readonly tests: readonly ExportedTest[];
  readonly texts: readonly string[];
  readonly controls: ReadonlyMap<ExportedTest, Control>;
  readonly launched: readonly ExportedLaunches[];
  readonly refused: readonly string[];
}

/** The tests of some sources, behind the controls; those that may block come last, since a GPU that hangs stays so. */
function exportAll(sources: readonly Source[]): ExportedTests {
  const { value: model } = loadModel('ptx-9.4');
  if (model === undefined) throw new Error('ptx-9.4 cannot be read');
  const path = join(RUNNER, CONTROLS);
  const first = testsIn({ path, text: readFileSync(path, 'utf8') }, model).tests;
  const controls = new Map(first.map(({ program, exported }) => [exported, controlOf(program, exported)] as const));
  const found = sources.map((source) => testsIn(source, model));
  const names = new Set(first.map(({ exported }) => exported.name));
  const refused = found.flatMap((one) => one.refused);
  const isNew = (name: string): boolean => {
    const isTaken = names.has(name);
    if (isTaken) refused.push(`${name}: another test has that name`);
    names.add(name);
    return !isTaken;
  };
  const tests = found.flatMap((one) => one.tests.filter(({ exported: { name } }) => isNew(name)));
  const launched = found.flatMap((one) => one.launched.filter(({ name }) => isNew(name)));
  const [blocking, others] = [true, false].map((is) => tests.filter(({ program }) => mayBlock(program) === is));
  const ordered = [...(others ?? []), ...(blocking ?? [])];
  const all = [...first, ...ordered].map(({ exported }) => exported);
  return { tests: all, texts: ordered.map(({ text }) => text), controls, launched, refused };
}

/** The tests of a source that a GPU can run, and why not the others. */
function testsIn(source: Source, model: Model) {
  const tests: { readonly program: Program; readonly exported: ExportedTest; readonly text: string }[] = [];
  const launched: ExportedLaunches[] = [];
  const refused: string[] = [];
  const files = parseTests(source).value ?? [];
  const { value: programs, diagnostics } = loadTests(source, {}, 'threads');
  if (diagnostics.some(({ code }) => code === 'L0218'))
    return { tests, launched, refused: [`${source.path}: it has ranges: give a value of each, as in --at n=3`] };
  if (programs === undefined || source.path.endsWith('.test'))
    return { tests, launched, refused: [`${source.path}: it cannot be read as a test of ours`] };
  for (const [i, program] of programs.entries()) {
    const file = files[i];
    if (file === undefined) continue;
    if (file.launches.length > 0) {
      const launches = exportLaunches(file, program);
      if ('refused' in launches) refused.push(`${launches.name}: ${launches.refused}`);
      else launched.push(launches);
      continue;
    }
    const hangs = mayBlock(program) ? whyItMayHang(program, model) : undefined;
    const exported = hangs === undefined ? exportTest(file, program) : { name: program.name, refused: hangs };
    if ('refused' in exported) refused.push(`${exported.name}: ${exported.refused}`);
    else tests.push({ program, exported, text: files.length === 1 ? source.text : printLitmus(file) });
  }
  return { tests, launched, refused };
}

/** In milliseconds. */
const EXPLORING = 3000;

/** At a barrier that nobody completes a GPU hangs, and its process with it: by the machine, that cannot be. */
function whyItMayHang(program: Program, model: Model): string | undefined {
  const limits = {
    timeout: EXPLORING,
    clock: () => performance.now(),
    unroll: DEFAULT_UNROLL,
    mostStates: MOST_STATES,
  };
  const explored = exploreProgram(program, model, limits);
  if ('kind' in explored) return `whether it ends is not known: ${describeUndecided(explored)}`;
  if (explored.deadlock !== undefined) return 'a thread may wait at a barrier for ever';
  const open = explored.openDeadlock ?? explored.incomplete;
  return open === undefined ? undefined : `whether it ends is not known: ${describeUndecided(open)}`;
}
