import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRawFolder } from '../../src/cli/read-raw-folder.js';
import { Modules } from '../../src/record/modules.js';
import { writeTests } from '../../src/record/write-tests.js';
import { isOfShare } from '../shares.js';
import { ROOT } from '../support.js';
import { LINES, RAW } from './raw-folder.js';

const RECORDER = join(ROOT, 'src/record/recorder');
const HERE = import.meta.dirname;
const TOOLKIT = ['/usr/local/cuda', process.env['CUDA_HOME'] ?? ''].find((root) =>
  existsSync(join(root, 'include/cupti.h')),
);
const hasTool = (name: string): boolean => spawnSync(name, ['--version']).status === 0;
const canBuild = TOOLKIT !== undefined && hasTool('g++');
const hasGpu = existsSync('/dev/nvidiactl');

interface Ran {
  readonly status: number | null;
  readonly stderr: string;
}
function bash(args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const { status, stderr } = spawnSync('bash', args, { encoding: 'utf8', env: { ...process.env, ...env } });
  return { status, stderr };
}

describe('record.sh', () => {
  it('says what it takes', () => {
    const wrong = (...args: readonly string[]): string => bash([join(RECORDER, 'record.sh'), ...args]).stderr;
    const expected = 'expected: record.sh DIR [--contents BYTES] [--ptx FOLDER]... -- application arguments\n';
    expect(wrong()).toBe(`ptx-litmus record: no folder is named; ${expected}`);
    expect(wrong('/tmp/x')).toBe(`ptx-litmus record: no application is named behind --; ${expected}`);
    expect(wrong('/tmp/x', '--contents', 'all')).toBe(
      `ptx-litmus record: --contents takes a number of bytes; ${expected}`,
    );
    expect(wrong(RAW, '--', 'true')).toContain('holds a recording already: name another folder');
  });

  it.skipIf(!canBuild || hasGpu)('builds the recorder, and says that there is no GPU where there is none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'record-'));
    const { status, stderr } = bash([join(RECORDER, 'record.sh'), folder, '--', 'true']);
    expect(stderr).toBe('ptx-litmus record: there is no GPU here: the recorder is built, and nothing is run\n');
    expect(status).toBe(4);
    expect(existsSync(join(folder, 'recorder/librecorder.so'))).toBe(true);
  });
});

describe.skipIf(!hasTool('nvcc'))('the applications that are recorded on a GPU', () => {
  it('are taken by nvcc', () => {
    const folder = mkdtempSync(join(tmpdir(), 'apps-'));
    for (const name of ['runtime', 'crash']) {
      const source = join(HERE, 'apps', `${name}.cu`);
      const given = ['-std=c++17', '-arch=sm_90a', '-ptx', '-o', join(folder, `${name}.ptx`), source];
      const { status, stderr } = spawnSync('nvcc', given, { encoding: 'utf8' });
      expect(status, stderr).toBe(0);
    }
  }, 60_000);
});

