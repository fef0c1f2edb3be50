import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { CORPUS, describeWith } from '../resources.js';
import { isOfShare } from '../shares.js';
import { versionsAgree } from './compare-versions.js';

/** One file of so many is asked. */
const SHARE = 3;

describeWith(CORPUS, 'ptx-9.4 and ptx-7.5 agree on what both know', () => {
  it('of the published corpus', () => {
    const different: string[] = [];
    let compared = 0;
    const files = readdirSync(CORPUS.path, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(litmus|test)$/.test(file))
      .filter((file) => isOfShare(file, SHARE, 'versions'));
    for (const file of files.sort())
      for (const program of loadTests({ path: file, text: readFileSync(join(CORPUS.path, file), 'utf8') }).value ??
        []) {
        const agree = versionsAgree(program, 2);
        if (agree === undefined) continue;
        compared += 1;
        if (!agree) different.push(`${file}: ${program.name}`);
      }
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(400 / SHARE);
  });
});
