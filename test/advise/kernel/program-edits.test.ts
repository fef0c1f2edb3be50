import { describe, expect, it } from 'vitest';
import { barriersIn, programsFor } from '../../../src/advise/kernel/program-edits.js';
import type { Choices } from '../../../src/advise/patch.js';
import { type Choice, NOTHING, type Site } from '../../../src/advise/sites.js';

const LINES = [
  '__global__ void k(int* a, int* flag) {',
  '  for (int i = 0; i < 2; ++i) {',
  '    a[threadIdx.x] += i;',
  '  }',
  '  if (threadIdx.x == 0)',
  '    a[1] = a[0];',
  '  cuda::atomic_ref<int, cuda::thread_scope_block>(*flag).store(1, cuda::memory_order_relaxed);',
  '  init(&bar, 4);',
  '  __syncthreads();',
  '}',
];
const PROGRAM = { path: 'k.cu', text: LINES.join('\n') };

/** What is changed at a line of the program, as a place of a module that says so. */
function changeAt(line: number, kind: Site['kind'], present: Partial<Choice>, put: Partial<Choice>): Choices {
  const source = {
    ...{ path: 'k.ptx', text: '' },
    compiledFrom: () => ({ file: 'k.cu', line, column: 1, inlinedAt: undefined }),
  };
  const span = { source, start: 0, end: 0 };
  const choice = { ...NOTHING, strength: 'acq_rel', ...put } as const;
  const site: Site = {
    ...{ kind, threads: [], spots: [{ span, instruction: span }] },
    ...{ present: { ...NOTHING, ...present }, others: [choice] },
  };
  return new Map([[site, choice]]);
}

/** The lines that the likeliest way changes or puts in. */
function changedBy(choices: Choices): readonly string[] {
  const [first] = programsFor(choices, PROGRAM);
  return (first?.text ?? '').split('\n').filter((line) => !LINES.includes(line));
}

const BARRIER = { text: 'bar.sync 0;' };

describe('a change in the program', () => {
  it('is a statement before the line', () => {
    expect(changedBy(changeAt(3, 'gap', {}, BARRIER))).toEqual(['    __syncthreads();']);
  });

  it('is in braces where the line is all that follows a condition', () => {
    expect(changedBy(changeAt(6, 'gap', {}, BARRIER))).toEqual(['    { __syncthreads(); a[1] = a[0]; }']);
  });

  it('may be at the end of the loop that begins there, or at its beginning', () => {
    const ways = programsFor(changeAt(2, 'gap', {}, BARRIER), PROGRAM).map(({ text }) => text.split('\n'));
    expect(ways[1]?.[3]).toBe('    __syncthreads();');
    expect(ways[2]?.[2]).toBe('    __syncthreads();');
  });

  it('is another order, scope or number where the line has one', () => {
    const store = { text: 'st.relaxed.cta.b32', strength: 'relaxed', scope: 'cta' } as const;
    expect(
      changedBy(changeAt(7, 'access', store, { text: 'st.release.cta.b32', strength: 'release', scope: 'cta' })),
    ).toEqual([LINES[6]?.replace('memory_order_relaxed', 'memory_order_release')]);
    const count = { text: 'mbarrier.init', shown: 'count 4' };
    expect(changedBy(changeAt(8, 'access', count, { shown: 'count 3' }))).toEqual(['  init(&bar, 3);']);
    const bytes = { text: 'mbarrier.init', shown: 'count %r1' };
    expect(changedBy(changeAt(8, 'access', bytes, { shown: 'count %r1 - 1' }))).toEqual(['  init(&bar, (4) - 1);']);
  });

  it('is the line without what is not needed, and an update as one atomic', () => {
    const gone = programsFor(changeAt(9, 'fence', BARRIER, { ...NOTHING }), PROGRAM)[0]?.text.split('\n');
    expect(gone).toEqual(LINES.filter((line) => !line.includes('__syncthreads')));
    expect(changedBy(changeAt(3, 'access', {}, { text: 'atom', cuda: 'atomicAdd(address, value)' }))).toEqual([
      '    atomicAdd(&a[threadIdx.x], i);',
    ]);
  });

  it('brings the header that a statement needs', () => {
    expect(changedBy(changeAt(3, 'gap', {}, { text: 'fence.proxy.async;' }))).toEqual([
      ...['#include <cuda/ptx>', '    cuda::ptx::fence_proxy_async();'],
    ]);
  });

  it('is a barrier of the grid in the place of one of a CTA, of cooperative launches', () => {
    const [, ofGrid] = barriersIn(PROGRAM, [], true);
    expect(ofGrid?.programs.map(({ text }) => text.split('\n')[8])).toEqual([
      '  cooperative_groups::this_grid().sync();',
    ]);
    expect(barriersIn(PROGRAM, [], false)).toHaveLength(1);
  });
});
