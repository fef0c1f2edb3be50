import type { ProgramEvent } from '../events/program-event.js';
import { type Bits, has, membersOf, NONE } from './bits.js';
import type { Readiness } from './knowledge.js';
import { knowledgeOf, observedBy } from './learning.js';
import type { Location } from './location.js';
import type { MachineContext } from './machine-context.js';
import { canAcquire, inEachOthersScope, isAccess, isAcquire, isMemoryFence, isStrong } from './moral-strength.js';
import { bytesOf } from './read-and-write.js';
import { INITIAL, type ObjectHistory, type State } from './state.js';
import type { Run } from './walk-states.js';

/** Some bytes that a read took. */
export interface BytesRead {
  /** INITIAL: what was there before all threads. */
  readonly write: number;
  readonly value: bigint;
}

/** A write that a read could have returned by its place in coherence, and did not have to. */
export interface SkippedWrite {
  readonly write: number;
  /** `unheard`: the thread has not learned of it; otherwise for what it is ready, which is not what the read needs. */
  readonly because: 'unheard' | Readiness['kind'];
}

/** Something observed that did not make the thread learn. */
export interface FailedSynchronization {
  /** The head of a release pattern, or the write that was read. */
  readonly head: number;
  /**
   * `scope`: one is not in the scope of the other; `relaxed`: what observed it does not acquire; `bare`: no release
   * came with it; `weak`: it is a weak write; `proxy`: it went through another proxy or address.
   */
  readonly because: 'scope' | 'relaxed' | 'bare' | 'weak' | 'proxy';
}

/** What one step of a run did, and why it could. */
export interface TraceStep {
  readonly event: ProgramEvent;
  readonly location: Location | undefined;
  /** Of a read or atomic. */
  readonly bytesRead: readonly BytesRead[];
  readonly skipped: readonly SkippedWrite[];
  /** Of a write or atomic. */
  readonly written: bigint | undefined;
  /** Accesses that are earlier in program order and still to come. */
  readonly overtakes: readonly number[];
  /** Writes that are now known to the thread and were not. */
  readonly learned: readonly number[];
  readonly unsynchronized: readonly FailedSynchronization[];
  /** Of an mbarrier operation: the object before and after it; of a wait, as it found it. */
  readonly object:
    | {
        readonly before: ObjectHistory['states'][number];
        readonly after: ObjectHistory['states'][number];
        readonly completes: boolean;
      }
    | undefined;
  /** Of a wait. */
  readonly answer: boolean | undefined;
  /** Of a barrier: the others that met here, if the thread goes on. */
  readonly met: readonly number[] | undefined;
}

/** The steps of a run, the first first. */
export function traceOf(run: Run): readonly TraceStep[] {
  const trace: TraceStep[] = [];
  for (let at: Run | undefined = run; at?.before !== undefined && at.event !== undefined; at = at.before)
    trace.push(traceStep(at.before.state, at.event, at.state));
  return trace.reverse();
}

export function traceStep(before: State, id: number, after: State): TraceStep {
  const event = before.context.event(id);
  const written =
    event.kind === 'write'
      ? id
      : event.partner !== undefined && after.isDone(event.partner)
        ? event.partner
        : undefined;
  const heads = headsMet(before, event, after);
  return {
    event,
    location: after.locationOf(id),
    bytesRead: bytesReadBy(after, id),
    skipped: event.kind === 'read' ? skippedBy(before, event, after) : [],
    written: written === undefined ? undefined : after.runOf(written)?.value?.bits,
    learned: learnedBy(before, event, after),
    overtakes: isAccess(event) && !event.tags.has('ASY') ? overtakenBy(before, event) : [],
    unsynchronized: [...unsynchronizedBy(before.context, event, heads), ...unsynchronizedSources(after, event)],
    object: objectOf(event, after),
    answer: event.mbarrier?.step === 'wait' ? after.answers.get(id) === 1n : undefined,
    met: metBy(before, event, after),
  };
}

function bytesReadBy(state: State, read: number): readonly BytesRead[] {
  const parts = new Map<number, bigint>();
  const at = state.locationOf(read);
  for (const { cell, write } of state.sources.get(read) ?? []) {
    const range = state.context.cells[cell];
    if (range === undefined || at === undefined) continue;
    parts.set(
      write,
      (parts.get(write) ?? 0n) | (bytesOf(state, write, range) << BigInt(8 * (range.offset - at.offset))),
    );
  }
  return [...parts].map(([write, value]) => ({ write, value }));
}

