import type { Synchronization, Trace } from '../follow/trace.js';
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
  const commits = new Set<number>();
  const isApart = (thread: number, owner: number | undefined): boolean =>
    owner !== undefined && threads[thread]?.ctaId !== owner;
  const isPolled = synchronizations.some(({ kind }) => kind === 'poll' || kind === 'take' || kind === 'way');
  const isRelaxed = synchronizations.some((one) => one.kind === 'mbarrier' && one.order === 'relaxed');
  for (const one of synchronizations) {
    if (isPolled && one.kind === 'fence' && one.scope !== undefined) edges.add(`poll-${one.scope}`);
    const isNone = one.kind === 'grid-start' ? one.after.length === 0 : one.kind === 'fence' && !isRelaxed;
    const kind = isNone ? undefined : ORDERING.find((of) => of === one.kind);
    if (kind !== undefined) edges.add(kind);
    if (one.kind === 'mbarrier' && one.commit !== undefined) commits.add(one.commit.object);
    if (one.kind === 'mbarrier' && one.steps.some(({ thread }) => isApart(thread, objects[one.object]?.ctaId)))
      edges.add('mbarrier-cluster');
  }
  if (isPolled) for (const { scope } of kinds) if (scope !== undefined) edges.add(`poll-${scope}`);
  for (let row = 0; row < accesses.count; row++) {
    const tags = kinds[accesses.kinds.at(row)]?.tags;
    if (tags?.has('RO') === true && (edges.has('grid-start') || edges.has('grid-wait'))) edges.add('grid-read-only');
    if (tags?.has('ASY') !== true || tags.has('TMEM')) continue;
    if (isApart(accesses.threads.at(row), owners[accesses.pieces.at(row)])) edges.add('bulk-cluster');
    if (commits.has(accesses.tellers.at(row) - 1)) edges.add('tensor-commit');
    else if (accesses.issues.at(row) !== 0) edges.add('matrix-group');
    else if (accesses.tellers.at(row) !== 0) edges.add(tags.has('ASYNC') ? 'bulk-mbarrier' : 'group-mbarrier');
    else edges.add(tags.has('ASYNC') ? 'bulk-group' : 'group-wait');
    if (tags.has('ASYNC') && (edges.has('grid-start') || edges.has('grid-wait'))) edges.add('grid-bulk');
  }
  return edges;
}

/** What orders threads by itself. */
const ORDERING = [
  ...(['cta-barrier', 'warp-barrier', 'warp-exchange', 'cluster-barrier', 'grid-start', 'grid-wait'] as const),
  ...(['mbarrier', 'fence', 'proxy-fence', 'proxy-acquire', 'init-fence', 'cluster-fence'] as const),
] as const satisfies readonly (OrderEdge & Synchronization['kind'])[];
