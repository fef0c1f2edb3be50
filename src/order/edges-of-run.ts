import type { Trace } from '../follow/trace.js';
import type { OrderEdge } from './whole-run.js';

/** What orders what is ordered in a run. */
export function edgesOf({
  synchronizations,
  kinds,
  accesses,
  objects,
  owners,
  threads,
}: Trace): ReadonlySet<OrderEdge> {
  const edges = new Set<OrderEdge>();
  const isApart = (thread: number, owner: number | undefined): boolean =>
    owner !== undefined && threads[thread]?.ctaId !== owner;
  const isPolled = synchronizations.some(({ kind }) => kind === 'poll' || kind === 'take');
  const isRelaxed = synchronizations.some((one) => one.kind === 'mbarrier' && one.order === 'relaxed');
  for (const one of synchronizations) {
    if (isPolled && one.kind === 'fence' && one.scope !== undefined) edges.add(`poll-${one.scope}`);
    if (one.kind === 'poll' || one.kind === 'take' || one.kind === 'matrix-group' || one.kind === 'election') continue;
    const isEdge = one.kind === 'grid-start' ? one.after.length > 0 : one.kind !== 'fence' || isRelaxed;
    if (isEdge) edges.add(one.kind);
    if (one.kind === 'mbarrier' && one.steps.some(({ thread }) => isApart(thread, objects[one.object]?.ctaId)))
      edges.add('mbarrier-cluster');
  }
  if (isPolled) for (const { scope } of kinds) if (scope !== undefined) edges.add(`poll-${scope}`);
  for (let row = 0; row < accesses.count; row++) {
    const tags = kinds[accesses.kinds.at(row)]?.tags;
    if (tags?.has('ASY') !== true) continue;
    if (isApart(accesses.threads.at(row), owners[accesses.pieces.at(row)])) edges.add('bulk-cluster');
    if (accesses.issues.at(row) !== 0) edges.add('matrix-group');
    else if (accesses.tellers.at(row) !== 0) edges.add(tags.has('ASYNC') ? 'bulk-mbarrier' : 'group-mbarrier');
    else edges.add(tags.has('ASYNC') ? 'bulk-group' : 'group-wait');
    if (tags.has('ASYNC') && (edges.has('grid-start') || edges.has('grid-wait'))) edges.add('grid-bulk');
  }
  return edges;
}
