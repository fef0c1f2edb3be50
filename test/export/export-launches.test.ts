import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests, parseTests } from '../../src/check/load-tests.js';
import type { Source } from '../../src/diagnostics/source.js';
import { type ExportedLaunches, exportLaunches } from '../../src/export/export-launches.js';
import { launchFiles } from '../../src/export/launch-manifest.js';
import { withModules } from '../../src/files/read-modules.js';
import { kernelModule } from '../kernel-module.js';
import { ROOT } from '../support.js';

const LAUNCHED = join(ROOT, 'litmus/kernels/launched');

function exported(source: Source): ReturnType<typeof exportLaunches> {
  const [file] = parseTests(source).value ?? [];
  const { value: [program] = [], diagnostics } = loadTests(source);
  if (file === undefined || program === undefined)
    throw new Error(`${source.path} cannot be read: ${diagnostics.map(({ message }) => message)}`);
  return exportLaunches(file, program);
}

const ofSuite = (name: string): ReturnType<typeof exportLaunches> => {
  const path = join(LAUNCHED, `${name}.litmus`);
  return exported(withModules({ path, text: readFileSync(path, 'utf8') }, {}));
};

const manifestOf = (name: string): readonly string[] => manifestIn(ofSuite(name));

function manifestIn(one: ReturnType<typeof exportLaunches>): readonly string[] {
  if ('refused' in one) throw new Error(one.refused);
  const text = launchFiles([one]).find(([path]) => path === 'launches.txt')?.[1] ?? '';
  return text.trimEnd().split('\n');
}

const MODULE = kernelModule({ pointers: 2, body: '  st.global.u32 [%rd1], %r1;' });
function refusal(memory: string, launches: string, more = '', text = MODULE): string {
  const source = {
    path: 'a.litmus',
    text: `PTX t\n{ .global .u32 x; .global .u32 y; ${memory} }\n${more}\n${launches}\nexpect race\n`,
    modules: { 'k.ptx': { path: 'k.ptx', text } },
  };
  const one = exported(source);
  return 'refused' in one ? one.refused : 'exported';
}

