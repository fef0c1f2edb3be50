import { describe, expect, it } from 'vitest';
import type { Body } from '../../src/flow/graph.js';
import { pollsIn } from '../../src/flow/polls.js';
import { withoutTimeouts } from '../../src/flow/timeouts.js';
import { programOf } from '../support.js';

/** The statements of a thread. */
function bodyOf(text: string): Body {
  const program = programOf(`PTX t\n{ .global .u32 f; }\nP0 @ cta 0, gpu 0 {\n${text}\n}\nexpect no-race`);
  return program.threads[0] as Body;
}

const NONE = new Map();
const LATE = 'mov.u64 %rd2, %clock64; sub.s64 %rd2, %rd2, %rd1; setp.gt.s64 %p2, %rd2, 99;';
const REGISTERS = '.reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; mov.u64 %rd1, %clock64;';
const LOOK = 'ld.acquire.gpu.u32 %r1, [f]; setp.eq.u32 %p1, %r1, 0;';

describe('a time-out that ends in a trap', () => {
  const count = (text: string): number => withoutTimeouts(bodyOf(`${REGISTERS} ${text}`), NONE).timeouts.length;

  it.each([
    ['in a guarded trap', `W: ${LATE} @%p2 trap; ${LOOK} @%p1 bra W;`],
    ['behind the test for what is waited for', `W: ${LOOK} @!%p1 bra V; ${LATE} @!%p2 bra W; trap; V: membar.gl;`],
    ['after something is printed', `W: ${LATE} @%p2 bra T; ${LOOK} @%p1 bra W; bra V; T: st.u32 [f], 9; trap; V:`],
    [
      'by the number of rounds',
      `mov.u32 %r2, 0; W: add.u32 %r2, %r2, 1; setp.gt.u32 %p2, %r2, 9; @%p2 trap; ${LOOK} @%p1 bra W;`,
    ],
  ])('is left out %s', (_, text) => {
    expect(count(text)).toBe(1);
  });

  it.each([
    [
      'that does not always come to the trap',
      `W: ${LATE} @%p2 bra T; ${LOOK} @%p1 bra W; bra V; T: @%p1 bra V; trap; V:`,
    ],
    ['that what is found decides', `W: ${LOOK} setp.eq.u32 %p2, %r1, 7; @%p2 trap; @%p1 bra W;`],
    ['that what is found decides as well', `W: ${LATE} ${LOOK} or.pred %p2, %p2, %p1; @%p2 trap; @%p1 bra W;`],
    ['of a loop that does more than wait', `W: ${LATE} @%p2 trap; st.u32 [f], 1; ${LOOK} @%p1 bra W;`],
    ['of a loop that looks at nothing', `W: ${LATE} @%p2 trap; setp.eq.u32 %p1, %r3, 0; @%p1 bra W;`],
  ])('stays if it is one %s', (_, text) => {
    expect(count(text)).toBe(0);
  });
});

describe('the polls of a thread', () => {
  const places = (text: string): readonly number[] => [...pollsIn(bodyOf(`${REGISTERS} ${text}`)).keys()].sort();

  it('are the looks of the outermost loop that only waits, and those before it', () => {
    const apart = `ld.acquire.gpu.u32 %r1, [f]; setp.ne.u32 %p1, %r1, 0; @%p1 bra V;`;
    const once = places(`W: ${LOOK} @%p1 bra W; V:`);
    expect(once).toHaveLength(1);
    expect(places(`${apart} W: ${LOOK} @%p1 bra W; V:`)).toHaveLength(2);
    expect(places(`O: ${apart} W: ${LOOK} @%p1 bra W; bra O; V:`)).toHaveLength(2);
    expect(places(`st.u32 [f], 1; W: ${LOOK} @%p1 bra W; V:`)).toHaveLength(1);
  });

  it('are those of the inner loop, where the outer one does more, or looks elsewhere each time', () => {
    expect(places(`O: st.u32 [f], 1; W: ${LOOK} @%p1 bra W; @%p2 bra O;`)).toHaveLength(1);
    const walk = 'add.u64 %rd3, %rd3, 4; setp.lt.u64 %p2, %rd3, 64;';
    const there = LOOK.replace('[f]', '[%rd3]');
    expect(places(`mov.u64 %rd3, f; O: W: ${there} @%p1 bra W; ${walk} @%p2 bra O;`)).toHaveLength(1);
  });

  it('are none where memory changes, a weak load looks, or no loop is', () => {
    expect(places(`W: ${LOOK} st.u32 [f], 2; @%p1 bra W;`)).toEqual([]);
    expect(places('W: ld.u32 %r1, [f]; setp.eq.u32 %p1, %r1, 0; @%p1 bra W;')).toEqual([]);
    expect(places(`${LOOK} @%p1 bra V; V:`)).toEqual([]);
  });
});
