import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../../src/generate/random.js';
import { ROOT } from '../support.js';
import { MAIN, type Run, runHere, runProcess } from './run.js';

const REPORTS = ['text', 'json', 'ndjson', 'junit', 'sarif', 'github', 'herd'] as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-suite-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What is about other processes, the memory of this one, or how slowly a process begins. */
const OF_PROCESS = new Set(['-j', '--memory', '--timeout']);

async function run(...args: readonly string[]): Promise<Run> {
  return args.some((argument) => OF_PROCESS.has(argument)) ? runProcess(args, folder) : runHere(args, folder);
}

/** As it is installed: what is in the cache and in logs is of one code. */
const installed = async (...args: readonly string[]): Promise<Run> => runProcess(args, folder);

/** Checks with every reporter; each report by its name, and what was said besides. */
async function reports(how: typeof run, ...args: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const into = mkdtempSync(join(folder, 'reports-'));
  const files = REPORTS.flatMap((name) => ['-f', `${name}=${join(into, name)}`]);
  const { code, err } = await how(...args, ...files);
  const texts = REPORTS.map((name) => [name, readFileSync(join(into, name), 'utf8')] as const);
  return {
    code: String(code),
    err: err.replace(/^ptx-litmus: .* were in the cache\n/m, ''),
    ...Object.fromEntries(texts),
  };
}

/** How many answers came out of the cache, of how many. */
function remembered({ err }: Run): string | undefined {
  return /(\d+ of \d+) answers were in the cache/.exec(err)?.[1];
}

/** Tests of several kinds: met, broken, undefined, undecided, with a warning, with a mistake, several in a file. */
const WHOLE_FILES: readonly string[] = [
  'async/griddepcontrol+MP',
  'classic/MP+rel.gpu+acq.gpu',
  'classic/SB+rlx.gpu+rlx.gpu',
  'mbarrier/LB+ld-arrive.count+wait-st+data',
  'mbarrier/MP+arrive+arrive.tok-spin.test_wait.tok',
  'mbarrier/MP+arrive+test_wait',
  'mbarrier/count+too-many-arrivals',
];
function writeSuite(): void {
  mkdirSync(join(folder, 'suite'));
  const from = (name: string): string => readFileSync(join(ROOT, 'litmus', name), 'utf8');
  for (const name of WHOLE_FILES)
    writeFileSync(join(folder, 'suite', `${name.replace('/', '-')}.litmus`), from(`${name}.litmus`));
  const broken = from('classic/MP+rel.gpu+acq.gpu.litmus').replace('st.release.gpu', 'st.relaxed.gpu');
  const lock = from('classic/CoWW+weak-weak.litmus');
  const other = from('classic/SB+rlx.gpu+rlx.gpu.litmus');
  writeFileSync(join(folder, 'suite/several.litmus'), `${broken}\n// the second\n${lock}\n${other}`);
  writeFileSync(join(folder, 'suite/mistake.litmus'), lock.replace('st.weak', 'st.wek'));
  writeFileSync(
    join(folder, 'suite/endless.litmus'),
    'PTX endless\n{ .global .u32 x = 0; }\nP0 { again: atom.exch.relaxed.gpu.global.b32 r0, [x], 1;\n' +
      '  setp.ne.u32 p, r0, 5;\n  @p bra again; }\nforbid (P0:r0 == 5)\n',
  );
}

/** Adds comments and blanks where they mean nothing. */
function addComments(seed: number): void {
  const random = new Random(seed);
  for (const name of readdirSync(join(folder, 'suite'))) {
    const path = join(folder, 'suite', name);
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => [
        ...(random.below(4) === 0 ? [random.pick(['// why', '', '(* two\n   lines *)', '  /* x */ '])] : []),
        random.below(4) === 0 && !line.includes('"') ? `${line}${random.pick(['  // end', '  ', ' (* c *)'])}` : line,
      ]);
    writeFileSync(path, lines.join('\n'));
  }
}

