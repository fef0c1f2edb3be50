import { describe, expect, it } from 'vitest';
import { EXPECT, holdToEngines } from './law.js';
import { PIPELINE_KERNELS } from './pipeline-kernels.js';
import { kernelTest } from './small-kernel.js';

const RACING = ['a copy of a stage, read when that before is told', 'a stage that is left before it is read'];

describe('a launch with the pipeline of a library', () => {
  it.each(PIPELINE_KERNELS.map((kernel) => [kernel.name, kernel] as const))(
    'is held against the engines: %s',
    (name, kernel) => {
      const { text, modules } = kernelTest(kernel);
      const asked = text.replace('expect no-race', EXPECT).replace(/locations .*/, 'locations [x[128]; x[129];]');
      const said = holdToEngines({ path: 'k.litmus', text: asked, modules }, name);
      expect(said?.isRacing).toBe(RACING.includes(name));
    },
  );
});
