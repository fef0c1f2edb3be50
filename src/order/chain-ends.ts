import { type AccessKind, fencedSpaceOf, kindOf, type Trace, threadOf } from '../follow/trace.js';
import type { ChainStart, NeededFence } from './recheck-chains.js';

/** Where chains begin that are behind an access: at its step, or at the phase that tells that a copy is complete. */
export function startOf(trace: Trace, row: number): ChainStart {
  const { threads, ends, tellers } = trace.accesses;
  const teller = tellers.at(row);
  return teller === 0
    ? { kind: 'step', thread: threads.at(row), position: ends.at(row) }
    : { kind: 'phase', object: teller - 1, phase: ends.at(row) - 1, launch: threadOf(trace, row).launch };
}

const NO_FENCE = [undefined];

/** Whether an access is by the generic proxy, or the async one. */
const isByEither = ({ tags }: AccessKind): boolean => tags.has('GEN') || tags.has('ASYNC');

/**
 * The fences of which one must be on a chain from one access to another across their proxies; undefined for one without
 * a fence, and nothing where no chain is enough.
 */
export function fencesBetween(trace: Trace, a: number, b: number): readonly (NeededFence | undefined)[] {
  const [first, second] = [kindOf(trace, a), kindOf(trace, b)];
  if (!isByEither(first) || !isByEither(second)) return [];
  if (!second.tags.has('ASYNC')) return NO_FENCE;
  const [s, t] = [threadOf(trace, a), threadOf(trace, b)];
  const space = fencedSpaceOf(trace, b);
  // To shared memory the async proxy goes in the CTA whose it is.
  const isElsewhere = s.ctaId !== t.ctaId && space !== 'shared' && space !== 'remote';
  if (first.tags.has('ASYNC') && !isElsewhere) return NO_FENCE;
  return space === undefined ? [] : fencesOfPair(trace, b, { ctaId: t.ctaId, space });
}

/** The fences of which one must be between: in the CTA of the access; of a pair of CTAs in either. */
function fencesOfPair(trace: Trace, row: number, own: NeededFence): readonly NeededFence[] {
  const peer = trace.peers.get(own.ctaId);
  if (peer === undefined || !kindOf(trace, row).tags.has('CTA_PAIR')) return [own];
  const isOfPeer = trace.owners[trace.accesses.pieces.at(row)] === peer;
  return [own, { ctaId: peer, space: isOfPeer ? 'shared' : 'remote' }];
}
