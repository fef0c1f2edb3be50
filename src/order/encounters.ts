import type { Span } from '../diagnostics/source.js';
import { type Step, stepOf, type Trace } from '../follow/trace.js';
import { columnsOf } from '../program/tensor-memory.js';

/** What two accesses in no order have in common. */
export interface Encounter {
  /** The bytes of both, as a test names them. */
  readonly bytes: string;
  /** The barrier at which their threads have met last, and for which time there; undefined: they have met at none. */
  readonly met: { readonly span: Span; readonly times: number } | undefined;
}

export function encounterOf(trace: Trace, a: number, b: number): Encounter {
  return { bytes: bytesOf(trace, a, b), met: lastMeeting(trace, stepOf(trace, a), stepOf(trace, b)) };
}

/** The elements that hold them, or bytes where they begin or end within elements. */
function bytesOf({ accesses: { pieces, starts, sizes }, pieces: all }: Trace, a: number, b: number): string {
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
