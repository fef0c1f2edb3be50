import { type Undecided, within } from '../../program/undecided.js';
import { AxiomaticSession } from './session.js';

/** What is asked in sessions, which are closed in the end; or what stands for it where time or memory ran out. */
export function inSessions<T>(work: (open: typeof AxiomaticSession.open) => T, otherwise: (reason: Undecided) => T): T {
  const sessions: AxiomaticSession[] = [];
  const open: typeof AxiomaticSession.open = (...given) => {
    const session = AxiomaticSession.open(...given);
    if (!('unknown' in session)) sessions.push(session);
    return session;
  };
  try {
    return within(() => work(open), otherwise);
  } finally {
    for (const session of sessions) session.dispose();
  }
}
