import { describe, expect, it } from 'vitest';
import { largerLaunches } from '../../../src/advise/kernel/larger-launches.js';
import { parseTests } from '../../../src/check/load-tests.js';
import type { LitmusFile } from '../../../src/syntax/litmus-ast.js';

const MODULE = `.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n) { ret; }
`;

function fileOf(test: string): LitmusFile {
  const [file] = parseTests({ path: 't.litmus', text: test, modules: { 'k.ptx': { path: 'k.ptx', text: MODULE } } })
    .value ?? [undefined];
  if (file === undefined) throw new Error('not a test');
  return file;
}

const launched = (place: string, n: number, run = ''): string => `PTX t
{ .global .u32 a[${n}] = {1, 2}; .global .u32 b = 0; }
launch K "k.ptx" :: k (a, ${n}) @ ${place} { ${run} }
`;

describe('a larger launch', () => {
  it('has twice the CTAs and twice the threads, with memory and counts for them', () => {
    const [both, ctas, threads] = largerLaunches(fileOf(launched('grid 2, block 32, shared 128', 64)));
    expect(both?.words).toBe('grid 4, block 64');
    expect(both?.sources[0]?.text).toBe(
      launched('grid (4, 1, 1), block (64, 1, 1), shared 256', 256).replace('(a, 64)', '(a, 256)'),
    );
    // Whether the argument is a count is not known.
    expect(both?.sources[1]?.text).toContain('k (a, 64) @');
    expect([ctas?.words, threads?.words]).toEqual(['grid 4, block 32', 'grid 2, block 64']);
  });

  it('has more rows where a block has several, which may be as wide as a tile', () => {
    const [, , threads] = largerLaunches(fileOf(launched('block (16, 2)', 32)));
    expect(threads?.sources.map(({ text }) => /block \([^)]*\)/.exec(text)?.[0])).toEqual([
      ...['block (16, 4, 1)', 'block (16, 4, 1)', 'block (32, 2, 1)', 'block (32, 2, 1)'],
    ]);
  });

  it('has larger clusters where there are clusters', () => {
    const words = (place: string): readonly string[] =>
      largerLaunches(fileOf(launched(place, 64))).map((one) => one.words);
    expect(words('grid 2, block 32, cluster 2')).toContain('grid 4, block 32, cluster 4');
    expect(words('grid 2, block 32').join()).not.toContain('cluster');
  });

  it('is none of a test that names the threads to run', () => {
    expect(largerLaunches(fileOf(launched('grid 2, block 32', 64, 'run tid 0, 1;')))).toEqual([]);
  });
});
