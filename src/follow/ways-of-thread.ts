import type { FollowedThread, Way } from './trace.js';

/** The thread that goes a way, of whatever way: itself, if it is none. */
export function goingOf(threads: readonly FollowedThread[], thread: FollowedThread): FollowedThread {
  let at = thread;
  for (let { way } = at; way !== undefined; { way } = at) at = threads[way.of.thread] ?? at;
  return at;
}

/** The ways that a thread is on: its own, that of the thread that begins it, and so on. */
export function waysOf(threads: readonly FollowedThread[], thread: FollowedThread | undefined): readonly Way[] {
  const ways: Way[] = [];
  for (let way = thread?.way; way !== undefined; way = threads[way.of.thread]?.way) ways.push(way);
  return ways;
}

/** Whether it is not what a thread does apart, on a way or as whoever comes last. */
export const isItself = ({ way, isLastOfAll }: FollowedThread): boolean => way === undefined && isLastOfAll !== true;

/**
 * What leads to ways that are gone one on the other, in every execution that has them: of each access all that it may
 * find then, and what votes come to. `resultsOf`: all that an access may find.
 */
export function leadingTo(ways: readonly Way[], resultsOf: (row: number) => readonly bigint[]): string {
  const rows = [...new Set(ways.map(({ row }) => row))].sort((a, b) => a - b);
  const found = rows.map((row) => {
    const own = ways.filter((way) => way.row === row);
    return `${row}: ${resultsOf(row).filter((one) => own.every(({ leads }) => leads(one)))}`;
  });
  const votes = ways.flatMap(({ vote }) => (vote === undefined ? [] : [`vote ${vote.id}: ${vote.bit}`]));
  return [...found, ...votes.sort()].join('; ');
}

/** Whether a vote leads to one of two ways, and else to the other. */
export const areByVote = ({ vote: a }: Way, { vote: b }: Way): boolean =>
  a !== undefined && a.id === b?.id && a.bit !== b.bit;
