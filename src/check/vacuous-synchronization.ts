import { citation, quoteOf } from '../diagnostics/source.js';
import type { ExecutionEvent, ProgramEvent } from '../events/program-event.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { whyNotAcross } from './why-not.js';

/**
 * What stands between two accesses of different threads as if it ordered them, and is met vacuously in this execution:
 * a wait that returned for another phase than the one that the other thread arrives in, a barrier that was passed
 * without it.
 */
export function vacuousSynchronization(
  execution: CandidateExecution,
  first: number,
  second: number,
): readonly string[] {
  const { events } = execution.universe;
  const [a, b] = [events[first], events[second]];
  if (a?.thread === undefined || b?.thread === undefined || a.thread === b.thread) return [];
  return [
    ...waitsForOtherPhases(execution, a, b),
    ...waitsForOtherPhases(execution, b, a),
    ...barriersWithout(execution, a, b),
    ...barriersWithout(execution, b, a),
    ...tooWeak(execution, a, b),
  ];
}

/**
 * What stands behind an access to the shared memory of another CTA and does not keep that CTA from ending, and what
 * would.
 */
export function keepsNoCta(execution: CandidateExecution, access: number): string {
  const own = execution.universe.events[access];
  const relaxed = own === undefined ? [] : releasesBehind(execution, own).filter(({ tags }) => tags.has('RLX'));
  const found = relaxed.map((event) => `${placed(event)} is relaxed, and tells nothing of it; `);
  return (
    `${found.join('')}an arrival that releases has to follow the access, such as barrier.cluster.arrive, and the CTA ` +
    'that owns the memory has to wait for it before it ends'
  );
}

/** The executed events of a thread before or behind one of its own. */
function inThread(
  { universe, executed }: CandidateExecution,
  { thread, node }: ExecutionEvent,
  side: 'before' | 'behind',
): readonly ProgramEvent[] {
  return universe.structure.events.filter(
    (event) =>
      event.thread === thread && executed.has(event.id) && (side === 'before' ? event.node < node : event.node > node),
  );
}

/** Arrivals of a thread behind an event of its own. */
function releasesBehind(execution: CandidateExecution, own: ExecutionEvent): readonly ProgramEvent[] {
  return inThread(execution, own, 'behind').filter(
    ({ mbarrier, barrier }) =>
      mbarrier?.step === 'arrive' || (barrier?.kind === 'cluster-barrier' && barrier.action === 'arrive'),
  );
}

/** Of the arrivals behind one access, the waits before the other and the fences beside them: relaxed, or too narrow. */
function tooWeak(execution: CandidateExecution, first: ExecutionEvent, second: ExecutionEvent): readonly string[] {
  const { relations, universe } = execution;
  // A read was meant to come after what it overlooks, or sees.
  if (relations.fromReads.has(first.id, second.id) || relations.readsFrom.has(second.id, first.id))
    return tooWeak(execution, second, first);
  const fences = (own: ExecutionEvent, side: 'before' | 'behind'): readonly ProgramEvent[] =>
    inThread(execution, own, side).filter(({ kind, proxyFence }) => kind === 'fence' && proxyFence === undefined);
  const waits = inThread(execution, second, 'before').filter(({ mbarrier }) => mbarrier?.step === 'wait');
  const judged = (
    event: ProgramEvent,
    side: 'release' | 'acquire',
    { placement, thread }: ExecutionEvent,
  ): readonly string[] => {
    switch (placement === undefined ? undefined : whyNotAcross(event, side, placement)) {
      case 'relaxed':
        return [`${placed(event)} is relaxed, and orders nothing`];
      case 'narrow': {
        const name = universe.structure.program.threads[thread ?? -1]?.name ?? '';
        return [`${placed(event)} is at .${event.scope}, which does not hold ${name}`];
      }
      default:
        return [];
    }
  };
  return [
    ...[...releasesBehind(execution, first), ...fences(first, 'behind')].flatMap((event) =>
      judged(event, 'release', second),
    ),
    ...[...waits, ...fences(second, 'before')].flatMap((event) => judged(event, 'acquire', first)),
  ];
}

/**
 * Waits of a thread between an asynchronous operation and an access that do not tell of the operation: for a phase
 * before the one that it completes bytes of, or for other async-groups.
 */
