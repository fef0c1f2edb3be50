import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { BASELINE, type Failure, SMALL } from './in-process.js';
import { catTexts, litmusTexts, log, mutated, template } from './texts.js';

/** In seconds: what each command may take, and how much longer it may last in all. */
const TIMEOUT = 2;
const GRACE = 8;
const MEGABYTE = 2 ** 20;

const COMMANDS = [
  ...['check', 'check', 'check', 'explain', 'advise', 'graph', 'simulate', 'convert', 'model check', 'model show'],
  ...['diff', 'baseline check', 'baseline write', 'compare', 'merge', 'gen', ''],
] as const;
/** What most commands take; they refuse the rest. */
const USUAL = [
  ...[['-m', 'ptx-7.5'], ['-m', 'sc'], ['-m', './broken.cat'], ['--unroll', '2'], ['--timeout', '1'], ['--quiet']],
  ...[
    ['-f', 'json'],
    ['-f', 'ndjson'],
    ['-f', 'junit=out.xml'],
    ['-f', 'junit=/dev/full'],
    ['-f', 'herd'],
  ],
  ...[['--states'], ['--witnesses', '3'], ['--strict'], ['--variants'], ['--condition', 'exists (P1:r0 == 1)']],
  ...[
    ['-f', 'text'],
    ['-j', '2'],
    ['--shard', '1/2'],
    ['--no-times'],
    ['--cache=cache'],
    ['--cache=/dev/full'],
    ['--engine', 'both'],
    ['--color', 'always'],
    ['-o', 'out'],
    ['-o', '/dev/full'],
  ],
] as const;
const OPTIONS = [
  ...['--verbose', '--no-progress', '--help', '--version', '--memory', '--reporter', '--out', '--format', '--theme'],
  ...['--of', '--find', '--random', '--seed', '--variant', '--include', '--show-rel', '--hide-rel', '--to', '--count'],
  ...['--family', '--cycles', '--events', '--synthesize', '--seconds', '--emit-smt2', '--nonsense', '--log', '-t'],
];
const VALUES = [
  ...['ptx-9.4', 'ptx-7.5', 'sc', 'nope', './broken.cat', '0', '1', '2', '-1', '1e99', 'NaN', '', '64', '400', 'text'],
  ...['json', 'ndjson', 'junit', 'junit=/dev/full', 'json=/proc/none/x', 'sarif=out.sarif', 'github', 'herd', 'ascii'],
  ...['dot', 'svg', 'both', 'operational', 'deadlock', 'proxy-fence=lenient', 'exists (P1:r0 == 1)', 'forbid (', 'po'],
  ...[
    'PodWW Rfe PodRR Fre',
    'litmus',
    'out',
    '/dev/full',
    '/proc/none',
    '.',
    '[object Object]',
    '\u0000'.length === 1 ? 'x' : '',
  ],
];
const FILES = [
  ...['MP.litmus', 'MP.litmus', 'good.litmus', 'good.litmus', 'good.litmus', 'good.litmus', 'broken.litmus'],
  ...['broken.cat', 'broken.test', 'broken.log', 'broken.json', 'huge.litmus', '.', '-'],
  ...['missing.litmus', '/dev/null', '/dev/zero', 'empty.litmus', 'two.litmus', 'out'],
];
const OF_ONE_TEST: readonly string[] = ['explain', 'advise', 'graph', 'simulate', 'convert'];

type Fault = 'none' | 'full' | 'closed' | 'killed' | 'terminated' | 'interrupted';
const run = fc.record({
  command: fc.constantFrom(...COMMANDS),
  files: fc.array(fc.constantFrom(...FILES), { minLength: 0, maxLength: 3 }),
  usual: fc.array(fc.constantFrom(...USUAL), { maxLength: 2 }),
  options: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...OPTIONS, ...VALUES), { maxLength: 4 }) },
  ),
  fault: fc.constantFrom<Fault>('none', 'none', 'none', 'full', 'closed', 'killed', 'terminated', 'interrupted'),
  after: fc.integer({ min: 0, max: 900 }),
  memory: fc.option(fc.constantFrom(64, 150, 250)),
  good: fc.constantFrom(...litmusTexts),
  litmus: mutated([...litmusTexts, SMALL]),
  cat: mutated(catTexts),
  nvlitmus: mutated([template]),
  log: mutated([log]),
  baseline: mutated([BASELINE]),
  size: fc.constantFrom(0, 0, 0, 1, 10),
});
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never;

