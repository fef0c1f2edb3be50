import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { immediatePostdominators } from '../../src/flow/postdominators.js';

/** Whether the end is reached from a node without a certain one. */
function reachesEnd(successors: readonly (readonly number[])[], from: number, without: number): boolean {
  const seen = new Set<number>();
  const pending = [from];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node === without || seen.has(node)) continue;
    if (node === successors.length) return true;
    seen.add(node);
    pending.push(...(successors[node] ?? []));
  }
  return false;
}

describe('the node where all ways come together', () => {
  it('is on every way to the end, and the nearest such node', () => {
    const graphs = fc.integer({ min: 1, max: 8 }).chain((size) =>
      fc.array(fc.array(fc.integer({ min: 0, max: size }), { minLength: 1, maxLength: 2 }), {
        minLength: size,
        maxLength: size,
      }),
    );
    fc.assert(
      fc.property(graphs, (successors) => {
        const found = immediatePostdominators(successors);
        successors.forEach((_, node) => {
          if (!reachesEnd(successors, node, -1)) return;
          const all = [...successors.keys(), successors.length].filter(
            (other) => other !== node && !reachesEnd(successors, node, other),
          );
          const nearest = all.find((one) => all.every((other) => other === one || !reachesEnd(successors, one, other)));
          expect(found[node]).toBe(nearest ?? successors.length);
        });
      }),
    );
  });
});
