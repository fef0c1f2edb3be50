import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';

describe('check --watch', () => {
  it('checks again what an edit of a test, or of a model, touches, and survives a mistake in it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-watch-'));
    for (const name of ['MP+rel.gpu+acq.gpu', 'SB+fence.sc.gpu+fence.sc.gpu'])
      cpSync(join(ROOT, `litmus/classic/${name}.litmus`), join(folder, `${name}.litmus`));
    cpSync(join(ROOT, 'models/ptx-9.4.cat'), join(folder, 'mine.cat'));
    const child = spawn('node', [join(ROOT, 'dist/cli/main.js'), '--watch', '.', '-m', 'mine.cat'], { cwd: folder });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (printed += data.toString()));
    /** What is printed until a text appears. */
    const until = async (text: RegExp): Promise<string> => {
      const end = Date.now() + 300_000;
      while (!text.test(printed) && Date.now() < end) await new Promise((wait) => setTimeout(wait, 20));
      const seen = printed;
      printed = '';
      expect(seen).toMatch(text);
      return seen;
    };
    const edit = (file: string, change: (text: string) => string): void => {
      const text = readFileSync(join(folder, file), 'utf8');
      expect(change(text), `the edit of ${file} finds what it replaces`).not.toBe(text);
      writeFileSync(join(folder, file), change(text));
    };
    try {
      expect(await until(/watching for edits/)).toContain('2 tests');
      edit('MP+rel.gpu+acq.gpu.litmus', (text) => text.replace('st.release.gpu', 'st.relaxed.gpu'));
      const broken = await until(/1 test .*expectations/);
      expect(broken).toContain('edited: MP+rel.gpu+acq.gpu.litmus');
      expect(broken).toContain('BROKEN');
      expect(broken).not.toContain('SB+');
      edit('MP+rel.gpu+acq.gpu.litmus', (text) => text.replace('st.relaxed.gpu', 'st.releese.gpu'));
      expect(await until(/no test could be read/)).toContain('did you mean');
      edit('MP+rel.gpu+acq.gpu.litmus', (text) => text.replace('st.releese.gpu', 'st.release.gpu'));
      expect(await until(/1 test .*expectations/)).toContain('0 broken');
      // A model concerns every test; one with a mistake is told, and the next edit is awaited.
      edit('mine.cat', (text) => text.replace(' | sync_fence', ' | sync_fense'));
      await until(/sync_fense/);
      edit('mine.cat', (text) => text.replace(' | sync_fense', ''));
      const remodeled = await until(/2 tests .*expectations/);
      expect(remodeled).toContain('edited: mine');
      expect(remodeled).toContain('SB+fence.sc.gpu+fence.sc.gpu   broken');
    } finally {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
