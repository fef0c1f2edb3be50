import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { citation } from '../../src/diagnostics/source.js';
import { withModules } from '../../src/files/read-modules.js';
import { describePlaces } from '../../src/report/describe-execution.js';
import { runSchedules } from '../schedules/run.js';
import { builtInModel, ROOT, solver } from '../support.js';

/**
 * Ideas of two suites of kernels, written anew: scopes (ScoR) and indices and barriers (GPUVerify). The key was written
 * before anybody had asked the tool: where each broken one races, as lines of its source that go together.
 */
const KEY = {
  scoped: {
    'lock-gpu-broken': ['51 53', '53 53', '52 52'],
    'lock-block-broken': ['32 32', '32 43', '43 43', '74 74'],
    'counter-broken': ['22 22'],
    'poll-broken': ['117 136'],
    'relay-broken': ['153 155', '149 156'],
    'automaton-broken': ['173 208'],
    'reduce-broken': ['222 231'],
    'convolve-broken': ['252 254'],
    'matmul-broken': ['32 32', '32 45', '291 291'],
  },
  index: {
    'stride-broken': ['16 17'],
    'modulo-broken': ['30 30'],
    'merge-broken': ['37 38', '36 39', '38 39'],
    'smooth-broken': ['93 95'],
    'scan-broken': ['112 115'],
    'transpose-broken': ['134 136', '135 135', '135 136'],
    'alias-broken': ['193 193'],
    'find-broken': ['207 207'],
    'groups-broken': ['218 224'],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const FOLDER = join(ROOT, 'litmus/kernels/launched');
const pathOf = (folder: string, name: string): string => join(FOLDER, folder, `${name}.litmus`);

function checked(path: string): TestResult {
  const source = withModules({ path, text: readFileSync(path, 'utf8') }, {});
  const { value, diagnostics } = loadTests(source, {}, 'answers');
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkTest(solver, program, builtInModel('ptx-9.4'), { timeout: 60_000, clock: () => performance.now() });
}

/** The lines of the race that is told, in ascending order. */
function linesOfRace({ expectations }: TestResult): string | undefined {
  const race = expectations.find(({ expectation }) => expectation.finding === 'race');
  if (race === undefined) return undefined;
  const shown =
    race.witness === undefined
      ? (race.shownAt ?? []).map(({ span }) => /\.cu:(\d+)/.exec(citation(span))?.[1])
      : describePlaces(race.witness, race.events).map((place) => Number(/\.cu:(\d+)/.exec(place)?.[1]));
  return shown
    .map(Number)
    .sort((a, b) => a - b)
    .join(' ');
}

describe.each(Object.entries(KEY))('kernels of %s', (folder, key) => {
  const names = readdirSync(join(FOLDER, folder)).flatMap((file) => /^(.*)\.litmus$/.exec(file)?.[1] ?? []);

  it('are right ones with a broken twin each', () => {
    const broken = names.filter((name) => name.endsWith('-broken'));
    expect(names.filter((name) => !name.endsWith('-broken')).map((name) => `${name}-broken`)).toEqual(broken);
    // One is undefined, and has no race.
    expect(broken.filter((name) => name !== 'rounds-broken').sort()).toEqual(Object.keys(key).sort());
  });

  it.each(names)('%s is what its test says, at a line of the key', (name) => {
    const result = checked(pathOf(folder, name));
    const claims = [
      ...result.conditions.map(({ expectation }) => expectation),
      ...result.expectations.map(({ outcome }) => outcome),
    ];
    expect(claims.filter((one) => one !== 'met' && one !== 'none')).toEqual([]);
    const lines = (key as Readonly<Record<string, readonly string[]>>)[name];
    if (lines !== undefined) expect(lines).toContain(linesOfRace(result));
  });

  it.each(names)('%s has under random schedules the races of the key, and no others', (name) => {
    const found = runSchedules(pathOf(folder, name), { schedules: 100, seed: 3 });
    expect(found.unsupported).toBeUndefined();
    const lines = (key as Readonly<Record<string, readonly string[]>>)[name] ?? [];
    const seen = [...found.raceNotes.values()].map((note) =>
      [...note.matchAll(/\.cu:(\d+)/g)]
        .map(([, line]) => Number(line))
        .sort((a, b) => a - b)
        .join(' '),
    );
    expect(seen.filter((one) => !lines.includes(one))).toEqual([]);
    expect(seen.length > 0).toBe(lines.length > 0);
  });
});
