import type { ExecutionEvent } from '../../src/events/program-event.js';
import type { CandidateExecution } from '../../src/execution/candidate-execution.js';
import { type Placement, pairOf, scopeIncludes } from '../../src/program/placement.js';

/**
 * The relations of docs/cat.md, each stated again from its sentence. Some hold of two events whatever the execution; of
 * the others the whole, or of which events they speak.
 */
type Pair = (a: ExecutionEvent, b: ExecutionEvent) => boolean;

const sameThread: Pair = (a, b) => a.thread !== undefined && a.thread === b.thread;
const inOrder = ({ tags }: ExecutionEvent): boolean => !tags.has('ASY');
const placed = (a: ExecutionEvent, b: ExecutionEvent, same: (p: Placement, q: Placement) => boolean): boolean =>
  a.placement !== undefined && b.placement !== undefined && same(a.placement, b.placement);
const tensors = (
  a: ExecutionEvent,
  b: ExecutionEvent,
  same: (x: NonNullable<ExecutionEvent['tensor']>, y: NonNullable<ExecutionEvent['tensor']>) => boolean,
): boolean => a.tensor !== undefined && b.tensor !== undefined && same(a.tensor, b.tensor);

export const SENTENCES_OF_PAIRS: Readonly<Record<string, Pair>> = {
  po: (a, b) => {
    if (!sameThread(a, b) || !inOrder(a) || !inOrder(b)) return false;
    if (a.node !== b.node) return a.node < b.node;
    const isConvergence = ({ barrier }: ExecutionEvent): boolean =>
      barrier?.kind === 'barrier' && barrier.reduction?.operation === 'converge';
    // Of one instruction: an atomic, the fence behind a copy, a warp that comes together before it arrives.
    if (a.kind === 'read' && a.partner !== undefined) return a.partner === b.id;
    return (b.proxyFence !== undefined && a.proxyFence === undefined) || (isConvergence(a) && !isConvergence(b));
  },
  id: (a, b) => a === b,
  int: sameThread,
  ext: (a, b) => a !== b && !sameThread(a, b),
  rmw: (a, b) => a.kind === 'read' && b.kind === 'write' && a.partner === b.id && b.partner === a.id,
  sr: (a, b) =>
    placed(
      a,
      b,
      (p, q) =>
        a.scope !== undefined && b.scope !== undefined && scopeIncludes(a.scope, p, q) && scopeIncludes(b.scope, q, p),
    ),
  scta: (a, b) => placed(a, b, (p, q) => p.cta === q.cta),
  spair: (a, b) => placed(a, b, (p, q) => pairOf(p) === pairOf(q)),
  swarp: (a, b) => placed(a, b, (p, q) => p.warp === q.warp),
  'same-part': (a, b) => tensors(a, b, () => a.chunk?.offset === b.chunk?.offset),
  'same-shape': (a, b) => tensors(a, b, (x, y) => x.shape === y.shape && x.bytes === y.bytes),
  'same-kind': (a, b) => tensors(a, b, (x, y) => x.dataKind === y.dataKind),
  larger: (a, b) =>
    tensors(a, b, (x, y) => x.instruction === 'alloc' && y.instruction === 'alloc' && x.bytes < y.bytes),
  issue: (a, b) =>
    // Of an arrive-on that counts itself its increment stands for the issue.
    (a.kind === 'issue' || a.mbarrier?.step === 'increment') &&
    sameThread(a, b) &&
    a.node === b.node &&
    b.tags.has('ASY') &&
    a.id < b.id,
  gridend: (a, b) =>
    a.placement?.gpu !== undefined && b.kind === 'grid' && b.grid?.complete.includes(a.placement.grid) === true,
};

type Typed = (
  execution: CandidateExecution,
) => readonly [(event: ExecutionEvent) => boolean, (event: ExecutionEvent) => boolean];
const tagged =
  (...names: readonly string[]) =>
  ({ tags }: ExecutionEvent): boolean =>
    names.some((name) => tags.has(name as never));
const isBarrier =
  (...levels: readonly string[]) =>
  ({ barrier }: ExecutionEvent): boolean =>
    barrier?.kind === 'barrier' && levels.includes(barrier.level);
