import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';
import { MAIN, type Run, runHere } from './run.js';

/**
 * Each transcript is a Markdown file with console blocks: a line `$ ptx-litmus …`, what it prints (standard output,
 * then standard error), and its exit code. Times are written `N ms` and `N s`. A command that calls ptx-litmus once,
 * and gives it nothing of the shell but quotes, makes the call in this process; all else is done by a shell.
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

/** Where the memory of a process matters, how slowly it begins, or which files are beside it, it is one of its own. */
const OF_PROCESS = /--memory|--timeout|\/dev\/zero|ptx-litmus export /;

const PLAIN = /^(?:'[^']*'|[^\s'"\\|&;<>$*?()[\]{}]+)$/;
const CALL = /^(?:([^|]*?)(?:;| &&) )?ptx-litmus((?: (?:'[^']*'|[^\s'|&;]+))*?)( \|(?!\|) [^;&]*)?(?:(?:;| &&) (.*))?$/;
/** What would change the one call, or is not told apart from it. */
const OF_CALL = /\bptx-litmus |\bcd |\bexport |\$|2>&1|\w=/;

/** A command that calls ptx-litmus once, and what the shell does before, with what is printed, and behind it. */
interface Parted {
  readonly args: readonly string[];
  readonly before: string | undefined;
  readonly filter: string | undefined;
  readonly behind: string | undefined;
}

/** The parts of a command whose one call needs no shell: it is given nothing, and goes nowhere but to a filter. */
function partsOf(command: string): Parted | undefined {
  const [whole, before, given = '', filter, behind] = CALL.exec(command) ?? [];
  const words = given.match(/'[^']*'|\S+/g) ?? [];
  const others = [before, filter, behind].join(' ').replace(/sed '[^']*'/g, '');
  if (whole === undefined || OF_PROCESS.test(command) || OF_CALL.test(others)) return undefined;
  if (!words.every((word) => PLAIN.test(word))) return undefined;
  return { args: words.map((word) => word.replace(/^'(.*)'$/, '$1')), before, filter, behind };
}

async function run(command: string): Promise<string> {
  const parts = partsOf(command);
  const { out, err, code } = parts === undefined ? runInShell(command) : await runParted(parts);
  const printed = `${out}${err}`
    .replace(/\b\d+ ms\b/g, 'N ms')
    .replace(/\b\d+\.\d s\b/g, 'N s')
    .replace(/^Time (\S+) [\d.]+$/gm, 'Time $1 N')
    .replace(/"timeMs":( ?)[\d.]+/g, '"timeMs":$1N');
  return `${printed}exit ${code}\n`;
}

async function runParted({ args, before, filter, behind }: Parted): Promise<Run> {
  const first = before === undefined ? [] : [runInShell(before)];
  const own = await runHere(args);
  const shown = filter === undefined ? own : { ...runInShell(`cat${filter}`, own.out), err: own.err };
  return joined([...first, shown, ...(behind === undefined ? [] : [runInShell(behind)])]);
}

const joined = (runs: readonly Run[]): Run => ({
  code: runs.at(-1)?.code ?? null,
  out: runs.map(({ out }) => out).join(''),
  err: runs.map(({ err }) => err).join(''),
});

function runInShell(command: string, input?: string): Run {
  const shell = command.replaceAll(/^ptx-litmus|(?<=(?:\||&&|;) )ptx-litmus/g, `node ${MAIN}`);
  const { stdout, stderr, status } = spawnSync('bash', ['-c', shell], {
    cwd: ROOT,
    encoding: 'utf8',
    ...(input !== undefined && { input }),
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { code: status, out: stdout, err: stderr };
}