function skippedBy(before: State, read: ProgramEvent, after: State): readonly SkippedWrite[] {
  const sources = (after.sources.get(read.id) ?? []).map(({ write }) => write);
  const facts = before.context.facts.of(knowledgeOf(before, read.id) | (after.learned.get(read.id) ?? NONE));
  return before.context.writes.flatMap(({ id }): SkippedWrite[] => {
    if (!before.isDone(id) || sources.includes(id) || !after.sharesBytes(id, read.id)) return [];
    if (sources.every((source) => source !== INITIAL && after.isAfter(id, source))) return [];
    const known = facts.filter((fact) => fact.event === id || has(after.links.get(fact.event) ?? NONE, id));
    return [{ write: id, because: known[known.length - 1]?.readiness.kind ?? 'unheard' }];
  });
}

function learnedBy(before: State, event: ProgramEvent, after: State): readonly number[] {
  const { context } = before;
  const writesOf = (knowledge: Bits): Set<number> =>
    new Set(
      context.facts.of(knowledge).flatMap((fact) => (context.event(fact.event).kind === 'write' ? [fact.event] : [])),
    );
  const known = writesOf(knowledgeOf(before, event.id) | (before.learned.get(event.id) ?? NONE));
  return [...writesOf(after.learned.get(event.id) ?? NONE)].filter(
    (write) => !known.has(write) && context.event(write).thread !== event.thread,
  );
}

/** The release patterns that an event had before it. */
function headsMet(before: State, event: ProgramEvent, after: State): Bits {
  if (event.kind === 'fence') return isMemoryFence(event) && isAcquire(event) ? observedBy(before, event) : NONE;
  return after.observed.get(event.id) ?? NONE;
}

function unsynchronizedBy(context: MachineContext, event: ProgramEvent, heads: Bits): readonly FailedSynchronization[] {
  const acquires = isAcquire(event) && canAcquire(event);
  return membersOf(heads).flatMap((head): FailedSynchronization[] => {
    const other = context.event(head);
    if (other.proxyFence !== undefined || other.thread === event.thread || event.barrier !== undefined) return [];
    if (!acquires) return isAccess(event) || event.mbarrier !== undefined ? [{ head, because: 'relaxed' }] : [];
    return inEachOthersScope(other, event) ? [] : [{ head, because: 'scope' }];
  });
}

function overtakenBy(before: State, { id }: ProgramEvent): readonly number[] {
  return membersOf((before.context.earlier[id] ?? NONE) & ~before.done).filter(
    (other) => isAccess(before.context.event(other)) && before.runOf(other)?.executed === true,
  );
}

/** Writes of other threads that a strong read took without any release reaching it. */
function unsynchronizedSources(after: State, read: ProgramEvent): readonly FailedSynchronization[] {
  const { context } = after;
  if (read.kind !== 'read' || !isStrong(read) || !canAcquire(read)) return [];
  const sources = new Set((after.sources.get(read.id) ?? []).map(({ write }) => write));
  return [...sources].flatMap((write): FailedSynchronization[] => {
    if (write === INITIAL || context.event(write).thread === read.thread) return [];
    const source = context.event(write);
    if (!isStrong(source)) return [{ head: write, because: 'weak' }];
    if (!inEachOthersScope(source, read)) return [{ head: write, because: 'scope' }];
    if (!after.morallyStrong(write, read.id)) return [{ head: write, because: 'proxy' }];
    return (after.packets.get(write) ?? NONE) === NONE ? [{ head: write, because: 'bare' }] : [];
  });
}

function objectOf({ id }: ProgramEvent, state: State): TraceStep['object'] {
  for (const { operations, states, completes, waits } of state.objects.values()) {
    const place = operations.indexOf(id);
    const seen = place < 0 ? waits.get(id)?.least : place;
    if (seen === undefined) continue;
    const [before, after] = [states[seen], states[place < 0 ? seen : seen + 1]];
    if (before !== undefined && after !== undefined)
      return { before, after, completes: place >= 0 && completes[place] === true };
  }
  return undefined;
}

function metBy(before: State, { id, barrier }: ProgramEvent, after: State): readonly number[] | undefined {
  if (barrier === undefined) return undefined;
  const meeting = after.meetings.get(id);
  if (meeting !== undefined)
    return [...after.meetings].filter(([other, one]) => one === meeting && other !== id).map(([other]) => other);
  return has(after.passed, id) && !has(before.passed, id) && barrier.action !== 'arrive' ? [] : undefined;
}
