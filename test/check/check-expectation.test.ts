import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, ROOT } from '../support.js';

const checked = async (path: string) =>
  (await check(readFileSync(join(ROOT, 'litmus', path), 'utf8'), 'ptx-9.4', { reasons: true })).expectations.map(
    ({ expectation, outcome, inferred }) => [expectation.expectation, outcome, ...inferred],
  );

describe('what is expected besides final states', () => {
  it('names the inferred rules without which there would be a race', async () => {
    const [race] = await checked('proxies/async.MP+st-rel.gpu+spin.acq.gpu-fence.async-g2s+two-ctas.litmus');
    expect(race).toEqual(['no-race', 'met', 'enters-async', 'completes']);
  });

  it('names the inferred rules without which something would be undefined', async () => {
    const expectations = await checked('mbarrier/init.cluster+fence.mbarrier_init-relaxed.litmus');
    expect(expectations).toContainEqual(['no-undefined', 'met', 'cluster-sync-by-fence', 'restricted-order']);
  });

  it('names none where the text of the ISA is enough', async () => {
    const expectations = await checked('atomics/exch.b128+ld.relaxed.b128.litmus');
    expect(expectations).toContainEqual(['no-race', 'met']);
  });
});