const isAccess = ({ kind }: ExecutionEvent): boolean => kind === 'read' || kind === 'write';
const isRead = ({ kind }: ExecutionEvent): boolean => kind === 'read';
const isWrite = ({ kind }: ExecutionEvent): boolean => kind === 'write';
const any = (): boolean => true;
const fenceSc = ({ kind, tags }: ExecutionEvent): boolean => kind === 'fence' && tags.has('SC');

/** From and to which events a relation that an execution gives may lead. */
export const ENDS_OF_RELATIONS: Readonly<Record<string, Typed>> = {
  rf: () => [isWrite, isRead],
  'rf-part': () => [isWrite, isRead],
  co: () => [isWrite, isWrite],
  fr: () => [isRead, isWrite],
  addr: () => [isRead, any],
  data: () => [isRead, any],
  ctrl: () => [(event) => isRead(event) || tagged('WAIT')(event), any],
  syncbar: () => [isBarrier('cta'), isBarrier('cta')],
  syncwarp: () => [isBarrier('warp'), isBarrier('warp')],
  sync_fence: () => [fenceSc, fenceSc],
  syncclu: () => [tagged('CLUSTER_ARRIVE'), tagged('CLUSTER_WAIT')],
  syncexit: () => [tagged('EXIT'), ({ kind }) => kind === 'barrier'],
  rearrival: () => [isBarrier('cta'), isBarrier('cta')],
  'late-arrival': () => [isBarrier('cta'), isBarrier('cta')],
  synclanes: () => [({ kind }) => kind === 'barrier' || kind === 'exit', isBarrier('lanes', 'warp')],
  mbo: () => [tagged('MBAR'), tagged('MBAR')],
  mbphase: ({ answers }) => [
    (event) => ['arrive', 'complete_tx'].includes(event.mbarrier?.step ?? ''),
    (event) => tagged('WAIT')(event) && answers.get(event.id) === true,
  ],
  done: ({ answers }) => [
    (event) => isAccess(event) && tagged('ASY')(event),
    (event) => tagged('GROUP_WAIT')(event) || (tagged('WAIT')(event) && answers.get(event.id) === true),
  ],
  covers: () => [tagged('RESTRICTED', 'PROXY_FENCE'), (event) => isAccess(event) || event.kind === 'mbarrier'],
  launches: () => [any, tagged('GRID_WAIT')],
  smem_exit: () => [(event) => isAccess(event) || event.kind === 'mbarrier', tagged('EXIT')],
};

/** Relations of one execution that follow from where its accesses go and what they take. */
export const SENTENCES_OF_EXECUTIONS: Readonly<
  Record<string, (execution: CandidateExecution) => (a: number, b: number) => boolean>
> = {
  loc: (execution) => (a, b) => shareBytes(execution, a, b),
  vloc: (execution) => (a, b) => {
    const [x, y] = [execution.targets[a], execution.targets[b]];
    if (x === undefined || y === undefined || !shareBytes(execution, a, b)) return false;
    return (
      x.virtualAddress < y.virtualAddress + BigInt(y.bytes) && y.virtualAddress < x.virtualAddress + BigInt(x.bytes)
    );
  },
  partial: (execution) => (a, b) => {
    const [x, y] = [execution.targets[a], execution.targets[b]];
    const initial = [a, b].some((id) => execution.universe.events[id]?.thread === undefined);
    return !initial && shareBytes(execution, a, b) && (x?.offset !== y?.offset || x?.bytes !== y?.bytes);
  },
  'rf-part':
    ({ relations: { readsFrom }, executed }) =>
    (w, r) =>
      readsFrom.has(w, r) && [...executed].some((other) => other !== w && readsFrom.has(other, r)),
};

/** Of accesses and mbarrier operations; a fence that names a place is at none. */
function shareBytes({ universe, targets, executed }: CandidateExecution, a: number, b: number): boolean {
  const [x, y] = [targets[a], targets[b]];
  if ([a, b].some((id) => universe.events[id]?.kind === 'fence')) return false;
  if (x === undefined || y === undefined || !executed.has(a) || !executed.has(b)) return false;
  return x.object === y.object && x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
}
