import { stronglyConnected } from '../flow/components.js';
import { BOOLEANS, liveAmong, type Promises, promisedTo } from '../program/forward-progress.js';
import type { GraphEdge, GraphNode, StateGraph } from './state-graph.js';

/** A run without an end: what leads to a state, and what leads from it back to it. */
export interface EndlessRun<L> {
  readonly prefix: readonly Step<L>[];
  readonly cycle: readonly Step<L>[];
  readonly ended: readonly boolean[];
}

export interface Step<L> {
  readonly thread: number;
  readonly what: L;
}

/**
 * A run without an end that the promises permit; undefined if there is none. Who has made a step, and who has ended,
 * only grows along a run: on a cycle both stay, and so does who is promised to go on. So a run without an end stays at
 * last in states that reach each other, and is permitted if every thread that is promised to go on, and has not ended,
 * steps there for ever. The other way round, where each of these threads has a step between such states, a cycle goes
 * through all of these steps.
 */
export function endlessRun<S, L>({ nodes }: StateGraph<S, L>, promises: Promises): EndlessRun<L> | undefined {
  const components = stronglyConnected(nodes.map(({ edges }) => edges.map(({ to }) => to)));
  const members = new Map<number, number[]>();
  for (const [node, component] of components.entries()) {
    const list = members.get(component);
    if (list === undefined) members.set(component, [node]);
    else list.push(node);
  }
  let best: { readonly first: number; readonly goals: readonly Goal<L>[] } | undefined;
  for (const own of members.values()) {
    // Nodes are in the order of their distance.
    const [first = 0] = own;
    const node = nodes[first];
    if (node === undefined || (best !== undefined && best.first < first)) continue;
    const steps = own.flatMap((from) =>
      (nodes[from]?.edges ?? [])
        .filter(({ to }) => components[to] === components[from])
        .map((edge) => ({ from, edge })),
    );
    if (steps.length === 0) continue;
    const { made, ended } = node;
    const promised = promisedTo(
      promises,
      ended.length,
      BOOLEANS,
      (thread) => made[thread] === true,
      (thread) => ended[thread] === true,
    );
    const byOne = (of: (thread: number) => boolean): Goal<L> | undefined => steps.find(({ edge }) => of(edge.thread));
    const goals = [
      ...promised.flatMap((isPromised, thread) =>
        isPromised && ended[thread] !== true ? [byOne((one) => one === thread)] : [],
      ),
      ...liveAmong(promises, ended.length)
        .filter((own) => own.some((thread) => ended[thread] !== true))
        .map((own) => byOne((one) => own.includes(one))),
    ];
    const all = goals.filter((goal) => goal !== undefined);
    if (all.length < goals.length) continue;
    best = { first, goals: all };
  }
  if (best === undefined) return undefined;
  const { first, goals } = best;
  const isInside = (node: number): boolean => components[node] === components[first];
  return {
    prefix: prefixOf(nodes, first),
    cycle: cycleThrough(nodes, first, goals, isInside),
    ended: nodes[first]?.ended ?? [],
  };
}

interface Goal<L> {
  readonly from: number;
  readonly edge: GraphEdge<L>;
}

function prefixOf<S, L>(nodes: readonly GraphNode<S, L>[], node: number): readonly Step<L>[] {
  const steps: Step<L>[] = [];
  for (let before = nodes[node]?.before; before !== undefined; before = nodes[before.from]?.before)
    steps.push(before.edge);
  return steps.reverse();
}

/** From a state by the goals in turn, each on a shortest way, and back to it. */
function cycleThrough<S, L>(
  nodes: readonly GraphNode<S, L>[],
  first: number,
  goals: readonly Goal<L>[],
  isInside: (node: number) => boolean,
): readonly Step<L>[] {
  const steps: Step<L>[] = [];
  let at = first;
  for (const { from, edge } of goals) {
    // What leads here may have made the step already.
    if (steps.some(({ thread }) => thread === edge.thread)) continue;
    const way = wayTo(nodes, at, from, isInside);
    const isMade = way.some(({ thread }) => thread === edge.thread);
    steps.push(...way, ...(isMade ? [] : [edge]));
    at = isMade ? from : edge.to;
  }
  return [...steps, ...wayTo(nodes, at, first, isInside)];
}

function wayTo<S, L>(
  nodes: readonly GraphNode<S, L>[],
  from: number,
  to: number,
  isInside: (node: number) => boolean,
): readonly Step<L>[] {
  const reached = new Map<number, { readonly from: number; readonly edge: GraphEdge<L> } | undefined>([
    [from, undefined],
  ]);
  for (const node of reached.keys()) {
    if (node === to) break;
    for (const edge of nodes[node]?.edges ?? [])
      if (isInside(edge.to) && !reached.has(edge.to)) reached.set(edge.to, { from: node, edge });
  }
  const steps: Step<L>[] = [];
  for (let last = reached.get(to); last !== undefined; last = reached.get(last.from)) steps.push(last.edge);
  return steps.reverse();
}
