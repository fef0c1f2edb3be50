import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Found, runSchedules } from './run.js';

const FOLDER = join(import.meta.dirname, '../../litmus/kernels/launched');
const tests = readdirSync(FOLDER).filter((file) => file.endsWith('.litmus'));

const SEEN: Readonly<Record<string, (found: Found) => boolean>> = {
  race: ({ races }) => races.size > 0,
  deadlock: ({ deadlocks }) => deadlocks > 0,
  undefined: ({ undefined: rules }) => rules.size > 0,
  trap: ({ traps }) => traps > 0,
};

/** What a test expects, `no-race` or `race`; without any condition it expects nothing bad. */
function expectationsOf(text: string): ReadonlyMap<string, boolean> {
  const written = [...text.matchAll(/^expect (no-)?(race|deadlock|undefined|trap)$/gm)];
  const hasCondition = /^(expect|require|permit|forbid|exists|forall|~exists)\b/m.test(text);
  if (!hasCondition) return new Map(Object.keys(SEEN).map((what) => [what, false]));
  return new Map(written.map(([, no, what = '']) => [what, no === undefined]));
}

// What must not be is looked for in a few runs, what must be until it is there.
const ROUND = 20;
const ROUNDS = 40;

describe('kernel tests under random schedules', () => {
  it.each(tests)('show what %s expects, and nothing that it rules out', (file) => {
    const path = join(FOLDER, file);
    const shown = new Map<string, boolean>();
    const expected = expectationsOf(readFileSync(path, 'utf8'));
    for (let round = 0; round < ROUNDS; round++) {
      const found = runSchedules(path, { schedules: ROUND, seed: round + 1 });
      if (found.unsupported !== undefined) {
        expect(found.unsupported).toMatch(/(wgmma|tcgen05)\.\S+ is not known$/);
        return;
      }
      for (const what of expected.keys()) shown.set(what, shown.get(what) || SEEN[what]!(found));
      if ([...expected].every(([what, isThere]) => !isThere || shown.get(what))) break;
    }
    expect(shown).toEqual(expected);
  });
});
