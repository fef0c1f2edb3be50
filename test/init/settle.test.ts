import { describe, expect, it, vi } from 'vitest';
import type { Candidate } from '../../src/init/candidate.js';
import { Trials } from '../../src/init/trial.js';
import { LIMITS, started } from './started.js';

const THREAD = `  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  mov.u32 %r3, %tid.x;`;
const PARAMETERS = '.param .u64 .ptr .global a, .param .u64 .ptr .global b';

// The first ones count in the word in which it is counted where the others do.
const OPEN = `${THREAD}
  atom.global.add.u32 %r1, [%rd1], 1;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  red.global.add.u32 [%rd4], 1;
  ret;`;
const ENDS = 'ends at k.ptx:\\d+: what is found there may be different in other executions';

describe('a launch without an answer', () => {
  it('is a small one where nothing else has one, and that is said', () => {
    const { text, thin } = started(OPEN, PARAMETERS);
    expect(text).toContain('@ grid 1, block 2 {');
    const says = `^it is small, so that its threads are decided together: following more of them ${ENDS}$`;
    expect(thin).toEqual([expect.stringMatching(says)]);
  });

  it('is told as far as it is followed', () => {
    const { text, thin } = started(OPEN, PARAMETERS, { limits: { ...LIMITS, allWork: 1 } });
    expect(thin).toContainEqual(expect.stringMatching(`^following it ${ENDS}$`));
    expect(text).toContain('// thin: following it ends at k.ptx:');
  });
});

describe('a launch with an answer', () => {
  const BRANCHES = `${THREAD}
  mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  setp.gt.f32 %p1, %f1, 0f3F800000;
  @!%p1 bra DONE;
  red.global.add.u32 [%rd2], 1;
DONE:
  ret;`;

  /** As if following some launches ended. */
  function startedWithout(isOpen: (candidate: Candidate) => boolean): ReturnType<typeof started> {
    const span = { source: { path: 'k.ptx', text: '' }, start: 0, end: 0 };
    const open = vi
      .spyOn(Trials.prototype, 'openIn')
      .mockImplementation((candidate) => (isOpen(candidate) ? { what: 'it is open', span } : undefined));
    try {
      return started(BRANCHES, PARAMETERS);
    } finally {
      open.mockRestore();
    }
  }

  it('is taken with numbers in arrays that decide which way threads go, and that is said', () => {
    const { text, rests } = startedWithout(({ contents }) => contents.get('0+0') === 'open');
    expect(text).toContain('.f32 data0[64] = {1.0, 0.0, 0.0, 1.0, 2.0, 1.0, 1.0, 2.0, 0.0, 3.0,');
    expect(text).toContain('// rests on a guess: an answer:');
    expect(rests).toEqual(['an answer: following it ends where what is in data0 is open: it is open']);
  });

  it('is taken in a smaller block, and that is said', () => {
    const { text, rests } = startedWithout(({ block: [x] }) => x > 32);
    expect(text).toContain('.f32 data0[32] = ?;');
    expect(text).toContain('@ grid 1, block 32 {');
    expect(rests).toEqual(['an answer: following it ends where the block is 64: it is open']);
  });
});

describe('a launch with an answer to some of what is asked', () => {
  it('is told with what is not known', () => {
    // Sums of numbers with fractions depend on their order.
    const { thin } = started(
      `${THREAD}
  mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra ADD;
  st.shared.f32 [s], 0f00000000;
ADD:
  bar.sync 0;
  atom.shared.add.f32 %f2, [s], %f1;
  ret;`,
      PARAMETERS,
      { more: '.shared .f32 s;' },
    );
    expect(thin).toContainEqual(expect.stringMatching(/^not all is known of what threads find at k.ptx:\d+$/));
  });
});

describe('places that are counted', () => {
  it('are as many as may be counted, and not as there are threads', () => {
    // Each of a round takes a place if it is the first at one of eight.
    const { text, thin } = started(
      `${THREAD}
  ld.param.u64 %rd9, [c];
  mov.u32 %r9, 0;
LOOP:
  add.u32 %r4, %r3, %r9;
  and.b32 %r4, %r4, 7;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  atom.global.cas.b32 %r5, [%rd4], -1, %r3;
  setp.ne.s32 %p1, %r5, -1;
  @%p1 bra NEXT;
  atom.global.add.u32 %r6, [%rd9], 1;
  mul.wide.u32 %rd5, %r6, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.u32 [%rd6], %r4;
NEXT:
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p2, %r9, 3;
  @%p2 bra LOOP;
  ret;`,
      `${PARAMETERS}, .param .u64 .ptr .global c`,
    );
    expect(text).toContain('.u32 data1[192] = ?;');
    expect(thin).toEqual([]);
  });
});