/** What the exit codes of docs/command-line.md allow; a signal or a closed pipe may also end a command. */
const CODES: readonly (number | null)[] = [0, 1, 2, 3, 4];
const BY_SIGNAL: readonly (number | null)[] = [null, 130, 137, 143, 141];
const ENDED: readonly Fault[] = ['killed', 'terminated', 'interrupted', 'closed'];

function inFolder(folder: string, { good, litmus, cat, nvlitmus, log: records, baseline, size }: Run): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write('MP.litmus', SMALL);
  write('two.litmus', `${SMALL}\n${SMALL}`);
  write('good.litmus', good);
  write('empty.litmus', '');
  write('broken.litmus', litmus);
  write('broken.cat', cat);
  write('broken.test', nvlitmus);
  write('broken.log', records);
  write('broken.json', baseline);
  const filler = ['\n', ' x', '// y\n', '{', litmus][litmus.length % 5] ?? ' ';
  write('huge.litmus', litmus + filler.repeat(Math.ceil((size * MEGABYTE) / Math.max(1, filler.length))));
}

/** Runs one command as a process, with its fault; undefined if it does as it should. */
async function runOne(main: string, drawn: Run, ends: Map<string, number>): Promise<Failure | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-fuzz-'));
  try {
    inFolder(folder, drawn);
    const files = OF_ONE_TEST.includes(drawn.command) ? [drawn.files[0] ?? 'good.litmus'] : drawn.files;
    const limits = ['explain', 'check', 'advise', 'graph', 'simulate', 'diff', 'compare'].includes(drawn.command)
      ? ['--timeout', String(TIMEOUT)]
      : [];
    const memory = drawn.command === 'check' && drawn.memory !== null ? ['--memory', String(drawn.memory)] : [];
    const args = [
      ...drawn.command.split(' ').filter(Boolean),
      ...files,
      ...drawn.usual.flat(),
      ...drawn.options,
      ...limits,
      ...memory,
    ];
    const quoted = [main, ...args].map((one) => `'${one.replace(/'/g, "'\\''")}'`).join(' ');
    const into = drawn.fault === 'full' ? ' > /dev/full' : drawn.fault === 'closed' ? ' | head -c 20 > /dev/null' : '';
    const start = performance.now();
    const child = spawn('bash', ['-c', `${into.includes('|') ? '' : 'exec '}node ${quoted}${into}`], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(drawn.litmus);
    let said = '';
    child.stderr?.on('data', (text) => {
      said += text;
    });
    const signal = { killed: 'SIGKILL', terminated: 'SIGTERM', interrupted: 'SIGINT' }[drawn.fault as 'killed'];
    if (signal !== undefined) setTimeout(() => child.kill(signal as NodeJS.Signals), drawn.after);
    const hung = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), (TIMEOUT + GRACE + 20) * 1000);
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    clearTimeout(hung);
    const time = (performance.now() - start) / 1000;
    ends.set(String(code), (ends.get(String(code)) ?? 0) + 1);
    const fail = (what: string): Failure => ({
      kind: 'process',
      text:
        `${quoted}${into} # ${drawn.fault} after ${drawn.after} ms, ${drawn.size} MB\n` +
        `--- good.litmus\n${drawn.good}\n--- broken.litmus\n${drawn.litmus}\n--- broken.cat\n${drawn.cat}\n`,
      what: `${what}\n${said.slice(0, 2000)}`,
    });
    if (/^\s+at .*:\d+:\d+\)?$/m.test(said) || /internal error/.test(said)) return fail('a stack trace');
    if (!CODES.includes(code) && !(ENDED.includes(drawn.fault) && BY_SIGNAL.includes(code)))
      return fail(`exit ${code}`);
    // Files named for a command that has no limit on reading are read as a whole.
    if (time > TIMEOUT + GRACE && !args.includes('--synthesize')) return fail(`took ${time.toFixed(1)} s`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs so many commands, each with a fault of its own; what ends in a way that none may is a failure. */
export async function fuzzProcesses(
  main: string,
  count: number,
  seed: number,
  hear: (done: number, failures: number) => void,
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  const ends = new Map<string, number>();
  for (const [i, drawn] of fc.sample(run, { numRuns: count, seed }).entries()) {
    const failure = await runOne(main, drawn, ends);
    if (failure !== undefined) failures.push(failure);
    if (i % 50 === 49) hear(i + 1, failures.length);
  }
  console.log(
    `\nexit codes: ${[...ends]
      .sort()
      .map(([code, times]) => `${code} ${times} times`)
      .join(', ')}`,
  );
  return failures;
}
