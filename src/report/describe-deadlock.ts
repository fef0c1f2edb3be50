import { isAwaited } from '../check/awaited-writes.js';
import { citation } from '../diagnostics/source.js';
import type { EventStructure } from '../events/events.js';
import type { ExecutionEvent } from '../events/program-event.js';
import type { CandidateExecution, MbarrierHistory, ThreadEnd } from '../execution/candidate-execution.js';
import { tooNarrow } from '../execution/progress.js';
import type { Address, Operation } from '../program/operation.js';
import type { Thread } from '../program/program.js';
import { describeEvent, placeOf, sourceOf } from './describe-event.js';
import { whyNotPromised } from './describe-halt.js';

/** Which threads wait for ever, each with what it waits for and what is missing. */
export function describeDeadlock(execution: CandidateExecution): readonly string[] {
  const { threads } = execution.universe.structure.program;
  return execution.ends.flatMap((end, index) =>
    end.kind === 'ended' || end.kind === 'trapped'
      ? []
      : [`${threads[index]?.name} ${describeEnd(execution, index, end)}`],
  );
}

function describeEnd(
  execution: CandidateExecution,
  thread: number,
  end: Exclude<ThreadEnd, { kind: 'ended' | 'trapped' }>,
): string {
  const { structure } = execution.universe;
  if (end.kind === 'blocked') {
    const event = structure.events[end.event];
    return event === undefined ? 'waits for ever' : `waits for ever at ${place(event)}: ${missingAt(execution, event)}`;
  }
  if (end.kind === 'repeats') return describeCycle(execution, thread, end.round);
  if (end.kind === 'halted') return describeHalt(execution, thread, end.node);
  const events = end.round
    .flatMap((node) => structure.eventsOf(thread, node))
    .filter(({ id }) => execution.executed.has(id));
  const waits = events.filter(({ id }) => execution.answers.get(id) === false);
  const [what] = [...waits, ...events.filter(({ kind }) => kind === 'read')];
  if (what === undefined) {
    const span = structure.threads[thread]?.nodes[end.round[0] ?? -1]?.statement.span;
    return `goes round a loop that nothing ends${span === undefined ? '' : `: ${citation(span)}`}`;
  }
  const why =
    what.mbarrier === undefined
      ? `it goes on finding ${describeEvent(execution, what)}${staleness(execution, what)}`
      : missingOf(execution, what);
  return `waits for ever at ${place(what)}: ${why}`;
}

/** What a thread does again and again, in one round of what all threads do. */
function describeCycle(execution: CandidateExecution, thread: number, round: readonly number[]): string {
  const { structure } = execution.universe;
  const done = round.flatMap((node) => structure.eventsOf(thread, node)).filter(({ id }) => execution.executed.has(id));
  const changes = done.some(
    ({ id, kind, partner }) =>
      kind === 'write' && (partner === undefined || execution.values[id] !== execution.values[partner]),
  );
  const found = done.find(({ kind }) => kind === 'read');
  if (found !== undefined && !changes)
    return `waits for ever at ${place(found)}: it goes on finding ${describeEvent(execution, found)}`;
  const steps = round.flatMap((node) => {
    const events = structure.eventsOf(thread, node).filter(({ id }) => execution.executed.has(id));
    const [first] = events;
    if (first === undefined) return [];
    return [`${place(first)} (${events.map((event) => describeEvent(execution, event)).join(', ')})`];
  });
  if (steps.length > 0) return `goes round for ever: ${steps.join(', then ')}`;
  const span = structure.threads[thread]?.nodes[round[0] ?? -1]?.statement.span;
  return `goes round a loop that nothing ends${span === undefined ? '' : `: ${citation(span)}`}`;
}

/** Where a thread stops that nothing promises to go on. */
function describeHalt(execution: CandidateExecution, thread: number, node: number): string {
  const { universe, ends } = execution;
  const { threads, program } = universe.structure;
  const span = threads[thread]?.nodes[node]?.statement.span;
  const where = node === 0 ? 'its first step' : span === undefined ? 'its end' : citation(span);
  const hasMade = (one: number): boolean => {
    const end = ends[one];
    return end?.kind !== 'halted' || end.node > 0;
  };
  const progressed = { made: hasMade, ended: (one: number) => ends[one]?.kind === 'ended' };
  const waiters = threads.flatMap((_, waiter) =>
    isAwaited(execution, thread, waiter) ? (program.threads[waiter]?.name ?? []) : [],
  );
  const who =
    waiters.length === 0 ? '' : `, and ${waiters.join(' and ')} ${waiters.length > 1 ? 'wait' : 'waits'} for it`;
  return `stops before ${where}${who}: ${whyNotPromised(program, thread, progressed)}`;
}

function place(event: ExecutionEvent): string {
  return event.span === undefined ? 'its end' : `${citation(event.span)}, ${sourceOf(event)}`;
}

