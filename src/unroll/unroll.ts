import { type BackEdge, backEdges, targetOf } from '../flow/graph.js';
import { findJoins, type Join } from '../flow/joins.js';
import { tripCounts } from '../flow/trip-counts.js';
import { findSpinLoops, isTimed } from '../flow/waiting-loops.js';
import type { ProgramStatement } from '../program/operation.js';
import type { Program, Thread } from '../program/program.js';

/** One execution of a statement in the unrolled thread. */
export interface Node {
  readonly id: number;
  readonly statement: ProgramStatement;
  readonly index: number;
  /** Where control comes from: nodes earlier in the list, or the entry of the thread. */
  readonly incoming: readonly Edge[];
}

export interface Edge {
  /** Undefined: the entry. */
  readonly from: number | undefined;
  /** `taken`: the branch at `from` is taken; `next`: control goes on to the following statement. */
  readonly when: 'taken' | 'next';
}

/** A thread without backward jumps: nodes in an order in which control only goes forward. */
export interface UnrolledThread {
  readonly thread: Thread;
  readonly nodes: readonly Node[];
  /** Edges by which the thread comes to its end. */
  readonly ends: readonly Edge[];
  /** Edges that would go round a loop once more than the bound allows. */
  readonly cuts: readonly Edge[];
  /** Edges by which the thread comes to a trap. */
  readonly traps: readonly Edge[];
  /**
   * Edges that go round a spin loop: an execution that takes one is not at its end (docs/format.md: every thread ran to
   * its end).
   */
  readonly spins: readonly Spin[];
  /** The statements that a cut may leave out: what other threads could still observe of them is unknown. */
  readonly beyond: readonly ProgramStatement[];
  /** By branch node, where its two ways join (see findJoins). */
  readonly joins: ReadonlyMap<number, Join>;
}

/** The last round of a spin loop: the edge that would begin another, and the nodes of the round. */
export interface Spin {
  readonly edge: Edge;
  readonly round: readonly number[];
}

const MOST_NODES = 20_000;

/**
 * Unrolls a thread: every loop body is executed at most `bound` times. A spin loop without side effects is executed
 * `spinRounds` times at most. For final states once is enough: in an execution that leaves the loop only the last round
 * matters, since removing reads removes no outcome. For what pairs of events may do, such as race, twice is enough: of
 * the rounds that go on, the one that takes part. Rounds that read no memory take part in nothing. One more is kept
 * where the last round leaves registers as the one before has set them.
 */
