import { type FencedSpace, kindOf, type Step, type Trace } from '../follow/trace.js';
import type { Clock } from './clocks.js';
import type { Known } from './knowledge.js';
import type { OrderEdge } from './whole-run.js';

/** Which fences count for what instructions of .cta_group::2 access in both CTAs of a pair (PTX ISA 9.7.18.5). */
export class PairsOfCtas {
  private readonly areAny: boolean;
  private isByFence = false;

  constructor(private readonly trace: Trace) {
    this.areAny = trace.kinds.some(({ tags }) => tags.has('CTA_PAIR') || tags.has('CTA_GROUP_2'));
  }

  get edges(): readonly OrderEdge[] {
    return this.areAny ? ['tensor-pair', ...(this.isByFence ? (['pair-fence'] as const) : [])] : [];
  }

  /** What is behind a fence in one of the CTAs, of what was before it: by CTA whose shared memory that covers. */
  behind({ thread }: Step, spaces: readonly FencedSpace[], before: Clock): Known['pairs'] {
    const own = this.areAny ? this.trace.threads[thread]?.ctaId : undefined;
    const peer = own === undefined ? undefined : this.trace.peers.get(own);
    const ofSpace = { shared: own, remote: peer, global: undefined };
    return new Map(spaces.flatMap((space) => [ofSpace[space] ?? []].flat().map((cta) => [cta, before] as const)));
  }

  /** Whether a fence in either CTA is between, if an access is to the memory of both. */
  isFenced({ pairs }: Known, row: number, isComplete: (clock: Clock) => boolean): boolean {
    if (!kindOf(this.trace, row).tags.has('CTA_PAIR')) return false;
    const clock = pairs.get(this.trace.owners[this.trace.accesses.pieces.at(row)] ?? -1);
    const isFenced = clock !== undefined && isComplete(clock);
    this.isByFence ||= isFenced;
    return isFenced;
  }
}
