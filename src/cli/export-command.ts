import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Model } from '../cat/model.js';
import { exploreProgram, MOST_STATES } from '../check/check-operationally.js';
import { DEFAULT_UNROLL } from '../check/limits.js';
import { loadTests, parseTests } from '../check/load-tests.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { bundleFiles } from '../export/bundle.js';
import { type ExportedLaunches, exportLaunches } from '../export/export-launches.js';
import { type ExportedTest, exportTest, mayBlock } from '../export/export-test.js';
import { launchFiles } from '../export/launch-manifest.js';
import { loadModel } from '../files/load-model.js';
import { writeText } from '../files/write-text.js';
import type { Program } from '../program/program.js';
import { describeUndecided } from '../program/undecided.js';
import { plural } from '../report/words.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { findTests } from './find-tests.js';
import { atLeastOne, text } from './option.js';

const POSITIONALS = { paths: atLeastOne('tests, or folders of them') };
const OPTIONS = { out: text('the folder of the bundle', 'o') };
type ExportArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const exportCommand = defineCommand({
  usage: 'export <paths..>',
  describe: 'write a bundle that runs tests on a GPU, with the CUDA toolkit alone',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runExport,
});

const RUNNER = fileURLToPath(new URL('../export/runner/', import.meta.url));
const RUNNER_FILES = ['run.cu', 'Makefile', 'run.sh', 'launch.cu', 'sanitize.sh'];

/** Writes the modules of tests with a runner; those that no GPU runs are told, with the reason. */
async function runExport(args: ExportArguments): Promise<ExitCode> {
  const { out } = args;
  if (out === undefined) throw new UsageError('name a folder for the bundle: --out DIR');
  const { value: model } = loadModel('ptx-9.4');
  if (model === undefined) throw new Error('ptx-9.4 cannot be read');
  const tests: ExportedTest[] = [];
  /** Where one of them hangs against all expectation, the others have run. */
  const last: ExportedTest[] = [];
  const launched: ExportedLaunches[] = [];
  const names = new Set<string>();
  const refused: string[] = [];
  for (const source of await findTests(args.paths)) {
    const files = parseTests(source).value ?? [];
    const programs = loadTests(source, {}, 'threads').value;
    if (programs === undefined || source.path.endsWith('.test')) {
      refused.push(`${source.path}: it cannot be read as a test of ours`);
      continue;
    }
    for (const [i, program] of programs.entries()) {
      const file = files[i];
      if (file === undefined) continue;
      if (file.launches.length > 0) {
        const launches = exportLaunches(file, program);
        if ('refused' in launches) refused.push(`${launches.name}: ${launches.refused}`);
        else if (names.has(launches.name)) refused.push(`${launches.name}: another test has that name`);
        else launched.push(launches);
        names.add(program.name);
        continue;
      }
      const hangs = mayBlock(program) ? whyItMayHang(program, model) : undefined;
      const exported = hangs === undefined ? exportTest(file, program) : { name: program.name, refused: hangs };
      if ('refused' in exported) refused.push(`${exported.name}: ${exported.refused}`);
      else if (names.has(exported.name)) refused.push(`${exported.name}: another test has that name`);
      else (mayBlock(program) ? last : tests).push(exported);
      names.add(exported.name);
    }
  }
  tests.push(...last);
  for (const [path, contents] of [...bundleFiles(tests), ...launchFiles(launched)])
    writeText(join(out, path), contents);
  for (const name of RUNNER_FILES) writeText(join(out, name), readFileSync(join(RUNNER, name), 'utf8'));
  writeText(join(out, 'not-exported.txt'), `${refused.join('\n')}\n`);
  process.stdout.write(
    `${plural(tests.length, 'test')} in ${out}; bash ${join(out, 'run.sh')} builds and runs them on a GPU\n` +
      (launched.length === 0
        ? ''
        : `${plural(launched.length, 'kernel test')}; bash ${join(out, 'sanitize.sh')} OUT runs them on a GPU\n`) +
      `${plural(refused.length, 'test')} left out, with the reasons in ${join(out, 'not-exported.txt')}\n`,
  );
  return EXIT_CODES.good;
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
