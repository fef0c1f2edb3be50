import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findingsOf } from '../../src/check/findings.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { MOST_OUTCOMES, readBaseline, recordFindings } from '../../src/compare/baseline.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Program } from '../../src/program/program.js';
import { describeCondition } from '../../src/report/describe-proposition.js';
import { recordedState } from '../../src/report/describe-state.js';
import { builtInModel, checkProgram, ROOT, solver } from '../support.js';
import { compareEngines, complaint } from './engines.js';

const FOLDER = join(ROOT, 'litmus');
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
  .sort();

/** Tests that draw a warning on purpose, with its code. */
const WARNED: Readonly<Record<string, readonly string[]>> = { 'async/griddepcontrol+MP.litmus': ['L0109'] };

/** Outcomes that the axioms allow and no machine has that executes synchronizing operations in order. */
const NEED_LOAD_BUFFERING: readonly string[] = [
  'CoLB+or.cta-exch.rel.gpu+exch.rel.gpu',
  'arrive-rlx+ld-sync-two-syncs',
  'async.WAR+ld-fence.async.shared.cta-remote-g2s',
  'async.WAR+ld-g2s',
  'async.pipeline+full-empty',
  'async.uni.WAR+nothing+acq.sync_restrict',
  'async.uni.WAR+rel.sync_restrict+nothing',
  'async.uni.read.WAR-other-thread+rel.read+acq.sync_restrict',
  'bullet4+ld-arrive.rlx+wait-st',
  'dependent+fence.sc-at-the-end+no-trigger',
  'gemm+1-stage+2-iterations+no-proxy-fence',
  'init.cluster+relaxed-without-fence',
  'mbarrier_init+arrive.rlx-wait+remote-arrive',
];

/** Where the machine does not know a value, or has too many states to go through. */
const NOT_BY_MACHINE: readonly (readonly [RegExp, RegExp])[] = [
  [/^life\+ld-after-inval$/, /leaves open/],
  [
    /^(special\+|loop\+until|carry\+mixed|abs\+neg\+NaN|discard|shfl\.idx\+absent|cbarrier\.sm_(75|90a))/,
    /leaves open/,
  ],
  [/^hist\.sm_/, /no known value/],
  [/^cta_group\.2\+alloc-dealloc$/, /may wait for the other CTA/],
];
/** Which the machine takes minutes for. */
const TOO_LARGE = /^(localtrap\.sm_|ldmatrix\.trans\+)/;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const OPTIONS = { sha256, stateText: recordedState, conditionText: describeCondition };
const baseline = readBaseline(readFileSync(join(FOLDER, 'baseline.json'), 'utf8'));
if (typeof baseline === 'string') throw new Error(baseline);
const recorded = new Map(baseline.tests.map((test) => [test.path, test]));

/** What every condition and expectation says under a model, none of which may be broken. */
async function expectMet(program: Program, model: string): Promise<{ result: TestResult; decided: number }> {
  const result = await checkProgram(program, model);
  let decided = 0;
  for (const { condition, expectation, undecided } of result.conditions) {
    const where = `${model}: ${condition.quantifier} ${condition.name ?? ''} (${undecided?.kind ?? 'decided'})`;
    // Only a test that says so is limited by the bound; some need a feature that this model does not have.
    if (expectation === 'undecided' && model !== 'ptx-9.4') expect(undecided?.kind, where).toBe('feature');
    else {
      expect(expectation, where).not.toBe('broken');
      decided += 1;
    }
  }
  for (const { expectation, outcome, undecided } of result.expectations) {
    const where = `${model}: expect ${expectation.expectation} (${undecided?.kind ?? ''})`;
    if (outcome === 'undecided' && model !== 'ptx-9.4') expect(['feature', 'flag'], where).toContain(undecided?.kind);
    else {
      expect(outcome, where).toBe('met');
      decided += 1;
    }
  }
  return { result, decided };
}

describe('our litmus tests', () => {
  it('are those of the baseline, recorded under the model as it is', () => {
    expect(files.length).toBeGreaterThan(150);
    const isPlain = (path: string): boolean => !path.startsWith('kernels/launched/');
    expect([...recorded.keys()].filter(isPlain).sort()).toEqual(files);
    expect(baseline.model).toEqual({
      name: 'ptx-9.4',
      sha256: sha256(builtInModel('ptx-9.4').source.text),
      variants: [],
    });
  });

  for (const file of files) {
    const name = basename(file, '.litmus');
    it(`${file} reads well, meets what it expects, as recorded, in both engines`, async () => {
      const { value, diagnostics } = loadTests({ path: file, text: readFileSync(join(FOLDER, file), 'utf8') });
      expect(
        diagnostics.map(({ code }) => code),
        renderDiagnostics(diagnostics),
      ).toEqual(WARNED[file] ?? []);
      const program = value?.[0];
      if (program === undefined) throw new Error('no program');
      expect(program.name).toBe(name);
      expect(program.descriptions.join(' ').length, 'a reason in a sentence').toBeGreaterThan(30);

      const { result, decided } = await expectMet(program, 'ptx-9.4');
      let all = decided;
      for (const model of ['ptx-7.5', 'ptx-6.0', 'sc']) all += (await expectMet(program, model)).decided;
      expect(all, 'conditions that were decided').toBeGreaterThan(0);

      const engines = TOO_LARGE.test(name) ? undefined : await compareEngines(program, 3, 60_000, result);
      const [, why] = NOT_BY_MACHINE.find(([names]) => names.test(name)) ?? [];
      if (engines?.undecided !== undefined && why !== undefined) expect(JSON.stringify(engines.undecided)).toMatch(why);
      else if (engines !== undefined) expect(complaint(engines)).toBe('agree');
      expect((engines?.needLoadBuffering.length ?? 0) > 0, 'it needs load buffering across synchronization').toBe(
        NEED_LOAD_BUFFERING.includes(name),
      );

      const deadline = { remaining: () => 60_000 };
      const found =
        engines?.axioms ??
        findingsOf(solver, program, builtInModel('ptx-9.4'), { unroll: 3, deadline, mostOutcomes: MOST_OUTCOMES });
      expect(
        recordFindings(result, file, found, OPTIONS),
        'baseline write litmus/ -o litmus/baseline.json records what was meant to change',
      ).toEqual(recorded.get(file));
    });
  }
});
