import { type Asked, placeInLaunch } from '../build/asked.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { aboutOf, type LaunchedThread, WARP_SIZE } from '../kernel/grid.js';
import type { LaunchPlan } from '../kernel/plan-launches.js';
import type { Launch } from '../kernel/resolve-launches.js';
import type { LaunchSyntax } from '../syntax/launch-ast.js';
import { threadsOf } from './launch-threads.js';
import { namedThreads } from './run-threads.js';
import type { FollowedThread } from './trace.js';

/** Whether a launch names the threads that a test asks about, beside others which are there all the same. */
export const isSelection = ({ runs }: LaunchSyntax): boolean => aboutOf(runs) === 'named';

/** The threads of a launch that a test asks about, by name in the launch or in a condition; in order. */
export function askedThreads(
  launch: Launch,
  { registers }: Asked,
  { runs }: Pick<LaunchSyntax, 'runs'> = launch.syntax,
): { readonly threads: readonly LaunchedThread[]; readonly diagnostics: readonly Diagnostic[] } {
  const { threads: named, diagnostics } = namedThreads(runs, launch.shape);
  const nameOf = (one: LaunchedThread): string => placeInLaunch({ launch: launch.syntax.name, ...one });
  const wanted = new Set([...registers.map(({ thread }) => thread), ...named.map(nameOf)]);
  return { threads: wanted.size === 0 ? [] : threadsOf(launch).filter((one) => wanted.has(nameOf(one))), diagnostics };
}

/** A thread that is followed, as far as it matters which it is. */
export type Place = Pick<FollowedThread, 'launch' | 'cta' | 'tid' | 'isElected' | 'isLastOfAll'>;

/** Tells whether a test asks about a thread of its launches; of one that may be any of several, whether about any. */
export function isAskedIn({ launches }: LaunchPlan, asked: Asked): (place: Place) => boolean {
  const byLaunch = launches.map(({ launch }) => {
    if (!isSelection(launch.syntax)) return undefined;
    const { threads } = askedThreads(launch, asked);
    return { threads: new Set(threads.map(placeOf)), warps: new Set(threads.map(warpOf)) };
  });
  return (place) => {
    const own = byLaunch[place.launch];
    if (own === undefined || place.isLastOfAll === true) return true;
    return place.isElected === true ? own.warps.has(warpOf(place)) : own.threads.has(placeOf(place));
  };
}

const placeOf = ({ cta, tid }: LaunchedThread): string => `${cta} ${tid}`;
const warpOf = ({ cta, tid }: LaunchedThread): string => `${cta} ${Math.floor(tid / WARP_SIZE)}`;
