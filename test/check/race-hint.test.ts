import { describe, expect, it } from 'vitest';
import { raceIn } from '../../src/check/race-hint.js';
import { BudgetExceeded } from '../../src/program/undecided.js';
import { check, litmus, modelOf } from '../support.js';

const THREADS = ['st.weak.global.u32 [x], 1;', 'ld.weak.global.u32 r0, [x];'];

describe('the race of an execution that breaks a condition', () => {
  it('is told with what would order the two', async () => {
    const { conditions } = await check(litmus('.global .u32 x = 0;', THREADS, 'forbid (P1:r0 == 1)'));
    expect(conditions[0]?.race?.advice).toContain('nothing orders them in this execution');
  });

  it('is not looked for once the time is over, by each of hundreds of conditions', async () => {
    const { conditions } = await check(litmus('.global .u32 x = 0;', THREADS, 'forbid (P1:r0 == 1)'));
    const [execution] = conditions[0]?.witnesses ?? [];
    if (execution === undefined) throw new Error('no witness');
    const race = (left: number) => () =>
      raceIn(modelOf('"m"\nempty [W] as No-Write'), execution, { remaining: () => left });
    expect(race(0)).toThrow(BudgetExceeded);
    expect(race(1)()).toBeUndefined();
  });
});
