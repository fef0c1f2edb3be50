import { describe, expect, it } from 'vitest';
import { CLUSTER_KERNELS } from './cluster-kernels.js';
import { EXPECT, holdToEngines } from './law.js';
import { kernelTest } from './small-kernel.js';

describe('a fence at a relaxed arrival at the barrier of a cluster', () => {
  it.each(
    CLUSTER_KERNELS.filter(({ name }) => name.includes('relaxed arrival')).map((one) => [one.name, one] as const),
  )('is held against the engines: %s', (name, kernel) => {
    const { text, modules } = kernelTest({ ...kernel, place: 'grid 2, block 1, cluster 2', isEndAsked: false });
    const asked = `${text}${EXPECT.replace('expect no-race\n', '')}\n`;
    const said = holdToEngines({ path: 'k.litmus', text: asked, modules }, name);
    expect(said).toBeDefined();
  });
});
