import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Cdcl } from '../../src/axiomatic/solver/cdcl.js';
import type { Model } from '../../src/cat/model.js';
import { readModel } from '../../src/cat/resolve-model.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { readBaseline } from '../../src/compare/baseline.js';
import { judgeLog } from '../../src/compare/compare-logs.js';
import { readObservations } from '../../src/compare/observations.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { loadModel } from '../../src/files/load-model.js';
import { explainResult, toExplain } from '../../src/library/explain-test.js';
import type { Program } from '../../src/program/program.js';
import { parseCondition } from '../../src/syntax/parse-condition.js';
import { catTexts, columns, litmusTexts, log, mutated, random, template } from './texts.js';

/** In milliseconds: what a check may take, and how much longer than that the step at hand may last. */
const TIMEOUT = 300;
const GRACE = 1500;

/** A text that does what none may. */
export interface Failure {
  readonly kind: string;
  readonly text: string;
  readonly what: string;
}

type Read = (text: string) => void;

/** What each kind of text goes through: reading, and where it is understood, all that is done with it. */
async function readers(): Promise<ReadonlyMap<string, readonly [texts: readonly string[], read: Read]>> {
  const solver = new Cdcl();
  const loaded = ['ptx-9.4', 'ptx-7.5', 'sc'].flatMap((name) => loadModel(name).value ?? []);
  const [ptx] = loaded;
  const small = loadTests({ path: 'small.litmus', text: SMALL }).value?.[0];
  if (ptx === undefined || small === undefined) throw new Error('nothing to begin with');
  const check = (program: Program, model: Model, explain: boolean): void => {
    const result = checkTest(solver, program, model, { timeout: TIMEOUT, ...(explain ? toExplain(program) : {}) });
    if (explain) explainResult(model, result, { good: String, bad: String, unsure: String, faint: String });
  };
  const tests =
    (path: string): Read =>
    (text) => {
      const { value, diagnostics } = loadTests({ path, text });
      renderDiagnostics(diagnostics);
      const turn = createHash('md5').update(text).digest()[0] ?? 0;
      for (const program of value ?? []) check(program, loaded[turn % loaded.length] ?? ptx, turn % 5 === 0);
    };
  return new Map<string, readonly [readonly string[], Read]>([
    ['litmus', [[...litmusTexts, columns], tests('fuzz.litmus')]],
    ['nvlitmus', [[template], tests('fuzz.test')]],
    [
      'cat',
      [
        catTexts,
        (text) => {
          const { value, diagnostics } = readModel('fuzz', { path: 'fuzz.cat', text }, BASE_KINDS);
          renderDiagnostics(diagnostics);
          if (value !== undefined) check(small, value, false);
        },
      ],
    ],
    [
      'log',
      [
        [log],
        (text) => {
          const { value, diagnostics } = readObservations({ path: 'fuzz.log', text });
          renderDiagnostics(diagnostics);
          for (const test of value ?? [])
            judgeLog(solver, ptx, small, test, { unroll: 2, timeout: TIMEOUT, clock: () => performance.now() });
        },
      ],
    ],
    ['baseline', [[BASELINE], (text) => void readBaseline(text)]],
    [
      'condition',
      [
        ['exists (P0:r0 == 1 /\\ ~(x = 2 \\/ [y+4] != 0x3)) as a for sc', 'locations [x; P1:r0;]'],
        (text) => void parseCondition({ path: 'fuzz', text }),
      ],
    ],
  ]);
}

export const SMALL =
  'PTX MP\n{ .global .u32 x = 0; .global .u32 y = 0; }\nP0 @ cta 0 { st.weak.global.u32 [x], 1; ' +
  'st.release.gpu.global.u32 [y], 1; }\nP1 @ cta 1 { ld.acquire.gpu.global.u32 r0, [y]; ' +
  'ld.weak.global.u32 r1, [x]; }\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n';
export const BASELINE = `${JSON.stringify(
  {
    baseline: 1,
    folders: ['.'],
    model: { name: 'ptx-9.4', sha256: 'a'.repeat(64), variants: [] },
    unroll: 3,
    tests: [
      {
        path: 'MP.litmus',
        name: 'MP',
        sha256: 'b'.repeat(64),
        verdicts: { 'exists (P1:r0 == 1)': 'Sometimes' },
        flags: [],
        deadlock: false,
        outcomes: ['P1:r0 = 1; P1:r1 = 1;'],
      },
    ],
  },
  undefined,
  1,
)}\n`;

/** Breaks so many texts; what does not come back in time, or throws, is a failure. */
export async function fuzzInProcess(
  cases: number,
  seed: number,
  hear: (done: number, failures: number) => void,
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  const all = [...(await readers())];
  const perRound = 20;
  let done = 0;
  for (let round = 0; done < cases; round++) {
    const turn = all[round % all.length];
    if (turn === undefined) break;
    const [kind, [texts, read]] = turn;
    const arbitrary = round % 4 === 3 ? random : mutated(texts);
    for (const text of fc.sample(arbitrary, { numRuns: perRound, seed: seed + round })) {
      const start = performance.now();
      try {
        read(text);
        const time = performance.now() - start;
        if (time > TIMEOUT + GRACE) failures.push({ kind, text, what: `took ${Math.round(time)} ms` });
      } catch (thrown) {
        failures.push({ kind, text, what: thrown instanceof Error ? String(thrown.stack) : String(thrown) });
      }
    }
    done += perRound;
    if (round % 50 === 49) hear(done, failures.length);
  }
  return failures;
}
