/**
 * By node, the nearest node that every way from it to the end comes through; the end, whose number is the number of
 * nodes, where there is no nearer one. After Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm.
 */
export function immediatePostdominators(successors: readonly (readonly number[])[]): readonly number[] {
  const end = successors.length;
  const predecessors: number[][] = Array.from({ length: end + 1 }, () => []);
  successors.forEach((list, node) => {
    for (const next of list) predecessors[next]?.push(node);
  });
  const order = postorder(end, predecessors);
  const rank = new Map(order.map((node, place) => [node, place]));
  const found: (number | undefined)[] = Array.from({ length: end + 1 });
  found[end] = end;
  const meet = (a: number, b: number): number => {
    let [x, y] = [a, b];
    while (x !== y) {
      while ((rank.get(x) ?? 0) < (rank.get(y) ?? 0)) x = found[x] ?? end;
      while ((rank.get(y) ?? 0) < (rank.get(x) ?? 0)) y = found[y] ?? end;
    }
    return x;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of order.toReversed()) {
      if (node === end) continue;
      const known = (successors[node] ?? []).filter((next) => found[next] !== undefined);
      const [first, ...others] = known;
      if (first === undefined) continue;
      const nearest = others.reduce(meet, first);
      if (found[node] !== nearest) {
        found[node] = nearest;
        changed = true;
      }
    }
  }
  return Array.from({ length: end }, (_, node) => found[node] ?? end);
}

/** The nodes from which the end is reached, each behind those that are found through it. */
function postorder(end: number, predecessors: readonly (readonly number[])[]): readonly number[] {
  const order: number[] = [];
  const seen = new Set([end]);
  const stack = [{ node: end, next: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const other = predecessors[top.node]?.[top.next];
    top.next += 1;
    if (other === undefined) {
      order.push(top.node);
      stack.pop();
    } else if (!seen.has(other)) {
      seen.add(other);
      stack.push({ node: other, next: 0 });
    }
  }
  return order;
}