describe.skipIf(!canBuild)('the recorder, in the place of a driver one that is made for it', () => {
  let tools: string;
  const build = (...args: readonly string[]): void => {
    const include = `-I${TOOLKIT}/include`;
    const checks = ['-fsanitize=address,undefined', '-Wno-psabi'];
    const given = ['-std=c++17', '-O0', ...checks, include, join(HERE, 'fake-driver.cpp'), ...args];
    const { status, stderr } = spawnSync('g++', given, { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  };

  beforeAll(() => {
    tools = mkdtempSync(join(tmpdir(), 'recorder-'));
    build('-shared', '-fPIC', '-DFAKE_DRIVER', '-o', join(tools, 'libcuda.so.1'));
    build('-o', join(tools, 'app'), '-ldl', '-lpthread');
    // A card, as far as the script looks; and the module beside an image without one.
    writeFileSync(join(tools, 'nvidia-smi'), '#!/bin/sh\necho "Card \\"1\\", 580"\n');
    writeFileSync(join(tools, 'cuobjdump'), '#!/bin/sh\nexit 1\n');
    for (const name of ['nvidia-smi', 'cuobjdump']) chmodSync(join(tools, name), 0o755);
    mkdirSync(join(tools, 'cache/kernel'), { recursive: true });
  }, 120_000);

  const record = (...words: readonly string[]): Ran & { readonly folder: string } => {
    const folder = join(mkdtempSync(join(tmpdir(), 'record-')), 'raw "1"');
    // The application has a recorder of its own: none is built for it.
    mkdirSync(join(folder, 'recorder'), { recursive: true });
    writeFileSync(join(folder, 'recorder/librecorder.so'), '');
    const app = ['env', `LD_LIBRARY_PATH=${tools}`, 'ASAN_OPTIONS=detect_leaks=0', join(tools, 'app')];
    const given = ['--contents', '64', '--ptx', join(tools, 'cache'), '--', ...app, join(RAW, 'ptx/0.ptx'), ...words];
    const path = `${tools}:${process.env['PATH']}`;
    return { folder, ...bash([join(RECORDER, 'record.sh'), folder, ...given], { PATH: path }) };
  };
  /** The same recording for all who only read it. */
  const recordings = new Map<string, ReturnType<typeof record>>();
  const recorded = (...words: readonly string[]): ReturnType<typeof record> => {
    const known = recordings.get(words.join()) ?? record(...words);
    recordings.set(words.join(), known);
    return known;
  };
  const kindsOf = (folder: string): readonly string[] => {
    const { recording, found } = readRawFolder(folder);
    expect(recording.problems).toEqual([]);
    const modules = new Modules(found, recording.images);
    return writeTests(recording, modules, { all: 1000, ofKernel: 1000 }, () => () => undefined).map(({ kind }) => kind);
  };

  it('writes down launches of each kind, once each, with their counts and order', () => {
    const { status, stderr, folder } = recorded();
    expect(status, stderr).toBe(0);
    const lines = readFileSync(join(folder, 'launches.jsonl'), 'utf8');
    const plain = (text: string): string => text.replace(/"process":\d+/, '').replace(/,"from":"[^"]*"/g, '');
    // This is what the tests of all that comes behind begin with.
    expect(plain(lines)).toBe(plain(LINES));
    const { recording } = readRawFolder(folder);
    expect(recording.counts).toMatchObject({ launches: 16, graphLaunches: 1, leftOut: 0 });
    expect(recording.launches.map(({ times }) => times)).toEqual([3, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1]);
    const order = recording.sequence.map(({ launch }) => launch);
    expect(order).toEqual([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10, 11, 12]);
    const { command, gpu } = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Record<string, unknown>;
    expect(gpu).toBe('Card "1", 580');
    expect((command as readonly string[]).at(-1)).toBe(join(RAW, 'ptx/0.ptx'));
  });

  it('tells launches apart where a test of the one would say too much of the other', () => {
    const { folder } = recorded('apart');
    const { recording } = readRawFolder(folder);
    const more = recording.launches.slice(13);
    expect(more.map(({ times }) => times)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(recording.launches.find(({ id }) => id === 9)?.times).toBe(3);
  });

  it('knows tensor maps, however many are encoded', () => {
    const { recording } = readRawFolder(recorded('apart').folder);
    expect(recording.launches.at(-1)?.parameters[0]?.maps).toEqual([{ at: 0, map: 5000 }]);
    expect([...recording.maps.keys()]).toEqual([0, 5000]);
    expect(recording.maps.get(5000)?.buffer).toEqual({ base: 0x700000500000n, size: 4096, offset: 0 });
  });

  it('says where addresses stand in contents', () => {
    const { folder } = recorded('apart');
    const { contents } = readRawFolder(folder).recording;
    const at = contents.map(({ from, addresses }) => [from, addresses] as const);
    expect(at.filter(([, addresses]) => addresses.length > 0)).toEqual([[0x700000700000n, [0]]]);
  });

  it('leads to tests, for the modules that are in the images or beside them', () => {
    const { folder } = recorded();
    expect(kindsOf(folder).filter((kind) => kind === 'no-ptx').length).toBe(1);
    const image = readFileSync(join(folder, 'images/1.cubin'));
    writeFileSync(join(tools, 'cache/kernel/k.cubin'), image);
    writeFileSync(join(tools, 'cache/kernel/k.ptx'), '.version 9.0\n.target sm_90a\n.address_size 64\n');
    const again = record();
    expect(readdirSync(join(again.folder, 'ptx')).sort()).toEqual(['0.ptx', '1.ptx', 'found.tsv']);
    const found = readFileSync(join(again.folder, 'ptx/found.tsv'), 'utf8');
    expect(found).toContain(`1\tbeside ${tools}/cache/kernel/k.cubin`);
  });

  it('takes the newest module that the GPU can run out of an image', () => {
    const modules = ['75', '90a', '100'].map(
      (arch) => `printf '.version 9.0\\n.target sm_${arch}\\n.address_size 64\\n' > ${arch}.ptx\n`,
    );
    const taken = (capability: string): string => {
      writeFileSync(join(tools, 'nvidia-smi'), `#!/bin/sh\necho ${capability}\n`);
      return readFileSync(join(record().folder, 'ptx/found.tsv'), 'utf8').split('1\t')[1] ?? '';
    };
    writeFileSync(join(tools, 'cuobjdump'), `#!/bin/sh\n${modules.join('')}`);
    const expected = {
      '9.0': 'in the image, sm_90a\n',
      '8.9': 'in the image, sm_75\n',
      '12.0': 'in the image, sm_100\n',
      '7.0': 'in the image, sm_100, which is not for this GPU\n',
      none: 'in the image, sm_100\n',
    };
    for (const [capability, module] of Object.entries(expected))
      if (isOfShare(capability, 2, 'modules for a GPU')) expect(taken(capability), capability).toBe(module);
  });

  it('keeps what was launched before a crash, and says that it was one', () => {
    const { status, stderr, folder } = record('crash');
    expect(status).toBe(134);
    expect(stderr).toContain(
      'the application crashed: it was ended by signal ABRT; what it launched before is recorded',
    );
    const { recording } = readRawFolder(folder);
    expect(recording.isEnded).toBe(false);
    expect([recording.launches.length, recording.launches[0]?.times]).toEqual([13, 3]);
  });
});
