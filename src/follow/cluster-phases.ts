import type { Step } from './trace.js';
import type { Turn } from './turn.js';

/** Who of a cluster has arrived, and who waits for that. */
export interface ClusterPhase {
  /** Threads that have arrived since the barrier was last complete. */
  readonly arrived: Set<number>;
  releases: ClusterReleases;
  readonly waiting: { readonly turn: Turn; readonly acquires: boolean }[];
  /** Threads that have arrived before it was last complete, and have not waited yet; what they wait for. */
  readonly passed: Map<number, ClusterReleases>;
}

/** The last fences of a thread that release: to threads of its CTA, and to all of its cluster. */
export interface ReleaseFences {
  readonly ofCta: Step;
  readonly ofCluster?: Step;
}

/** What threads release that arrive at a barrier of their cluster. */
export class ClusterReleases {
  /** Arrivals that release; the fences before those that are relaxed; the fences of who has initialized mbarriers. */
  readonly released: Step[] = [];
  readonly releasedBefore: ReleaseFences[] = [];
  readonly fenced: Step[] = [];
}
