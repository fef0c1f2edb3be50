import { describe, expect, it } from 'vitest';
import { HALT_KERNELS } from './halt-kernels.js';
import { runOf } from './small-kernel.js';

describe('threads that wait when nobody can go on', () => {
  it.each(HALT_KERNELS.map((kernel) => [kernel.name, kernel] as const))('%s', (_, kernel) => {
    const run = runOf(kernel);
    const rules = new Set(run.findings.map(({ rule }) => rule));
    expect([...rules, ...(run.open === undefined ? [] : [run.open.what])].join(', ')).toBe(kernel.holds);
    expect(run.unconfirmed).toBeUndefined();
    if (run.open === undefined) expect(run.states).toEqual([]);
  });
});
