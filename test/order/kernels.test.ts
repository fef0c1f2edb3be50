import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { KERNELS } from './kernels.js';
import { kernelTest } from './small-kernel.js';

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
  'a copy that a barrier does not wait for': 'race',
  'a copy, and a group too many in flight': 'every run',
  'a copy of the second group, read too early': 'race',
  'a copy whose source is written before the wait': 'race',
  'a copy whose source is written behind the wait': 'every run',
  'a copy that nobody waits for, whose source is written': 'race',
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
  'lanes that come back to where the others wait': 'every run',
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
  'arrivals at an mbarrier': 'every run',
  'an arrival that is missing': 'deadlock',
  'a wait for the other parity':
    'race, the phase may be complete before a wait for the one before it, which then waits for another',
  'an init that others may not see': 'this may come to the mbarrier before the phase that it comes to here',
  'relaxed arrivals': 'race',
  'relaxed arrivals behind fences': 'race',
  'a relaxed wait': 'race',
  'two rounds of an mbarrier': 'every run',
  'two rounds of an mbarrier, and nothing between': 'every run',
  'two rounds, and one waits for the second alone':
    'this may come to the mbarrier before the phase that it comes to here',
  'two rounds, one parity': 'deadlock, race',
  'two phases in one instruction': 'this may come to the mbarrier before the phase that it comes to here',
  'a token': 'every run',
  'a try that is not made again': 'a try of an mbarrier that may fail, and is not made again',
  'a wait that gives up': 'a loop that may give up waiting for an mbarrier',
  'an arrival that drops out': 'every run',
  'an mbarrier that is invalidated in the end': 'every run',
  'an mbarrier that is invalidated too early': 'mbarrier-uninitialized',
  'an mbarrier that is invalidated before a wait, perhaps':
    'the mbarrier may be invalidated before something else is done to it',
  'lanes at a barrier, one of which waits for the other warp': 'every run',
  'what was written before a copy, behind the copy': 'race',
  'a bulk copy': 'every run',
  'a bulk copy that comes before what expects it': 'every run',
  'a bulk copy that is not waited for': 'race',
  'a bulk copy of other bytes than are expected': 'deadlock',
  'a bulk copy over what was written': 'race',
  'a bulk copy over what was written, behind a fence of each': 'every run',
  'a bulk copy over what was written, behind a fence before that': 'race',
  'a bulk copy over what was written, behind a fence of its own': 'every run',
  'a bulk copy over what was written, behind a fence of other memory': 'race',
  'bulk copies one after the other': 'every run',
  'bulk copies at once': 'race',
  'a source that two copies read, one of which is waited for': 'race',
  'a bulk copy for the lanes of its warp': 'every run',
  'what is expected apart, in time': 'every run',
  'what is expected apart, perhaps too late':
    'race, this may come to the mbarrier before the phase that it comes to here',
  'what is expected apart, before its own copy alone': 'the phase may be complete before something that it is to count',
  'copies that arrive besides, in a phase that may not wait for them':
    'race, the phase may be complete before something that it is to count',
  'a bulk store': 'every run',
  'a bulk store whose source alone is waited for': 'race',
  'a bulk store whose source is written once it is read': 'every run',
  'a bulk store without a fence': 'race',
  'a bulk store, and a grid behind it': 'every run',
  'bulk stores of two grids': 'every run',
  'copies of each thread, which arrive': 'every run',
  'copies of each thread, which arrive besides': 'every run',
  'copies that an arrival does not tell of': 'race',
  'a word of an mbarrier that is read': 'an access to an mbarrier object',
  'lanes at a barrier, one of which waits for ever':
    'an aligned barrier to which not all lanes of a warp come together',
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
