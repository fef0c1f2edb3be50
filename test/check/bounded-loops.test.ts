import { describe, expect, it } from 'vitest';
import { boundedLoops } from '../../src/check/bounded-loops.js';
import { programOf } from '../support.js';

const AGAIN =
  'A: add.u32 r2, r0, 1; atom.relaxed.gpu.global.cas.b32 r1, [x], r0, r2; setp.ne.u32 p, r1, r0; ' +
  'mov.u32 r0, r1;\n@p bra A;';
const COUNT = 'B: atom.relaxed.gpu.global.add.u32 r3, [y], 1; setp.ne.u32 q, r3, 0;\n@q bra B;';

/** The loops that need a bound, beside what another thread does to `x`. */
const bounded = (loops: string, other: string): readonly string[] =>
  boundedLoops(
    programOf(
      `PTX bounded\n{ .global .u32 x = 0; .global .u32 y = 0; }\n` +
        `P0 { mov.u32 r0, 0;\n${loops}\n}\nP1 { ${other} }\nexists (x == 0)`,
    ),
  );

describe('the loops that need a bound', () => {
  it('are named with what is in the way, and those are not of which some rounds stand for all', () => {
    const [one, ...others] = bounded(`${AGAIN}\n${COUNT}`, 'st.relaxed.gpu.global.u32 [x], 3;');
    expect(one).toMatch(/^the loop of P0 at line 6 needs a bound: line 6 may change memory/);
    expect(others).toEqual([]);
  });

  it('are also those that need not come to see what others write', () => {
    expect(bounded(AGAIN, 'st.weak.global.u32 [x], 3;')).toHaveLength(1);
  });
});
