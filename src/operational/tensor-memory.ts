import type { ProgramEvent } from '../events/program-event.js';
import { type Bits, bit, has, membersOf, NONE } from './bits.js';
import { overlap, overlapCompletely } from './location.js';
import { issueOf } from './machine-context.js';
import type { State } from './state.js';

/**
 * Tensor memory: which accesses come before another one, by pipelines, by waits, and by the fences that join them to
 * what orders the execution of threads, with or without release and acquire (PTX ISA 9.7.18.6).
 */

const isTensor = ({ tags }: ProgramEvent): boolean => tags.has('TMEM');

/** What a thread has come past when it synchronizes at an event: what is earlier there, and what that was after. */
function executionAt(state: State, event: number): Bits {
  return executionBefore(state, event) | (bit(event) & state.context.inExecutionOrder);
}

/** What comes before an event in the order of execution. */
function executionBefore(state: State, event: number): Bits {
  const earlier = state.context.earlier[event] ?? NONE;
  let before = earlier & state.context.inExecutionOrder;
  for (const [meeting, known] of state.execution) if (meeting === event || has(earlier, meeting)) before |= known;
  return before;
}

/** An event comes after another of another thread, whatever their orders and scopes. */
export function meetInExecution(state: State, from: ProgramEvent, to: ProgramEvent): void {
  if (state.context.inExecutionOrder === NONE || from.tags.has('ASY')) return;
  const known = executionAt(state, from.id);
  if (known !== NONE) state.execution.set(to.id, (state.execution.get(to.id) ?? NONE) | known);
}

/** The accesses to tensor memory that come before one, of those executed. */
export function tensorBefore(state: State, access: ProgramEvent): Bits {
  let before = NONE;
  const pending = [access];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const other of directlyBefore(state, next)) {
      if (has(before, other.id) || !state.isDone(other.id)) continue;
      before |= bit(other.id);
      pending.push(other);
    }
  return before;
}

/** An access waits for those that it is pipelined with, though nothing tells that they are complete. */
export function waitsForPipeline(state: State, access: ProgramEvent): boolean {
  return directlyBefore(state, access).some(({ id }) => !state.isDone(id) && state.runOf(id)?.executed !== false);
}

function directlyBefore(state: State, access: ProgramEvent): readonly ProgramEvent[] {
  const { context } = state;
  const issue = issueOf(context.structure, access) ?? access;
  const before = beforeIssue(state, issue.id);
  const told = completedBefore(state, before, !access.tags.has('ASY'));
  return context.accesses.filter((other) => {
    if (other === access || !isTensor(other)) return false;
    if (has(told, other.id)) return true;
    const issued = issueOf(context.structure, other);
    if (issued === undefined) return has(before.order, other.id);
    return has(before.handedOver, issued.id) && arePipelined(state, other, access);
  });
}

interface Before {
  /** In program order; in the order of execution. */
  readonly earlier: Bits;
  readonly order: Bits;
  /** In the order of execution before a tcgen05.fence::after_thread_sync that is earlier. */
  readonly after: Bits;
  /** In program order, or before a tcgen05.fence::before_thread_sync that `after` holds. */
  readonly handedOver: Bits;
}

function beforeIssue(state: State, issue: number): Before {
  const { context } = state;
  const earlier = context.earlier[issue] ?? NONE;
  let after = NONE;
  for (const event of membersOf(earlier & context.inExecutionOrder))
    if (context.event(event).tags.has('AFTER_THREAD_SYNC')) after |= executionBefore(state, event);
  let handedOver = earlier;
  for (const event of membersOf(after))
    if (context.event(event).tags.has('BEFORE_THREAD_SYNC')) handedOver |= context.earlier[event] ?? NONE;
  return { earlier, order: executionBefore(state, issue), after, handedOver };
}

/** The accesses that are told to be complete before an issue, or before an instruction that is not asynchronous. */
function completedBefore(state: State, { earlier, order, after, handedOver }: Before, isSynchronous: boolean): Bits {
  const { context } = state;
  let told = NONE;
  for (const [wait, accesses] of state.completions) {
    const { tags } = context.event(wait);
    const counts = tags.has('GROUP_WAIT')
      ? has(handedOver, wait)
      : has(after, wait) || (has(earlier, wait) && tags.has('ACQ'));
    if (counts || (isSynchronous && has(order, wait))) told |= accesses;
  }
  // Where shipped code has no fences: an acquiring wait learns what a releasing arrival knew to be complete.
  for (const [wait, learned] of state.learned)
    if (has(earlier, wait) && context.event(wait).tags.has('WAIT')) told |= learned;
  return told & state.done & context.tensorAccesses;
}

/** Accesses that are executed in the order of their issue (PTX ISA 9.7.18.6.2). */
function arePipelined(state: State, a: ProgramEvent, b: ProgramEvent): boolean {
  const [x, y] = [a.tensor, b.tensor];
  const [there, here] = [state.locationOf(a.id), state.locationOf(b.id)];
  if (x === undefined || y === undefined || there === undefined || here === undefined) return false;
  const samePlace = a.chunk?.offset === b.chunk?.offset && overlap(there, here) && overlapCompletely(there, here);
  const sameAccumulator =
    x.role === 'accumulator' && y.role === 'accumulator' && samePlace && x.shape === y.shape && x.bytes === y.bytes;
  const oneGroup = x.group !== undefined && x.group === y.group;
  const isWide = (use: typeof x): boolean => use.instruction === 'cp' && use.shape === '4x256b';
  if (state.context.readings.wholePipelines) {
    if (!oneGroup) return false;
    if (x.instruction === 'mma') return y.instruction === 'shift' || (sameAccumulator && x.dataKind === y.dataKind);
    return (
      (y.instruction === 'mma' && (x.instruction === 'cp' || x.instruction === 'shift')) ||
      (x.instruction === 'shift' && isWide(y))
    );
  }
  if (a.placement.warp !== b.placement.warp) return false;
  if (x.instruction === 'st') return y.instruction === 'st' || y.instruction === 'ld';
  if (x.instruction === 'ld') return y.instruction === 'st';
  if (!oneGroup) return false;
  if (sameAccumulator) return true;
  if (x.role === 'operand') return y.role === 'accumulator' || y.instruction === 'cp' || y.instruction === 'shift';
  if (x.instruction === 'cp') return y.role === 'operand' && (isWide(x) || samePlace);
  return x.instruction === 'shift' && (y.role === 'operand' || isWide(y));
}
