import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { REPORTER_NAMES } from '../../src/report/reporters/reporters.js';
import { ROOT } from '../support.js';

const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the pages', () => {
  it('have every name that a model may use, and no other', () => {
    const rows =
      page('docs/cat.md')
        .split('## Vocabulary')[1]
        ?.split('\n')
        .filter((line) => line.startsWith('|')) ?? [];
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(named.length).toBeGreaterThan(60);
    for (const name of BASE_KINDS.keys()) expect(named).toContain(name);
    for (const name of named) expect([...BASE_KINDS.keys()]).toContain(name);
  });

  it('have every reporter', () => {
    const line = /--reporter NAME\[=FILE\] +([a-z, ]+);/.exec(page('docs/command-line.md'))?.[1];
    expect(line?.split(', ')).toEqual([...REPORTER_NAMES]);
  });
});
