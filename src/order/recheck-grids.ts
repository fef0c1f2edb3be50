import {
  type FollowedThread,
  type Step,
  type Synchronization,
  stepsOf,
  type Trace,
  threadOf,
} from '../follow/trace.js';
import { append } from '../program/group-by.js';
import type { Scope } from '../program/placement.js';
import { reach } from './recheck-patterns.js';

type GridWait = Extract<Synchronization, { readonly kind: 'grid-wait' }>;

/** Which launches have ended before an access is made: the only order that the read-only path is in (8.1, 8.9.4). */
export class GridEnds {
  private readonly startOf = new Map<number, readonly number[]>();
  private readonly waits: readonly GridWait[];

  constructor(private readonly trace: Trace) {
    for (const one of trace.synchronizations) if (one.kind === 'grid-start') this.startOf.set(one.launch, one.after);
    this.waits = trace.synchronizations.filter((one) => one.kind === 'grid-wait');
  }

  /** Whether the launch of the first has ended before that of the second, or before its thread has come so far. */
  areApart(a: number, b: number): boolean {
    const { launch } = threadOf(this.trace, a);
    const { launch: later } = threadOf(this.trace, b);
    if (launch === later) return false;
    const steps = stepsOf(this.trace, b);
    const waited = this.waits.filter(({ waiters }) =>
      steps.every((step) => waiters.some((one) => one.thread === step.thread && one.position <= step.position)),
    );
    return [this.startOf.get(later) ?? [], ...waited.map(({ after }) => after)].some((ended) =>
      this.isAmong(launch, ended),
    );
  }

  private isAmong(launch: number, ended: readonly number[]): boolean {
    return ended.some((one) => one === launch || this.isAmong(launch, this.startOf.get(one) ?? []));
  }
}

type Trigger = Extract<Synchronization, { readonly kind: 'grid-trigger' }>;
type Fence = Extract<Synchronization, { readonly kind: 'fence' }>;

/** What a fence hands on to a dependent grid, if it leads to all triggers of other threads of its CTA. */
export interface HandedToGrid {
  readonly step: Step;
  readonly to: readonly FollowedThread[];
  readonly triggers: readonly Step[];
}

/**
 * The last fences that release before threads first let dependent grids begin (PTX ISA 9.7.15.14): which of several
 * triggers of a CTA is the first is open, so that a fence must be before each.
 */
export class Triggers {
  /** By thread: of each scope the last such fence so far; before its first trigger. */
  private readonly fences = new Map<number, Map<Scope, Step>>();
  private readonly before = new Map<number, ReadonlyMap<Scope, Step>>();
  private readonly ofCta = new Map<number, Step[]>();

  constructor(private readonly trace: Trace) {}

  fence({ steps, scope }: Fence): void {
    if (scope === undefined) return;
    for (const step of steps) {
      const own = this.fences.get(step.thread) ?? new Map<Scope, Step>();
      this.fences.set(step.thread, own.set(scope, step));
    }
  }

  add({ steps }: Trigger): void {
    for (const step of steps) {
      append(this.ofCta, this.trace.threads[step.thread]?.ctaId ?? -1, step);
      if (!this.before.has(step.thread)) this.before.set(step.thread, new Map(this.fences.get(step.thread)));
    }
  }

  /** What is handed on to threads that begin once launches have let them. */
  handedTo(launchedBy: readonly number[], threads: readonly FollowedThread[]): readonly HandedToGrid[] {
    const isOnWay = (step: Step): boolean => this.trace.threads[step.thread]?.way !== undefined;
    return [...this.before].flatMap(([thread, fences]) => {
      const from = this.trace.threads[thread];
      if (from === undefined || !launchedBy.includes(from.launch)) return [];
      const all = this.ofCta.get(from.ctaId) ?? [];
      const triggers = all.filter((one) => one.thread !== thread);
      return all.some(isOnWay)
        ? []
        : [...fences].map(([scope, step]): HandedToGrid => {
            return { step, to: threads.filter((one) => reach(scope, from, one)), triggers };
          });
    });
  }
}
