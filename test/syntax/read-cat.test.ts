import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PARSED_MODELS } from '../../generated/parsed-models.js';
import { parseCat } from '../../src/syntax/parse-cat.js';
import { readCat } from '../../src/syntax/read-cat.js';
import { ROOT } from '../support.js';

const paths = readdirSync(join(ROOT, 'models'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.cat'),
);

describe('a model of ours', () => {
  it.each(paths)('%s was parsed when the project was built, to what parsing it gives', (path) => {
    const source = { path, text: readFileSync(join(ROOT, 'models', path), 'utf8') };
    expect(PARSED_MODELS.has(source.text), 'npm run build parses the models as they are now').toBe(true);
    // What is undefined is left out of JSON, and means the same.
    expect(readCat(source)).toEqual(parseCat(source));
  });

  it('that was changed since is parsed anew', () => {
    const source = { path: 'sc.cat', text: '"changed"\nacyclic po | rf | co | fr as total-order\n' };
    expect(readCat(source).value?.statements).toMatchObject([{ kind: 'check', name: 'total-order' }]);
  });
});