/** Why the read never comes to see a newer write: what keeps the pair from being strong and in each other's scope. */
function staleness({ universe, relations }: CandidateExecution, read: ExecutionEvent): string {
  if (read.scope === undefined)
    return '; a weak read may find an old value for ever: use ld.relaxed or ld.acquire at a scope with the writer';
  const [newer] = [...relations.fromReads.successors(read.id)]
    .flatMap((id) => universe.events[id] ?? [])
    .filter(({ id }) => id !== read.partner);
  if (newer === undefined) return '';
  const where = `${place(newer)},`;
  const promise = 'nothing promises that this read comes to see it';
  if (newer.scope === undefined) return `; ${where} is weak, and ${promise}: make it a relaxed or release store`;
  if (tooNarrow(newer, read))
    return `; the scope .${newer.scope} of ${where} does not hold the reading thread, and ${promise}: widen it`;
  if (tooNarrow(read, newer))
    return `; the scope .${read.scope} of the read does not hold the thread of ${where} and ${promise}: widen it`;
  return (
    `; ${where} goes through another proxy or address, and ${promise}: use .sys scope on both sides (PTX ` +
    'ISA 8.6.1)'
  );
}

/** Threads of the CTA that arrive at a barrier of another number. */
function atOtherBarriers(
  { structure: { events, program } }: CandidateExecution['universe'],
  executed: CandidateExecution['executed'],
  { barrier, placement, thread }: Pick<ExecutionEvent, 'barrier' | 'placement' | 'thread'>,
): string {
  const numberOf = (of: ExecutionEvent['barrier']): bigint | undefined =>
    of?.kind === 'barrier' && of.level === 'cta' && of.id.kind === 'constant' ? of.id.value : undefined;
  const own = numberOf(barrier);
  const others = events.flatMap((event) => {
    const number = numberOf(event.kind === 'barrier' ? event.barrier : undefined);
    const elsewhere = number !== undefined && own !== undefined && number !== own && executed.has(event.id);
    return elsewhere && event.thread !== thread && event.placement.cta === placement?.cta
      ? [`${program.threads[event.thread]?.name ?? ''} arrives at barrier ${number}`]
      : [];
  });
  return others.length === 0 ? '' : `; ${[...new Set(others)].join(', ')}`;
}

/** The participants that a barrier goes without. */
function missingAt(
  { universe, executed, ends }: CandidateExecution,
  { barrier, grid, placement, thread }: ExecutionEvent,
): string {
  const { threads } = universe.structure.program;
  const of = (same: (other: (typeof threads)[number]) => boolean): string =>
    threads
      .filter((other) => other.index !== thread && ends[other.index]?.kind !== 'ended' && same(other))
      .map(({ name }) => name)
      .join(', ');
  if (barrier?.kind === 'cluster-barrier') {
    const arrivals = (index: number): number =>
      universe.structure.events.filter(
        (event) =>
          event.thread === index &&
          executed.has(event.id) &&
          event.barrier?.kind === 'cluster-barrier' &&
          event.barrier.action === 'arrive',
      ).length;
    const own = arrivals(thread ?? 0);
    const missing = of((other) => other.placement.cluster === placement?.cluster && arrivals(other.index) < own);
    return own === 0 ? 'the thread itself has not arrived' : `no arrival of ${missing} in this phase`;
  }
  if (barrier?.level === 'cta') {
    const elsewhere = atOtherBarriers(universe, executed, { barrier, placement, thread });
    return barrier.count === undefined
      ? `not every thread of the CTA arrives${elsewhere}`
      : 'it has not as many threads, in whole warps, as its count names: too few arrive, or those of others have ' +
          `completed a phase without this one${elsewhere}`;
  }
  if (grid !== undefined) {
    const others = of(({ placement: { grid: number } }) => [...grid.complete, ...grid.launchedBy].includes(number));
    return grid.launchedBy.length === 0
      ? `the grids before are not over (${others})`
      : `the grids before are not over (${others}), and nothing promises that it begins earlier`;
  }
  const mates = of((other) => other.placement.warp === placement?.warp);
  return barrier?.reduction?.operation === 'converge'
    ? `the warp does not come together there (${mates})`
    : `not every lane of the mask gets there (${mates})`;
}

/** What keeps a phase of an mbarrier open: the wrong parity, arrivals or bytes. */
function missingOf(execution: CandidateExecution, wait: ExecutionEvent): string {
  const history = execution.mbarriers.find(({ waits }) => waits.some(({ event }) => event === wait.id));
  if (history === undefined) return 'its mbarrier object never completes the phase';
  const { structure } = execution.universe;
  const waiting = (thread: number): boolean => execution.ends[thread]?.kind !== 'ended';
  return describeOpenPhase(structure, history, wait, waiting);
}

type OpenPhase = Pick<MbarrierHistory, 'object' | 'offset' | 'last' | 'steps'>;