describe('a test with launches for a GPU', () => {
  it('is a manifest of memory, launches, arguments and what is asked for', () => {
    expect(manifestOf('index/find')).toEqual([
      'test find',
      'expects no-race no-undefined no-deadlock no-trap',
      'hang none',
      'buffer in 32 4',
      'bytes in 0 0400000009000000020000000900000005000000090000000100000003',
      'buffer found 4 4',
      'launch K launches/00-index.cubin find',
      'shape 1 1 1 8 1 1 1 1 1 0 0 0 0',
      ...['argument 8', 'address 0 in 0', 'argument 4', 'value 0 09000000', 'argument 8', 'address 0 found 0'],
      'observe found 4',
    ]);
  });

  it('runs all threads, whichever the test names', () => {
    const named = 'launch K "k.ptx" (x, y) @ grid 1, block 64 { run tid 0, 32; }';
    const text = `PTX t\n{ .global .u32 x; .global .u32 y; }\n${named}\nexpect race\n`;
    const one = exported({ path: 'a.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: MODULE } } });
    expect(manifestIn(one)).toContain('note K: all of its threads run, not only those that the test names');
  });

  it('tells the driver of tensor maps, and its reader of what is not known', () => {
    expect(manifestOf('tmatensor')).toEqual(
      expect.arrayContaining([
        'note g: 1536 bytes are not known, and begin as the numbers 1, 2, 3, …',
        'unknown g 0 1536',
        'map map UINT32 g NONE 2 8 48 32 8 8',
        'argument 128',
        'descriptor 0 map',
      ]),
    );
    const source = {
      path: 'a.litmus',
      text: 'PTX t\n{ .global .u32 x[4] = {1, 0, 0, 7}; }\nlaunch K "k.ptx" (x+4, ?) @ block 1\nexpect no-race\n',
      modules: { 'k.ptx': { path: 'k.ptx', text: MODULE } },
    };
    expect(exported(source)).toMatchObject({
      notes: ['K: parameter 1, or some of it, is not known, and is 0'],
      launches: [{ arguments: [{ fields: [{ kind: 'address', name: 'x', offset: 4n }] }, { size: 8, fields: [] }] }],
    });
  });

  it('says what variables of a module begin with, where the test declares them again', () => {
    const text = MODULE.replace('.visible', '.global .u32 seen;\n.visible').replace('[%rd1]', '[seen]');
    const source = {
      path: 'a.litmus',
      text: 'PTX t\n{ .global .u32 x; .global .u32 seen = 258; }\nlaunch K "k.ptx" (x, x) @ block 1\nlocations [seen;]',
      modules: { 'k.ptx': { path: 'k.ptx', text } },
    };
    const one = exported(source);
    if ('refused' in one) throw new Error(one.refused);
    expect(String(launchFiles([one]))).toContain(
      'buffer x 4 4\nvariable seen 4 launches/00-k.cubin\nbytes seen 0 0201\n',
    );
    expect(one.observed).toEqual([{ name: 'seen', bytes: 4 }]);
  });

  it('has clusters, cooperative launches, dynamic shared memory, streams and their order', () => {
    const shapes = (name: string): readonly string[] =>
      manifestOf(name).filter((line) => line.startsWith('shape') || line.startsWith('after'));
    expect(shapes('cluster')).toEqual(['shape 2 1 1 32 1 1 2 1 1 0 0 0 0']);
    expect(shapes('gridsync')).toEqual(['shape 2 1 1 32 1 1 1 1 1 0 1 0 0']);
    expect(shapes('wgmma')).toEqual(['shape 1 1 1 384 1 1 1 1 1 17408 0 0 0']);
    expect(shapes('index/groups')).toEqual([
      'shape 2 1 1 4 1 1 1 1 1 0 0 0 0',
      'shape 2 1 1 4 1 1 1 1 1 0 0 1 0',
      'after K',
    ]);
    expect(shapes('triggers-one')).toEqual(['shape 1 1 1 16 1 1 1 1 1 0 0 0 0', 'shape 1 1 1 1 1 1 1 1 1 0 0 0 1']);
  });

  it('is told by how it may hang', () => {
    const hang = (name: string): string | undefined => manifestOf(name).find((line) => line.startsWith('hang'));
    expect(hang('namedbar')).toBe('hang none');
    expect(hang('index/rounds-broken')).toBe('hang undefined');
    expect(hang('namedbar-deadlock-broken')).toBe('hang barrier');
    for (const name of ['tmabytes-parity-broken', 'gridbarrier-count-broken', 'scoped/relay-broken'])
      expect(hang(name), name).toBe('hang spin');
  });

  it('is refused with a reason where the host cannot give what it begins with', () => {
    const launch = 'launch K "k.ptx" (x, y) @ grid 1, block 2';
    expect(refusal('', launch)).toBe('exported');
    expect(refusal('', launch, 'P0 { st.global.u32 [x], 1; }')).toContain('threads beside its launches');
    const shared = MODULE.replace('.visible', '.shared .b64 bar;\n.global .u32 seen;\n.visible').replace(
      '  st.global',
      '  ld.shared.u32 %r1, [bar];\n  st.global.u32 [seen], %r1;\n  st.global',
    );
    expect(refusal('.shared .b64 bar = mbarrier(2);', launch, '', shared)).toContain('only the kernel can do that');
    expect(refusal('.shared .b64 bar = 5;', launch, '', shared)).toContain('contents of .shared memory');
    expect(refusal('.global .u32 z aliases x;', launch)).toContain('z: another address of x');
    expect(refusal('', `${launch}, gpu 0\n${launch.replace('K', 'L')}, gpu 1`)).toContain('several GPUs');
    expect(refusal('', `${launch}, after L\n${launch.replace('K', 'L')}`)).toContain('a launch that stands behind it');
    expect(refusal('', launch, '', MODULE.replace('sm_90', 'sm_100a'))).toContain('an H200 is sm_90');
  });
});

/** All of the suite that can be exported, and why others cannot. */
function suite(): { readonly tests: readonly ExportedLaunches[]; readonly refused: readonly string[] } {
  const names = readdirSync(LAUNCHED, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.litmus'))
    .map((path) => path.replace(/\.litmus$/, ''));
  const all = names.sort().map(ofSuite);
  return {
    tests: all.flatMap((one) => ('refused' in one ? [] : [one])),
    refused: all.flatMap((one) => ('refused' in one ? [`${one.name}: ${one.refused.replace(/^.*\//, '')}`] : [])),
  };
}

const hasTool = (name: string): boolean => spawnSync(name, ['--version']).status === 0;

describe('the launched kernels of the suite', () => {
  const { tests, refused } = suite();

  it('are exported, but for those of another GPU', () => {
    expect(refused).toEqual(
      ['tcgen05', 'tcgen05-broken', 'tcgen05-noproxy-broken'].map(
        (name) => `${name}: tcgen05.ptx is for sm_100a, and an H200 is sm_90`,
      ),
    );
    expect(tests.length).toBeGreaterThan(100);
  });

  it.skipIf(!hasTool('nvcc'))(
    'are built with the toolkit alone, and say that there is no GPU where there is none',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'launches-'));
      cpSync(join(ROOT, 'src/export/runner'), folder, { recursive: true });
      mkdirSync(join(folder, 'launches'));
      for (const [path, text] of launchFiles(tests)) writeFileSync(join(folder, path), text);
      const made = spawnSync('make', ['-s', '-j2', 'launches'], { cwd: folder, encoding: 'utf8' });
      expect(made.stderr).toBe('');
      const files = readdirSync(join(folder, 'launches'));
      expect(files.filter((name) => name.endsWith('.cubin')).length).toBe(
        files.filter((name) => name.endsWith('.ptx')).length,
      );
      if (spawnSync('nvidia-smi').status === 0) return;
      const { status, stderr } = spawnSync('./launch', ['launches.txt', 'tmatensor'], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(stderr).toContain('there is no GPU here');
      expect(status).toBe(4);
      const unknown = spawnSync('./launch', ['launches.txt', 'nobody'], { cwd: folder, encoding: 'utf8' });
      expect(unknown.stdout).toBe('FAILED launches.txt has no test nobody\n');
      if (hasTool('compute-sanitizer')) return;
      const without = spawnSync('bash', ['sanitize.sh', join(folder, 'out')], { cwd: folder, encoding: 'utf8' });
      expect([without.status, without.stderr]).toEqual([
        2,
        'compute-sanitizer is not on the PATH: the bundle needs the CUDA toolkit\n',
      ]);
    },
    120_000,
  );
});
