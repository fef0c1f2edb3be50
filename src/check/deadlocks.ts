import { reachEndless } from '../axiomatic/looping/reach-endless.js';
import type { Reachability } from '../axiomatic/session/consistent-executions.js';
import type { AxiomaticSession } from '../axiomatic/session/session.js';

/**
 * Whether some execution has no end. What waits is asked of the session; where that leaves rounds of loops out, whether
 * loops that write go round for ever.
 */
export function reachDeadlock(session: AxiomaticSession, ordersOnePlace: () => boolean): Reachability {
  const waiting = session.reachDeadlock() ?? withinBound(session);
  if (waiting.kind !== 'unknown' || waiting.reason.kind !== 'bound') return waiting;
  const { model, options, encoding } = session;
  return reachEndless(encoding.universe.structure.program, model, options, ordersOnePlace);
}

/** Where nothing is found within the bound, only a thread that goes round a loop beyond it might do it. */
export function withinBound(session: AxiomaticSession): Reachability {
  const bound = session.boundReason();
  return bound === undefined ? { kind: 'unreachable' } : { kind: 'unknown', reason: bound };
}
