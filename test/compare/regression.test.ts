import { describe, expect, it } from 'vitest';
import { Claims } from '../../src/axiomatic/confirmation/claims.js';
import { FALSE } from '../../src/axiomatic/formula/formula.js';
import { mayBeJudgedDifferently } from '../../src/axiomatic/session/judged-differently.js';
import { AxiomaticSession } from '../../src/axiomatic/session/session.js';
import type { Model } from '../../src/cat/model.js';
import { findingsOf } from '../../src/check/findings.js';
import {
  BASELINE_VERSION,
  type Baseline,
  printBaseline,
  type RecordedTest,
  type RecordOptions,
  readBaseline,
  recordTest,
} from '../../src/compare/baseline.js';
import { compareWithBaseline } from '../../src/compare/compare-baselines.js';
import { compareFindings, type ModelComparison } from '../../src/compare/compare-models.js';
import { synthesize } from '../../src/compare/synthesize.js';
import { CYCLE_FAMILIES } from '../../src/generate/families.js';
import type { Program } from '../../src/program/program.js';
import { describeCondition } from '../../src/report/describe-proposition.js';
import { recordedState } from '../../src/report/describe-state.js';
import { MUTANTS } from '../operational/mutants.mjs';
import { type Mutant, mutate } from '../places.mjs';
import { builtInModel, litmusPrograms, modelOf, programOf, solver } from '../support.js';

const ptx = builtInModel('ptx-9.4');
const OPTIONS: RecordOptions = {
  unroll: 3,
  timeout: 60_000,
  clock: () => performance.now(),
  sha256: (text) => String(text.length),
  stateText: recordedState,
  conditionText: describeCondition,
};
/** The deliberate mistakes in the model, but for what follows from the rest of it and so changes nothing. */
const MISTAKES = MUTANTS.filter((mutant) => mutant.in.startsWith('ptx-9.4/') && mutant.survives === undefined);

/** As far as can be told before the test is decided. */
function mayLeaveMemory(program: Program): boolean {
  const session = AxiomaticSession.open(solver, program, ptx, limits());
  if ('unknown' in session) return true;
  const { outside } = session.encoding.addresses;
  session.dispose();
  return outside !== FALSE;
}

/** Most mistakes show in a small test, which is soon judged. */
const sizeOf = ({ threads }: Program): number => threads.reduce((sum, { statements }) => sum + statements.length, 0);
const smallestFirst = [...litmusPrograms()].sort((a, b) => sizeOf(a) - sizeOf(b));

function mistakeOf(text: string): Mutant {
  const mutant = MISTAKES.find(({ what }) => what === text);
  if (mutant === undefined) throw new Error(`no mistake is called "${text}"`);
  return mutant;
}

function mistaken(mutant: Mutant): Model {
  return modelOf([...mutate(mutant).values()].join(''), 'ptx-9.4');
}

const limits = () => {
  const start = performance.now();
  return {
    unroll: 3,
    deadline: { remaining: () => start + 60_000 - performance.now() },
    mostOutcomes: 2000,
    mostStates: 2000,
    claims: new Claims(undefined),
  };
};

describe('a baseline', () => {
  it('is read as it was written, and a text that is none is refused with a reason', async () => {
    const tests: RecordedTest[] = [];
    for (const program of litmusPrograms().slice(0, 8))
      tests.push(recordTest(solver, program, program.source.path, ptx, OPTIONS));
    const baseline: Baseline = {
      baseline: BASELINE_VERSION,
      model: { name: 'ptx-9.4', sha256: 'x', variants: [] },
      unroll: 3,
      tests,
    };
    expect(readBaseline(printBaseline(baseline))).toEqual(baseline);
    expect(readBaseline('PTX MP')).toMatch(/it is not JSON/);
    expect(readBaseline('{}')).toMatch(/it is no baseline/);
    expect(readBaseline('{"baseline": 7}')).toMatch(/version 7/);
    expect(readBaseline('{"baseline": 1, "model": {}}')).toMatch(/damaged/);
  });

  it('tells what became allowed and forbidden, what is new, missing and edited', () => {
    const test = (changes: Partial<RecordedTest>): RecordedTest => ({
      path: 'a.litmus',
      name: 'a',
      sha256: '1',
      verdicts: { 'forbid (x)': 'Never' },
      flags: [],
      deadlock: false,
      outcomes: ['x = 0;'],
      ...changes,
    });
    const altered = (now: RecordedTest, old = test({})): readonly string[] =>
      compareWithBaseline([old], [now]).flatMap(({ alterations }) =>
        alterations.map(({ kind, text }) => `${kind}: ${text}`),
      );
    expect(altered(test({}))).toEqual([]);
    expect(altered(test({ outcomes: ['x = 0;', 'x = 1;'], verdicts: { 'forbid (x)': 'Sometimes' } }))).toEqual([
      'became-allowed: x = 1;',
      'verdict: forbid (x): Sometimes, was Never',
    ]);
    expect(altered(test({ outcomes: [] }))).toEqual(['became-forbidden: x = 0;']);
    expect(altered(test({ flags: ['data-race'], deadlock: true }))).toEqual([
      'flag: data-race is raised',
      'deadlock: may deadlock',
    ]);
    expect(altered(test({ undefined: 'a rule', outcomes: [] }))).toEqual(['undefined: became undefined: a rule']);
    expect(altered(test({ sha256: '2' }))).toEqual(['text: the test itself was edited']);
    expect(altered(test({ path: 'b.litmus' }))).toEqual([
      'missing: is in the baseline, and is not there any more',
      'new: is not in the baseline',
    ]);
    // What a timeout cut off did not become forbidden.
    expect(altered(test({ outcomes: [], incomplete: 'outcomes: timeout' }))).toEqual([
      'incomplete: is not decided: outcomes: timeout',
    ]);
  });

  for (const mistake of MISTAKES) {
    it(`of our tests shows the mistake "${mistake.what}" in the model`, async () => {
      const model = mistaken(mistake);
      const differs = (program: Program): boolean => {
        if (!mayBeJudgedDifferently(solver, program, ptx, model, limits())) return false;
        const [old, now] = [ptx, model].map((one) => recordTest(solver, program, program.source.path, one, OPTIONS));
        return old !== undefined && now !== undefined && compareWithBaseline([old], [now]).length > 0;
      };
      expect(smallestFirst.find(differs)?.name).toBeDefined();
    });
  }
});

