import type { Step } from '../../cat/explain.js';
import type { CandidateExecution } from '../../execution/candidate-execution.js';
import type { Relation } from '../../relation/relation.js';
import { edgeStyle, USUAL_RELATIONS } from './themes.js';

/** One arrow of a picture. */
export interface DrawnEdge extends Step {
  /** `plain` unless a cycle is shown, which stands out from the rest. */
  readonly weight: 'plain' | 'thick' | 'faded';
}

export interface RelationChoice {
  /** Names of relations in place of the usual ones; `name-` as its transitive reduction, `name+` as its closure. */
  readonly show: readonly string[] | undefined;
  readonly hide: readonly string[];
}

/** Relations that say more than the program order of the same two events. */
const SAY_MORE_THAN_PO: readonly string[] = ['rmw', 'addr', 'data', 'ctrl'];

/**
 * The arrows of a picture: program order and coherence without what follows from them, coherence only between threads,
 * of from-reads the first write that was overlooked; then the cycle, thick, with what it passes that is not drawn
 * otherwise. `named` holds every relation by its name, those that the model defines too.
 */
export function drawnEdges(
  execution: CandidateExecution,
  named: ReadonlyMap<string, Relation>,
  choice: RelationChoice,
  cycle: readonly Step[],
): readonly DrawnEdge[] {
  const wanted = (choice.show ?? USUAL_RELATIONS).filter((name) => !choice.hide.includes(name));
  const isAmong = (edges: readonly Step[], { from, to, relation }: Step): boolean =>
    edges.some((edge) => edge.from === from && edge.to === to && edge.relation === relation);
  const pairs = wanted.flatMap((name) =>
    pairsOf(execution, named, name).map(([from, to]): Step => ({ from, to, relation: name.replace(/[-+]$/, '') })),
  );
  const thinned = followingInProgramOrder(execution, named);
  const more = new Set(
    pairs.filter(({ relation }) => SAY_MORE_THAN_PO.includes(relation)).map(({ from, to }) => `${from},${to}`),
  );
  const isTold = ({ from, to, relation }: Step): boolean =>
    (relation === 'po' && more.has(`${from},${to}`)) || thinned.get(relation)?.has(from, to) === true;
  const shown = pairs.filter((edge) => choice.show !== undefined || isAmong(cycle, edge) || !isTold(edge));
  const drawn = shown.map(
    (edge): DrawnEdge => ({
      ...edge,
      weight: cycle.length === 0 ? 'plain' : isAmong(cycle, edge) ? 'thick' : 'faded',
    }),
  );
  const added = cycle.filter((edge) => edge.from !== edge.to && !isAmong(drawn, edge));
  return [...drawn, ...added.map((edge): DrawnEdge => ({ ...edge, weight: 'thick' }))];
}

/** With more events, of all that an event is related to in one thread only the first in program order is shown. */
const FEW_EVENTS = 15;
const THINNED = ['ctrl', 'done', 'mbphase'] as const;

function followingInProgramOrder(
  execution: CandidateExecution,
  named: ReadonlyMap<string, Relation>,
): ReadonlyMap<string, Relation> {
  const { executed, universe } = execution;
  const events = [...executed].filter((id) => universe.events[id]?.thread !== undefined).length;
  if (events <= FEW_EVENTS) return new Map();
  // What a branch decides about includes asynchronous operations behind their issue.
  const orders = ['po', 'issue', 'ctrl'].flatMap((name) => named.get(name) ?? []);
  return new Map(
    THINNED.flatMap((name) => {
      const relation = named.get(name);
      if (relation === undefined) return [];
      const following = orders.map((order) => relation.compose(order));
      return following.length === 0 ? [] : [[name, following.reduce((all, one) => all.union(one))] as const];
    }),
  );
}

function pairsOf(
  execution: CandidateExecution,
  named: ReadonlyMap<string, Relation>,
  name: string,
): readonly (readonly [number, number])[] {
  const relation = named.get(name.replace(/[-+]$/, ''));
  if (relation === undefined) return [];
  if (name.endsWith('-')) return [...relation.transitiveReduction()];
  if (name.endsWith('+')) return [...relation.transitiveClosure()];
  const thread = (id: number): number | undefined => execution.universe.events[id]?.thread;
  const betweenThreads = ([a, b]: readonly [number, number]): boolean =>
    thread(a) !== undefined && thread(a) !== thread(b);
  if (name === 'po') return [...relation.transitiveReduction()];
  if (name === 'co') return [...relation.transitiveReduction()].filter(betweenThreads);
  if (name === 'fr') {
    const later = relation.compose(execution.relations.coherence);
    return [...relation].filter(([a, b]) => !later.has(a, b) && execution.universe.events[a]?.partner !== b);
  }
  return edgeStyle('herd', name).undirected === true
    ? [...relation].filter(([a, b]) => a < b || !relation.has(b, a))
    : [...relation].filter(([a, b]) => a !== b);
}
