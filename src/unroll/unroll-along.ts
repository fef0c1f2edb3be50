import { targetOf } from '../flow/graph.js';
import type { Thread } from '../program/program.js';
import type { Edge, Node, UnrolledThread } from './unroll.js';

/** What a thread executes: statements in order, and the one before which it stops; their number stands for the end. */
export interface Way {
  readonly statements: readonly number[];
  readonly stop: number;
}

/** A thread along one way, however often that goes round its loops; there is no other way in it. */
export function unrollAlong(thread: Thread, { statements, stop }: Way): UnrolledThread {
  const nodes: Node[] = [];
  let incoming: readonly Edge[] = [{ from: undefined, when: 'next' }];
  for (const [i, index] of statements.entries()) {
    const statement = thread.statements[index];
    if (statement === undefined) throw new Error(`thread ${thread.name} has no statement ${index}`);
    const id = nodes.length;
    nodes.push({ id, statement, index, incoming });
    incoming = edgesTo(thread, id, index, statements[i + 1] ?? stop);
  }
  const rest = { thread, cuts: [], traps: [], spins: [], beyond: [], joins: new Map() };
  const statement = thread.statements[stop];
  if (statement === undefined) return { ...rest, nodes, ends: incoming };
  return { ...rest, nodes: [...nodes, { id: nodes.length, statement, index: stop, incoming }], ends: [] };
}

/** The edges by which a statement is left for another one. */
function edgesTo(thread: Thread, from: number, index: number, next: number): readonly Edge[] {
  const { operation, guard } = thread.statements[index] ?? {};
  const target = operation?.kind === 'exit' ? thread.statements.length : targetOf(thread, index);
  const falls = target === undefined || (guard !== undefined && next === index + 1);
  return [
    ...(target === next ? [{ from, when: 'taken' } as const] : []),
    ...(falls ? [{ from, when: 'next' } as const] : []),
  ];
}
