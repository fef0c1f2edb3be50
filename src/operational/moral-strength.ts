import { inProgramOrder } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import { scopeIncludes } from '../program/placement.js';
import type { Location } from './location.js';
import { overlapCompletely } from './location.js';

/**
 * What the machine knows of scopes and strength (PTX ISA 8.4, 8.5, 8.7), stated from the text. Scopes appear nowhere
 * else.
 */

const STRONG_ACCESS = ['RLX', 'ACQ', 'REL', 'ACQ_REL'] as const;

export const isAccess = ({ kind }: ProgramEvent): boolean => kind === 'read' || kind === 'write';
/** A fence of memory, not of proxies. */
export const isMemoryFence = ({ kind, proxyFence }: ProgramEvent): boolean =>
  kind === 'fence' && proxyFence === undefined;
export const isFenceSc = (event: ProgramEvent): boolean => isMemoryFence(event) && event.tags.has('SC');
/** The read of a reduction returns nothing to its thread, which so acquires nothing (8.8, 8.11.1). */
export const canAcquire = ({ tags }: ProgramEvent): boolean => !tags.has('RED');
export const isAcquire = (event: ProgramEvent): boolean =>
  event.tags.has('ACQ') || event.tags.has('ACQ_REL') || event.tags.has('SC');
export const isRelease = (event: ProgramEvent): boolean =>
  event.tags.has('REL') || event.tags.has('ACQ_REL') || event.tags.has('SC');

/** Table 20 speaks of accesses and fences; arrivals at mbarrier objects and waits for them are strong as well. */
export function isStrong(event: ProgramEvent): boolean {
  if (isMemoryFence(event)) return true;
  if (event.mbarrier !== undefined) return event.tags.has('ARRIVE') || event.tags.has('WAIT');
  return isAccess(event) && STRONG_ACCESS.some((order) => event.tags.has(order));
}

/** Each is in the other's scope. */
export function inEachOthersScope(a: ProgramEvent, b: ProgramEvent): boolean {
  if (a.scope === undefined || b.scope === undefined || a.placement === undefined || b.placement === undefined)
    return false;
  return scopeIncludes(a.scope, a.placement, b.placement) && scopeIncludes(b.scope, b.placement, a.placement);
}

/** The proxies through which values can be exchanged (8.6). */
const PROXIES = ['GEN', 'ASYNC', 'SUR'] as const;

/** Readings of the text that the machine can be run under (see `--variant`). */
export interface Readings {
  /**
   * Strong accesses of .gpu or .sys scope through the generic and the async proxy are morally strong with each other
   * (8.6.1; docs/decisions/cross-proxy-strength.md).
   */
  readonly strongAcrossProxies: boolean;
  /** A proxy fence counts in whichever CTA it is executed (docs/decisions/proxy-fence-place.md). */
  readonly lenientProxyFences: boolean;
  /** Between a generic and an asynchronous access a proxy fence counts that the thread of the generic one executes. */
  readonly proxyFencesOfGenericThreads: boolean;
  /**
   * Completion makes results ready for the generic proxy, but not sources ready to be overwritten
   * (docs/decisions/completion-fence.md).
   */
  readonly completionOfResultsOnly: boolean;
  /** Scalar accesses that race may be torn into bytes (8.9.7). */
  readonly tearing: boolean;
  /** Accesses to shared memory through the async proxy count as of the CTA that issues them, not of that memory. */
  readonly asyncAtIssuer: boolean;
  /** A proxy fence in either CTA of a pair counts for what an instruction of .cta_group::2 accesses. */
  readonly proxyFencesOfPair: boolean;
  /** A release fence is for a dependent grid only where the first trigger of its CTA follows it in its own thread. */
  readonly fencesBeforeFirstTrigger: boolean;
  /** Votes, shuffles, matches and reductions of a warp order memory (docs/decisions/warp-barrier.md). */
  readonly exchangesOrderMemory: boolean;
  /** Whole tcgen05 instructions of whatever warp are pipelined, as up to PTX ISA 9.3. */
  readonly wholePipelines: boolean;
}

function throughOneProxy(a: ProgramEvent, b: ProgramEvent, { strongAcrossProxies }: Readings): boolean {
  if (sameProxy(a, b)) return true;
  return strongAcrossProxies && genericAndAsync(a, b) && isWide(a) && isWide(b);
}

const sameProxy = (a: ProgramEvent, b: ProgramEvent): boolean =>
  PROXIES.some((proxy) => a.tags.has(proxy) && b.tags.has(proxy));
const isWide = ({ scope }: ProgramEvent): boolean => scope === 'gpu' || scope === 'sys';
const genericAndAsync = (a: ProgramEvent, b: ProgramEvent): boolean =>
  (a.tags.has('GEN') && b.tags.has('ASYNC')) || (a.tags.has('ASYNC') && b.tags.has('GEN'));

/** Strong accesses that come to see each other (8.6.1 across proxies) may meet before a copy is complete. */
export function mayMeetInFlight(a: ProgramEvent, b: ProgramEvent): boolean {
  if (!isStrong(a) || !isStrong(b) || !inEachOthersScope(a, b)) return false;
  return (
    sameProxy(a, b) || (a.scope === 'sys' && b.scope === 'sys') || (isWide(a) && isWide(b) && genericAndAsync(a, b))
  );
}

/**
 * 8.7: related in program order, or both strong and in each other's scope; through one proxy; of accesses, to exactly
 * one location.
 */
export function morallyStrong(
  a: ProgramEvent,
  atA: Location | undefined,
  b: ProgramEvent,
  atB: Location | undefined,
  readings: Readings,
): boolean {
  if (a === b || !throughOneProxy(a, b, readings)) return false;
  if (isAccess(a) && isAccess(b) && (atA === undefined || atB === undefined || !overlapCompletely(atA, atB)))
    return false;
  if (inProgramOrder(a, b) || inProgramOrder(b, a)) return true;
  return isStrong(a) && isStrong(b) && inEachOthersScope(a, b);
}
