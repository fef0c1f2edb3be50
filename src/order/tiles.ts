import type { Growth } from '../follow/ticket-growth.js';
import type { TicketedAccess } from '../follow/trace.js';
import { least } from '../follow/value-bounds.js';
import { joinedRanges } from '../program/joined-ranges.js';

/**
 * Accesses that grow alike with tickets, but not evenly, such as those of tiles in rows and columns: one group, if
 * those of each two tickets have no byte in common.
 */
export function ofTiles(
  own: readonly (readonly [row: number, access: TicketedAccess])[],
  growth: Growth,
): readonly number[][] {
  const [[, { first: some, scale } = { first: 0n, scale: 0n }] = []] = own;
  const low = own.reduce((all, [, { first }]) => least(all, first), some);
  const ranges = joinedRanges(
    own.map(([, { first, bytes }]) => [Number(first - low), Number(first + bytes - low)] as const),
  );
  if (ranges.length * growth.at.length > MOST_RANGES) return [];
  const all = growth.at.flatMap((at) => {
    const by = Number(scale * at);
    return ranges.map(([from, to]) => [from + by, to + by] as const);
  });
  if (!all.every(([from, to]) => Number.isSafeInteger(from) && Number.isSafeInteger(to))) return [];
  all.sort(([a], [b]) => a - b);
  // Those of one ticket do not meet.
  const areApart = all.every(([, to], i) => i + 1 === all.length || to <= (all[i + 1]?.[0] ?? to));
  return areApart ? [own.map(([row]) => row)] : [];
}

/** Of more ranges of bytes in all it is not looked whether they are apart. */
const MOST_RANGES = 1 << 19;
