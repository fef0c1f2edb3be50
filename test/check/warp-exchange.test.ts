import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { EXPECT } from '../order/law.js';
import { PIPELINE_KERNELS } from '../order/pipeline-kernels.js';
import { kernelTest } from '../order/small-kernel.js';
import { builtInModel, checkProgram, programOf, ROOT, solver } from '../support.js';

/** What the choice warp-exchange says (docs/decisions/warp-barrier.md): engines, and launches. */
const VALUES = ['execution', 'memory'] as const;
const modelOf = (value: string) => builtInModel('ptx-9.4', new Set([`warp-exchange=${value}`]));
const outcomeOf = ({ expectations }: TestResult, finding: string) =>
  expectations.find(({ expectation }) => expectation.finding === finding);

describe('a store and a load by lanes that exchange values between', () => {
  const path = join(ROOT, 'litmus/cluster/warp.MP+vote.sync.litmus');
  const text = readFileSync(path, 'utf8').replace(/^(permit|forbid|expect) .*$/gm, '');
  const EXCHANGES = [
    'vote.sync.all.pred %p2, %p1, 0xffffffff;',
    'match.any.sync.b32 %r5, 7, 0xffffffff;',
    'redux.sync.add.u32 %r5, 1, 0xffffffff;',
    'shfl.sync.idx.b32 %r5, r9, 0, 31, 0xffffffff;',
  ];

  it.each(EXCHANGES.flatMap((one) => VALUES.map((value) => [one, value] as const)))('%s, %s', async (one, value) => {
    const isOrdered = value === 'memory';
    const asked = `${text.replaceAll(EXCHANGES[0] ?? '', one)}\nforbid (P1:r0 == 0) as stale\nexpect no-race\n`;
    const result = await checkProgram(programOf(asked, path), modelOf(value), {});
    expect(result.conditions.map(({ expectation }) => expectation)).toEqual([isOrdered ? 'met' : 'broken']);
    expect(outcomeOf(result, 'race')?.outcome).toBe(isOrdered ? 'met' : 'broken');
    const byMachine = checkOperationally(programOf(asked, path), modelOf(value));
    expect(byMachine.conditions.map(({ reachable }) => reachable)).toEqual([!isOrdered]);
    expect(outcomeOf(byMachine, 'race')?.outcome).toBe(isOrdered ? 'met' : 'broken');
  });

  it('rest on that rule', async () => {
    const result = await checkProgram(programOf(`${text}\nexpect no-race\n`, path), modelOf('memory'), {
      reasons: true,
    });
    expect(outcomeOf(result, 'race')?.inferred).toContain('exchange-sync');
  });
});

describe('a launch in which one lane invalidates an mbarrier behind a match', () => {
  const kernel = PIPELINE_KERNELS.find(({ name }) => name === 'mbarriers that are invalidated behind a match');
  if (kernel === undefined) throw new Error('there is no such kernel');
  const { text, modules } = kernelTest({ ...kernel, place: 'grid 1, block 2' });
  const asked = text.replace('expect no-race', EXPECT).replace(/locations .*/, '');
  const many = asked.replace('grid 1', 'grid 40');
  const check = (source: string, value: string, follow: boolean): TestResult => {
    const [program] =
      loadTests({ path: 'k.litmus', text: source, modules }, {}, follow ? 'answers' : 'all threads').value ?? [];
    if (program === undefined) throw new Error('it cannot be read');
    return checkTest(solver, program, modelOf(value), { timeout: 20_000, follow });
  };

  it.each(VALUES)('is undefined, or not, under %s', (value) => {
    const outcome = value === 'memory' ? 'met' : 'broken';
    expect(outcomeOf(check(asked, value, false), 'undefined')?.outcome).toBe(outcome);
    const found = outcomeOf(check(many, value, true), 'undefined');
    expect(found?.outcome).toBe(outcome);
    expect(found?.advice).toEqual(
      value === 'memory' ? undefined : expect.stringContaining('--variant warp-exchange=memory'),
    );
    if (value === 'memory') expect(found?.inferred).toContain('exchange-sync');
  });

  it('shows what may come before, and what does', () => {
    const { shownAt } = outcomeOf(check(many, 'execution', true), 'undefined') ?? {};
    expect(shownAt?.map(({ thread }) => thread)).toEqual(['K cta 0, tid 0', 'K cta 0, tid 1']);
  });
});