/** What other threads have to do with an object. */
interface Arrivals {
  /** Those that wait for ever and would still arrive in this phase. */
  readonly waiting: readonly string[];
  /** Bytes of copies are awaited there: it says that a buffer is full, and no first wait is meant to pass at once. */
  readonly ofCopies: boolean;
}

function arrivalsAt(
  structure: EventStructure,
  { object, offset, steps }: OpenPhase,
  wait: ExecutionEvent,
  isWaiting: (thread: number) => boolean,
): Arrivals {
  const { locations, threads } = structure.program;
  const threadOf = ({ event }: OpenPhase['steps'][number]): number | undefined => structure.events[event]?.thread;
  const here = ({ base, offset: from }: Address): boolean =>
    base.kind === 'constant' &&
    locations.ranges.some((range) => range.object === object && base.value + from === range.base + BigInt(offset));
  const completes = (operation: Operation): boolean =>
    operation.kind === 'async' && operation.completion.kind === 'mbarrier' && here(operation.completion.object);
  const arrives = (operation: Operation): boolean =>
    (operation.kind === 'mbarrier' &&
      ['arrive', 'async_arrive'].includes(operation.action) &&
      here(operation.object)) ||
    completes(operation);
  const ever = new Set(steps.map(threadOf));
  const inPhase = new Set(steps.slice(steps.map(({ completes: ends }) => ends).lastIndexOf(true) + 1).map(threadOf));
  const has = (which: (operation: Operation) => boolean, { statements }: Thread): boolean =>
    statements.some(({ operation }) => which(operation));
  return {
    waiting: threads
      .filter(
        (thread) =>
          thread.index !== wait.thread &&
          isWaiting(thread.index) &&
          !inPhase.has(thread.index) &&
          (ever.has(thread.index) || has(arrives, thread)),
      )
      .map(({ name }) => name),
    ofCopies: threads.some((thread) => has(completes, thread)) || steps.some(({ before }) => before.bytes !== 0),
  };
}

export const describeCounts = ({ pending, expected, bytes }: OpenPhase['last']): string =>
  `pending count ${pending} of ${expected} and tx-count ${bytes}`;

/** `isWaiting`: whether a thread waits for ever, too. */
export function describeOpenPhase(
  structure: EventStructure,
  history: OpenPhase,
  wait: ExecutionEvent,
  isWaiting: (thread: number) => boolean,
): string {
  const { last, object, offset } = history;
  const name = placeOf({ object, offset, bytes: object.elementType.width / 8 });
  const state = `${name} is in phase ${last.phase} (parity ${last.phase % 2}) with ${describeCounts(last)}`;
  const operation = wait.mbarrier?.operation;
  const parity = operation?.action === 'wait' && operation.test.kind === 'parity';
  return (
    `${state}; ${parity ? `the wait is for a phase of parity ${last.phase % 2}; ` : ''}` +
    reason(history, arrivalsAt(structure, history, wait, isWaiting))
  );
}

function reason({ last, steps }: OpenPhase, { waiting, ofCopies }: Arrivals): string {
  const sinceCompletion = steps.length - 1 - steps.map(({ completes }) => completes).lastIndexOf(true);
  const missing = `${last.pending} arrival${last.pending === 1 ? ' is' : 's are'} missing`;
  const atOnce = 'if this first wait should pass at once (an empty buffer), it takes parity 1';
  if (!last.valid) return 'the object is not initialized any more';
  // Who waits for one that waits has done nothing wrong, as far as can be seen here.
  if (waiting.length > 0 && (sinceCompletion === 0 || last.pending > 0)) {
    const what = sinceCompletion === 0 ? 'nothing arrives in this phase' : missing;
    const who = `${waiting.join(' and ')}, which would arrive, ${waiting.length === 1 ? 'waits' : 'wait'}, too`;
    return `${what}: ${who}${last.phase === 0 && sinceCompletion === 0 && !ofCopies ? `; ${atOnce}` : ''}`;
  }
  if (sinceCompletion === 0) {
    return last.phase === 0
      ? `nothing arrives in this phase${ofCopies ? '' : `; ${atOnce}`}`
      : `nothing arrives in this phase, while phase ${last.phase - 1} is complete: if that was meant, the wait ` +
          'has the wrong parity or comes too late';
  }
  if (last.pending > 0) return `${missing}: compare the count of mbarrier.init with the arrivals`;
  if (last.bytes > 0)
    return (
      `${last.bytes} bytes that were expected are never completed: compare expect_tx with the sizes of the copies, ` +
      'and the mask of a multicast with its CTAs'
    );
  if (last.bytes < 0)
    return `${-last.bytes} bytes more are completed than were expected: compare expect_tx with the sizes of the copies`;
  return (
    'the counts reached 0 by an expect_tx after the last arrival, which does not complete a phase: expect ' +
    'before arriving'
  );
}
