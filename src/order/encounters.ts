import type { Span } from '../diagnostics/source.js';
import { type Step, stepOf, type Trace } from '../follow/trace.js';
import { columnsOf } from '../program/tensor-memory.js';

/** What two accesses in no order have in common. */
export interface Encounter {
  /** The bytes of both, as a test names them. */
  readonly bytes: string;
  /** The barrier at which their threads have met last, and for which time there; undefined: they have met at none. */
  readonly met: { readonly span: Span; readonly times: number } | undefined;
  /** By thread: the wait for an mbarrier that it was through with last, and for which of its phases, from 1 on. */
  readonly waits: readonly ({ readonly span: Span; readonly phase: number } | undefined)[];
  /** What both of them write there, where that is one value. */
  readonly written: bigint | undefined;
}

export function encounterOf(trace: Trace, a: number, b: number): Encounter {
  return {
    bytes: bytesOf(trace, a, b),
    met: lastMeeting(trace, stepOf(trace, a), stepOf(trace, b)),
    waits: [a, b].map((row) => lastWait(trace, row, stepOf(trace, row))),
    written: writtenByBoth(trace, a, b),
  };
}

function lastWait({ synchronizations }: Trace, row: number, { thread, position }: Step): Encounter['waits'][number] {
  const wait = synchronizations.findLast(
    (one) =>
      one.kind === 'mbarrier' &&
      one.step === 'wait' &&
      one.row <= row &&
      one.steps.some((step) => step.thread === thread && step.position <= position),
  );
  if (wait?.kind !== 'mbarrier') return undefined;
  // Phases are counted on when an object is initialized again.
  const begun = synchronizations.findLast(
    (one) => one.kind === 'mbarrier' && one.step === 'init' && one.object === wait.object && one.row <= wait.row,
  );
  const first = begun?.kind === 'mbarrier' ? begun.phase : 0;
  return wait.phase < first ? undefined : { span: wait.span, phase: wait.phase - first + 1 };
}

function writtenByBoth(trace: Trace, a: number, b: number): bigint | undefined {
  const { accesses, kinds } = trace;
  const value = accesses.values.at(a);
  const areWrites = [a, b].every((row) => kinds[accesses.kinds.at(row)]?.writes === true);
  const areOfSameBytes =
    accesses.starts.at(a) === accesses.starts.at(b) && accesses.sizes.at(a) === accesses.sizes.at(b);
  return areWrites && areOfSameBytes && value === accesses.values.at(b) ? value : undefined;
}

/** The elements that hold them, or bytes where they begin or end within elements. */
export function bytesOf({ accesses: { pieces, starts, sizes }, pieces: all }: Trace, a: number, b: number): string {
  const object = all[pieces.at(a)]?.object;
  if (object === undefined) return '';
  const from = Math.max(starts.at(a), starts.at(b));
  const to = Math.min(starts.at(a) + sizes.at(a), starts.at(b) + sizes.at(b));
  if (object.space === 'tensor') return `tensor memory, ${columnsOf(object.size, from, to - from)}`;
  const element = object.elementType.width / 8;
  if (from % element !== 0 || to % element !== 0) return `bytes ${from} to ${to - 1} of ${object.name}`;
  const [first, last] = [from / element, to / element - 1];
  if (object.size === element) return object.name;
  return first === last ? `${object.name}[${first}]` : `${object.name}[${first}..${last}]`;
}

function lastMeeting({ synchronizations }: Trace, a: Step, b: Step): Encounter['met'] {
  const isBefore = (waiters: readonly Step[], { thread, position }: Step): boolean =>
    waiters.some((waiter) => waiter.thread === thread && waiter.position <= position);
  let met: Encounter['met'];
  const times = new Map<number, number>();
  for (const one of synchronizations) {
    if (!('barrier' in one) || !isBefore(one.waiters, a) || !isBefore(one.waiters, b)) continue;
    const count = (times.get(one.span.start) ?? 0) + 1;
    times.set(one.span.start, count);
    met = { span: one.span, times: count };
  }
  return met;
}