describe('two models', () => {
  it('that are one judge tests alike, says the question that is asked first, of a 24th of ours', async () => {
    for (const program of litmusPrograms(24, 'judged alike')) {
      const { undefinedBy, open } = findingsOf(solver, program, ptx, limits());
      // Only what lies beyond the bound or outside of memory is left to the full comparison.
      if (undefinedBy !== undefined || open.length > 0 || mayLeaveMemory(program)) continue;
      const same = modelOf(ptx.source.text, 'ptx-9.4');
      const differ = mayBeJudgedDifferently(solver, program, ptx, same, limits());
      expect([program.name, differ]).toEqual([program.name, false]);
    }
  });

  it('that are not judge some test otherwise, which the question that is asked first does not overlook', async () => {
    const wrong = mistaken(mistakeOf('an acquire fence acquires nothing'));
    let different = 0;
    for (const program of litmusPrograms().filter(({ source }) => source.path.startsWith('fences/'))) {
      const { differences } = compareFindings(
        findingsOf(solver, program, ptx, limits()),
        findingsOf(solver, program, wrong, limits()),
      );
      if (differences.length === 0) continue;
      different += 1;
      expect([program.name, mayBeJudgedDifferently(solver, program, ptx, wrong, limits())]).toEqual([
        program.name,
        true,
      ]);
    }
    expect(different).toBeGreaterThan(1);
  });

  it('that say nothing about a feature of a test are not said to judge it alike', async () => {
    const [old, same] = [builtInModel('ptx-7.5'), modelOf(builtInModel('ptx-7.5').source.text, 'ptx-7.5')];
    const test = programOf(
      'PTX t\n{ .shared .b64 bar = mbarrier(1); }\nP0 @ cta 0 { mbarrier.arrive.release.cta.shared::cta.b64 _, ' +
        '[bar]; }\nexists (true)\n',
    );
    expect(mayBeJudgedDifferently(solver, test, old, same, limits())).toBe(true);
    expect(
      compareFindings(findingsOf(solver, test, old, limits()), findingsOf(solver, test, same, limits())).open.map(
        ({ of }) => of,
      ),
    ).toEqual(['everything', 'everything']);
  });

  it('are told apart by a small test that the search finds, and that is what it says', async () => {
    const model = mistaken(mistakeOf('moral strength whatever the scopes'));
    const compare = (program: Program): ModelComparison =>
      mayBeJudgedDifferently(solver, program, ptx, model, limits())
        ? compareFindings(findingsOf(solver, program, ptx, limits()), findingsOf(solver, program, model, limits()))
        : { differences: [], open: [] };
    const { found } = synthesize(compare, {
      seed: 1,
      families: CYCLE_FAMILIES,
      mostEvents: 4,
      mostTests: 3000,
      remaining: () => 1,
    });
    expect(found?.text).toMatch(/\.cta\./);
    const again = programOf(found?.text ?? '');
    expect(compare(again).differences.length).toBeGreaterThan(0);
    expect(again.warnings).toEqual([]);
  });

  it('that do not differ are said not to, up to the bound that was searched', async () => {
    const same = modelOf(ptx.source.text, 'ptx-9.4');
    const compare = (program: Program): ModelComparison => ({
      differences: mayBeJudgedDifferently(solver, program, ptx, same, limits())
        ? [{ kind: 'outcome', only: 'A', state: undefined, name: undefined, execution: undefined }]
        : [],
      open: [],
    });
    expect(
      synthesize(compare, { seed: 1, families: CYCLE_FAMILIES, mostEvents: 3, mostTests: 200, remaining: () => 1 }),
    ).toMatchObject({
      found: undefined,
      events: 3,
      outOfTime: false,
    });
  });
});
