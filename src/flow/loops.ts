import { stronglyConnected } from './components.js';

/** Loops that fit, none within another: the outermost that do, by their statements in order. */
export function outermostLoops(
  successors: readonly (readonly number[])[],
  fits: (loop: readonly number[]) => boolean,
): readonly (readonly number[])[] {
  const components = new Map<number, number[]>();
  for (const [node, component] of stronglyConnected(successors).entries()) {
    const members = components.get(component);
    if (members === undefined) components.set(component, [node]);
    else members.push(node);
  }
  return [...components.values()].flatMap((loop) => {
    const [first = -1, ...others] = loop;
    if (others.length === 0 && successors[first]?.includes(first) !== true) return [];
    if (fits(loop)) return [loop];
    // Without the last of the jumps back to its head, the loops inside are left.
    const inside = new Set(loop);
    const last = Math.max(...loop.filter((node) => successors[node]?.includes(first)));
    const isLeft = (node: number, to: number): boolean => inside.has(to) && !(node === last && to === first);
    return outermostLoops(
      successors.map((next, node) => (inside.has(node) ? next.filter((to) => isLeft(node, to)) : [])),
      fits,
    );
  });
}

/** By header, the natural loop: the statements from which control comes back there without leaving it. */
export function naturalLoops(successors: readonly (readonly number[])[]): ReadonlyMap<number, ReadonlySet<number>> {
  const before: number[][] = successors.map(() => []);
  for (const [at, next] of successors.entries()) for (const to of next) before[to]?.push(at);
  const loops = new Map<number, Set<number>>();
  for (const [from, next] of successors.entries())
    for (const header of next) {
      if (header > from) continue;
      const loop = loops.get(header) ?? new Set([header]);
      loops.set(header, loop);
      // What stands before the header is outside: compilers put it first.
      const waiting = [from];
      for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
        if (loop.has(at) || at < header) continue;
        loop.add(at);
        waiting.push(...(before[at] ?? []));
      }
    }
  return loops;
}
