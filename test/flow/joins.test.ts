import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unrollThread } from '../../src/unroll/unroll.js';
import { programOf } from '../support.js';

/** Statements that set registers, and branches and exits in between, all forward. */
const body = fc
  .array(fc.tuple(fc.constantFrom('set', 'branch', 'guarded exit'), fc.nat(7), fc.nat(7)), { maxLength: 8 })
  .map((steps) =>
    steps.map(([kind, i, j], at) => {
      if (kind === 'set') return `L${at}: mov.u32 r${i}, ${j};`;
      if (kind === 'branch') return `L${at}: @p${i % 2} bra L${Math.min(at + 1 + (j % 4), steps.length)};`;
      return `L${at}: @p${i % 2} exit;`;
    }),
  );

describe('where the ways of a branch join', () => {
  it('is on every way to the end, the nearest such node, with what the ways write', () => {
    fc.assert(
      fc.property(body, (steps) => {
        const declared = 'setp.eq.u32 p0, r0, 0; setp.eq.u32 p1, r1, 0;';
        const program = programOf(
          `PTX joins\n{ .global .u32 x; P0:r0 = 0; P0:r1 = 0; }\n` +
            `P0 { ${declared} ${steps.join(' ')} L${steps.length}: mov.u32 r9, 0; }\nexists (x == 0)`,
        );
        const [thread] = program.threads;
        if (thread === undefined) throw new Error('no thread');
        const unrolled = unrollThread(program, thread, 1, 1);
        if (unrolled === undefined) throw new Error('not unrolled');
        const { nodes, ends, joins } = unrolled;
        const next = nodes.map(({ id }) => [
          ...nodes.flatMap((node) => (node.incoming.some(({ from }) => from === id) ? [node.id] : [])),
          ...(ends.some(({ from }) => from === id) ? [nodes.length] : []),
        ]);
        const ways = (from: number): readonly (readonly number[])[] =>
          from === nodes.length ? [[from]] : (next[from] ?? []).flatMap((to) => ways(to).map((way) => [from, ...way]));
        for (const [branch, { node, registers }] of joins) {
          const all = ways(branch);
          const common = (all[0] ?? []).slice(1).filter((one) => all.every((way) => way.includes(one)));
          expect(node).toBe(common[0]);
          const between = new Set(all.flatMap((way) => way.slice(1, way.indexOf(node))));
          const written = [...between].flatMap((one) => {
            const operation = nodes[one]?.statement.operation;
            return operation?.kind === 'compute' ? [operation.target] : [];
          });
          expect(registers).toEqual(new Set(written));
        }
      }),
    );
  });
});
