import type { CheckBudget, Undecided } from '../program/undecided.js';

/** What the threads of a program can do one after another, over the values of memory that everybody sees. */
export interface Walk<S, L> {
  readonly threads: number;
  readonly initial: S;
  /** Equal of states that go on alike. */
  keyOf(state: S): string;
  isEnded(state: S, thread: number): boolean;
  /** What a thread that has not ended does next; a reason where that is not known. */
  step(state: S, thread: number): Moved<S, L> | Undecided;
}

/** The state after a step, and what was done. */
export interface Moved<S, L> {
  readonly state: S;
  readonly what: L;
}

export interface GraphEdge<L> {
  readonly thread: number;
  readonly to: number;
  readonly what: L;
}

/** All states that interleavings reach, with who has made a step by then: the first is the initial one. */
export interface StateGraph<S, L> {
  readonly walk: Walk<S, L>;
  readonly nodes: readonly GraphNode<S, L>[];
}

export interface GraphNode<S, L> {
  readonly state: S;
  /** By thread. */
  readonly made: readonly boolean[];
  readonly ended: readonly boolean[];
  readonly edges: readonly GraphEdge<L>[];
  /** How it was reached first. */
  readonly before: { readonly from: number; readonly edge: GraphEdge<L> } | undefined;
}

export const MOST_GRAPH_STATES = 100_000;

/** Explores the states in the order of their distance; a reason, where they are too many or a step is not known. */
export function stateGraph<S, L>(
  walk: Walk<S, L>,
  /** Who has made a step matters. */
  tellsSteps: boolean,
  checkBudget: CheckBudget,
  most = MOST_GRAPH_STATES,
): StateGraph<S, L> | Undecided {
  const threads = Array.from({ length: walk.threads }, (_, thread) => thread);
  const nodes: (Omit<GraphNode<S, L>, 'edges'> & { edges: GraphEdge<L>[] })[] = [];
  const known = new Map<string, number>();
  const reach = (state: S, made: readonly boolean[], before: GraphNode<S, L>['before']): number => {
    const key = `${walk.keyOf(state)}${tellsSteps ? `#${made.map(Number).join('')}` : ''}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, nodes.length);
    nodes.push({ state, made, before, ended: threads.map((thread) => walk.isEnded(state, thread)), edges: [] });
    return nodes.length - 1;
  };
  reach(
    walk.initial,
    threads.map(() => false),
    undefined,
  );
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at];
    if (node === undefined) break;
    if (at % CHECK_EVERY === 0) checkBudget();
    if (nodes.length > most) return { kind: 'states', most, what: 'states of loops that write' };
    for (const thread of threads) {
      if (node.ended[thread] === true) continue;
      const moved = walk.step(node.state, thread);
      if ('kind' in moved) return moved;
      const made = node.made[thread] === true ? node.made : node.made.with(thread, true);
      const edge = { thread, what: moved.what, to: nodes.length };
      const to = reach(moved.state, made, { from: at, edge });
      node.edges.push({ ...edge, to });
    }
  }
  return { walk, nodes };
}

const CHECK_EVERY = 256;
