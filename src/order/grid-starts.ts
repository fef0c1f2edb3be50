import type { Step, Trace } from '../follow/trace.js';
import { append } from '../program/group-by.js';
import type { Scope } from '../program/placement.js';
import type { Knowledge, Known } from './knowledge.js';
import { holds } from './scopes.js';
import type { OrderEdge } from './whole-run.js';

/** A fence that releases, and what is before it. */
interface Fence {
  readonly step: Step;
  readonly scope: Scope;
  readonly known: Known;
}

/**
 * What the start of a dependent grid comes after in every execution (PTX ISA 9.7.15.14): a release fence before a
 * trigger of its own thread, if it comes before all triggers of its CTA, whichever is the first (models/ptx-9.4.cat,
 * launch-sync and before-first-trigger).
 */
export class GridStarts {
  private readonly fences = new Map<number, Fence[]>();
  /** By CTA. */
  private readonly triggers = new Map<number, Step[]>();
  private isUsed = false;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly trace: Trace,
  ) {}

  /** Kinds of edges that order something. */
  get edges(): readonly OrderEdge[] {
    return this.isUsed ? ['grid-trigger'] : [];
  }

  fence(step: Step, scope: Scope | undefined): void {
    if (scope !== undefined) append(this.fences, step.thread, { step, scope, known: this.knowledge.before(step) });
  }

  trigger(step: Step): void {
    append(this.triggers, this.knowledge.thread(step.thread).ctaId, step);
  }

  /** A grid begins that others have let. */
  begin(launch: number, launchedBy: readonly number[]): void {
    const { knowledge } = this;
    for (const triggers of this.triggers.values()) {
      const [first] = triggers;
      if (first === undefined || !launchedBy.includes(knowledge.thread(first.thread).launch)) continue;
      for (const fence of this.handedOn(triggers)) {
        const from = knowledge.thread(fence.step.thread);
        const known = knowledge.beyondCta(fence.known);
        for (const thread of this.trace.threads)
          if (thread.launch === launch && holds(fence.scope, from, thread)) {
            this.isUsed = true;
            knowledge.advance({ thread: thread.id, position: 0 }, known);
          }
      }
    }
  }

  /** The fences of threads of a CTA that come before all of its triggers, each thread's last one of a scope. */
  private handedOn(triggers: readonly Step[]): readonly Fence[] {
    const { knowledge } = this;
    // On one of several ways a thread may not come to it.
    if (triggers.some((step) => knowledge.thread(step.thread).way !== undefined)) return [];
    const clocks = new Set(triggers.map((step) => knowledge.at(step).clock));
    const found: Fence[] = [];
    for (const thread of new Set(triggers.map((step) => step.thread))) {
      const own = triggers.filter((step) => step.thread === thread).map(({ position }) => position);
      const others = triggers.length > own.length;
      const isBeforeAll = ({ step: { position } }: Fence): boolean =>
        own.every((at) => position < at) &&
        (!others || [...clocks].every((clock) => this.isKnown(clock, thread, position, triggers)));
      const last = new Map<Scope, Fence>();
      for (const fence of this.fences.get(thread) ?? []) if (isBeforeAll(fence)) last.set(fence.scope, fence);
      found.push(...last.values());
    }
    return found;
  }

  /** Whether the triggers of other threads that know no more than a clock come after a step. */
  private isKnown(clock: Known['clock'], thread: number, position: number, triggers: readonly Step[]): boolean {
    if (this.knowledge.steps(clock, thread) > position) return true;
    return triggers.every((step) => step.thread === thread || this.knowledge.at(step).clock !== clock);
  }
}
