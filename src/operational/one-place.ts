import type { Location } from './location.js';
import { shareBytes } from './location.js';
import type { MachineContext } from './machine-context.js';
import { isAccess, morallyStrong } from './moral-strength.js';

/**
 * Whether no run differs from one that executes operations one after another in program order, each read finding the
 * latest write: threads meet in one place of memory at most, and accesses to it are morally strong pairwise. A write
 * there comes before or after each other one (8.9.6), and what a thread has read or written it does not fall behind.
 */
export function comesInOneOrder({ events, analysis, readings }: MachineContext): boolean {
  const accesses = events.filter(isAccess);
  const placed = accesses.flatMap((event) => {
    const [target, another] = analysis.targets.get(event.id) ?? [];
    if (target === undefined || another !== undefined || analysis.outside.has(event.id)) return [];
    const { range, offset, bytes, virtualAddress } = target;
    const at: Location = { object: range.object, offset, bytes, virtualAddress };
    return [{ event, at }];
  });
  const isExecuted = ({ id }: (typeof accesses)[number]): boolean => analysis.runs[id]?.executed !== 'no';
  if (placed.length < accesses.filter(isExecuted).length) return false;
  const meeting = placed.filter((one) =>
    placed.some(
      (other) =>
        one.event.thread !== other.event.thread &&
        (one.event.kind === 'write' || other.event.kind === 'write') &&
        shareBytes(one.at, other.at),
    ),
  );
  const [first] = meeting;
  const atPlace = placed.filter(({ at }) => first !== undefined && shareBytes(at, first.at));
  return (
    meeting.every(({ at }) => first !== undefined && shareBytes(at, first.at)) &&
    atPlace.every((one) =>
      atPlace.every((other) => one === other || morallyStrong(one.event, one.at, other.event, other.at, readings)),
    )
  );
}
