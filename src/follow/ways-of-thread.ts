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
