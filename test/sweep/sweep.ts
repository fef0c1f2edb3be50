import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isOfShare, SWEEP_ALL } from '../shares.js';
import type { Judge } from './judge.js';
import { JUDGES } from './judges.js';
import { LITMUS_FILES, Opened } from './opened.js';

/** As many files of tests, so that several workers share them. */
const PARTS = 6;
const partOf = (file: string): number => (createHash('sha256').update(file).digest().readUInt32BE() % PARTS) + 1;

/** Of which judges alone to hear: a part of their names. */
const ASKED = process.env['JUDGE'] ?? '';
/** A judge who was asked so often must have found something to compare. */
const ENOUGH = 12;

type Tally = Record<string, number>;

/** Asks of each test of a part of litmus/ all judges whose share it is in. */
export function sweep(part: number): void {
  const tallies: Record<string, Tally> = {};
  const asked: Tally = {};
  const hear = async (judge: Judge, test: Opened): Promise<readonly Error[]> => {
    asked[judge.name] = (asked[judge.name] ?? 0) + 1;
    const tally = tallies[judge.name] ?? {};
    tallies[judge.name] = tally;
    try {
      await judge.judge(test, (what, times = 1) => {
        tally[what] = (tally[what] ?? 0) + times;
      });
      return [];
    } catch (thrown) {
      const failure = thrown instanceof Error ? thrown : new Error(String(thrown));
      failure.message = `${judge.name}: ${failure.message}`;
      return [failure];
    }
  };

  describe(`the tests of litmus/, part ${part}`, () => {
    for (const file of LITMUS_FILES.filter((one) => partOf(one) === part)) {
      const judges = JUDGES.filter(({ name, every, share = name }) => {
        const oneIn = typeof every === 'number' ? every : every(file);
        return name.includes(ASKED) && isOfShare(file, oneIn, share);
      });
      if (judges.length === 0) continue;
      it(file, async () => {
        const test = new Opened(file);
        const failures: Error[] = [];
        for (const judge of judges) failures.push(...(await hear(judge, test)));
        const [first, ...more] = failures;
        if (first === undefined) return;
        first.message = [first, ...more].map(({ message }) => message).join('\n');
        throw first;
      });
    }

    it('gave every judge something to compare', () => {
      if (SWEEP_ALL) expectRecorded(part, tallies);
      for (const { name } of JUDGES)
        if ((asked[name] ?? 0) >= ENOUGH) expect(Object.keys(tallies[name] ?? {}), name).not.toEqual([]);
    });
  });
}

/** How often each judge compared what, of all tests, is kept: UPDATE_TALLIES=1 writes it anew. */
function expectRecorded(part: number, tallies: Readonly<Record<string, Tally>>): void {
  const path = join(import.meta.dirname, `tallies-${part}.json`);
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Tally>;
  if (process.env['UPDATE_TALLIES'] === undefined)
    for (const [name, tally] of Object.entries(tallies)) expect(tally, name).toEqual(recorded[name]);
  else writeFileSync(path, `${JSON.stringify({ ...recorded, ...tallies }, undefined, 2)}\n`);
}
