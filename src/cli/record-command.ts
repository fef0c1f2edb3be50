import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../diagnostics/usage-error.js';
import { writeText } from '../files/write-text.js';
import { type CheckBudget, checkDeadline } from '../program/undecided.js';
import { Modules } from '../record/modules.js';
import { shrink, threadsOf } from '../record/shrink.js';
import { describeSummary, summaryOf } from '../record/summary.js';
import { type Outcome, type WrittenTest, writeTests } from '../record/write-tests.js';
import { checkTests } from './check-command.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { anyNumber, count, flag, quantity, text, texts } from './option.js';
import { applicationEnd, readRawFolder, recordedFolders } from './read-raw-folder.js';

const POSITIONALS = { application: anyNumber('the application and its arguments, behind --') };
const OPTIONS = {
  from: text('go on from the raw files of a recording, which record.sh has left in a folder'),
  out: text('the folder for the tests and their modules (default: tests, in the folder of the recording)', 'o'),
  raw: { ...text('the folder for the raw files of the recording'), default: 'recorded' },
  contents: { ...count('contents', 0, 'copy what is in buffers of at most so many bytes before a launch'), default: 0 },
  ptx: texts('a folder in which a .ptx lies beside the .cubin that is loaded; may be repeated'),
  check: flag('check the tests that are written'),
  shrink: count('shrink', 1, 'beside each test of more threads than that propose a launch of fewer CTAs'),
  most: { ...count('most', 0, 'tests to write at most'), default: 500 },
  'most-of-kernel': { ...count('most-of-kernel', 1, 'tests of one kernel to write at most'), default: 20 },
  timeout: { ...quantity('timeout', 0.001, 'seconds for reading, following and checking each test'), default: 60 },
};
type RecordArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const recordCommand = defineCommand({
  usage: 'record [application..]',
  describe: 'run an application, and write a kernel test of each distinct launch that it makes',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runRecord,
});

const RECORDER = fileURLToPath(new URL('../record/recorder/record.sh', import.meta.url));

/** Records an application, or goes on from what is recorded: tests, modules, and what became of each launch. */
async function runRecord(args: RecordArguments): Promise<ExitCode> {
  const { application, from } = args;
  if ((from === undefined) === (application.length === 0))
    throw new UsageError('name an application behind -- (record -- ./app arguments), or --from DIR, and not both');
  if (from !== undefined && (args.contents > 0 || args.ptx.length > 0))
    throw new UsageError('--contents and --ptx go with an application: --from only reads what is there');
  const folder = from ?? args.raw;
  if (from === undefined && !runApplication(folder, args)) return EXIT_CODES.usage;
  const out = args.out ?? join(folder, 'tests');
  const paths: string[] = [];
  for (const one of recordedFolders(folder))
    paths.push(...goOn(one, one === folder ? out : join(out, basename(one)), args));
  if (!args.check || paths.length === 0) return EXIT_CODES.good;
  return checkTests(paths, { timeout: args.timeout });
}

/** Whether there is a recording; why not is told by the script. */
function runApplication(folder: string, { contents, ptx, application }: RecordArguments): boolean {
  if (existsSync(join(folder, 'launches.jsonl')))
    throw new UsageError(
      `${folder} holds a recording already: name another folder by --raw, or go on by --from ${folder}`,
    );
  const options = ['--contents', String(contents), ...ptx.flatMap((one) => ['--ptx', one])];
  const { error } = spawnSync('bash', [RECORDER, folder, ...options, '--', ...application], { stdio: 'inherit' });
  if (error !== undefined)
    throw new UsageError(`bash cannot be started, by which ${RECORDER} is run: ${error.message}`);
  return existsSync(join(folder, 'launches.jsonl'));
}

/** Writes what a folder of raw files leads to; gives the paths of the tests. */
function goOn(folder: string, out: string, args: RecordArguments): readonly string[] {
  const { most, mostOfKernel, shrink: moreThan, timeout } = args;
  const { recording, found } = readRawFolder(folder);
  const modules = new Modules(found, recording.images);
  const budget = (): CheckBudget => {
    const end = performance.now() + 1000 * timeout;
    return () => checkDeadline({ remaining: () => end - performance.now() });
  };
  const outcomes = writeTests(recording, modules, { all: most, ofKernel: mostOfKernel }, budget);
  const paths: string[] = [];
  const written = new Set<string>();
  const write = (one: WrittenTest): string => {
    for (const path of one.modules) {
      if (!written.has(path)) writeText(join(out, path), modules.textAt(path) ?? '');
      written.add(path);
    }
    const path = join(out, `${one.test.name}.litmus`);
    writeText(path, one.text);
    paths.push(path);
    return path;
  };
  const proposals = new Map<number, string>();
  for (const one of outcomes) {
    if (one.kind !== 'written') continue;
    write(one.written);
    const proposal = moreThan === undefined ? undefined : proposed(one, modules, moreThan, budget);
    if (proposal === undefined) continue;
    const told = 'reason' in proposal ? proposal.reason : write(proposal.written);
    proposals.set(one.launch.id, told);
    process.stderr.write(`${one.written.test.name}: ${'reason' in proposal ? `none smaller: ${told}` : told}\n`);
  }
  const end = applicationEnd(folder);
  writeText(join(out, 'recorded.json'), `${JSON.stringify(summaryOf(recording, outcomes, end, proposals), null, 2)}\n`);
  process.stdout.write(describeSummary(recording, outcomes, end));
  process.stdout.write(`${join(out, 'recorded.json')}\n`);
  return paths;
}

function proposed(
  { written }: Extract<Outcome, { readonly kind: 'written' }>,
  modules: Modules,
  moreThan: number,
  budget: () => CheckBudget,
): ReturnType<typeof shrink> | undefined {
  return threadsOf(written.test) <= moreThan ? undefined : shrink(written, modules, moreThan, budget);
}
