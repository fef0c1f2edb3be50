import { TAGS } from '../effects/event-tags.js';
import { inProgramOrder, isIssueOf } from '../events/events.js';
import { type ExecutionEvent, isOfShared } from '../events/program-event.js';
import { pairOf, scopeIncludes } from '../program/placement.js';
import type { ExecutionRelations } from './candidate-execution.js';

/** The vocabulary of the models: the sets and relations that every model may use, each defined here once. */

const isMemory = (event: ExecutionEvent): boolean => event.kind === 'read' || event.kind === 'write';

/** What is said of one event, and of two. */
export type OfEvent = (event: ExecutionEvent) => boolean;
export type OfPair = (a: ExecutionEvent, b: ExecutionEvent) => boolean;

/** Sets: whether an event, if executed, belongs. */
export const BASE_SETS: ReadonlyMap<string, OfEvent> = new Map<string, OfEvent>([
  ['_', () => true],
  ['M', isMemory],
  ['SHARED', (event) => isMemory(event) && isOfShared(event)],
  ...TAGS.map((tag) => [tag, (event: ExecutionEvent) => event.tags.has(tag)] as const),
]);

/** The kind of barrier that an event is of, if it is one. */
export function barrierLevel(event: ExecutionEvent | undefined): 'cta' | 'warp' | 'lanes' | 'cluster' | undefined {
  return event?.barrier === undefined ? undefined : event.barrier.kind === 'barrier' ? event.barrier.level : 'cluster';
}

const isOnDevice = (
  event: ExecutionEvent,
): event is ExecutionEvent & { readonly placement: NonNullable<ExecutionEvent['placement']> } =>
  event.placement?.gpu !== undefined;

const sameThread = (a: ExecutionEvent, b: ExecutionEvent): boolean => a.thread !== undefined && a.thread === b.thread;

const inTensorMemory = (a: ExecutionEvent, b: ExecutionEvent): boolean =>
  a.tensor !== undefined && b.tensor !== undefined;

/** Each one's scope contains the other's thread (8.7, moral strength, first condition). */
export function mutuallyInScope(a: ExecutionEvent, b: ExecutionEvent): boolean {
  if (a.placement === undefined || b.placement === undefined || a.scope === undefined || b.scope === undefined)
    return false;
  return scopeIncludes(a.scope, a.placement, b.placement) && scopeIncludes(b.scope, b.placement, a.placement);
}

/** Relations that hold of two events, if both are executed, whatever the execution. */
export const STATIC_RELATIONS: ReadonlyMap<string, OfPair> = new Map<string, OfPair>([
  ['po', inProgramOrder],
  ['id', (a, b) => a.id === b.id],
  ['int', sameThread],
  ['ext', (a, b) => !sameThread(a, b) && a.id !== b.id],
  ['sr', mutuallyInScope],
  ['scta', (a, b) => a.placement !== undefined && a.placement.cta === b.placement?.cta],
  [
    'spair',
    (a, b) => a.placement !== undefined && b.placement !== undefined && pairOf(a.placement) === pairOf(b.placement),
  ],
  ['swarp', (a, b) => a.placement !== undefined && a.placement.warp === b.placement?.warp],
  [
    'larger',
    (a, b) => a.tensor?.instruction === 'alloc' && b.tensor?.instruction === 'alloc' && a.tensor.bytes < b.tensor.bytes,
  ],
  ['same-part', (a, b) => inTensorMemory(a, b) && a.chunk?.offset === b.chunk?.offset],
  [
    'same-shape',
    (a, b) => inTensorMemory(a, b) && a.tensor?.shape === b.tensor?.shape && a.tensor?.bytes === b.tensor?.bytes,
  ],
  ['same-kind', (a, b) => inTensorMemory(a, b) && a.tensor?.dataKind === b.tensor?.dataKind],
  ['rmw', (a, b) => a.kind === 'read' && a.partner === b.id],
  ['issue', isIssueOf],
  ['gridend', (a, b) => isOnDevice(a) && b.grid?.complete.includes(a.placement.grid) === true],
]);

/** Relations that an execution gives, by their names in models. */
export const EXECUTION_RELATIONS: Readonly<Record<string, keyof ExecutionRelations>> = {
  rf: 'readsFrom',
  'rf-part': 'partialReadsFrom',
  co: 'coherence',
  fr: 'fromReads',
  loc: 'sameLocation',
  vloc: 'sameVirtualLocation',
  partial: 'partialOverlap',
  addr: 'addressDependency',
  data: 'dataDependency',
  ctrl: 'controlDependency',
  syncbar: 'barrierSynchronization',
  syncwarp: 'warpSynchronization',
  sync_fence: 'fenceSc',
  syncclu: 'clusterSynchronization',
  syncexit: 'exitSynchronization',
  rearrival: 'rearrival',
  'late-arrival': 'lateArrival',
  synclanes: 'laneSynchronization',
  mbo: 'mbarrierOrder',
  mbphase: 'mbarrierPhase',
  done: 'completion',
  covers: 'fenceCoverage',
  smem_exit: 'sharedMemoryExit',
  launches: 'launches',
};

/** Names that are short for an intersection of two of the above, as herd7 has them. */
export const DERIVED_RELATIONS: Readonly<Record<string, readonly [string, string]>> = {
  rfi: ['rf', 'int'],
  rfe: ['rf', 'ext'],
  coi: ['co', 'int'],
  coe: ['co', 'ext'],
  fri: ['fr', 'int'],
  fre: ['fr', 'ext'],
  'po-loc': ['po', 'loc'],
};

/** The kinds of all names that a model starts with. */
export const BASE_KINDS: ReadonlyMap<string, 'set' | 'relation'> = new Map<string, 'set' | 'relation'>([
  ...[...BASE_SETS.keys()].map((name) => [name, 'set'] as const),
  ...[...STATIC_RELATIONS.keys(), ...Object.keys(EXECUTION_RELATIONS), ...Object.keys(DERIVED_RELATIONS)].map(
    (name) => [name, 'relation'] as const,
  ),
]);
