import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';
import { MAIN } from './run.js';

/** What the command prints on a terminal, which `script` makes, where these lines are typed. */
function typed(lines: readonly string[]): string {
  const command = `node ${MAIN} init test/cli/scale.ptx -o -`;
  const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
    ...{ cwd: ROOT, encoding: 'utf8', input: lines.map((line) => `${line}\n`).join('') },
  });
  return stripVTControlCharacters(stdout).replaceAll('\r', '');
}

const hasScript = spawnSync('script', ['--version']).status === 0;

describe.skipIf(!hasScript)('init on a terminal', () => {
  it('asks for each guess, takes what is said, and marks the others', () => {
    const text = typed(['3', '', '5']);
    expect(text).toContain('scale: grid [2] ');
    expect(text).toContain('scale: factor [1] ');
    expect(text).toContain(':: scale (&values, 5 /* factor */)\n  @ grid 3, block 64 {  // a guess');
  });

  it('says what an answer looks like, and asks again', () => {
    const text = typed(['2 x large', '4', '32', '0x10']);
    expect(text).toContain(
      '  grid is one to three whole numbers of at least 1, such as 4 or 2, 2; found "2 x large"\nscale: grid [2] ',
    );
    expect(text).toContain(':: scale (&values, 16 /* factor */)\n  @ grid 4, block 32 {\n');
  });

  it('writes nothing where the answers end', () => {
    const text = typed(['3']);
    expect(text).toContain('ptx-litmus: not all questions have an answer, and nothing is written');
    expect(text).not.toContain('PTX scale');
  });
});

describe('what init says comes next', () => {
  it('finds the module, wherever the test is written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'init-'));
    const run = (...args: readonly string[]) => spawnSync('node', [MAIN, ...args], { cwd: ROOT, encoding: 'utf8' });
    try {
      const { stderr } = run('init', 'test/cli/scale.ptx', '-y', '-o', join(folder, 'scale.litmus'));
      const [, next = ''] = /^next: ptx-litmus (.*)$/m.exec(stderr) ?? [];
      expect(run(...next.split(' ')).stdout).toContain('expectations: 5 met, 0 broken');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
