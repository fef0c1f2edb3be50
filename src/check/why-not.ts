import type { ProgramEvent } from '../events/program-event.js';
import { scopeIncludes } from '../program/placement.js';

/** Why a fence or an mbarrier operation beside two events of its thread does not order them for another thread. */
export type WhyNot =
  /** It stands before both, or behind both. */
  | 'before'
  | 'behind'
  /** It only releases, or only acquires. */
  | 'release-only'
  | 'acquire-only'
  | 'proxy'
  /** It is limited to mbarrier.init, or to shared memory. */
  | 'restricted'
  | 'relaxed'
  /** Its scope does not hold the other thread. */
  | 'narrow';

/** Why an event of a thread does not count on one side; `outside`: it stands before both events, or behind both. */
export function whyNot(
  { kind, tags, proxyFence, restriction, mbarrier }: ProgramEvent,
  side: 'release' | 'acquire',
  outside: 'before' | 'behind' | undefined,
): WhyNot | undefined {
  if (kind === 'mbarrier') {
    const meant = side === 'release' ? 'arrive' : 'wait';
    return outside === undefined && mbarrier?.step === meant && tags.has('RLX') ? 'relaxed' : undefined;
  }
  if (kind !== 'fence') return undefined;
  if (proxyFence !== undefined) return outside === undefined ? 'proxy' : undefined;
  if (outside !== undefined) return outside;
  if (restriction !== undefined) return 'restricted';
  if (side === 'release' && tags.has('ACQ')) return 'acquire-only';
  return side === 'acquire' && tags.has('REL') ? 'release-only' : undefined;
}

/** Why an event does not release to, or acquire from, what is at another place; undefined if nothing is against it. */
export function whyNotAcross(
  event: ProgramEvent,
  side: 'release' | 'acquire',
  other: ProgramEvent['placement'],
): WhyNot | undefined {
  const meant =
    event.kind === 'mbarrier'
      ? event.mbarrier.step === (side === 'release' ? 'arrive' : 'wait')
      : event.kind === 'barrier'
        ? event.barrier.kind === 'cluster-barrier' && event.barrier.action === (side === 'release' ? 'arrive' : 'wait')
        : event.kind === 'fence' && event.proxyFence === undefined;
  if (!meant) return undefined;
  if (event.kind !== 'fence' && event.tags.has('RLX')) return 'relaxed';
  if (event.scope !== undefined && !scopeIncludes(event.scope, event.placement, other)) return 'narrow';
  return event.kind === 'fence' ? whyNot(event, side, undefined) : undefined;
}
