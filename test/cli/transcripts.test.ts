import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';
import { MAIN, type Run, runHere } from './run.js';

/**
 * Each transcript is a Markdown file with console blocks: a line `$ ptx-litmus …`, what it prints (standard output,
 * then standard error), and its exit code. Times are written `N ms` and `N s`. A command without anything of the shell
 * but quotes is run in this process, the others by a shell.
 */
const FOLDER = import.meta.dirname;

/** Which transcripts to write anew: a part of their names, or 1 for all. */
const UPDATED = process.env['UPDATE_TRANSCRIPTS'];
const BLOCK = /```console\n\$ ([^\n]*)\n([\s\S]*?)```/g;

describe('the transcript', async () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.md'))) {
    const path = join(FOLDER, file);
    if (UPDATED === '1' || (UPDATED !== undefined && file.includes(UPDATED))) {
      const text = readFileSync(path, 'utf8');
      const now: string[] = [];
      for (const [, command = ''] of text.matchAll(BLOCK))
        now.push(`\`\`\`console\n$ ${command}\n${await run(command)}\`\`\``);
      writeFileSync(
        path,
        text.replace(BLOCK, () => now.shift() ?? ''),
      );
    }
    const blocks = [...readFileSync(path, 'utf8').matchAll(BLOCK)];
    it(`${file} has commands`, () => expect(blocks.length).toBeGreaterThan(0));
    for (const [, command = '', expected] of blocks) {
      it(`${file}: ${command}`, async () => expect(await run(command)).toBe(expected));
    }
  }
});

/** Where the memory of a process matters, or how slowly it begins, it is a process of its own. */
const OF_PROCESS = /--memory|--timeout|\/dev\/zero/;

/** The arguments of a command without pipes, files or names that the shell would put in; undefined if it has such. */
function plainArguments(command: string): readonly string[] | undefined {
  const plain = /^ptx-litmus((?: '[^']*'| [^\s'"\\|&;<>$*?()[\]{}]+)*)$/.exec(command);
  if (plain === null || OF_PROCESS.test(command)) return undefined;
  return [...(plain[1] ?? '').matchAll(/ (?:'([^']*)'|(\S+))/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}

async function run(command: string): Promise<string> {
  const args = plainArguments(command);
  const { out, err, code } = args === undefined ? runInShell(command) : await runHere(args);
  const printed = `${out}${err}`
    .replace(/\b\d+ ms\b/g, 'N ms')
    .replace(/\b\d+\.\d s\b/g, 'N s')
    .replace(/^Time (\S+) [\d.]+$/gm, 'Time $1 N')
    .replace(/"timeMs":( ?)[\d.]+/g, '"timeMs":$1N');
  return `${printed}exit ${code}\n`;
}

function runInShell(command: string): Run {
  const shell = command.replaceAll(/^ptx-litmus|(?<=(?:\||&&|;) )ptx-litmus/g, `node ${MAIN}`);
  const { stdout, stderr, status } = spawnSync('bash', ['-c', shell], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { code: status, out: stdout, err: stderr };
}
