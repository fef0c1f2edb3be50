import { type BackEdge, backEdges, targetOf } from '../flow/graph.js';
import { findJoins, type Join } from '../flow/joins.js';
import { roundsForAll } from '../flow/retries.js';
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
  return new Unrolling(program, thread, bound, spinRounds).result();
}

/** A statement that is still to be reached, and how often each backward branch has been taken by then. */
interface Reached {
  readonly index: number;
  readonly counts: readonly number[];
}

class Unrolling {
  private readonly spinning: ReadonlyMap<number, 0 | 1>;
  private readonly trips: ReadonlyMap<number, number>;
  /** By branch of a loop of which some rounds stand for all: how many. */
  private readonly standing: ReadonlyMap<number, number>;
  private readonly backEdges: readonly BackEdge[];
  private readonly nodes: Node[] = [];
  private readonly ends: Edge[] = [];
  private readonly cuts: Edge[] = [];
  private readonly traps: Edge[] = [];
  private readonly spins: Spin[] = [];
  /** Edges that begin a round of a loop which others have fewer of, and are the same otherwise. */
  private readonly shortened: Edge[] = [];
  // A node is a statement together with how often each backward branch has been taken.
  private readonly countsOf: (readonly number[])[] = [];
  private readonly incoming = new Map<string, Edge[]>();
  private readonly queue = new Map<string, Reached>();

  constructor(
    program: Program,
    private readonly thread: Thread,
    private readonly bound: number,
    private readonly spinRounds: number,
  ) {
    this.spinning = findSpinLoops(program, thread);
    this.trips = tripCounts(program, thread, (branch) => this.spinning.has(branch));
    this.standing = roundsForAll(program, thread);
    this.backEdges = backEdges(thread);
  }

  result(): UnrolledThread | undefined {
    const { thread, nodes, ends, cuts, traps, spins, shortened, queue } = this;
    this.go(
      0,
      this.backEdges.map(() => 0),
      { from: undefined, when: 'next' },
    );
    while (queue.size > 0) {
      if (nodes.length > MOST_NODES) return undefined;
      // The next node in control order: outer loops count most, then the place in the text.
      const [key, reached] = first(queue, this.backEdges);
      queue.delete(key);
      this.visit(key, reached);
    }
    const cutTo = cuts.flatMap(({ from }) =>
      from === undefined ? [] : [targetOf(thread, nodes[from]?.index ?? 0) ?? 0],
    );
    const beyond = cuts.length === 0 ? [] : thread.statements.slice(Math.min(...cutTo));
    const joins = joinsOf(nodes, ends, [...cuts, ...traps, ...shortened, ...spins.map(({ edge }) => edge)]);
    return { thread, nodes, ends, cuts, traps, spins, beyond, joins };
  }

  private go(index: number, taken: readonly number[], edge: Edge): void {
    if (index >= this.thread.statements.length) {
      this.ends.push(edge);
      return;
    }
    // How often a loop that only waits went round matters to nothing after it: control comes together there.
    const isLeft = (back: BackEdge | undefined): boolean =>
      back !== undefined && this.spinning.has(back.from) && !within(index, back);
    const counts = taken.map((count, i) => (isLeft(this.backEdges[i]) ? 0 : count));
    const key = `${counts.join(',')}@${index}`;
    this.incoming.set(key, [...(this.incoming.get(key) ?? []), edge]);
    this.queue.set(key, { index, counts });
  }

  private visit(key: string, { index, counts }: Reached): void {
    const statement = this.thread.statements[index];
    if (statement === undefined) return;
    const id = this.nodes.length;
    this.nodes.push({ id, statement, index, incoming: this.incoming.get(key) ?? [] });
    this.countsOf.push(counts);
    const { operation, guard } = statement;
    const taken: Edge = { from: id, when: 'taken' };
    const isEnd = operation.kind === 'exit' || operation.kind === 'trap';
    if (isEnd) (operation.kind === 'exit' ? this.ends : this.traps).push(taken);
    const target = targetOf(this.thread, index);
    if (guard !== undefined || !(isEnd || target !== undefined)) this.go(index + 1, counts, { from: id, when: 'next' });
    if (target === undefined) return;
    if (target > index) this.go(target, counts, taken);
    else this.goBack(index, target, counts, taken);
  }

  /** A backward branch: another round, or no more. */
  private goBack(index: number, target: number, counts: readonly number[], edge: Edge): void {
    const { thread, nodes, countsOf } = this;
    const back = this.backEdges.findIndex(({ from }) => from === index);
    const rounds = (counts[back] ?? 0) + 1;
    const before = this.spinning.get(index);
    const least = readsMemory(thread.statements.slice(target, index)) ? this.spinRounds : 1;
    if (before !== undefined && rounds >= least + before) {
      const round = nodes
        .filter((node) => node.index >= target && node.index <= index && countsOf[node.id]?.join() === counts.join())
        .map((node) => node.id);
      // A loop that waits for time to go by is left.
      if (!isTimed(thread, target, index)) this.spins.push({ edge, round });
    } else if (before === undefined && rounds >= this.boundOf(index))
      (this.standing.has(index) ? this.shortened : this.cuts).push(edge);
    else {
      const edges = this.backEdges;
      this.go(
        target,
        counts.map((count, i) => (i === back ? count + 1 : inside(edges[i], edges[back]) ? 0 : count)),
        edge,
      );
    }
  }

  /** A loop of which it is known how often it is gone round, or which rounds stand for all, needs no bound. */
  private boundOf(branch: number): number {
    const rounds = this.standing.get(branch);
    if (rounds !== undefined) return rounds;
    return this.trips.has(branch) ? (this.trips.get(branch) ?? 0) + 1 : this.bound;
  }
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
