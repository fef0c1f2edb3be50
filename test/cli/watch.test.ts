import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';

/** A run of the command that watches, and a folder for what it watches. */
class Watching {
  readonly folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-watch-'));
  private printed = '';
  private child: ReturnType<typeof spawn> | undefined;

  start(args: readonly string[], path = process.env['PATH']): void {
    const main = join(ROOT, 'dist/cli/main.js');
    const child = spawn(process.execPath, [main, '--watch', ...args], {
      cwd: this.folder,
      env: { ...process.env, PATH: path },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        this.printed += data.toString();
      });
    this.child = child;
  }

  /** What is printed until a text appears. */
  async until(text: RegExp): Promise<string> {
    const end = Date.now() + 300_000;
    while (!text.test(this.printed) && Date.now() < end) await new Promise((wait) => setTimeout(wait, 20));
    const seen = this.printed;
    this.printed = '';
    expect(seen).toMatch(text);
    return seen;
  }

  edit(file: string, change: (text: string) => string): void {
    const text = readFileSync(join(this.folder, file), 'utf8');
    expect(change(text), `the edit of ${file} finds what it replaces`).not.toBe(text);
    writeFileSync(join(this.folder, file), change(text));
  }

  end(): void {
    this.child?.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('check --watch', () => {
  it('checks again what an edit of a test, or of a model, touches, and survives a mistake in it', async () => {
    const watching = new Watching();
    const { folder } = watching;
    for (const name of ['MP+rel.gpu+acq.gpu', 'SB+fence.sc.gpu+fence.sc.gpu'])
      cpSync(join(ROOT, `litmus/classic/${name}.litmus`), join(folder, `${name}.litmus`));
    cpSync(join(ROOT, 'models/ptx-9.4.cat'), join(folder, 'mine.cat'));
    watching.start(['.', '-m', 'mine.cat']);
    try {
      expect(await watching.until(/watching for edits/)).toContain('2 tests');
      watching.edit('MP+rel.gpu+acq.gpu.litmus', (text) => text.replace('st.release.gpu', 'st.relaxed.gpu'));
      const broken = await watching.until(/1 test .*expectations/);
      expect(broken).toContain('edited: MP+rel.gpu+acq.gpu.litmus');
      expect(broken).toContain('BROKEN');
      expect(broken).not.toContain('SB+');
      watching.edit('MP+rel.gpu+acq.gpu.litmus', (text) => text.replace('st.relaxed.gpu', 'st.releese.gpu'));
      expect(await watching.until(/no test could be read/)).toContain('did you mean');
      watching.edit('MP+rel.gpu+acq.gpu.litmus', (text) => text.replace('st.releese.gpu', 'st.release.gpu'));
      expect(await watching.until(/1 test .*expectations/)).toContain('0 broken');
      // A model concerns every test; one with a mistake is told, and the next edit is awaited.
      watching.edit('mine.cat', (text) => text.replace(' | sync_fence', ' | sync_fense'));
      await watching.until(/sync_fense/);
      watching.edit('mine.cat', (text) => text.replace(' | sync_fense', ''));
      const remodeled = await watching.until(/2 tests .*expectations/);
      expect(remodeled).toContain('edited: mine');
      expect(remodeled).toContain('SB+fence.sc.gpu+fence.sc.gpu   broken');
    } finally {
      watching.end();
    }
  });

  it('checks the tests that name a module again, and compiles it where its source program is edited', async () => {
    const watching = new Watching();
    const { folder } = watching;
    const launched = join(ROOT, 'litmus/kernels/launched');
    mkdirSync(join(folder, 'kernels'));
    for (const name of [
      'blockreduce.cu',
      'blockreduce.ptx',
      'blockreduce-broken.litmus',
      'filter.litmus',
      'filter.ptx',
    ])
      cpSync(join(launched, name), join(folder, 'kernels', name));
    // A compiler that shows what it is given, refuses what has "oops" in it, and makes the module that was there.
    cpSync(join(launched, 'blockreduce.ptx'), join(folder, 'made.ptx'));
    const nvcc = '#!/bin/sh\necho "nvcc $*"\nif grep -q oops "$4"; then echo "$4(1): error: oops"; exit 1; fi\n';
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/nvcc'), `${nvcc}cp made.ptx "$6"\n`);
    chmodSync(join(folder, 'bin/nvcc'), 0o755);
    watching.start(['kernels/*.litmus'], [join(folder, 'bin'), process.env['PATH']].join(delimiter));
    try {
      expect(await watching.until(/watching for edits/)).toContain('2 tests');
      watching.edit('kernels/blockreduce.ptx', (text) => text.replace('// Based on', '// based on'));
      const again = await watching.until(/1 test .*expectations/);
      expect(again).toContain('edited: kernels/blockreduce.ptx');
      expect(again).not.toContain('filter');
      watching.edit('kernels/blockreduce.cu', (text) => `// edited\n${text}`);
      const compiled = await watching.until(/1 test .*expectations/);
      expect(compiled).toContain('edited: kernels/blockreduce.cu\ncompiled: kernels/blockreduce.ptx');
      expect(compiled).toMatch(/nvcc -lineinfo -ptx -arch=sm_\w+ kernels\/blockreduce\.cu -o/);
      // What the compiler refuses is shown, and the next edit is awaited.
      watching.edit('kernels/blockreduce.cu', (text) => `oops\n${text}`);
      expect(await watching.until(/failed: .* is as it was/)).toContain('kernels/blockreduce.cu(1): error: oops');
      watching.edit('kernels/blockreduce.cu', (text) => text.replace('oops\n', ''));
      await watching.until(/1 test .*expectations/);
    } finally {
      watching.end();
    }
  });

  it('says so where there is no compiler, and how to compile', async () => {
    const watching = new Watching();
    const launched = join(ROOT, 'litmus/kernels/launched');
    for (const name of ['blockreduce.cu', 'blockreduce.ptx', 'blockreduce-broken.litmus'])
      cpSync(join(launched, name), join(watching.folder, name));
    watching.start(['blockreduce-broken.litmus'], '/nowhere');
    try {
      await watching.until(/watching for edits/);
      watching.edit('blockreduce.cu', (text) => `// edited\n${text}`);
      expect(await watching.until(/not on the PATH/)).toMatch(
        /nvcc -lineinfo -ptx .* blockreduce\.cu -o blockreduce\.ptx/,
      );
    } finally {
      watching.end();
    }
  });
});
