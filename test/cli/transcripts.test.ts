import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';

/**
 * Each transcript is a Markdown file with console blocks: a line `$ ptx-litmus …`, what it prints (standard output,
 * then standard error), and its exit code. Times are written `N ms` and `N s`. UPDATE_TRANSCRIPTS=1 writes them anew.
 */
const FOLDER = import.meta.dirname;
const MAIN = join(ROOT, 'dist/cli/main.js');

describe('the transcript', () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.md'))) {
    const path = join(FOLDER, file);
    const text = readFileSync(path, 'utf8');
    const blocks = [...text.matchAll(/```console\n\$ ([^\n]*)\n([\s\S]*?)```/g)];
    if (process.env['UPDATE_TRANSCRIPTS'] !== undefined) {
      writeFileSync(
        path,
        text.replace(
          /```console\n\$ ([^\n]*)\n[\s\S]*?```/g,
          (_, command: string) => `\`\`\`console\n$ ${command}\n${run(command)}\`\`\``,
        ),
      );
    }
    it(`${file} has commands`, () => expect(blocks.length).toBeGreaterThan(0));
    for (const [, command = '', expected] of blocks) {
      it(`${file}: ${command}`, () => expect(run(command)).toBe(expected));
    }
  }
});

function run(command: string): string {
  const shell = command.replaceAll(/^ptx-litmus|(?<=(?:\||&&|;) )ptx-litmus/g, `node ${MAIN}`);
  const { stdout, stderr, status } = spawnSync('bash', ['-c', shell], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  const printed = `${stdout}${stderr}`
    .replace(/\b\d+ ms\b/g, 'N ms')
    .replace(/\b\d+\.\d s\b/g, 'N s')
    .replace(/^Time (\S+) [\d.]+$/gm, 'Time $1 N')
    .replace(/"timeMs":( ?)[\d.]+/g, '"timeMs":$1N');
  return `${printed}exit ${status}\n`;
}
