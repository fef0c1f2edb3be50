import { describe, expect, it } from 'vitest';
import { PLAIN, reportTest } from '../../src/report/text.js';
import { check, litmus } from '../support.js';

const report = async (body: string, condition: string): Promise<string> =>
  reportTest(await check(litmus('.global .u32 x = 0;', [body], condition), 'ptx-9.4'), PLAIN, 0);

describe('a verdict that may depend on a value that PTX leaves open', () => {
  const clock = 'mov.u32 r1, %clock; add.u32 r2, r1, 1; st.global.u32 [x], r2;';

  it('says so, with the instruction that gives it', async () => {
    for (const condition of ['exists (P0:r1 == 7)', 'exists (x == 7)']) {
      const text = await report(clock, condition);
      expect(text).toContain('rests on values that PTX leaves open');
      expect(text).toMatch(/line \d+: mov\.u32 r1, %clock/);
    }
  });

  it('says so where control depends on it', async () => {
    const text = await report('mov.u32 r1, %clock; setp.eq.u32 p, r1, 5; @p st.global.u32 [x], 1;', 'exists (x == 1)');
    expect(text).toContain('rests on values that PTX leaves open');
  });

  it('says nothing where the value goes nowhere, or none is left open', async () => {
    expect(await report('mov.u32 r1, %clock; st.global.u32 [x], 1;', 'forall (x == 1)')).not.toContain('leaves open');
    expect(await report('st.global.u32 [x], 1;', 'forall (x == 1)')).not.toContain('leaves open');
  });
});
