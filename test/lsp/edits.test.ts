import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnostic } from 'vscode-languageserver';
import { Random } from '../../src/generate/random.js';
import { litmusPaths } from '../language/texts.js';
import { SWEEP_ALL } from '../shares.js';
import { Client } from './client.js';

/** How many edits are made; FUZZ_EDITS=1000 takes some minutes. */
const EDITS = Number(process.env['FUZZ_EDITS'] ?? (SWEEP_ALL ? 60 : 30));
/** After so many, what the server says is held against one that begins with the text as it is. */
const BETWEEN = 5;
const PER_TEST = 25;

const PIECES = [
  ' ',
  '\n',
  ';',
  '{',
  '}',
  '.relaxed',
  '.gpu',
  'x',
  'r0',
  '[',
  ']',
  '(',
  '"',
  '/*',
  '//',
  'expect no-race\n',
];

/** Takes some characters out, puts some in, or puts a line a second time. */
function randomEdit(
  text: string,
  random: Random,
): { readonly start: number; readonly end: number; readonly put: string } {
  const start = random.below(text.length + 1);
  const line = text.slice(0, start).lastIndexOf('\n') + 1;
  switch (random.below(4)) {
    case 0:
      return { start, end: Math.min(text.length, start + 1 + random.below(6)), put: '' };
    case 1:
      return { start: line, end: line, put: `${text.slice(line).split('\n')[0]}\n` };
    default:
      return { start, end: start, put: PIECES[random.below(PIECES.length)] ?? '' };
  }
}

const positionIn = (text: string, offset: number): object => {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
};

interface Said {
  readonly diagnostics: readonly Diagnostic[];
  readonly titles: readonly string[];
}

/** What is said of a text once everything is known of it. */
async function said(client: Client, uri: string, version: number): Promise<Said> {
  await client.settled(uri, version);
  return { diagnostics: await client.diagnostics(uri, version), titles: await client.titles(uri) };
}

describe('random edits of open tests', () => {
  let client: Client;
  beforeAll(async () => {
    client = await Client.start({ timeout: 5 });
  });
  afterAll(async () => {
    expect(await client.end()).toBe(0);
  });

  it('leave nothing behind: a fresh start says the same', async () => {
    const random = new Random(38);
    const paths = litmusPaths(1).filter((path) => !path.includes('kernels') && !path.includes('compiled'));
    let compared = 0;
    for (let made = 0; made < EDITS; ) {
      const path = paths[random.below(paths.length)] ?? '';
      const name = `edit${made}.litmus`;
      const uri = pathToFileURL(join(tmpdir(), name)).href;
      let text = readFileSync(path, 'utf8');
      let version = 1;
      await client.open(uri, text);
      for (let i = 0; i < PER_TEST && made < EDITS; i++, made++) {
        const { start, end, put } = randomEdit(text, random);
        const range = { start: positionIn(text, start), end: positionIn(text, end) };
        text = text.slice(0, start) + put + text.slice(end);
        version += 1;
        await client.change(uri, version, [{ range, text: put }]);
        if (made % BETWEEN !== BETWEEN - 1) continue;
        const kept = await said(client, uri, version);
        const fresh = await Client.start({ timeout: 5 });
        await fresh.open(uri, text, version);
        expect(await said(fresh, uri, version), `${path}, edit ${made}:\n${text}`).toEqual(kept);
        await fresh.end();
        compared += 1;
      }
      await client.close(uri);
    }
    expect(client.errors).toEqual([]);
    expect(compared).toBe(Math.floor(EDITS / BETWEEN));
  }, 3_600_000);
});
