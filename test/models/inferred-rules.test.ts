import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestResult } from '../../src/check/result.js';
import { PLAIN, reportTest } from '../../src/report/text.js';
import { builtInModel, checkProgram, programOf, ROOT } from '../support.js';

/**
 * Every rule that the specification does not state, by the table of models/README.md, and a test whose answer names it.
 */
const text = readFileSync(join(ROOT, 'models/README.md'), 'utf8');
const table = text.slice(text.indexOf('### Rules with a label'), text.indexOf('### Readings without a label'));
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)))
  .map((cells) => ({ rules: cells[1] ?? [], tests: cells[4] ?? [] }));
const files = new Map(
  readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
    .map((file) => [basename(file, '.litmus'), join(ROOT, 'litmus', file)] as const),
);

async function answer(name: string): Promise<string> {
  const path = files.get(name);
  if (path === undefined) throw new Error(`no test ${name}`);
  const result: TestResult = await checkProgram(programOf(readFileSync(path, 'utf8'), path), 'ptx-9.4', {
    reasons: true,
  });
  return reportTest(result, PLAIN, 0);
}

describe('the rules that the ISA does not state', () => {
  // These count under a variant only, which changes what the others say.
  const OF_VARIANTS = ['by-generic-thread', 'exchange-sync'];
  for (const { rules, tests } of rows.filter(({ rules: [rule = ''] }) => !OF_VARIANTS.includes(rule))) {
    it(`${rules.join(', ')}: named in ${tests.join(', ')}`, async () => {
      expect(tests.length).toBeGreaterThanOrEqual(1);
      const answers = (await Promise.all(tests.map(answer))).join('\n');
      for (const rule of rules) expect(answers).toMatch(new RegExp(`rests on ${rule},`));
    });
  }

  it('are all in the table', () => {
    const named = rows.flatMap(({ rules }) => rules);
    for (const rule of builtInModel('ptx-9.4').inferred.keys()) expect(named).toContain(rule);
  });
});
