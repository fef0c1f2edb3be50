import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { HALT_KERNELS } from './halt-kernels.js';
import { kernelTest } from './small-kernel.js';

describe('threads that wait when nobody can go on', () => {
  it.each(HALT_KERNELS.map((kernel) => [kernel.name, kernel] as const))('%s', (_, kernel) => {
    const { text, modules } = kernelTest(kernel);
    const [program] = loadTests({ path: 'k.litmus', text, modules }).value ?? [];
    const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
    if (run === undefined) throw new Error('it cannot be read');
    const rules = new Set(run.findings.map(({ rule }) => rule));
    expect([...rules, ...(run.open === undefined ? [] : [run.open.what])].join(', ')).toBe(kernel.holds);
    expect(run.unconfirmed).toBeUndefined();
    if (run.open === undefined) expect(run.states).toEqual([]);
  });
});
