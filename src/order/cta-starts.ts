import type { Span } from '../diagnostics/source.js';
import type { FollowedThread, Trace } from '../follow/trace.js';
import type { Clock } from './clocks.js';
import { type Remote, remoteIn } from './exits.js';
import type { Knowledge } from './knowledge.js';

/** Which CTAs have started before something is done in their shared memory (CUDA guide, thread block clusters). */
export class CtaStarts {
  /** By CTA, its threads. */
  private readonly members = new Map<number, number[]>();
  /** By clock and CTA. */
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly knowledge: Knowledge,
    { threads }: Trace,
  ) {
    for (const { id, ctaId } of threads) {
      const own = this.members.get(ctaId);
      if (own === undefined) this.members.set(ctaId, [id]);
      else own.push(id);
    }
  }

  /** Whether it is known where something is done that a thread of the CTA has made a step. */
  hasStarted({ owner, step }: Remote): boolean {
    const { clock, happened } = this.knowledge.at(step);
    return [clock, happened].some((of) => this.isIn(of, owner));
  }

  private isIn(clock: Clock, cta: number): boolean {
    const key = `${clock.id}/${cta}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const isThere = (this.members.get(cta) ?? []).some((thread) => this.knowledge.steps(clock, thread) > 0);
    this.known.set(key, isThere);
    return isThere;
  }
}

/** What is done in the shared memory of a CTA of a grid that is not known to have started. */
interface Early {
  readonly thread: FollowedThread;
  readonly span: Span;
  /** The number of that CTA. */
  readonly cta: number;
}

/** All of that in a run: by instruction, the first. */
export function unstartedIn(trace: Trace, starts: CtaStarts): readonly Early[] {
  const bySpan = new Map<Span, Remote>();
  for (const one of remoteIn(trace)) if (!bySpan.has(one.span) && !starts.hasStarted(one)) bySpan.set(one.span, one);
  return [...bySpan.values()].flatMap(({ owner, step, span }) => {
    const [thread, other] = [trace.threads[step.thread], trace.threads.find(({ ctaId }) => ctaId === owner)];
    return thread === undefined || other === undefined ? [] : [{ thread, span, cta: other.cta }];
  });
}
