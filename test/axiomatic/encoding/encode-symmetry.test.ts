import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTest } from '../../../src/check/check-test.js';
import { builtInModel, modelOf, programOf, solver } from '../../support.js';

/** What threads do, as often as they do it in the same way. */
const step = fc.constantFrom(
  'atom.relaxed.gpu.global.add.u32 r0, [x], 1;',
  'atom.relaxed.cta.global.add.u32 r0, [x], 1;',
  'atom.acq_rel.gpu.global.exch.b32 r0, [y], 2;',
  'atom.relaxed.gpu.global.cas.b32 r1, [x], 0, 3;',
  'red.relaxed.gpu.global.max.u32 [y], 1;',
  'st.relaxed.gpu.global.u32 [x], 1;',
  'st.weak.global.u32 [z], 1;',
  'ld.weak.global.u32 r1, [z];',
  'ld.acquire.gpu.global.u32 r1, [y];',
  'ld.relaxed.gpu.global.u32 r2, [x]; st.relaxed.gpu.global.u32 [y], r2;',
  'setp.eq.u32 p0, r0, 0; @p0 atom.relaxed.gpu.global.add.u32 r2, [y], 1;',
  'fence.sc.gpu;',
  'fence.acq_rel.gpu;',
);
const value = fc.integer({ min: 0, max: 3 });
const atom = fc.oneof(
  value.map((v) => `x == ${v}`),
  value.map((v) => `y != ${v}`),
  fc.tuple(fc.nat(1), fc.nat(2), value).map(([i, r, v]) => `P${i}:r${r} == ${v}`),
);
const MODELS = [
  ...['ptx-6.0', 'ptx-7.5', 'ptx-9.4'].map((name) => builtInModel(name)),
  // Here no writes are in an order that anything demands.
  modelOf('acyclic rf | po as no-thin-air', 'none'),
];

/** Threads that run one body, alike or told apart by what each leaves in a register that nobody asks for. */
const testOf = (bodies: readonly string[], condition: string, apart: boolean): string =>
  'PTX like\n{ .global .u32 x = 0; .global .u32 y = 0; .global .u32 z = 0; }\n' +
  bodies
    .map(
      (body, i) =>
        `P${i} @ cta ${i} { mov.u32 r9, ${apart ? i : 0}; mov.u32 r0, 0; mov.u32 r1, 0; mov.u32 r2, 0; ${body} }\n`,
    )
    .join('') +
  `${condition}\nexpect race\nexpect no-undefined\nexpect deadlock\n`;

describe('like threads', () => {
  it('come to the same as if something told them apart', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 3 }),
        fc.array(step, { maxLength: 2 }),
        fc.integer({ min: 2, max: 3 }),
        fc.array(atom, { minLength: 1, maxLength: 2 }),
        fc.constantFrom(...MODELS),
        (like, other, count, atoms, model) => {
          const bodies = [...Array.from({ length: count }, () => like.join(' ')), other.join(' ')];
          const said = [false, true].map((apart) => {
            const text = testOf(bodies, `exists (${atoms.join(' /\\ ')})`, apart);
            const { conditions, expectations } = checkTest(solver, programOf(text), model);
            return [
              ...conditions.map(({ reachable, avoidable, holds }) => [reachable, avoidable, holds]),
              ...expectations.map(({ outcome }) => outcome),
            ];
          });
          expect(said[0]).toEqual(said[1]);
          seen.add(JSON.stringify(said[0]?.slice(0, 1)));
        },
      ),
      { numRuns: 150 },
    );
    expect(seen.size).toBeGreaterThan(1);
  }, 120_000);

  it.each([3, 6])('with an atomic each, %i of them count', (n) => {
    const bodies = Array.from({ length: n }, () => 'atom.relaxed.gpu.global.add.u32 r0, [x], 1;');
    const conditions = [`forall (x == ${n})`, `exists (P0:r0 == ${n - 1} /\\ P1:r0 == 0)`, `exists (x == ${n - 1})`];
    const { conditions: said } = checkTest(
      solver,
      programOf(testOf(bodies, conditions.join('\n'), false)),
      builtInModel('ptx-9.4'),
    );
    expect(said.map(({ holds }) => holds)).toEqual([true, true, false]);
  });
});
