import { BitDomain, type Bits } from '../formula/bits.js';
import { type Formula, not } from '../formula/formula.js';
import type { ExecutionEncoding } from './encode-execution.js';

/** Reads of a thread that take part in the order, the first ones. */
const MOST_READS = 8;

/**
 * That the threads of each group, which can change places, come in the order of what they read, read by read: of the
 * executions that differ by such an exchange only, one at least does. (Values are totally ordered whatever the model
 * says; coherence is not.)
 */
export function encodeSymmetry(encoding: ExecutionEncoding, groups: readonly (readonly number[])[]): Formula {
  const { builder, universe, threads } = encoding;
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
  return builder.all(
    groups.flatMap((group) => {
      const keys = group.map(keyOf);
      if (keys.some(({ length }) => length !== keys[0]?.length)) return [];
      return keys.slice(1).map((key, i) => not(bits.less(key, keys[i] ?? key, false)));
    }),
  );
}