export function waitsThatDoNotCover(
  execution: CandidateExecution,
  operation: ExecutionEvent,
  access: ExecutionEvent,
): readonly string[] {
  const { universe, mbarriers, executed, relations } = execution;
  const { events } = universe;
  const phases = mbarriers.flatMap(({ steps, waits }) => {
    const completion = steps.find(({ event }) => {
      const step = events[event];
      return step?.mbarrier?.step === 'complete_tx' && step.thread === operation.thread && step.node === operation.node;
    });
    const wait = lastWait(execution, waits, access);
    if (wait === undefined) return [];
    const told = wait.at.phase - 1;
    const phase = completion?.before.phase;
    if (phase !== undefined && told >= phase) return [];
    return [
      `${placed(events[wait.event])} returns for ${phaseName(told)}, ` +
        (phase === undefined
          ? 'which is complete before the operation has brought its bytes: compare expect_tx with the sizes of the ' +
            'copies'
          : `and the bytes of the operation are counted in phase ${phase}` +
            (told < 0 ? '' : ': compare the parities, and expect_tx with the sizes of the copies')),
    ];
  });
  const groups = events.flatMap((event): readonly string[] => {
    if (event.kind !== 'group' || event.group.action !== 'wait' || !executed.has(event.id)) return [];
    if (event.thread !== operation.thread || event.node < operation.node) return [];
    if (event.thread === access.thread && event.node > access.node) return [];
    if (relations.completion.has(operation.id, event.id)) return [];
    const { pending, readsOnly } = event.group;
    const still =
      pending === undefined || pending === 0
        ? ''
        : `, since ${pending} group${pending === 1 ? '' : 's'} may still be pending`;
    const why = readsOnly
      ? 'only waits until sources are read, not until bytes are written'
      : `does not wait for the group of the operation${still}`;
    return [`${placed(event)} ${why}`];
  });
  const late = inThread(execution, access, 'behind').find(
    ({ group, mbarrier }) => group?.action === 'wait' || mbarrier?.step === 'wait',
  );
  const found = [...phases, ...groups];
  return found.length > 0 || late === undefined ? found : [`${placed(late)} comes after the access`];
}

/** Of the waits for an object, the last one of the thread of an event that stands before it and returned True. */
function lastWait<T extends { readonly event: number }>(
  { universe, answers }: CandidateExecution,
  waits: readonly T[],
  { thread, node }: ExecutionEvent,
): T | undefined {
  return waits.findLast(({ event }) => {
    const wait = universe.events[event];
    return wait !== undefined && wait.thread === thread && wait.node < node && answers.get(event) === true;
  });
}

/** Waits before one access for a phase before that in which the thread of the other arrives behind it. */
function waitsForOtherPhases(
  execution: CandidateExecution,
  arriving: ExecutionEvent,
  waiting: ExecutionEvent,
): readonly string[] {
  const { events } = execution.universe;
  return execution.mbarriers.flatMap(({ steps, waits }) => {
    const arrival = steps.find(({ event }) => {
      const step = events[event];
      return step?.mbarrier?.step === 'arrive' && step.thread === arriving.thread && step.node > arriving.node;
    });
    const wait = lastWait(execution, waits, waiting);
    if (arrival === undefined || wait === undefined) return [];
    const told = wait.at.phase - 1;
    const { phase } = arrival.before;
    if (told >= phase) return [];
    return [
      `${placed(events[wait.event])} returns for ${phaseName(told)}, and ${placed(events[arrival.event])} arrives in ` +
        `phase ${phase}: wait for that one${byParity(events[wait.event]) ? `, whose parity is ${phase % 2}` : ''}`,
    ];
  });
}

const phaseName = (phase: number): string =>
  phase < 0 ? 'the phase before the first, which counts as complete' : `phase ${phase}`;

const byParity = (event: ExecutionEvent | undefined): boolean => {
  const operation = event?.mbarrier?.operation;
  return operation?.action === 'wait' && operation.test.kind === 'parity';
};

/** Barriers of the CTA between one access and its partner's that the other thread was not met at. */
function barriersWithout(
  { universe, relations, executed, ends }: CandidateExecution,
  own: ExecutionEvent,
  other: ExecutionEvent,
): readonly string[] {
  const { events, structure } = universe;
  const nameOf = (thread: number): string => structure.program.threads[thread]?.name ?? '';
  const meets = relations.barrierSynchronization.union(relations.barrierSynchronization.inverse());
  const ended = ends[other.thread ?? -1]?.kind === 'ended';
  const theirs = (event: ExecutionEvent): boolean =>
    event.thread === other.thread && event.kind === 'barrier' && executed.has(event.id);
  return events
    .filter(
      ({ id, kind, thread, node, barrier, placement }) =>
        kind === 'barrier' &&
        thread === own.thread &&
        executed.has(id) &&
        barrier?.kind === 'barrier' &&
        barrier.level === 'cta' &&
        placement?.cta === other.placement?.cta &&
        node !== own.node,
    )
    .flatMap((event): readonly string[] => {
      const met = [...meets.successors(event.id)].flatMap((id) => events[id]?.thread ?? []);
      if (met.includes(other.thread ?? -1)) return [];
      const with_ = [...new Set(met)].filter((thread) => thread !== own.thread).map(nameOf);
      const passed = event.barrier?.kind === 'barrier' && event.barrier.action === 'arrive' ? 'is met' : 'is passed';
      const because = !events.some(theirs)
        ? `it executes no barrier${ended ? ', and a thread that has ended is not waited for' : ''}`
        : with_.length === 0
          ? 'they meet in different phases of it, or at another one'
          : `it is full with ${with_.join(', ')}`;
      return [`${placed(event)} ${passed} without ${nameOf(other.thread ?? -1)}: ${because}`];
    });
}

function placed(event: ExecutionEvent | undefined): string {
  const { span } = event ?? {};
  if (span === undefined) return 'an event';
  return `${citation(span)} (${quoteOf(span)})`;
}
