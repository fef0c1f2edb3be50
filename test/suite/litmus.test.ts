import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readBaseline } from '../../src/compare/baseline.js';
import { builtInModel } from '../support.js';
import { LITMUS, LITMUS_FILES } from '../sweep/opened.js';

it('the baseline has the tests of litmus/, recorded under the model as it is', () => {
  const baseline = readBaseline(readFileSync(join(LITMUS, 'baseline.json'), 'utf8'));
  if (typeof baseline === 'string') throw new Error(baseline);
  const paths = baseline.tests.map(({ path }) => path).filter((path) => !path.startsWith('kernels/launched/'));
  expect(paths.sort()).toEqual(LITMUS_FILES);
  expect(baseline.model).toEqual({
    name: 'ptx-9.4',
    sha256: createHash('sha256').update(builtInModel('ptx-9.4').source.text).digest('hex'),
    variants: [],
  });
});
