import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';
import { runHere } from './run.js';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The code block that begins with that line. */
function block(first: string): string {
  const at = README.indexOf(`\n${first}\n`) + 1;
  return README.slice(at, README.indexOf('\n```', at) + 1);
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-readme-'));
  writeFileSync(join(folder, 'MP.litmus'), block('PTX MP'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the first example of the README', () => {
  it('is explained as the README shows it', async () => {
    const command = '$ ptx-litmus explain MP.litmus';
    const { out } = await runHere(['explain', 'MP.litmus'], folder);
    const withoutTime = (text: string): string => text.replace(/ \d+ ms /, ' N ms ');
    expect(withoutTime(`${command}\n${out}`)).toBe(withoutTime(block(command)));
  });

  it('is drawn as in its picture', async () => {
    const { out } = await runHere(['graph', 'MP.litmus', '--format', 'svg'], folder);
    expect(out).toBe(readFileSync(join(ROOT, 'docs/stale-message.svg'), 'utf8'));
  });
});
