import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { EXPECT, holdToEngines } from './law.js';
import { PAIR_KERNELS, WITHOUT_PEER } from './pair-kernels.js';
import { kernelTest } from './small-kernel.js';

describe('a kernel of a pair of CTAs', () => {
  /** Of one thread each they are held against the engines, which know nothing of who waits for whom at an alloc. */
  it.each(PAIR_KERNELS.map((kernel) => [kernel.name, kernel] as const))('%s, likewise', (name, kernel) => {
    const place = kernel.place.replace(/block \d+/, 'block 1');
    const { text, modules } = kernelTest({ ...kernel, place });
    const asked = text.replace(/expect no-race\nlocations .*/, EXPECT);
    const said = holdToEngines({ path: 'k.litmus', text: asked, modules }, name, { states: false });
    const isTold = said?.isDecided === true || said?.isWaiting === true || said?.isRacing === true;
    expect(said === undefined || isTold || said.open !== undefined).toBe(true);
  });

  it('is not launched in a cluster of one', () => {
    const { text, modules } = kernelTest(WITHOUT_PEER);
    const { diagnostics } = loadTests({ path: 'k.litmus', text, modules });
    expect(diagnostics.map(({ message }) => message)).toContain(
      '.cta_group::2 takes a pair of CTAs, and this one has no peer in its cluster',
    );
  });
});
