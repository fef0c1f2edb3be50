import type { Case } from '../follow/held-back.js';
import { specialValues } from '../follow/launch-threads.js';
import type { Setting } from '../follow/setting.js';
import { type FollowedThread, isOfLaunch, type Trace } from '../follow/trace.js';
import { clusterOf, ctasOfCluster } from '../kernel/grid.js';

/** A thread that may come next is left out: renaming its cluster makes another one of it that may. */
export interface Renaming {
  readonly kept: FollowedThread;
  readonly leftOut: FollowedThread;
  /** Those that stay as they are. */
  readonly before: readonly FollowedThread[];
}

/**
 * Renamings of clusters, or of CTAs without one: where the code of a launch does not ask which cluster a thread is in,
 * each execution is one of any other order of them, too (docs/decisions/coherence-cases.md).
 */
export class RenamedClusters {
  readonly renamings: Renaming[] = [];
  /** By cluster of a launch: what its threads find in special registers that tell it from others. */
  private readonly special = new Map<string, string>();
  private readonly mayRename: boolean;
  private readonly given: readonly number[];

  constructor(
    private readonly setting: Setting,
    private readonly trace: Trace,
    { coherence = new Map(), last, anybody, cancellations, leaders }: Case,
  ) {
    const { requests, choices } = trace;
    const isElse = [last, anybody, cancellations, leaders].some((one) => one !== undefined);
    this.mayRename = !isElse && !setting.namesThreads && requests.length === 0 && choices.length === 0;
    this.given = [...coherence.values()].flat();
  }

  /** Of threads that may come behind some, the first of all that a renaming takes to each other. */
  of(threads: readonly number[], behind: readonly number[]): readonly number[] {
    if (!this.mayRename || threads.length < 2) return threads;
    const before = [...this.given, ...behind].flatMap((id) => this.trace.threads[id] ?? []);
    const seen = new Set(before.map(({ clusterId }) => clusterId));
    const first = new Map<string, FollowedThread>();
    return threads.filter((id) => {
      const own = this.trace.threads[id];
      if (own === undefined || seen.has(own.clusterId) || !isOfLaunch(own)) return true;
      const key = `${own.launch} ${own.tid} ${this.rankOf(own)} ${this.specialOf(own)}`;
      const kept = first.get(key);
      if (kept === undefined) first.set(key, own);
      else if (kept.clusterId !== own.clusterId) this.renamings.push({ kept, leftOut: own, before });
      return kept === undefined || kept.clusterId === own.clusterId;
    });
  }

  private rankOf({ launch, cta }: FollowedThread): number {
    const planned = this.setting.launches[launch]?.planned;
    return planned === undefined ? -1 : clusterOf(planned.launch.shape, cta).rank;
  }

  /** What threads of a cluster read of their place: alike or not, of CTAs of one rank and threads of one number. */
  private specialOf({ launch, cta, clusterId }: FollowedThread): string {
    const planned = this.setting.launches[launch]?.planned;
    if (planned === undefined) return `${clusterId}`;
    const { shape } = planned.launch;
    const { cluster } = clusterOf(shape, cta);
    const key = `${launch} ${cluster}`;
    const first = ctasOfCluster(shape, cluster).map((one) => ({ cta: one, tid: 0 }));
    const known = this.special.get(key) ?? [...specialValues(planned, first).values()].map(String).join();
    this.special.set(key, known);
    return known;
  }
}
