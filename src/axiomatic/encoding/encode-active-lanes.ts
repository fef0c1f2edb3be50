import { type ProgramEvent, reductionOf } from '../../events/program-event.js';
import { groupBy } from '../../program/group-by.js';
import { atLeast } from '../../semantics/completion.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, not } from '../formula/formula.js';
import type { EncodingContext } from './encoding-context.js';

/** Which lanes may be active together (areTogether): of whom activemask tells one, it tells the others the same. */
export function encodeActiveLanes(context: EncodingContext): Formula {
  const { builder, bits, universe } = context;
  const active = universe.structure.events.filter(
    (event) => reductionOf(event)?.operation === 'active' && event.placement.lanes > 1,
  );
  const warps = groupBy(active, ({ placement }) => placement.warp);
  const resultOf = ({ id }: ProgramEvent): Bits | undefined => context.runOf(id)?.result;
  /** An event is executed, and returns this mask. */
  const returns = (event: ProgramEvent, mask: Bits): Formula => {
    const result = resultOf(event);
    return result === undefined ? FALSE : builder.and(context.executed(event.id), bits.equal(result, mask));
  };
  const together = [...warps.values()].flatMap((events) =>
    events.flatMap((event) => {
      const mask = resultOf(event);
      if (mask === undefined) return [];
      const own = events.filter(({ thread }) => thread === event.thread).map((one) => returns(one, mask));
      const mates = universe.structure.program.threads.filter(
        ({ index, placement }) => placement.warp === event.placement.warp && index !== event.thread,
      );
      return mates.map(({ index, placement }) => {
        const theirs = events.filter(({ thread }) => thread === index).map((one) => returns(one, mask));
        const most = Math.max(own.length, theirs.length);
        const alike = Array.from({ length: most }, (_, i) =>
          builder.iff(atLeast(bits, own, i + 1), atLeast(bits, theirs, i + 1)),
        );
        return builder.any([not(context.executed(event.id)), not(mask[placement.lane] ?? FALSE), builder.all(alike)]);
      });
    }),
  );
  return builder.all(together);
}
