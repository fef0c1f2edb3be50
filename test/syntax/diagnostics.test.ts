import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/cat/resolve-model.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';

const FOLDER = join(import.meta.dirname, 'bad');

describe('the messages about', () => {
  for (const file of readdirSync(FOLDER).filter((name) => !name.endsWith('.expected'))) {
    it(`${file} are those of its .expected file, all at once`, async () => {
      const source = { path: file, text: readFileSync(join(FOLDER, file), 'utf8') };
      const { value, diagnostics } = file.endsWith('.cat') ? readModel('bad', source, BASE_KINDS) : loadTests(source);
      expect(value).toBeUndefined();
      await expect(`${renderDiagnostics(diagnostics)}\n`).toMatchFileSnapshot(join(FOLDER, `${file}.expected`));
    });
  }
});
