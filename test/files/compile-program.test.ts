import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileProgram, nvccArguments, programOf } from '../../src/files/compile-program.js';

/** Stands for nvcc: a module that names its arguments, a rule with a header, and a line for each time it compiles. */
const NVCC = `#!/bin/sh
[ "$1" = --version ] && { echo 'a compiler for tests'; exit 0; }
while [ $# -gt 0 ]; do
  case "$1" in -MF) list=$2; shift ;; -o) out=$2; shift ;; *.cu) program=$1 ;; *) args="$args $1" ;; esac
  shift
done
folder=$(dirname "$program")
grep -q broken "$program" && { echo "$program(1): error: broken" >&2; exit 1; }
echo once >> "$folder/compiled"
echo "//$args" > "$out"
printf 'out.ptx : %s \\\\\\n    %s/part.h\\n' "$program" "$folder" > "$list"
`;

describe('a program', () => {
  let folder = '';
  const before = { path: process.env['PATH'], cache: process.env['XDG_CACHE_HOME'] };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-compile-'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/nvcc'), NVCC);
    chmodSync(join(folder, 'bin/nvcc'), 0o755);
    writeFileSync(join(folder, 'part.h'), '');
    writeFileSync(join(folder, 'k.cu'), '__global__ void k() {}');
    process.env['PATH'] = `${join(folder, 'bin')}:${before.path}`;
    process.env['XDG_CACHE_HOME'] = join(folder, 'cache');
  });
  afterEach(() => {
    process.env['PATH'] = before.path;
    if (before.cache === undefined) delete process.env['XDG_CACHE_HOME'];
    else process.env['XDG_CACHE_HOME'] = before.cache;
    rmSync(folder, { recursive: true, force: true });
  });

  const compile = (ofTest: readonly string[] = [], given?: string): ReturnType<typeof compileProgram> =>
    compileProgram(join(folder, 'k.cu'), { ofTest, given });
  const times = (): number => readFileSync(join(folder, 'compiled'), 'utf8').trim().split('\n').length;

  it('is compiled once, and again where it, a header or an argument is another', () => {
    const made = compile();
    expect(made).toMatchObject({ programs: [join(folder, 'k.cu'), join(folder, 'part.h')] });
    if ('problem' in made) throw new Error(made.problem);
    expect(made.text).toBe('// -lineinfo -ptx -std=c++17 -arch=sm_90a -MD\n');
    expect(programOf(made.path)).toMatchObject({ program: join(folder, 'k.cu') });
    expect([compile(), times()]).toEqual([made, 1]);
    writeFileSync(join(folder, 'part.h'), '#define N 4');
    compile();
    expect(times()).toBe(2);
    writeFileSync(join(folder, 'k.cu'), '__global__ void k2() {}');
    compile();
    expect(times()).toBe(3);
    expect(compile(['-arch=sm_80'])).toMatchObject({ text: '// -lineinfo -ptx -std=c++17 -arch=sm_80 -MD\n' });
    compile([], '-DN=5');
    expect(times()).toBe(5);
  });

  it('is compiled again where what was kept is damaged', () => {
    const made = compile();
    if ('problem' in made) throw new Error(made.problem);
    writeFileSync(made.path, 'something else');
    expect(compile()).toEqual(made);
  });

  it('that does not compile has the message of the compiler', () => {
    writeFileSync(join(folder, 'k.cu'), 'broken');
    const made = compile();
    expect('problem' in made && made.problem.split('\n').slice(0, 2)).toEqual([
      'nvcc does not compile it:',
      `${join(folder, 'k.cu')}(1): error: broken`,
    ]);
  });

  it('is not compiled by what a test may not say', () => {
    expect(compile(['-o /etc/passwd'])).toMatchObject({ problem: expect.stringContaining('and not -o') });
    expect(compile(['-DN=1', '-DN=2'])).toMatchObject({ problem: expect.stringContaining('in two ways') });
  });
});

describe('what nvcc is given', () => {
  it('has lines, and a target that the program can be compiled for', () => {
    expect(nvccArguments('', [])).toEqual(['-lineinfo', '-ptx', '-std=c++17', '-arch=sm_90a']);
    expect(nvccArguments('asm("tcgen05.alloc")', [])).toContain('-arch=sm_100a');
    expect(nvccArguments('', ['-arch=sm_80', '-std=c++20', '-G'])).toEqual(['-ptx', '-arch=sm_80', '-std=c++20', '-G']);
  });
});