describe('a suite', () => {
  it('is reported with the same bytes by any number of processes, and by its shards in any order', async () => {
    writeSuite();
    const options = ['--no-times', '--states', '--variants', '-m', 'ptx-9.4', '-m', 'ptx-7.5'];
    const one = await reports(installed, 'check', 'suite', ...options);
    expect(one['code']).toBe('2');
    expect(one['text']).toContain('BROKEN');
    expect(await reports(installed, 'check', 'suite', '-j', '2', ...options)).toEqual(one);
    const shards: string[] = [];
    for (const shard of ['3/3', '1/3', '2/3']) {
      const file = join(folder, `${shard[0]}.ndjson`);
      // In a process besides, and in none.
      const jobs = shard === '1/3' ? ['-j', '1'] : [];
      await installed('check', 'suite', ...jobs, '--shard', shard, ...options, '-f', `ndjson=${file}`);
      shards.push(file);
    }
    expect(await reports(installed, 'merge', ...shards)).toEqual(one);
  });

  it('keeps a test in its shard when others are added', async () => {
    writeSuite();
    const shardOf = async (): Promise<ReadonlyMap<string, number>> => {
      const shards = new Map<string, number>();
      for (const i of [1, 2, 3]) {
        // The cache, so that the tests from before are not decided again.
        const { out } = await run('check', 'suite', '--shard', `${i}/3`, '-f', 'ndjson', '--cache=cache');
        for (const line of out.trim().split('\n')) {
          const { test } = JSON.parse(line) as { test?: { path: string; name: string } };
          if (test !== undefined) shards.set(`${test.path} ${test.name}`, i);
        }
      }
      return shards;
    };
    const before = await shardOf();
    expect(new Set(before.values()).size).toBe(3);
    cpSync(join(ROOT, 'litmus/fences'), join(folder, 'suite'), { recursive: true });
    const after = await shardOf();
    expect([before.size, after.size]).toEqual([11, 29]);
    expect([...before].filter(([test, shard]) => after.get(test) !== shard)).toEqual([]);
  });

  it('may come from standard input, as gen prints it', () => {
    const { stdout } = spawnSync(
      'sh',
      ['-c', `node ${MAIN} gen --count 12 --seed 3 -o - | node ${MAIN} check - -j 2`],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    expect(stdout).toContain('12 tests');
  });

  it('goes on with a test whose process dies, and gives it up when the next one dies too', async () => {
    writeLongTest();
    cpSync(join(ROOT, 'litmus/classic/CoWW+weak-weak.litmus'), join(folder, 'short.litmus'));
    const checking = spawn(
      'node',
      [MAIN, 'check', 'long.litmus', 'short.litmus', '--states', '-j', '1', '-f', 'ndjson'],
      {
        cwd: folder,
      },
    );
    let out = '';
    checking.stdout.on('data', (text) => {
      out += text;
    });
    const ended = new Promise((resolve) => checking.on('close', resolve));
    for (let killed = 0; killed < 2; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const workers = childrenOf(checking.pid ?? 0);
      const working = workers.filter((pid) => cpuTimeOf(pid) > 0.6);
      for (const pid of working) process.kill(pid, 'SIGKILL');
      killed += working.length;
    }
    expect(await ended).toBe(3);
    expect(out).toContain('solver crashed: its process was ended by SIGKILL, twice');
    expect(out).toMatch(/"kind":"summary".*"tests":2,"broken":0,"undecided":1/);
  });

  it('asks a test again in a fresh process where those before it have taken the memory', async () => {
    writeLongTest();
    cpSync(join(ROOT, 'litmus/classic/CoWW+weak-weak.litmus'), join(folder, 'short.litmus'));
    const { out, code } = await run('check', 'long.litmus', 'short.litmus', '--states', '-j', '1', '--memory', '160');
    expect(code).toBe(3);
    expect(out).toContain('undecided: long (ptx-9.4): memory: the process has more than 160 MiB');
    expect(out).toContain('expectations: 2 met, 0 broken');
  });
});

/** Takes long, and much of the memory that a process has. */
function writeLongTest(): void {
  const threads = Array.from({ length: 40 }, (_, i) => `P${i} { st.relaxed.gpu.global.u32 [x], ${i}; }`);
  writeFileSync(
    join(folder, 'long.litmus'),
    `PTX long\n{ .global .u32 x = 0; }\n${threads.join('\n')}\nexists (x == 1)`,
  );
}

/** The processes that one has started, by what Linux says. */
function childrenOf(pid: number): readonly number[] {
  return spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
    .map(Number);
}

/** In seconds. */
function cpuTimeOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

describe('the cache', () => {
  const check = (...args: readonly string[]): Promise<Run> =>
    run('check', 'suite', '--no-times', '--cache=cache', ...args);

  it('has every decided answer, and the reports are the same', async () => {
    writeSuite();
    const options = ['check', 'suite', '--no-times', '--states'];
    const without = await reports(installed, ...options);
    expect(await reports(installed, ...options, '-j', '2', '--cache=cache')).toEqual(without);
    expect(await reports(installed, ...options, '--cache=cache')).toEqual(without);
    // All but the one with a mistake; what the bound leaves open is as certain as the rest.
    expect(remembered(await installed(...options, '--cache=cache', '-f', 'ndjson'))).toBe('11 of 12');
  });

  it('knows a test with other comments, and cites its lines as they are now', async () => {
    writeSuite();
    for (const options of [['-v'], ['-f', 'json', '--variants'], ['-e', 'both', '-v'], ['-e', 'operational', '-v']]) {
      await check(...options);
      addComments(options.length);
      const now = await check(...options);
      // What quotes a line of the text is decided anew: a warning, and a mistake.
      expect(remembered(now)).toBe('10 of 12');
      const fresh = await run('check', 'suite', '--no-times', ...options);
      expect(now.out).toBe(fresh.out);
    }
  });

  it('decides anew what a change of a test, of the model or of an option may change, and nothing else', async () => {
    mkdirSync(join(folder, 'suite'));
    for (const name of ['MP+rel.gpu+acq.gpu', 'SB+rlx.gpu+rlx.gpu'])
      cpSync(join(ROOT, `litmus/classic/${name}.litmus`), join(folder, `suite/${name}.litmus`));
    writeFileSync(join(folder, 'part.cat'), 'let order = po\n');
    writeFileSync(join(folder, 'mine.cat'), '"mine"\ninclude "part.cat"\nacyclic (order | rf | co | fr) as sc\n');
    const known = async (...args: readonly string[]): Promise<string | undefined> => remembered(await check(...args));
    expect(await known()).toBe('0 of 2');
    expect(await known()).toBe('2 of 2');
    // Another model, and one of the two again.
    expect(await known('-m', 'mine.cat')).toBe('0 of 2');
    expect(await known('-m', 'mine.cat', '-m', 'ptx-9.4')).toBe('2 of 4');
    expect(await known('-m', 'mine.cat', '-m', 'ptx-9.4')).toBe('4 of 4');
    writeFileSync(join(folder, 'part.cat'), 'let order = po | rf\n');
    expect(await known('-m', 'mine.cat', '-m', 'ptx-9.4')).toBe('2 of 4');
    // Also one that says nothing; since tests may speak of it, it counts for all models.
    writeFileSync(join(folder, 'part.cat'), 'let order = po\ninclude "empty.cat"\n');
    writeFileSync(join(folder, 'empty.cat'), '');
    expect(await known('-m', 'mine.cat', '-m', 'ptx-9.4')).toBe('0 of 4');
    writeFileSync(join(folder, 'empty.cat'), 'acyclic rf as nothing-else\n');
    expect(await known('-m', 'mine.cat')).toBe('0 of 2');
    appendFileSync(join(folder, 'mine.cat'), '(* another text *)\n');
    expect(await known('-m', 'mine.cat', '-m', 'ptx-9.4')).toBe('2 of 4');
    // Options on which an answer depends, and those on which it does not.
    expect(await known('--variant', 'proxy-fence=lenient')).toBe('0 of 2');
    expect(await known('--without', 'Causality')).toBe('0 of 2');
    expect(await known('--without', 'Coherence')).toBe('0 of 2');
    expect(await known('--unroll', '4')).toBe('0 of 2');
    expect(await known('--condition', 'exists (P1:r0 == 1)')).toBe('0 of 2');
    expect(await known('-e', 'operational')).toBe('0 of 2');
    expect(await known('--states')).toBe('0 of 2');
    // What nobody confirms would be unknown.
    expect(await known('--strict')).toBe('0 of 2');
    expect(await known('-q', '-I', '.')).toBe('2 of 2');
    // These are asked of the installed command, whose code has keys of its own.
    expect(await known('--timeout', '60')).toBe('0 of 2');
    expect(await known('--timeout', '7', '--memory', '4000', '-j', '2')).toBe('2 of 2');
    // A test.
    const path = join(folder, 'suite/SB+rlx.gpu+rlx.gpu.litmus');
    writeFileSync(path, readFileSync(path, 'utf8').replace('st.relaxed.gpu', 'st.relaxed.sys'));
    expect(await known()).toBe('1 of 2');
    expect(await known()).toBe('2 of 2');
  });

  it('does not keep what more time might decide', async () => {
    writeSuite();
    rmSync(join(folder, 'suite/mistake.litmus'));
    const { out } = await check('--timeout', '0.001');
    // What the bound leaves open, it leaves open whatever the time.
    const late = out.match(/^ {2}undecided: .*: timeout$/gm)?.length ?? 0;
    expect(late).toBeGreaterThan(10);
    expect(remembered(runProcess(['check', 'suite', '--no-times', '--cache=cache'], folder))).toBe(
      `${11 - late} of 11`,
    );
  });

  it('is repaired where an entry is damaged, with a warning', async () => {
    writeSuite();
    await check();
    const entries = readdirSync(join(folder, 'cache'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      /^v1\/..\/[0-9a-f]{62}$/.test(path),
    );
    expect(entries.length).toBe(11);
    const [cut = '', other = '', changed = ''] = entries.map((path) => join(folder, 'cache', path));
    writeFileSync(cut, readFileSync(cut, 'utf8').slice(0, 100));
    writeFileSync(other, '');
    writeFileSync(changed, readFileSync(changed, 'utf8').replace('"outcome":"met"', '"outcome":"bad"'));
    const damaged = await check();
    expect(damaged.err.match(/is damaged/g)?.length).toBeGreaterThanOrEqual(2);
    expect(damaged.out).toBe((await run('check', 'suite', '--no-times')).out);
    expect((await check()).err).not.toContain('damaged');
  });

  it('costs no result where it cannot be written, and says so once', async () => {
    writeSuite();
    const full = await run('check', 'suite', '--no-times', '--cache=/proc/cache');
    expect(full.out).toBe((await run('check', 'suite', '--no-times')).out);
    expect(full.err.match(/the cache .* keeps nothing more/g)).toHaveLength(1);
  });

  it('takes no folder that holds something else', async () => {
    writeSuite();
    expect(await run('check', '--cache', 'suite')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no tests given'),
    });
    expect(await run('check', 'suite', '--cache', 'suite')).toMatchObject({
      code: 2,
      err: expect.stringContaining('suite is no folder of a cache'),
    });
    expect(readdirSync(join(folder, 'suite'))).not.toContain('CACHEDIR.TAG');
  });

  it('may be shared by runs at once, one of which watches and one of which is killed', async () => {
    writeSuite();
    const wanted = (await run('check', 'suite', '--no-times', '-v')).out;
    // The first is killed in the midst of it, with a process of its own at work.
    const runs = [['-j', '1'], []].map((jobs) => {
      const child = spawn('node', [MAIN, 'check', 'suite', '--no-times', '-v', '--cache=cache', ...jobs], {
        cwd: folder,
      });
      let out = '';
      child.stdout.on('data', (text) => {
        out += text;
        if (jobs.length > 0) child.kill('SIGKILL');
      });
      return new Promise<string>((resolve) => child.on('close', () => resolve(out)));
    });
    const watching = spawn('node', [MAIN, 'check', 'suite', '--no-times', '-v', '--cache=cache', '--watch'], {
      cwd: folder,
    });
    let watched = '';
    watching.stdout.on('data', (text) => {
      watched += text;
    });
    const [, other] = await Promise.all(runs);
    while (!watched.includes('expectations:')) await new Promise((resolve) => setTimeout(resolve, 50));
    watching.kill('SIGKILL');
    expect(watched).toBe(wanted);
    expect(other).toBe(wanted);
    const last = runProcess(['check', 'suite', '--no-times', '-v', '--cache=cache'], folder);
    expect(last.out).toBe(wanted);
    expect(remembered(last)).toBe('11 of 12');
  });
});

describe('merge', () => {
  it('names the shard that is missing, has failed or is of another run', async () => {
    writeSuite();
    const shard = async (text: string, ...args: readonly string[]): Promise<string> => {
      const file = join(folder, `${text[0]}${args.length}.ndjson`);
      await run('check', 'suite', '--shard', text, '-f', `ndjson=${file}`, ...args);
      return file;
    };
    const [first, second] = [await shard('1/2'), await shard('2/2')];
    expect((await run('merge', second, first)).out).toContain('1 not readable');
    const refused = async (...files: readonly string[]): Promise<string> => {
      const { code, err } = await run('merge', ...files);
      expect(code).toBe(2);
      return err;
    };
    expect(await refused(first)).toContain('no log of shard 2/2');
    expect(await refused(first, second, second)).toContain('shard 2/2 is given more than once');
    expect(await refused(first, await shard('2/2', '--unroll', '2'))).toContain('(shard 2/2) has the option unroll 2');
    expect(await refused(first, await shard('2/2', '-m', 'sc'))).toContain('(shard 2/2) has the models');
    const half = join(folder, 'half.ndjson');
    writeFileSync(half, readFileSync(second, 'utf8').split('\n').slice(0, 3).join('\n'));
    expect(await refused(first, half)).toContain('the run of shard 2/2 has not ended');
    const older = join(folder, 'older.ndjson');
    writeFileSync(older, readFileSync(second, 'utf8').replace(/"version":"[^"]*"/, '"version":"0.0.1"'));
    expect(await refused(first, older)).toContain('(shard 2/2) has version "0.0.1"');
    expect(await refused(join(ROOT, 'README.md'))).toContain('is no log of a run');
    const without = join(folder, 'without.ndjson');
    const lines = readFileSync(second, 'utf8').split('\n');
    writeFileSync(
      without,
      lines
        .toSpliced(
          lines.findIndex((line) => line.includes('"kind":"result"')),
          1,
        )
        .join('\n'),
    );
    expect(await refused(first, without)).toContain('the log is damaged');
    writeFileSync(without, lines.toSpliced(2, 0, 'null').join('\n'));
    expect(await refused(first, without)).toContain('without.ndjson:3: this is no line of a log');
    expect(await refused(first, second, '-f', `json=${second}`)).toContain('is read: the report needs another file');
    expect(await refused(first, second, '-o', 'out')).toContain('these are logs of check, which has no --out');
  });

  it('makes of the shards of baseline, diff and compare what one run makes', async () => {
    writeSuite();
    rmSync(join(folder, 'suite/mistake.litmus'));
    const parts = async (...args: readonly string[]): Promise<readonly string[]> => {
      const files: string[] = [];
      for (const shard of ['2/2', '1/2']) {
        const { out } = await run(...args, '--shard', shard, '-f', 'ndjson', '--no-times');
        const file = join(folder, `${shard[0]}.ndjson`);
        writeFileSync(file, out);
        files.push(file);
      }
      return files;
    };
    const told = ({ code, out }: Run): object => ({ code, out });

    const diff = ['diff', 'suite', '-m', 'ptx-9.4', '-m', 'sc'];
    expect(told(await run('merge', ...(await parts(...diff))))).toEqual(told(await run(...diff)));
    expect(told(await run('merge', ...(await parts(...diff)), '-f', 'json'))).toEqual(
      told(await run(...diff, '-f', 'json')),
    );

    const seen = await run('check', 'suite', '--states', '-f', 'json', '-m', 'ptx-9.4');
    writeFileSync(join(folder, 'seen.json'), seen.out);
    const compare = ['compare', 'seen.json', '-t', 'suite', '-m', 'sc'];
    expect((await run(...compare)).code).toBe(1);
    expect(told(await run('merge', ...(await parts(...compare))))).toEqual(told(await run(...compare)));

    await run('baseline', 'write', 'suite', '-o', 'whole.json');
    for (const shard of ['1', '2'])
      await run('baseline', 'write', 'suite', '-o', `part${shard}`, '--shard', `${shard}/2`);
    expect((await run('merge', 'part2', 'part1', '-o', 'merged.json')).code).toBe(0);
    expect(readFileSync(join(folder, 'merged.json'), 'utf8')).toBe(readFileSync(join(folder, 'whole.json'), 'utf8'));
    const baseline = ['baseline', 'check', 'whole.json', '-m', 'sc'];
    expect((await run(...baseline)).code).toBe(1);
    expect(told(await run('merge', ...(await parts(...baseline))))).toEqual(told(await run(...baseline)));
    expect(told(await run('merge', ...(await parts(...baseline)), '-f', 'sarif'))).toEqual(
      told(await run(...baseline, '-f', 'sarif')),
    );
  });
});
