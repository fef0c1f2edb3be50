import { type Asked, placeInLaunch } from '../build/asked.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { isAboutAll, type LaunchedThread, volume, WARP_SIZE } from '../kernel/grid.js';
import type { LaunchPlan } from '../kernel/plan-launches.js';
import type { Launch } from '../kernel/resolve-launches.js';
import type { LaunchSyntax } from '../syntax/launch-ast.js';
import { namedThreads } from './run-threads.js';
import type { FollowedThread } from './trace.js';

/** Whether a launch names the threads that a test asks about, beside others which are there all the same. */
export const isSelection = ({ runs }: LaunchSyntax): boolean =>
  !isAboutAll(runs) && runs.every(({ kind, exactly }) => kind !== 'auto' && !exactly);

/** The threads of a launch that a test asks about, by name in the launch or in a condition; in order. */
export function askedThreads(
  { syntax, shape }: Launch,
  { registers }: Asked,
): { readonly threads: readonly LaunchedThread[]; readonly diagnostics: readonly Diagnostic[] } {
  const { threads: named, diagnostics } = namedThreads(syntax.runs, shape);
  const size = volume(shape.block);
  const wanted = new Set(registers.map(({ thread }) => thread));
  const numbers = new Set(named.map(({ cta, tid }) => cta * size + tid));
  for (let number = 0; wanted.size > 0 && number < volume(shape.grid) * size; number++) {
    const place = { launch: syntax.name, cta: Math.floor(number / size), tid: number % size };
    if (wanted.has(placeInLaunch(place))) numbers.add(number);
  }
  const inOrder = [...numbers].sort((a, b) => a - b);
  return { threads: inOrder.map((one) => ({ cta: Math.floor(one / size), tid: one % size })), diagnostics };
}

/** A thread that is followed, as far as it matters which it is. */
export type Place = Pick<FollowedThread, 'launch' | 'cta' | 'tid' | 'isElected' | 'isLastOfAll'>;

/** Tells whether a test asks about a thread of its launches; of one that may be any of several, whether about any. */
export function isAskedIn({ launches }: LaunchPlan, asked: Asked): (place: Place) => boolean {
  const byLaunch = launches.map(({ launch }) => {
    if (!isSelection(launch.syntax)) return undefined;
    const { threads } = askedThreads(launch, asked);
    const warpOf = ({ cta, tid }: LaunchedThread): string => `${cta}, warp ${Math.floor(tid / WARP_SIZE)}`;
    return {
      threads: new Set(threads.map(({ cta, tid }) => `${cta} ${tid}`)),
      warps: new Set(threads.map(warpOf)),
      warpOf,
    };
  });
  return ({ launch, cta, tid, isElected, isLastOfAll }) => {
    const own = byLaunch[launch];
    if (own === undefined || isLastOfAll === true) return true;
    return isElected === true ? own.warps.has(own.warpOf({ cta, tid })) : own.threads.has(`${cta} ${tid}`);
  };
}
