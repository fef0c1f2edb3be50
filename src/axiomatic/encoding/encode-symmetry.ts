import { sameBytes } from '../../semantics/cells.js';
import { BitDomain, type Bits } from '../formula/bits.js';
import { type Formula, not, TRUE } from '../formula/formula.js';
import type { ExecutionEncoding } from './encode-execution.js';

/** Reads of a thread that take part in the order, the first ones. */
const MOST_READS = 8;

/**
 * That the threads of each group, which can change places, come in one order: of the executions that differ by such an
 * exchange only, one at least has it.
 */
export function encodeSymmetry(encoding: ExecutionEncoding, groups: readonly (readonly number[])[]): Formula {
  return encoding.builder.all(
    groups.flatMap((group) => {
      const updates = updatesOf(encoding, group);
      return updates === undefined ? orderOfValues(encoding, group) : orderOfUpdates(encoding, updates);
    }),
  );
}

/**
 * The atomic operations with which the threads, which run one code, begin to change memory: one of each, if all of them
 * change one place and are executed whatever happens.
 */
function updatesOf(
  { universe: { structure }, threads, analysis }: ExecutionEncoding,
  group: readonly number[],
): readonly number[] | undefined {
  const updates = group.flatMap(
    (own) =>
      structure.events.find(({ thread, kind, partner }) => thread === own && kind === 'write' && partner !== undefined)
        ?.id ?? [],
  );
  const [place] = analysis.targets.get(updates[0] ?? -1) ?? [];
  const isThere = (update: number): boolean => {
    const [target, ...others] = analysis.targets.get(update) ?? [];
    if (place === undefined || target === undefined || others.length > 0) return false;
    return target.range.object === place.range.object && sameBytes(target, place);
  };
  const areAlike = updates.every((update) => isThere(update) && threads.executed[update] === TRUE);
  return areAlike && updates.length === group.length ? updates : undefined;
}

/**
 * None before an earlier one in coherence. That is a strict partial order of them, so that threads can be exchanged
 * until it is so; where the model makes it total, as of atomic operations that are morally strong, nothing is left to
 * search for.
 */
const orderOfUpdates = ({ memory }: ExecutionEncoding, updates: readonly number[]): readonly Formula[] =>
  updates.flatMap((later, i) => updates.slice(0, i).map((earlier) => not(memory.coherence.at(later, earlier))));

/** What they read, read by read: values are totally ordered whatever the model says. */
function orderOfValues(
  { builder, universe, threads }: ExecutionEncoding,
  group: readonly number[],
): readonly Formula[] {
  const bits = new BitDomain(builder);
  const keyOf = (thread: number): Bits =>
    universe.structure.events
      .filter((event) => event.thread === thread && event.kind === 'read')
      .slice(0, MOST_READS)
      .reverse()
      // A read that is not executed has no value: it counts as the largest.
      .flatMap(({ id }) =>
        (threads.runs[id]?.value ?? []).map((bit) => builder.or(bit, not(threads.executed[id] ?? bit))),
      );
  const keys = group.map(keyOf);
  if (keys.some(({ length }) => length !== keys[0]?.length)) return [];
  return keys.slice(1).map((key, i) => not(bits.less(key, keys[i] ?? key, false)));
}
