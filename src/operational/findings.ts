import type { Tag } from '../effects/event-tags.js';
import type { ProgramEvent } from '../events/program-event.js';
import type { PlaceRule } from '../program/async-operation.js';
import { MBARRIER_BYTES } from '../program/mbarrier-operation.js';
import { areInPair } from '../program/place-rules.js';
import { FLAGS, RACE_FLAG } from '../program/undefined-rules.js';
import { asyncOperationOf, committedGroupOf } from './async-groups.js';
import { judgeAlignment } from './barriers.js';
import { type Bits, bit, has, membersOf, NONE } from './bits.js';
import { type Location, overlap, overlapCompletely, shareBytes } from './location.js';
import { mayMeetInFlight } from './moral-strength.js';
import type { State } from './state.js';
import { tensorBefore } from './tensor-memory.js';

/**
 * Data races and undefined behavior, noticed while the machine runs or when a run is over. The names are those of the
 * models' flags.
 */
/** Accesses whose sizes are not told apart in a race. */
const WITHOUT_SIZE: readonly Tag[] = ['MATRIX', 'TMEM'];
const OBJECT_ACCESS = 'access-to-mbarrier-object';
const EXITED = 'shared-memory-of-exited-cta';

/**
 * Compares an access with those executed before it. `before`: causality-before it; `ordered`: ordered before it, be it
 * through other proxies.
 */
export function noticeAccess(state: State, access: ProgramEvent, at: Location, before: Bits, ordered: Bits): void {
  for (const other of state.context.accesses) {
    if (other === access || !state.isDone(other.id)) continue;
    const location = state.locationOf(other.id);
    if (location === undefined || !shareBytes(location, at)) continue;
    const conflict = (access.kind === 'write' || other.kind === 'write') && overlap(location, at);
    // 8.1 excludes the read-only path, whose bytes nobody writes meanwhile.
    if (access.tags.has('RO') || other.tags.has('RO')) {
      const writes = access.kind === 'write' || other.kind === 'write';
      if (writes && !has(before, other.id)) state.find('read-only-path-of-written-bytes', [other.id, access.id]);
      continue;
    }
    const mayRace = !state.morallyStrong(other.id, access.id) && !areMadeTogether(other, access);
    if (conflict && !has(before, other.id) && mayRace) {
      state.find(RACE_FLAG, [other.id, access.id]);
      state.uninitialized &= ~(bit(other.id) | bit(access.id));
      const together = WITHOUT_SIZE.some((tag) => access.tags.has(tag) || other.tags.has(tag));
      if (!together && !overlapCompletely(location, at)) state.find('mixed-size-race', [other.id, access.id]);
    }
    if (
      (inFlight(other, access) || inFlight(access, other)) &&
      !has(before | ordered, other.id) &&
      !mayMeetInFlight(other, access)
    )
      state.find('asynchronous-operation-in-flight', [other.id, access.id]);
  }
  if (access.tags.has('TMEM')) noticeAllocation(state, access, before);
  recordOrder(state, access, ordered);
  noticePlace(state, access, at);
}

/** Loads and stores of lanes of one warp in tensor memory (PTX ISA, tcgen05.ld). */
function areMadeTogether(a: ProgramEvent, b: ProgramEvent): boolean {
  const ofWarp: readonly (string | undefined)[] = ['ld', 'st'];
  return [a, b].every(({ tensor }) => ofWarp.includes(tensor?.instruction)) && a.placement.warp === b.placement.warp;
}

/**
 * PTX ISA 9.7.10.28.1: while an asynchronous copy is under way its source is not modified and its destination not read.
 */
function inFlight(a: ProgramEvent, asynchronous: ProgramEvent): boolean {
  const { tags, kind } = asynchronous;
  if (!tags.has('COPY')) return false;
  return kind === 'read' ? a.kind === 'write' && !tags.has('RED') : a.kind === 'read' && !a.tags.has('RED');
}

/**
 * Keeps, for rules that are judged when the run is over, which of the operations that they ask about were ordered
 * before this one.
 */
export function recordOrder(state: State, event: ProgramEvent, ordered: Bits): void {
  const kept = ordered & state.context.judged(event);
  if (kept !== NONE) state.orderedBefore.set(event.id, kept);
}

