import type { Relation } from '../../relation/relation.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from '../formula/formula.js';
import type { ExecutedEvents } from './executed-events.js';
import { SymbolicRelation } from './symbolic-relation.js';

/**
 * The transitive closure of a relation, as a circuit that is exact in both directions (Kleene's algorithm).
 * The pairs that are related whenever they are executed are closed as bits. What remains is a small graph over the
 * sources of the uncertain edges: from one source to the next by one uncertain edge and then any certain ones.
 */
export function symbolicClosure(
  builder: FormulaBuilder,
  executed: ExecutedEvents,
  relation: SymbolicRelation,
): SymbolicRelation {
  const may = relation.may.transitiveClosure();
  const certain = executed.closure(relation.must);
  const { size } = relation;
  let ports: Ports | undefined;
  const toEnd = new Map<number, Formula>();
  /** From a source, over at least one uncertain edge, to `b`. */
  const fromSource = (graph: Ports, source: number, b: number): Formula => {
    const key = source * size + b;
    let formula = toEnd.get(key);
    if (formula === undefined) {
      const ways: Formula[] = [];
      for (const via of graph.sources) {
        const reached = via === source ? TRUE : graph.paths.get(source * size + via);
        if (reached === undefined) continue;
        for (const target of graph.targets.get(via) ?? []) {
          if (target !== b && !certain.has(target, b)) continue;
          const step = relation.at(via, target);
          // What is a step of the source itself by a declared order is among the ways without `via`.
          if (!builder.isStepOver(reached, step, relation.at(source, target))) ways.push(builder.and(reached, step));
        }
      }
      formula = builder.any(ways);
      toEnd.set(key, formula);
    }
    return formula;
  };
  const formula = (a: number, b: number): Formula => {
    ports ??= portGraph(builder, executed, relation, certain, true);
    const graph = ports;
    const ways: Formula[] = [];
    for (const source of graph.sources)
      if (source === a || certain.has(a, source)) ways.push(fromSource(graph, source, b));
    // What is certain holds if its ends are executed; those of uncertain edges are, by their formulas.
    return builder.and(builder.any(ways), executed.both(a, b));
  };
  return new SymbolicRelation(may, certain, formula, executed);
}

/** Of so many sources of uncertain edges it pays to look for ways that are not needed. */
const MANY_SOURCES = 24;

interface Ports {
  readonly sources: readonly number[];
  /** The targets of the uncertain edges of each source. */
  readonly targets: ReadonlyMap<number, readonly number[]>;
  /** Formulas of paths between sources, keyed `from * size + to`. */
  readonly paths: Map<number, Formula>;
}

function portGraph(
  builder: FormulaBuilder,
  executed: ExecutedEvents,
  relation: SymbolicRelation,
  certain: Relation,
  closed: boolean,
  keep: (a: number, b: number) => boolean = () => true,
): Ports {
  const { size } = relation;
  const targets = new Map<number, number[]>();
  for (const [a, b] of relation.may) {
    if ((certain.has(a, b) && !executed.isMereStep(certain, a, b)) || !keep(a, b)) continue;
    targets.set(a, [...(targets.get(a) ?? []), b]);
  }
  const sources = [...targets.keys()];
  const paths = new Map<number, Formula>();
  for (const from of sources) {
    for (const to of sources) {
      const ways = (targets.get(from) ?? [])
        .filter((target) => target === to || certain.has(target, to))
        .map((target) => relation.at(from, target));
      const formula = builder.anyInOrder(ways);
      if (formula !== FALSE) paths.set(from * size + to, formula);
    }
  }
  if (closed) {
    for (const middle of sources) {
      for (const from of sources) {
        const first = paths.get(from * size + middle);
        if (first === undefined) continue;
        builder.checkBudget();
        for (const to of sources) {
          const second = paths.get(middle * size + to);
          if (second === undefined) continue;
          const key = from * size + to;
          const known = paths.get(key) ?? FALSE;
          if (!builder.isStepOver(first, second, known)) paths.set(key, builder.or(known, builder.and(first, second)));
        }
      }
    }
  }
  return { sources, targets, paths };
}

/**
 * That a relation has no cycle: its uncertain edges on possible cycles, eliminated vertex by vertex, smallest degree
 * first.
 */
export function symbolicAcyclic(
  builder: FormulaBuilder,
  executed: ExecutedEvents,
  relation: SymbolicRelation,
): Formula {
  const certain = executed.closure(relation.must);
  const reachable = relation.may.transitiveClosure();
  const { size } = relation;
  const { sources, paths } = portGraph(builder, executed, relation, certain, false, (a, b) => reachable.has(b, a));
  const remaining = new Set(sources);
  const successors = new Map<number, Map<number, Formula>>(sources.map((source) => [source, new Map()]));
  const predecessors = new Map<number, Map<number, Formula>>(sources.map((source) => [source, new Map()]));
  const loops: Formula[] = [];
  for (let event = 0; event < size; event++) if (certain.has(event, event)) loops.push(executed.at(event));
  const isBefore = (a: number, b: number): boolean => certain.has(a, b) && executed.at(a) === TRUE;
  /**
   * Who comes to an event that is always executed comes to all that is certainly behind it, so that no way there is
   * needed. Nor is one back to what is certainly before its start: since ways go on along what is certain, there is one
   * to the start itself as well.
   */
  const needsNoWay = (from: number, to: number): boolean =>
    sources.length >= MANY_SOURCES && from !== to && (isBefore(from, to) || isBefore(to, from));
  const connect = (from: number, to: number, formula: Formula): void => {
    if (from === to && formula !== FALSE) loops.push(formula);
    if (from === to || formula === FALSE) return;
    const joined = builder.or(successors.get(from)?.get(to) ?? FALSE, formula);
    successors.get(from)?.set(to, joined);
    predecessors.get(to)?.set(from, joined);
  };
  for (const [key, formula] of paths) {
    const [from, to] = [Math.floor(key / size), key % size];
    if (!needsNoWay(from, to)) connect(from, to, formula);
  }
  while (remaining.size > 0) {
    let best = -1;
    let bestCost = Number.POSITIVE_INFINITY;
    for (const vertex of remaining) {
      const cost = (successors.get(vertex)?.size ?? 0) * (predecessors.get(vertex)?.size ?? 0);
      if (cost < bestCost) [best, bestCost] = [vertex, cost];
    }
    remaining.delete(best);
    const out = successors.get(best) ?? new Map<number, Formula>();
    const into = predecessors.get(best) ?? new Map<number, Formula>();
    for (const from of into.keys()) successors.get(from)?.delete(best);
    for (const to of out.keys()) predecessors.get(to)?.delete(best);
    for (const [from, first] of into)
      for (const [to, second] of out) if (!needsNoWay(from, to)) connect(from, to, builder.and(first, second));
  }
  return builder.all(loops.map(not));
}
