import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Claims } from '../../src/axiomatic/confirmation/claims.js';
import { mayBeJudgedDifferently } from '../../src/axiomatic/session/judged-differently.js';
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
import { builtInModel, modelOf, programOf, ROOT, solver } from '../support.js';

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

/** Of each mistake a small test of ours that shows it, and the last of what is told of that. */
const SHOWN: readonly (readonly [mistake: string, test: string, by: string])[] = [
  [
    'moral strength whatever the scopes',
    'cluster/2RMW+add.cluster+add.cluster+two-clusters',
    'verdict: expect race: broken, was met',
  ],
  ['moral strength across proxies', 'proxies/CoWR.tex+weak-tld', 'flag: data-race is not raised any more'],
  [
    'observation order ends at an atomic',
    'atomics/MP-chain+rel.gpu+add.gpu+acq.gpu',
    'verdict: forbid (P2:r0 == 11 /\\ P2:r1 == 0) as stale: Sometimes, was Never',
  ],
  [
    'st.release; st.relaxed is no release pattern',
    'fences/MP+rel.gpu-rlx.gpu+acq.gpu',
    'verdict: forbid (P1:r0 == 2 /\\ P1:r1 == 0) as stale: Sometimes, was Never',
  ],
  [
    'a release fence releases nothing',
    'disagreements/MP+fence.sc.sys+acq.sys',
    'verdict: forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale: Sometimes, was Never',
  ],
  [
    'the read of a red acquires',
    'disagreements/MP+rel.gpu+red.gpu-fence.acq_rel.gpu',
    'verdict: permit (P1:r1 == 0 /\\ flag == 2) as stale for ptx-7.5, ptx-9.4: Never, was Sometimes',
  ],
  [
    'an acquire fence acquires nothing',
    'atomics/MP+rel.gpu+atom.sys-fence.acquire.gpu',
    'verdict: forbid (P1:r1 == 0 /\\ flag == 2) as stale: Sometimes, was Never',
  ],
  ['a relaxed wait acquires', 'mbarrier/MP+arrive.rel+spin.try_wait.rlx', 'verdict: expect race: broken, was met'],
  [
    'fence.sc does not synchronize',
    'classic/2+2W+fence.sc.gpu+fence.sc.gpu',
    'verdict: forbid (x == 1 /\\ y == 1) as both_first: Sometimes, was Never',
  ],
  ['barriers do not synchronize', 'barriers/MP+bar.arrive+bar.sync', 'verdict: expect no-race: broken, was met'],
  [
    'a relaxed cluster arrival releases',
    'cluster/cbar.MP+arrive.rlx-wait+arrive.rlx-wait',
    'verdict: expect race: broken, was met',
  ],
  [
    'restricted fences order everything',
    'async/bulk.sync_restrict-released-source-overwritten',
    'verdict: expect undefined: broken, was met',
  ],
  [
    'completion is cumulative',
    'async/bulk.g2s+issuer-past-arrive.expect_tx.rlx.cta',
    'verdict: expect race: broken, was met',
  ],
  [
    'a proxy fence counts in every CTA',
    'proxies/MP.tex+fence.texture-rel.gpu+acq.gpu',
    'verdict: permit (P1:r0 == 1 /\\ P1:r1 == 0) as stale for ptx-7.5, ptx-9.4: Never, was Sometimes',
  ],
  [
    'completion needs a proxy fence',
    'async/bulk.g2s.cluster-own-cta+other-thread-waits',
    'verdict: expect no-race: broken, was met',
  ],
  [
    'no coherence',
    'classic/S+rel.gpu+acq.gpu',
    'verdict: forbid (P1:r0 == 1 /\\ x == 2) as overtaken: Sometimes, was Never',
  ],
  ['no atomicity', 'atomics/2RMW+add.gpu+add.gpu', 'verdict: forbid (x == 1) as lost: Sometimes, was Never'],
  [
    'no from-reads in Causality',
    'classic/CoRR+rlx.gpu+rlx.gpu-weak',
    'verdict: forbid (P1:r0 == 1 /\\ P1:r1 == 0) as backwards: Sometimes, was Never',
  ],
  ['no order of mbarrier operations', 'mbarrier/life+init-bar.sync', 'verdict: expect no-undefined: broken, was met'],
  ['races of initial writes', 'atomics/add.u64', 'flag: data-race is raised'],
  [
    'nothing is in flight',
    'async/tensor.load+st-of-descriptor-in-flight',
    'verdict: expect undefined: broken, was met',
  ],
];

function testOf(path: string): Program {
  return programOf(readFileSync(join(ROOT, 'litmus', path), 'utf8'), path);
}

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
  it('is read as it was written, and a text that is none is refused with a reason', () => {
    const programs = SHOWN.map(([, path]) => testOf(`${path}.litmus`));
    const tests = programs.map((program) => recordTest(solver, program, program.source.path, ptx, OPTIONS));
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

  it('of our tests shows every mistake in the model', () => {
    expect(SHOWN.map(([mistake]) => mistake)).toEqual(MISTAKES.map(({ what }) => what));
  });

  for (const [mistake, path, by] of SHOWN)
    it(`of ${path} shows the mistake "${mistake}" in the model`, () => {
      const [program, model] = [testOf(`${path}.litmus`), mistaken(mistakeOf(mistake))];
      expect(mayBeJudgedDifferently(solver, program, ptx, model, limits())).toBe(true);
      const [old, now] = [ptx, model].map((one) => recordTest(solver, program, path, one, OPTIONS));
      if (old === undefined || now === undefined) throw new Error(path);
      const last = compareWithBaseline([old], [now])[0]?.alterations.at(-1);
      expect(`${last?.kind}: ${last?.text}`).toBe(by);
    });
});

describe('two models', () => {
  it('that are not judge some test otherwise, which the question that is asked first does not overlook', async () => {
    const wrong = mistaken(mistakeOf('an acquire fence acquires nothing'));
    const different: string[] = [];
    for (const path of readdirSync(join(ROOT, 'litmus/fences')).sort()) {
      const program = testOf(`fences/${path}`);
      const { differences } = compareFindings(
        findingsOf(solver, program, ptx, limits()),
        findingsOf(solver, program, wrong, limits()),
      );
      if (differences.length === 0) continue;
      different.push(program.name);
      expect([program.name, mayBeJudgedDifferently(solver, program, ptx, wrong, limits())]).toEqual([
        program.name,
        true,
      ]);
    }
    expect(different).toEqual(['MP+fence.release.gpu+fence.acquire.gpu', 'MP+rel.gpu+rlx.gpu-fence.sc.gpu']);
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
    const again = programOf(found?.text ?? '');
    expect(compare(again)).toMatchObject({
      differences: [
        { kind: 'outcome', only: 'A', state: new Map([['P0:r0', 1n]]) },
        { kind: 'flag', only: 'A', name: 'data-race' },
      ],
      open: [],
    });
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