function noticePlace(state: State, access: ProgramEvent, at: Location): void {
  const operation = access.tags.has('ASY') ? asyncOperationOf(state.context.structure, access) : undefined;
  for (const rule of operation?.rules ?? []) {
    const completing = state.context.structure
      .eventsOf(access.thread, access.node)
      .filter(({ kind, chunk }) => kind === 'mbarrier' && chunk?.rank === access.chunk?.rank);
    const objects = completing.map(({ id }) => state.locationOf(id));
    if ((objects.length === 0 ? [undefined] : objects).some((object) => breaks(rule, access, at, object)))
      state.find(rule, [access.id]);
  }
}

/**
 * Where the parts of asynchronous operations have to be (PTX ISA, cp.async.bulk, cp.async.bulk.tensor, st.async,
 * red.async).
 */
function breaks(
  rule: PlaceRule,
  { kind, placement, chunk }: ProgramEvent,
  at: Location,
  mbarrier: Location | undefined,
): boolean {
  const misaligned = chunk?.offset === 0 && at.virtualAddress % 16n !== 0n;
  switch (rule) {
    case 'destination-in-other-cta':
      return kind === 'write' && placement?.cta === at.object.cta;
    case 'mbarrier-with-destination':
      return kind === 'write' && mbarrier !== undefined && mbarrier.object.cta !== at.object.cta;
    case 'mbarrier-in-pair':
      return kind === 'write' && mbarrier !== undefined && !areInPair(mbarrier.virtualAddress, at.virtualAddress);
    case 'cluster-of-several-ctas':
      return placement?.clusterSize === 1;
    case 'bulk-alignment':
      return misaligned;
    case 'tile-alignment':
      return misaligned && at.object.space === 'shared';
  }
}

/** What was given back is not used; no alloc follows the end of the permit, or asks for more than one before it. */
function noticeAllocation(state: State, access: ProgramEvent, before: Bits): void {
  const { context } = state;
  const isInCta = ({ id, placement }: ProgramEvent): boolean =>
    state.isDone(id) && id !== access.id && placement.cta === access.placement.cta;
  const touches = (other: ProgramEvent): boolean => state.sharesBytes(other.id, access.id);
  if (access.tags.has('ALLOC')) {
    const ended = context.events.find((other) => other.tags.has('RELINQUISH') && isInCta(other));
    if (ended !== undefined) state.find('alloc-after-relinquish', [ended.id, access.id]);
    const smaller = context.accesses.find(
      (other) => other.tags.has('ALLOC') && isInCta(other) && (other.tensor?.bytes ?? 0) < (access.tensor?.bytes ?? 0),
    );
    if (smaller !== undefined) state.find('tensor-memory-growth', [smaller.id, access.id]);
    return;
  }
  const earlier = context.accesses.filter((other) => has(before, other.id) && touches(other));
  const given = earlier.filter(({ tags }) => tags.has('ALLOC')).map((one) => tensorBefore(state, one));
  const freed = earlier.find(({ id, tags }) => tags.has('DEALLOC') && !given.some((order) => has(order, id)));
  if (freed !== undefined) state.find('tensor-memory-given-back', [freed.id, access.id]);
}

/** What can be judged only when nothing more happens. `ended`: by thread. */
export function judgeRun(state: State, ended: readonly boolean[]): void {
  const accesses = state.context.accesses.filter(({ id }) => state.isDone(id));
  const operations = state.context.events.filter(({ id, mbarrier }) => mbarrier !== undefined && state.isDone(id));
  const at = (event: ProgramEvent): Location | undefined => state.locationOf(event.id);
  const judgeObjects = (access: ProgramEvent, location: Location): void => {
    for (const operation of operations) {
      const object = at(operation);
      if (object === undefined || !shareBytes(object, location) || access.tags.has('OPAQUE')) continue;
      if (!isApartFromLife(state, access, operation)) state.find(OBJECT_ACCESS, [access.id, operation.id]);
    }
    if (location.object.mbarrier === undefined) return;
    const { offset: start, bytes } = location;
    for (let offset = start - (start % MBARRIER_BYTES); offset < start + bytes; offset += MBARRIER_BYTES) {
      const invalidated = operations.some(
        (operation) =>
          operation.mbarrier?.step === 'inval' &&
          at(operation)?.object === location.object &&
          at(operation)?.offset === offset,
      );
      if (!invalidated) state.find('mbarrier-accessed', [access.id]);
    }
  };
  for (const access of accesses) {
    const location = at(access);
    if (location === undefined) continue;
    judgeObjects(access, location);
    judgeExit(state, access, location, ended);
    if (access.kind !== 'write' || !access.tags.has('ASY')) continue;
    for (const other of accesses) {
      if (
        other.kind !== 'write' ||
        !other.tags.has('ASY') ||
        other.thread !== access.thread ||
        other.node >= access.node
      )
        continue;
      const group = committedGroupOf(state, access, 'cp.async');
      if (
        group !== undefined &&
        group === committedGroupOf(state, other, 'cp.async') &&
        state.sharesBytes(other.id, access.id)
      )
        state.find('one-async-group', [other.id, access.id]);
    }
  }
  for (const operation of operations) {
    const location = at(operation);
    if (location !== undefined) judgeExit(state, operation, location, ended);
  }
  const [uninitialized] = membersOf(state.uninitialized);
  if (uninitialized !== undefined) state.find(FLAGS.uninitialized, [uninitialized]);
  judgeUnawaited(state);
  judgeAlignment(state, ended);
}

