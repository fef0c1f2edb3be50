import { type Synchronization, stepsOf, type Trace, threadOf } from '../follow/trace.js';

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
