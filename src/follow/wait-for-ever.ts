import type { Span } from '../diagnostics/source.js';
import { spanAt } from '../kernel/code.js';
import { WAITS } from './elected-lane.js';
import type { Awaited } from './halts.js';
import type { Begun } from './launch-order.js';
import type { Recorder } from './recorder.js';
import { NotFollowed } from './turn.js';

/** Why a run ends in which nobody can go on. */
export const WAIT_FOR_EVER = 'threads that wait for ever';

/** All launches have begun that can: who waits now waits for ever. `awaited`: by thread, for what. */
export function endWaiting(
  recorder: Recorder,
  begun: readonly Begun[],
  awaited: ReadonlyMap<number, Awaited | undefined>,
): void {
  let place: Span | undefined;
  for (const { code: own, waiting, elected } of begun.flatMap(({ warps }) => warps))
    for (const { thread, at } of waiting) {
      const span = spanAt(own, at);
      if (elected?.isApart === true && !elected.isLast) throw new NotFollowed(span, WAITS);
      recorder.findings.push({ rule: 'deadlock', thread, span });
      recorder.halts.push({ step: recorder.nextOf(thread.id), span, awaited: awaited.get(thread.id) });
      place ??= span;
    }
  const [first] = begun;
  if (first !== undefined) throw new NotFollowed(place ?? first.code.planned.launch.syntax.span, WAIT_FOR_EVER);
}
