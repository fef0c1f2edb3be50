import type { Span } from '../diagnostics/source.js';
import type { FollowedThread, Step } from '../follow/trace.js';
import type { Knowledge } from './knowledge.js';

/** A thread waits for what one of another cluster, or of another CTA without one, does. */
export interface Awaited {
  readonly waiter: FollowedThread;
  readonly span: Span;
  readonly other: FollowedThread;
  readonly at: Span;
  /** Whenever it waits, some thread of that cluster has made a step. */
  readonly isStarted: boolean;
}

/** A write that ends a wait, or one of several that do so together. */
interface Ending {
  readonly thread: FollowedThread;
  readonly kind: { readonly span: Span };
}

/** For which clusters threads wait, by what writes end their polls: for each two clusters the first such wait. */
export class AwaitedGroups {
  private readonly pairs = new Map<string, Awaited>();
  /** By a thread that goes a way: clusters of which it has found something. */
  private readonly found = new Map<number, ReadonlySet<number>>();
  /** Threads wait for their turns, that are given by those who have had theirs: so these have made a step. */
  hasTurns = false;

  constructor(private readonly knowledge: Knowledge) {}

  get all(): readonly Awaited[] {
    return [...this.pairs.values()];
  }

  /** A thread goes a way since it has found the writes of one of these cases: who made them has made a step. */
  way(thread: FollowedThread, of: number, cases: readonly (readonly Ending[])[]): void {
    const clusters = cases.map((writes) => new Set(writes.map((one) => one.thread.clusterId)));
    const [first = new Set<number>(), ...others] = clusters;
    const inEach = [...first].filter((cluster) => others.every((one) => one.has(cluster)));
    this.found.set(thread.id, new Set([...inEach, ...(this.found.get(of) ?? [])]));
  }

  /** A thread waits until all writes of one of these cases are there. */
  wait(step: Step, span: Span, cases: readonly (readonly Ending[])[]): void {
    const waiter = this.knowledge.thread(step.thread);
    const isHere = ({ thread: { clusterId } }: Ending): boolean => clusterId === waiter.clusterId;
    const found = this.found.get(step.thread);
    const isThere = (one: Ending): boolean =>
      isHere(one) ||
      found?.has(one.thread.clusterId) === true ||
      this.knowledge.hasStarted('clusterId', one.thread.clusterId, step);
    const [first = []] = cases;
    const isCertain = cases.some((writes) => writes.every(isThere));
    for (const one of first) {
      if (isHere(one)) continue;
      const key = `${waiter.clusterId}/${one.thread.clusterId}`;
      const known = this.pairs.get(key);
      if (known?.isStarted === false) continue;
      const isStarted = isCertain || isThere(one);
      if (known === undefined || !isStarted)
        this.pairs.set(key, { waiter, span, other: one.thread, at: one.kind.span, isStarted });
    }
  }
}
