import type { CandidateExecution, ThreadEnd } from '../execution/candidate-execution.js';

/** What a thread finds again and again that waits, or goes round loops, for ever: the reads of its round. */
const roundOfEnd = (end: ThreadEnd): readonly number[] =>
  end.kind === 'spins' || end.kind === 'repeats' ? end.round : [];

/** Whether a thread has a store or an atomic, at an address that is a number, to what another one waits for. */
export function isAwaited({ universe, ends, targets }: CandidateExecution, thread: number, waiter: number): boolean {
  const { structure } = universe;
  const { threads, locations } = structure.program;
  const end = ends[waiter];
  const reads = (end === undefined ? [] : roundOfEnd(end))
    .flatMap((node) => structure.eventsOf(waiter, node))
    .filter(({ kind }) => kind === 'read')
    .flatMap(({ id }) => targets[id] ?? []);
  return (threads[thread]?.statements ?? []).some(({ operation }) => {
    if (operation.kind !== 'store' && operation.kind !== 'atomic') return false;
    const { base, offset } = operation.address;
    if (base.kind !== 'constant') return false;
    const range = locations.at(base.value + offset, 1, thread);
    if (range === undefined) return false;
    const at = Number(base.value + offset - range.base);
    return reads.some((read) => read.object === range.object && read.offset <= at && at < read.offset + read.bytes);
  });
}