/** PTX ISA 9.7.15.16.3: other accesses to an mbarrier object come before its init or after its inval. */
function isApartFromLife(state: State, access: ProgramEvent, operation: ProgramEvent): boolean {
  const history = [...state.objects.values()].find(
    ({ operations, waits }) => operations.includes(operation.id) || waits.has(operation.id),
  );
  if (history === undefined) return false;
  const look = history.waits.get(operation.id);
  const place = look === undefined ? history.operations.indexOf(operation.id) : look.least - 0.5;
  return history.operations.some((other, k) => {
    const step = state.context.event(other).mbarrier?.step;
    if (step === 'init' && k <= place) return has(state.orderedBefore.get(other) ?? NONE, access.id);
    return step === 'inval' && place <= k && has(state.orderedBefore.get(access.id) ?? NONE, other);
  });
}

/**
 * PTX ISA 9.7.15.3: the shared memory of another CTA is gone when the last of its threads has exited: one of them must
 * know that the access has happened.
 */
function judgeExit(state: State, access: ProgramEvent, { object }: Location, ended: readonly boolean[]): void {
  if (object.cta === undefined || object.cta === access.placement.cta) return;
  const threads = state.context.structure.program.threads.filter(({ placement }) => placement.cta === object.cta);
  if (!threads.every(({ index }) => ended[index] === true)) return;
  const exits = state.context.events.filter(
    ({ id, kind, thread }) => kind === 'exit' && threads.some(({ index }) => index === thread) && state.isDone(id),
  );
  if (exits.length > 0 && !exits.some((exit) => hasHappened(state, access, exit))) state.find(EXITED, [access.id]);
}

/** Known to be over where that thread ends, if only because it has seen what the access did. */
function hasHappened(state: State, access: ProgramEvent, exit: ProgramEvent): boolean {
  if (has(state.orderedBefore.get(exit.id) ?? NONE, access.id)) return true;
  const inThread = (event: number): boolean =>
    state.context.event(event).thread === exit.thread && !state.context.event(event).tags.has('ASY');
  // Who sees the write of an atomic has seen the atomic, which is one operation (8.4).
  const written = access.kind === 'read' ? (access.partner ?? access.id) : access.id;
  if ([...state.sources].some(([read, sources]) => inThread(read) && sources.some(({ write }) => write === written)))
    return true;
  if ([...state.completions].some(([wait, accesses]) => inThread(wait) && has(accesses, access.id))) return true;
  return [...state.objects.values()].some(({ operations, waits }) => {
    const place = operations.indexOf(access.id);
    if (place < 0) return false;
    return (
      operations.some((other, k) => k > place && inThread(other)) ||
      [...waits].some(([wait, { least }]) => least > place && inThread(wait))
    );
  });
}

/** PTX ISA 9.7.15.16.4: nobody arrives in a phase before a wait has returned True for the phase before it. */
function judgeUnawaited(state: State): void {
  for (const { operations, completes, waits } of state.objects.values()) {
    let last: number | undefined;
    operations.forEach((operation, k) => {
      const step = state.context.event(operation).mbarrier?.step;
      if (step === 'init') last = undefined;
      const completed = last;
      if (step === 'arrive' && completed !== undefined) {
        const awaited = [...waits].some(
          ([wait, { most }]) => most > completed && most <= k && state.answers.get(wait) === 1n,
        );
        if (!awaited) state.find('mbarrier-unawaited', [operation]);
      }
      if (completes[k] === true) last = k;
    });
  }
}
