import { type Body, backEdges } from './graph.js';

/**
 * Compilers end the rounds of one loop at several places, each with a jump back. Where the last of these jumps takes
 * place whenever control comes to it, the others may as well go there: then the loop has one end, and can be seen to
 * be one that only waits.
 */
export function joinRounds(body: Body): Body {
  const { statements } = body;
  const joined = [...statements];
  const labels = new Map(body.labels);
  const edges = backEdges(body);
  const lastTo = new Map(edges.map(({ from, target }) => [target, from]));
  for (const { from, target } of edges) {
    const last = lastTo.get(target);
    const statement = statements[from];
    if (last === undefined || last === from || statement === undefined || statements[last]?.guard !== undefined)
      continue;
    const label = `#round${last}`;
    labels.set(label, last);
    joined[from] = { ...statement, operation: { kind: 'branch', label } };
  }
  return { statements: joined, labels };
}
