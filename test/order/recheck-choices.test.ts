import { describe, expect, it } from 'vitest';
import type { Choice } from '../../src/follow/choices.js';
import { Follower } from '../../src/follow/follower.js';
import type { Case } from '../../src/follow/held-back.js';
import { settingOf } from '../../src/follow/setting.js';
import type { Trace } from '../../src/follow/trace.js';
import { planLaunches } from '../../src/kernel/plan-launches.js';
import { firstDoubtfulChoice } from '../../src/order/recheck-choices.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { CANCEL_KERNELS } from './cancel-kernels.js';
import { ELECTION_KERNELS } from './election-kernels.js';
import { kernelTest, type SmallKernel } from './small-kernel.js';

function traceOf(kernel: SmallKernel | undefined, of: Case): Trace {
  if (kernel === undefined) throw new Error('no kernel');
  const { text, modules } = kernelTest(kernel);
  const { value: file } = parseLitmus({ path: 'k.litmus', text, modules });
  if (file === undefined) throw new Error('unread');
  return new Follower(
    settingOf(file, planLaunches(file), () => undefined),
    () => undefined,
    of,
  ).run().trace;
}

/** A trace in which something else is said of a choice, or nothing. */
function changed(trace: Trace, key: string, of: Partial<Choice> | undefined): Trace {
  const choices = trace.choices.flatMap((one) => {
    if (one.key !== key) return [one];
    return of === undefined ? [] : [{ ...one, ...of }];
  });
  return { ...trace, choices };
}

describe('the second look at what the hardware chooses', () => {
  const begun = { chosen: [{ key: 'request 0 0', taken: -1 }], isAll: false };
  const trace = traceOf(CANCEL_KERNELS[0], { cancellations: begun });
  const UNSEEN = 'clusters that start or are canceled in a way that nobody has looked at';

  it('agrees with a case whose others are all told', () => {
    expect(trace.choices.map(({ key, taken, options }) => [key, taken, options])).toEqual([
      ['start 0', 0, [0, 1, 2]],
      ['request 0 0', -1, [1, 2, -1]],
      ['start 1', 1, [1, 2]],
      ['request 2 0', 2, [2, -1]],
      ['request 2 1', -1, [-1]],
    ]);
    expect(firstDoubtfulChoice(trace)).toBeUndefined();
  });

  it.each([
    ['a request that may succeed', 'request 0 0', { options: [1, -1] }],
    ['a request that may fail', 'request 2 0', { options: [2] }],
    ['a cluster that may start first', 'start 0', { options: [0, 2] }],
    ['a cluster that is canceled twice', 'request 2 1', { taken: 2, options: [2, -1] }],
    ['a cluster that starts twice', 'start 1', { taken: 0 }],
    ['clusters that have started and go on alone', 'start 1', { row: 0 }],
  ] as const)('finds %s', (_, key, of) => {
    expect(firstDoubtfulChoice(changed(trace, key, of))).toBe(UNSEEN);
  });

  it('finds a cluster that nobody has canceled, and what one does that is', () => {
    const failed = changed(changed(trace, 'request 2 0', { taken: -1 }), 'request 2 1', { options: [2, -1] });
    expect(firstDoubtfulChoice(failed)).toBe('a cluster that neither starts nor is canceled');
    const late = changed(trace, 'start 1', { row: trace.accesses.count });
    expect(firstDoubtfulChoice(late)).toBe('what a cluster does that has not started');
  });

  it('finds a lane that may be elected', () => {
    const kernel = ELECTION_KERNELS.find(({ name }) => name === 'the number of the elected lane');
    const elected = traceOf(kernel, { leaders: { chosen: [], isAll: false } });
    const [{ key, taken, options } = { key: '', taken: -1, options: [] }] = elected.choices;
    expect([taken, options]).toEqual([0, [0, 1, 2, 3, 4, 5]]);
    expect(firstDoubtfulChoice(elected)).toBeUndefined();
    expect(firstDoubtfulChoice(changed(elected, key, { options: [0, 1, 2, 3, 4] }))).toBe(
      'a lane that is elected, and nobody has looked at',
    );
  });
});
