import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { KERNELS, kernelTest } from './kernels.js';

/** What holds of each kernel, by PTX: conflicts that nothing orders, rules that are broken, or why it is not known. */
const EXPECTED: Readonly<Record<string, string>> = {
  'own elements': 'race',
  'warps behind a barrier': 'race',
  'warps without one': 'race',
  'lanes behind a barrier of the warp': 'every run',
  'lanes without one': 'race',
  'lanes behind a vote, which orders nothing': 'race',
  'two rounds, two barriers': 'every run',
  'two rounds, one barrier': 'race',
  'named barriers of pairs of warps': 'every run',
  'pairs of warps at one barrier': 'other arrivals may complete this barrier',
  'arrivals and a wait': 'every run',
  'the one that arrives reads': 'race',
  'an arrival before what the warp waits for': 'race',
  'an arrival behind what the warp waits for': 'every run',
  'one arrival too many': 'a barrier that is never complete',
  'strong halves of a word': 'race',
  'lanes that others wait for have left': 'lanes of the mask are elsewhere, or have exited',
  'warps that have left': 'every run',
  'a count by all': 'every run',
  'a count whose result is used': 'strong, race',
  'a count in the scope of a CTA': 'race',
  'the same in one CTA': 'every run',
  'two operations': 'strong',
  'the least of both signs': 'strong',
  'an exchange': 'strong',
  'a count, read behind a barrier': 'every run',
  'a count, read at once': 'race',
  'halves of a word': 'race',
  'a copy, waited for': 'every run',
  'a copy that a barrier does not wait for': 'proxies',
  'a copy, and a group too many in flight': 'every run',
  'a copy of the second group, read too early': 'proxies',
  'a copy whose source is written before the wait': 'proxies',
  'a copy whose source is written behind the wait': 'every run',
  'a copy that nobody waits for, whose source is written': 'proxies',
  'one after the other': 'race',
  'a dependent grid that waits': 'every run',
  'a dependent grid, one warp of which waits for the other': 'every run',
  'a dependent grid that does not wait': 'race',
  'at once': 'race',
  'a cluster behind its barrier': 'every run',
  'a cluster that arrives relaxed': 'race',
  'CTAs behind a barrier of each': 'race',
  'outside, by the last thread': 'outside-memory',
  'a vector that is not aligned': 'outside-memory',
  'lanes go round a barrier': 'aligned-divergence',
  'lanes that a guard keeps from what others wait at': 'every run',
  'lanes that wait for themselves each': 'an aligned barrier to which not all lanes of a warp come together',
  'lanes go past by a guard': 'aligned-divergence',
  'lanes go past after they have joined the others again': 'aligned-divergence',
  'lanes that met the others before they leave': 'every run',
  'a lane waits for one that comes by another way, and one passes': 'every run',
  'a lane that goes a loop round once more, and leaves':
    'an aligned barrier to which not all lanes of a warp come together',
  'lanes leave': 'every run',
  'a lane out of the mask': 'barrier-mask',
  'counts that differ': 'barrier-counts-differ',
  'a warp that does not come': 'deadlock',
  'a trap of one': 'trap',
  'reductions of a barrier': 'every run',
  shuffles: 'every run',
  'a shuffle of half a warp': 'every run',
  'ways that join': 'every run',
  'an open value': 'every run',
  'an open branch': 'whether this is executed depends on an open value',
  'a fence before a race': 'race',
};

describe('a followed kernel', () => {
  it.each(KERNELS.map((kernel) => [kernel.name, kernel] as const))('%s', (name, kernel) => {
    const { text, modules } = kernelTest(kernel);
    const [program] = loadTests({ path: 'k.litmus', text, modules }).value ?? [];
    const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
    if (run === undefined) throw new Error('it cannot be read');
    const rules = [...new Set(run.findings.map(({ rule }) => rule))];
    const conflicts = [...new Set(run.conflicts.map(({ kind }) => kind))];
    const said = [...rules, ...conflicts, ...(rules.length > 0 || run.open === undefined ? [] : [run.open.what])];
    expect(said.join(', ') || 'every run').toBe(EXPECTED[name]);
    expect(run.unconfirmed).toBeUndefined();
  });
});
