import { describe, expect, it } from 'vitest';
import { ASYNC_KERNELS } from './async-kernels.js';
import { EXPECT, holdToEngines } from './law.js';
import { kernelTest } from './small-kernel.js';

describe('a launch with asynchronous stores and reductions', () => {
  it.each(ASYNC_KERNELS.map((kernel) => [kernel.name, kernel] as const))(
    'is held against the engines: %s',
    (name, kernel) => {
      const { text, modules } = kernelTest(kernel);
      const asked = text
        .replace('expect no-race', EXPECT)
        .replace(/locations .*/, 'locations [x[0]; x[1]; x[2]; x[3];]');
      expect(holdToEngines({ path: 'k.litmus', text: asked, modules }, name)).toBeDefined();
    },
  );
});
