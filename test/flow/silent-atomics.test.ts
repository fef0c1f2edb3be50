import { describe, expect, it } from 'vitest';
import { backEdges } from '../../src/flow/graph.js';
import { silentAtomics } from '../../src/flow/silent-atomics.js';
import { programOf } from '../support.js';

/** How many atomics of the loop `A` are silent, beside another thread that writes. */
function silentIn(loop: string, other = 'st.relaxed.gpu.global.u32 [x], 1;'): number {
  const program = programOf(
    `PTX silent\n{ .global .u32 x = 0; .global .s32 y = 0; .global .u64 z; }\n` +
      `P0 @ cta 0 { mov.u32 r9, 5; A: ${loop} @p bra A; }\n` +
      `P1 @ cta 1 { ${other} }\nexists (x == 0)`,
  );
  const [thread] = program.threads;
  const [edge] = thread === undefined ? [] : backEdges(thread);
  if (thread === undefined || edge === undefined) throw new Error('no loop');
  return silentAtomics(program, thread, edge.target, edge.from).size;
}

const atom = (operation: string): string => `atom.relaxed.gpu.global.${operation};`;
const NOT_ZERO = 'setp.ne.u32 p, r0, 0;';

describe('an atomic of a loop leaves memory as it was', () => {
  it.each([
    ['a compare-and-swap that has failed', `${atom('cas.b32 r0, [x], 0, 1')} ${NOT_ZERO}`],
    ['the same, told by a negated comparison', `${atom('cas.b32 r0, [x], 0, 1')} setp.eq.u32 q, r0, 0; not.pred p, q;`],
    ['an operation with a neutral operand', `${atom('add.u32 r0, [x], 0')} ${NOT_ZERO}`],
    ['and with all bits', `${atom('and.b32 r0, [x], 0xffffffff')} ${NOT_ZERO}`],
    ['the least of unsigned numbers', `${atom('max.u32 r0, [x], 0')} ${NOT_ZERO}`],
    ['the largest of signed ones', `${atom('min.s32 r0, [y], 0x7fffffff')} setp.ne.s32 p, r0, 0;`],
    ['a bit that is set already', `${atom('or.b32 r0, [x], 4')} and.b32 r1, r0, 4; setp.ne.u32 p, r1, 0;`],
    ['the same, compared with itself', `${atom('or.b32 r0, [x], 4')} and.b32 r1, r0, 6; setp.eq.u32 p, r1, 4;`],
    [
      'the same, as a compiler tells it',
      `${atom('or.b32 r0, [x], 1')} and.b32 r1, r0, 1; setp.eq.u32 q, r1, 1; mov.pred t, 0; xor.pred p, q, t;`,
    ],
    ['a bit that is away already', `${atom('and.b32 r0, [x], 0xfffffffd')} and.b32 r1, r0, 2; setp.eq.u32 p, r1, 0;`],
    ['an exchange of a value for itself', `${atom('exch.b32 r0, [x], 1')} setp.eq.u32 p, r0, 1;`],
    ['an exchange for the one value that is left', `${atom('exch.b32 r0, [x], 1')} ${NOT_ZERO}`],
  ])('as %s', (_, loop) => {
    expect(silentIn(loop)).toBe(1);
  });

  it.each([
    ['a compare-and-swap that has succeeded', `${atom('cas.b32 r0, [x], 0, 1')} setp.eq.u32 p, r0, 0;`],
    ['a comparison with another value', `${atom('cas.b32 r0, [x], 0, 1')} setp.ne.u32 p, r0, 2;`],
    ['a bit that is set now', `${atom('or.b32 r0, [x], 4')} and.b32 r1, r0, 4; setp.eq.u32 p, r1, 0;`],
    ['another bit', `${atom('or.b32 r0, [x], 4')} and.b32 r1, r0, 2; setp.ne.u32 p, r1, 0;`],
    ['one of two bits', `${atom('or.b32 r0, [x], 6')} and.b32 r1, r0, 6; setp.ne.u32 p, r1, 0;`],
    ['a bit that is taken away now', `${atom('and.b32 r0, [x], 0xfffffffd')} and.b32 r1, r0, 2; setp.ne.u32 p, r1, 0;`],
    [
      'one of two that are taken away',
      `${atom('and.b32 r0, [x], 0xfffffffc')} and.b32 r1, r0, 2; setp.eq.u32 p, r1, 0;`,
    ],
    [
      'a bit, told the other way round',
      `${atom('or.b32 r0, [x], 1')} and.b32 r1, r0, 1; setp.eq.u32 q, r1, 1; mov.pred t, 1; xor.pred p, q, t;`,
    ],
    ['an operand that changes something', `${atom('add.u32 r0, [x], 1')} ${NOT_ZERO}`],
    ['the least of signed numbers for unsigned ones', `${atom('max.u32 r0, [x], 0x80000000')} ${NOT_ZERO}`],
    ['an exchange of another value', `${atom('exch.b32 r0, [x], 2')} setp.eq.u32 p, r0, 1;`],
    ['two ways in a round', `setp.eq.u32 q, r9, 5; @q bra B; ${atom('add.u32 r0, [x], 0')} B: ${NOT_ZERO}`],
  ])('but not with %s', (_, loop) => {
    expect(silentIn(loop)).toBe(0);
  });

  it('only where all accesses there are morally strong with each other, if it writes', () => {
    const add = `${atom('add.u32 r0, [x], 0')} ${NOT_ZERO}`;
    expect(silentIn(add, 'st.weak.global.u32 [x], 1;')).toBe(0);
    expect(silentIn(add, 'st.relaxed.cta.global.u32 [x], 1;')).toBe(0);
    expect(silentIn(add, 'st.relaxed.gpu.global.u16 [x], 1;')).toBe(0);
    expect(silentIn(add, 'st.weak.global.u64 [z], 1;')).toBe(1);
    // A failed compare-and-swap writes nothing.
    expect(silentIn(`${atom('cas.b32 r0, [x], 0, 1')} ${NOT_ZERO}`, 'st.weak.global.u32 [x], 1;')).toBe(1);
  });
});
