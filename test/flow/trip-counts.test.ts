import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tripCounts } from '../../src/flow/trip-counts.js';
import type { Program } from '../../src/program/program.js';
import { programOf } from '../support.js';

function countsOf(body: string): readonly number[] {
  const program: Program = programOf(
    `PTX trips\n{ .global .u32 x; .const .u32 c = 3; }\nP0 { ${body} }\nexists (x == 0)`,
  );
  const [thread] = program.threads;
  if (thread === undefined) throw new Error('no thread');
  return [...tripCounts(program, thread, () => false).values()];
}

describe('how often a loop is gone round', () => {
  it('is as often as its numbers say, inside of another loop at most', () => {
    const small = fc.integer({ min: 0, max: 6 });
    fc.assert(
      fc.property(small, small, fc.integer({ min: 1, max: 3 }), (outer, inner, step) => {
        // The body is gone through once at least; the last time the branch is not taken.
        const inside = (from: number): number => Math.max(0, Math.ceil((inner - from) / step) - 1);
        const rounds = Math.max(0, outer - 1);
        const most = Math.max(...Array.from({ length: rounds + 1 }, (_, from) => inside(from)));
        const counts = countsOf(
          `mov.u32 r1, 0; A: mov.u32 r2, r1; B: add.u32 r2, r2, ${step}; setp.lt.u32 p, r2, ${inner}; @p bra B; ` +
            `add.u32 r1, r1, 1; setp.lt.u32 q, r1, ${outer}; @q bra A;`,
        );
        expect([...counts].sort()).toEqual([rounds, most].filter((count) => count > 0).sort());
      }),
    );
  });

  it('follows from memory that nobody writes, and from no other', () => {
    const loop = (load: string): string =>
      `mov.u32 r1, 0; ${load} A: add.u32 r1, r1, 1; setp.lt.u32 p, r1, r2; @p bra A;`;
    expect(countsOf(loop('ld.const.u32 r2, [c];'))).toEqual([2]);
    expect(countsOf(loop('ld.weak.global.u32 r2, [x];'))).toEqual([]);
  });
});
