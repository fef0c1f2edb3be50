import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { endValue } from '../end-value.js';
import { kernelModule } from '../kernel-module.js';

/** What a launch of one warp leaves in the words of its lanes. */
function left(body: string): readonly (bigint | undefined)[] {
  const text =
    'PTX k\n{ .global .u32 x[32] = 0; }\nlaunch K "k.ptx" (x) @ grid 1, block 32\n' +
    `locations [${Array.from({ length: 32 }, (_, i) => `x[${i}];`).join(' ')}]\n`;
  const module = kernelModule({
    target: 'sm_100a',
    body: `mov.u32 %r7, 0; mov.u32 %r8, 0x100000; mov.u32 %r3, 7; mov.u32 %r4, 9;
${body}
tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r9}, [%r7];
tcgen05.wait::ld.sync.aligned;
mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r9;`,
  });
  const [program] =
    loadTests({ path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: module } } }).value ?? [];
  const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
  if (program === undefined || run === undefined || run.open !== undefined)
    throw new Error(run?.open?.what ?? 'unread');
  return program.observed.map((one) => endValue(run, one));
}

describe('what is loaded from tensor memory', () => {
  it('is what was stored, lane by lane', () => {
    expect(left('tcgen05.st.sync.aligned.32x32b.x1.b32 [%r7], {%r1};')).toEqual(
      Array.from({ length: 32 }, (_, lane) => BigInt(lane)),
    );
  });

  it.each([
    ['the lower', '[%r7]', 0],
    ['the upper', '[%r8]', 16],
  ] as const)('is open in %s half of the lanes, where that was stored as others', (_, place, first) => {
    const found = left(
      `tcgen05.st.sync.aligned.32x32b.x1.b32 [%r7], {%r3};tcgen05.st.sync.aligned.16x64b.x1.b32 ${place}, {%r4};`,
    );
    expect(found).toEqual(
      Array.from({ length: 32 }, (__, lane) => (lane - first >= 0 && lane - first < 16 ? undefined : 7n)),
    );
  });
});