export function unrollThread(
  program: Program,
  thread: Thread,
  bound: number,
  spinRounds: number,
): UnrolledThread | undefined {
  const { statements } = thread;
  const spinning = findSpinLoops(program, thread);
  const trips = tripCounts(program, thread, (branch) => spinning.has(branch));
  /** A loop of which it is known how often it is gone round needs no bound. */
  const boundOf = (branch: number): number => (trips.has(branch) ? (trips.get(branch) ?? 0) + 1 : bound);
  const edges = backEdges(thread);

  // A node is a statement together with how often each backward jump has been taken.
  const incoming = new Map<string, Edge[]>();
  const ends: Edge[] = [];
  const cuts: Edge[] = [];
  const traps: Edge[] = [];
  const spins: Spin[] = [];
  const countsOf: (readonly number[])[] = [];
  const nodes: Node[] = [];
  const queue = new Map<string, { readonly index: number; readonly counts: readonly number[] }>();
  const go = (index: number, taken: readonly number[], edge: Edge): void => {
    if (index >= statements.length) {
      ends.push(edge);
      return;
    }
    // How often a loop that only waits went round matters to nothing after it: control comes together there.
    const counts = taken.map((count, i) => (isLeft(edges[i], index) ? 0 : count));
    const key = `${counts.join(',')}@${index}`;
    incoming.set(key, [...(incoming.get(key) ?? []), edge]);
    queue.set(key, { index, counts });
  };

  const isLeft = (edge: BackEdge | undefined, index: number): boolean =>
    edge !== undefined && spinning.has(edge.from) && !within(index, edge);

  go(
    0,
    edges.map(() => 0),
    { from: undefined, when: 'next' },
  );
  while (queue.size > 0) {
    if (nodes.length > MOST_NODES) return undefined;
    // The next node in control order: outer loops count most, then the place in the text.
    const [key, { index, counts }] = first(queue, edges);
    queue.delete(key);
    const statement = statements[index];
    if (statement === undefined) continue;
    const id = nodes.length;
    nodes.push({ id, statement, index, incoming: incoming.get(key) ?? [] });
    countsOf.push(counts);
    const { operation, guard } = statement;
    if (operation.kind === 'exit' || operation.kind === 'trap') {
      (operation.kind === 'exit' ? ends : traps).push({ from: id, when: 'taken' });
      if (guard !== undefined) go(index + 1, counts, { from: id, when: 'next' });
      continue;
    }
    const target = targetOf(thread, index);
    if (target === undefined || guard !== undefined) go(index + 1, counts, { from: id, when: 'next' });
    if (target === undefined) continue;
    const edge: Edge = { from: id, when: 'taken' };
    if (target > index) {
      go(target, counts, edge);
      continue;
    }
    const back = edges.findIndex((candidate) => candidate.from === index);
    const rounds = (counts[back] ?? 0) + 1;
    const before = spinning.get(index);
    const least = readsMemory(statements.slice(target, index)) ? spinRounds : 1;
    if (before !== undefined && rounds >= least + before) {
      const round = nodes
        .filter((node) => node.index >= target && node.index <= index && countsOf[node.id]?.join() === counts.join())
        .map((node) => node.id);
      // A loop that waits for time to go by is left.
      if (!isTimed(thread, target, index)) spins.push({ edge, round });
    } else if (before === undefined && rounds >= boundOf(index)) cuts.push(edge);
    else
      go(
        target,
        counts.map((count, i) => (i === back ? count + 1 : inside(edges[i], edges[back]) ? 0 : count)),
        edge,
      );
  }
  const firstCut =
    cuts.length === 0
      ? statements.length
      : Math.min(
          ...cuts.flatMap((edge) =>
            edge.from === undefined ? [] : [targetOf(thread, nodes[edge.from]?.index ?? 0) ?? 0],
          ),
        );
  const joins = joinsOf(nodes, ends, [...cuts, ...traps, ...spins.map(({ edge }) => edge)]);
  return { thread, nodes, ends, cuts, traps, spins, beyond: statements.slice(firstCut), joins };
}

/** Where the ways of branches join; by some edges a thread does not come to its end. */
function joinsOf(nodes: readonly Node[], ends: readonly Edge[], away: readonly Edge[]): ReadonlyMap<number, Join> {
  const successors: number[][] = nodes.map(() => []);
  const connect = (edges: readonly Edge[], to: number): void => {
    for (const { from } of edges) if (from !== undefined) successors[from]?.push(to);
  };
  for (const { id, incoming } of nodes) connect(incoming, id);
  connect(ends, nodes.length);
  connect(away, nodes.length + 1);
  return findJoins(
    nodes.map(({ statement }) => statement.operation),
    successors,
  );
}

const readsMemory = (statements: readonly ProgramStatement[]): boolean =>
  statements.some(({ operation }) => operation.kind === 'load' || operation.kind === 'atomic');

/** Whether a loop lies strictly inside another: then each round of the outer one starts it afresh. */
function inside(inner: BackEdge | undefined, outer: BackEdge | undefined): boolean {
  if (inner === undefined || outer === undefined || inner === outer) return false;
  return inner.target >= outer.target && inner.from < outer.from;
}

function first<T extends { readonly index: number; readonly counts: readonly number[] }>(
  queue: ReadonlyMap<string, T>,
  backEdges: readonly BackEdge[],
): [string, T] {
  const size = (edge: BackEdge | undefined): number => (edge === undefined ? 0 : edge.from - edge.target);
  const outermostFirst = backEdges.map((_, i) => i).sort((a, b) => size(backEdges[b]) - size(backEdges[a]));
  const before = (a: T, b: T): boolean => {
    for (const i of outermostFirst) {
      const edge = backEdges[i];
      const difference = (a.counts[i] ?? 0) - (b.counts[i] ?? 0);
      // Counts matter only while control is still inside that loop.
      if (difference !== 0 && edge !== undefined && (within(a.index, edge) || within(b.index, edge)))
        return within(a.index, edge) && within(b.index, edge) ? difference < 0 : within(a.index, edge);
    }
    return a.index < b.index;
  };
  let best: [string, T] | undefined;
  for (const entry of queue) if (best === undefined || before(entry[1], best[1])) best = entry;
  if (best === undefined) throw new Error('an empty queue');
  return best;
}

const within = (index: number, edge: BackEdge): boolean => index >= edge.target && index <= edge.from;
