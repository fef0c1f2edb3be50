import type { FencedSpace, Step, Synchronization } from '../follow/trace.js';
import type { Clock } from './clocks.js';
import type { Knowledge } from './knowledge.js';
import type { PairsOfCtas } from './pairs-of-ctas.js';

type ProxyFence = Extract<Synchronization, { readonly kind: 'proxy-fence' | 'proxy-release' | 'proxy-acquire' }>;

interface Fence {
  readonly step: Step;
  /** What is before it. */
  readonly before: Clock;
}

/** What fences between the generic and the async proxy order, as they are met in the replay of a run. */
export class ProxyFences {
  /** By CTA: the fences that release its shared memory to the async proxy. */
  private readonly released = new Map<number, Fence[]>();
  /** By CTA: those of both ways, and those that acquire, with what they cover; kept of the run itself. */
  private readonly all = new Map<number, (Fence & { readonly spaces: readonly FencedSpace[] })[]>();

  constructor(
    private readonly knowledge: Knowledge,
    private readonly pairs: PairsOfCtas,
    private readonly isOfRun: boolean,
  ) {}

  /**
   * Whether a fence may be behind something that is complete, and before a step: of the CTA of that and for a space, or
   * any. That one is between is known while what it has ordered stays in its CTA; it may also come back from another.
   */
  mayBeBetween(isComplete: (clock: Clock) => boolean, at: Step, space: FencedSpace | undefined): boolean {
    const { knowledge, all } = this;
    const { clock } = knowledge.before(at);
    const fences = space === undefined ? [...all.values()].flat() : (all.get(knowledge.thread(at.thread).ctaId) ?? []);
    return fences.some(
      ({ step, before, spaces }) =>
        (space === undefined || spaces.includes(space)) &&
        knowledge.steps(clock, step.thread) > step.position &&
        isComplete(before),
    );
  }

  fence(one: ProxyFence): void {
    for (const step of one.steps)
      if (one.kind === 'proxy-fence') this.join(step, one.spaces);
      else if (one.kind === 'proxy-release') this.release(step);
      else this.acquire(step);
  }

  /** What is before a fence is behind it for the async proxy, in the CTA of the fence; for a pair of CTAs in both. */
  private join(step: Step, spaces: readonly FencedSpace[]): void {
    const { knowledge } = this;
    const before = knowledge.withSteps(knowledge.at(step).clock, [step]);
    const fenced = Object.fromEntries(spaces.map((space) => [space, before]));
    const pairs = this.pairs.behind(step, spaces, before);
    this.keep(step, before, spaces);
    knowledge.advance(step, { ...knowledge.nothing, ...fenced, pairs });
  }

  private release(step: Step): void {
    const { knowledge } = this;
    const { ctaId } = knowledge.thread(step.thread);
    const before = knowledge.withSteps(knowledge.at(step).clock, [step]);
    const own = this.released.get(ctaId) ?? [];
    this.released.set(ctaId, own);
    own.push({ step, before });
  }

  /**
   * What is before a fence that releases is behind a fence for what follows one that acquires, and comes after it
   * (PTX ISA 9.7.15.4): by threads of one CTA, without others in its cluster, in its shared memory.
   */
  private acquire(step: Step): void {
    const { knowledge } = this;
    const { clock } = knowledge.before(step);
    const own = this.released.get(knowledge.thread(step.thread).ctaId) ?? [];
    const known = own.filter((one) => knowledge.steps(clock, one.step.thread) > one.step.position);
    const shared = known.reduce((all, { before }) => knowledge.joinClocks(all, before), knowledge.nothing.clock);
    knowledge.advance(step, { ...knowledge.nothing, shared });
    this.keep(step, clock, ['shared']);
  }

  private keep(step: Step, before: Clock, spaces: readonly FencedSpace[]): void {
    if (!this.isOfRun) return;
    const { ctaId } = this.knowledge.thread(step.thread);
    const own = this.all.get(ctaId) ?? [];
    this.all.set(ctaId, own);
    own.push({ step, before, spaces });
  }
}
