import { checkExecution } from '../cat/check-execution.js';
import type { Model } from '../cat/model.js';
import { relationsOfModel } from '../cat/relations-of-model.js';
import type { ExecutionEvent } from '../events/program-event.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { checkDeadline, type Deadline } from '../program/undecided.js';
import { RACE_FLAG } from '../program/undefined-rules.js';
import { vacuousSynchronization, waitsThatDoNotCover } from './vacuous-synchronization.js';

/** Two accesses that nothing keeps apart, and what would. */
export interface RaceHint {
  readonly events: readonly number[];
  readonly advice: string;
}

/** The first data race of an execution, if it has one; it is looked for before a deadline alone. */
export function raceIn(model: Model, execution: CandidateExecution, deadline: Deadline): RaceHint | undefined {
  checkDeadline(deadline);
  const race = checkExecution(model, execution).checks.find(
    ({ check, holds }) => check.role === 'flag' && check.name === RACE_FLAG && holds,
  );
  return race === undefined ? undefined : adviceFor(model, execution, race.witness);
}

/**
 * What would order two accesses: a proxy fence where they are ordered but for their proxies, a wait for an asynchronous
 * one, else synchronization.
 */
export function adviceFor(
  model: Model,
  execution: CandidateExecution,
  events: readonly number[],
): RaceHint | undefined {
  const [first, second] = events.map((id) => execution.universe.events[id]);
  if (first === undefined || second === undefined) return undefined;
  const ordered = relationsOfModel(model, execution).get('ordered');
  const areOrdered = ordered !== undefined && (ordered.has(first.id, second.id) || ordered.has(second.id, first.id));
  return { events, advice: areOrdered ? acrossProxies(first, second) : unsynchronized(execution, first, second) };
}

const either = (first: ExecutionEvent, second: ExecutionEvent, tag: 'ASYNC' | 'TMAP' | 'ASY' | 'GEN'): boolean =>
  first.tags.has(tag) || second.tags.has(tag);

/** What two accesses lack that are ordered. */
function acrossProxies(first: ExecutionEvent, second: ExecutionEvent): string {
  const isGeneric = either(first, second, 'GEN');
  if (either(first, second, 'TMAP') && isGeneric)
    return (
      'they are ordered, but not across their proxies: fence.proxy.tensormap::generic.release and .acquire ' +
      '[map], 128 go between them'
    );
  if (either(first, second, 'ASYNC') && isGeneric)
    return (
      'they are ordered, but not across their proxies: put fence.proxy.async between them, in the CTA of the ' +
      'asynchronous access'
    );
  if (first.tags.has('ASYNC') && second.tags.has('ASYNC'))
    return (
      'they are ordered, but issued by different CTAs: put fence.proxy.async between them in the CTA of the ' +
      'later one'
    );
  return 'they are ordered, but not at this address or in this proxy: a proxy fence is missing between them';
}

/** What two accesses lack that are not. */
function unsynchronized(execution: CandidateExecution, first: ExecutionEvent, second: ExecutionEvent): string {
  if (first.tags.has('TMEM')) return IN_TENSOR_MEMORY;
  const vacuous = vacuousSynchronization(execution, first.id, second.id);
  if (vacuous.length > 0) return `nothing orders them in this execution: ${vacuous.join('; ')}`;
  if (either(first, second, 'ASY')) return unordered(execution, first, second);
  return (
    'nothing orders them in this execution: an acquire before the second must observe a release after the ' +
    `first, each at a scope that holds the other thread${inKernels(first, second)}`
  );
}

/** What kernels have for that, by how far apart the threads are. */
function inKernels(first: ExecutionEvent, second: ExecutionEvent): string {
  const [a, b] = [first.placement, second.placement];
  if (first.span?.source.compiledFrom === undefined || a === undefined || b === undefined) return '';
  if (a.warp === b.warp) return '; or lanes of one warp meet in between, at bar.warp.sync (__syncwarp())';
  if (a.cta === b.cta) return '; or threads of one CTA meet in between, at bar.sync (__syncthreads())';
  return '; in CUDA by __threadfence() before and after the atomics in between, or by the orders of cuda::atomic_ref';
}

const IN_TENSOR_MEMORY =
  'nothing orders them: complete the first, by tcgen05.wait or by tcgen05.commit and a wait for its mbarrier, unless ' +
  'the two are pipelined; between threads, tcgen05.fence::before_thread_sync and ::after_thread_sync go around what ' +
  'synchronizes them (PTX ISA 9.7.18.6)';
const BEFORE_ISSUE =
  'what comes before an asynchronous operation must be ordered before its issue, and cross the proxies by ' +
  'fence.proxy.async';
const AFTER_COMPLETION =
  'what comes after it must follow an acquiring wait for its mbarrier, or a wait for its async-group (by .read only ' +
  'if it is the source that is written again)';

const COMES_FIRST =
  '; if the access is meant to come first, nothing orders it before the operation, such as a barrier of both threads';

/** What two accesses lack of which one, or both, belong to an asynchronous operation. */
function unordered(execution: CandidateExecution, first: ExecutionEvent, second: ExecutionEvent): string {
  const [operation, access] = first.tags.has('ASY') ? [first, second] : [second, first];
  const waits = access.tags.has('ASY') ? [] : waitsThatDoNotCover(execution, operation, access);
  const isFirst = access.thread === operation.thread ? '' : COMES_FIRST;
  if (waits.length > 0) return `the operation may still go on: ${waits.join('; ')}${isFirst}`;
  if (access.tags.has('ASY') || access.thread !== operation.thread)
    return `nothing orders the two: ${BEFORE_ISSUE}; ${AFTER_COMPLETION}`;
  return access.node < operation.node
    ? `nothing orders the two: ${BEFORE_ISSUE}`
    : `the operation may still go on: ${AFTER_COMPLETION}`;
}
