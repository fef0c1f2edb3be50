import type { FencedSpace, Step, Synchronization } from '../follow/trace.js';
import type { Clock } from './clocks.js';
import type { Knowledge } from './knowledge.js';
import type { PairsOfCtas } from './pairs-of-ctas.js';

type ProxyFence = Extract<Synchronization, { readonly kind: 'proxy-fence' | 'proxy-release' | 'proxy-acquire' }>;

/** What fences between the generic and the async proxy order, as they are met in the replay of a run. */
export class ProxyFences {
  /** By CTA: the fences that release its shared memory to the async proxy, and what is before each. */
  private readonly released = new Map<number, { readonly step: Step; readonly before: Clock }[]>();

  constructor(
    private readonly knowledge: Knowledge,
    private readonly pairs: PairsOfCtas,
  ) {}

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
  }
}
