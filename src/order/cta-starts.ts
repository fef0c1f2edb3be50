import type { Span } from '../diagnostics/source.js';
import type { FollowedThread, Trace } from '../follow/trace.js';
import type { Remote } from './exits.js';
import type { PlaceInLaunch, UnstartedCta } from './whole-run.js';

/**
 * What is done in the shared memory of CTAs that are not known to have started (CUDA guide, thread block clusters): by
 * instruction, the first.
 */
export function unstartedIn(
  { threads }: Trace,
  remote: readonly Remote[],
  order: { hasStarted(one: Remote): boolean },
  placeOf: (thread: FollowedThread, span: Span) => PlaceInLaunch,
): readonly UnstartedCta[] {
  const bySpan = new Map<Span, Remote>();
  for (const one of remote) if (!bySpan.has(one.span) && !order.hasStarted(one)) bySpan.set(one.span, one);
  return [...bySpan.values()].flatMap(({ owner, step, span }) => {
    const [thread, other] = [threads[step.thread], threads.find(({ ctaId }) => ctaId === owner)];
    return thread === undefined || other === undefined ? [] : [{ thread: placeOf(thread, span), cta: other.cta }];
  });
}
