import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';

/**
 * Each transcript is a Markdown file with console blocks: a line `$ ptx-litmus …`, what it prints (standard output,
 * then standard error), and its exit code. Times are written `N ms` and `N s`.
 */
const FOLDER = import.meta.dirname;
const MAIN = join(ROOT, 'dist/cli/main.js');

/** Which transcripts to write anew: a part of their names, or 1 for all. */
const UPDATED = process.env['UPDATE_TRANSCRIPTS'];
const BLOCK = /```console\n\$ ([^\n]*)\n([\s\S]*?)```/g;

describe('the transcript', () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.md'))) {
    const path = join(FOLDER, file);
    if (UPDATED === '1' || (UPDATED !== undefined && file.includes(UPDATED))) {
      const text = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        text.replace(BLOCK, (_, command: string) => `\`\`\`console\n$ ${command}\n${run(command)}\`\`\``),
      );
    }
    const blocks = [...readFileSync(path, 'utf8').matchAll(BLOCK)];
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
