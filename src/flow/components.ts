/** By node the number of its strongly connected component (Tarjan 1972, without recursion). */
export function stronglyConnected(successors: readonly (readonly number[])[]): readonly number[] {
  const index = successors.map(() => -1);
  const low = successors.map(() => -1);
  const component = successors.map(() => -1);
  const open: number[] = [];
  let [next, components] = [0, 0];
  const visit = (root: number): void => {
    const calls: { readonly node: number; edge: number }[] = [{ node: root, edge: 0 }];
    const enter = (node: number): void => {
      index[node] = low[node] = next++;
      open.push(node);
    };
    enter(root);
    while (calls.length > 0) {
      const call = calls[calls.length - 1];
      if (call === undefined) break;
      const to = successors[call.node]?.[call.edge++];
      if (to !== undefined) {
        if (index[to] === -1) {
          enter(to);
          calls.push({ node: to, edge: 0 });
        } else if (component[to] === -1) low[call.node] = Math.min(low[call.node] ?? 0, index[to] ?? 0);
        continue;
      }
      calls.pop();
      const above = calls[calls.length - 1];
      if (above !== undefined) low[above.node] = Math.min(low[above.node] ?? 0, low[call.node] ?? 0);
      if (low[call.node] !== index[call.node]) continue;
      for (let node = open.pop(); node !== undefined; node = open.pop()) {
        component[node] = components;
        if (node === call.node) break;
      }
      components += 1;
    }
  };
  for (const node of successors.keys()) if (index[node] === -1) visit(node);
  return component;
}
