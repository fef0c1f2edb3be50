import { kindOf, type Step, type Synchronization, stepsOf, type TensorRow, type Trace } from '../follow/trace.js';
import { append } from '../program/group-by.js';
import { firstAbove } from '../program/sorted.js';
import type { Chains } from './recheck-chains.js';

/** How far threads, and commits, are before a point in the order of execution (PTX ISA 9.7.18.6.3). */
interface Reached {
  /** By thread: its steps below this. */
  readonly steps: Map<number, number>;
  /** By thread: the last of these that is a tcgen05.fence::before_thread_sync. */
  readonly sealed: Map<number, number>;
  /** By what tells of commits: how many of them waits have found. */
  readonly commits: Map<number, number>;
}

/** The phase of an mbarrier at which a commit has arrived. */
interface Arrival {
  readonly object: number;
  readonly phase: number;
  readonly commit: number;
}

/**
 * Chains through the order of tensor memory, looked for backwards from the later access, one by one: what its threads
 * have come to know of the earlier one by fences of tcgen05, by waits, or by waits that acquire (PTX ISA 9.7.18.6).
 */
export class TensorChains {
  private readonly reached = new Map<string, Reached>();
  /** By thread: its fences after synchronization; what is behind its waits for mbarriers that acquire. */
  private readonly opened = new Map<number, number[]>();
  private readonly acquired = new Map<number, number[]>();
  /** By what tells of commits: where these have arrived. */
  private readonly arrivals = new Map<number, Arrival[]>();
  private readonly rows: readonly number[];
  /** By cluster, the other way round: what may order execution. */
  private readonly backward = new Map<number, Synchronization[]>();

  constructor(
    private readonly trace: Trace,
    private readonly chains: Pick<Chains, 'leads'>,
  ) {
    this.rows = [...trace.tensors.keys()];
    for (const one of trace.tensors.size === 0 ? [] : trace.synchronizations.toReversed()) {
      const first = firstStepOf(one);
      const cluster = first === undefined ? undefined : trace.threads[first.thread]?.clusterId;
      if (cluster !== undefined) append(this.backward, cluster, one);
    }
    for (const one of trace.synchronizations) {
      if (one.kind === 'tensor-fence' && one.place === 'after_thread_sync')
        for (const { thread, position } of one.steps) append(this.opened, thread, position);
      if (one.kind !== 'mbarrier') continue;
      if (one.step === 'wait' && !one.isTry && one.order === 'acquire')
        for (const { thread, position } of one.steps) append(this.acquired, thread, position + 1);
      if (one.commit === undefined) continue;
      const { object, phase } = one.commit;
      append(this.arrivals, object, { object: one.object, phase: one.phase, commit: phase });
    }
  }

  /** Where a commit has arrived that tells of what an object of commits tells in a phase. */
  arrivalsOf(object: number, phase: number): readonly Arrival[] {
    return (this.arrivals.get(object) ?? []).filter(({ commit }) => commit >= phase);
  }

  /** Whether an access comes after another one, or after others that do. */
  isOrdered(first: number, second: number): boolean {
    if (this.isDirect(first, second)) return true;
    const reached = [first];
    for (const row of this.rows)
      if (first < row && row <= second && reached.some((one) => this.isDirect(one, row))) reached.push(row);
    return reached.at(-1) === second;
  }

  private isDirect(first: number, second: number): boolean {
    const { tensors, accesses } = this.trace;
    const [a, b] = [tensors.get(first), tensors.get(second)];
    if (a === undefined || b === undefined) return false;
    const steps = stepsOf(this.trace, second);
    const [x, y] = [kindOf(this.trace, first).tags, kindOf(this.trace, second).tags];
    if (!x.has('ASY')) {
      const position = accesses.positions.at(first) + 1;
      return this.areExecuted([{ thread: accesses.threads.at(first), position }], steps);
    }
    const isSameWarp = a.warp === b.warp;
    const isTogether = isSameWarp && a.isOfWarp && b.isOfWarp;
    if (isSameWarp && this.isPair(first, second)) {
      const issued = stepsOf(this.trace, first).map(({ thread, position }) => ({ thread, position: position + 1 }));
      if (isTogether || this.areSealed(issued, steps)) return true;
    }
    if (a.commit !== undefined) return this.isCommitted(a.commit, steps, !y.has('ASY'));
    if (a.waits.length === 0) return false;
    if (isTogether) return steps.every((step) => a.waits.some((one) => isOwn(one, step)));
    return (
      this.areSealed(a.waits, steps) ||
      steps.every((step) => a.waits.every((one) => this.isAcquired(one, step))) ||
      (!y.has('ASY') && this.areExecuted(a.waits, steps))
    );
  }

  private isCommitted({ object, phase }: NonNullable<TensorRow['commit']>, steps: readonly Step[], inOrder: boolean) {
    const isTold = ({ commits }: Reached): boolean => (commits.get(object) ?? 0) > phase;
    return steps.every((step) => {
      const opened = this.latest(this.opened, step);
      if (opened !== undefined && isTold(this.reach(opened))) return true;
      const acquired = this.latest(this.acquired, step);
      const start = { kind: 'phase', launch: -1 } as const;
      const isLed = (to: Step): boolean =>
        this.arrivalsOf(object, phase).some((one) => this.chains.leads({ ...start, ...one }, to));
      return (acquired !== undefined && isLed(acquired)) || (inOrder && isTold(this.reach(step)));
    });
  }

  /** Issued one after the other, such two are executed so (PTX ISA 9.7.18.6.2). */
  private isPair(first: number, second: number): boolean {
    const { pieces, starts, sizes } = this.trace.accesses;
    const [x, y] = [kindOf(this.trace, first).tags, kindOf(this.trace, second).tags];
    const isSame = (...columns: readonly { at(row: number): number }[]): boolean =>
      columns.every((column) => column.at(first) === column.at(second));
    if (x.has('ST') || x.has('LD')) return y.has('ST') || (x.has('ST') && y.has('LD'));
    const group = (['CTA_GROUP_1', 'CTA_GROUP_2'] as const).find((one) => x.has(one));
    if (group === undefined || !y.has(group)) return false;
    if (x.has('ACCUMULATOR')) return y.has('ACCUMULATOR') && isSame(pieces, starts, sizes);
    if (x.has('OPERAND')) return y.has('ACCUMULATOR') || y.has('CP') || y.has('SHIFT');
    if (x.has('CP')) return y.has('OPERAND') && (x.has('CP_4X256B') || isSame(pieces, starts));
    return x.has('SHIFT') && (y.has('OPERAND') || y.has('CP_4X256B'));
  }

  /** Whether threads are behind some steps in the order of execution; with fences of tcgen05 around it. */
  private areExecuted(marks: readonly Step[], steps: readonly Step[]): boolean {
    return steps.every((step) => {
      const reached = this.reach(step);
      return marks.every((one) => isOwn(one, step) || (reached.steps.get(one.thread) ?? 0) >= one.position);
    });
  }

  private areSealed(marks: readonly Step[], steps: readonly Step[]): boolean {
    return steps.every((step) => {
      const opened = this.latest(this.opened, step);
      const sealed = opened === undefined ? undefined : this.reach(opened).sealed;
      return marks.every((one) => isOwn(one, step) || (sealed?.get(one.thread) ?? 0) >= one.position);
    });
  }

  /** Whether a step is behind another one by base causality up to a wait of its own thread that acquires. */
  private isAcquired(one: Step, step: Step): boolean {
    const acquired = this.latest(this.acquired, step);
    return isOwn(one, step) || (acquired !== undefined && this.chains.leads({ kind: 'step', ...one }, acquired));
  }

  private latest(of: ReadonlyMap<number, number[]>, { thread, position }: Step): Step | undefined {
    const own = of.get(thread) ?? [];
    const last = own[firstAbove(own, (one) => one, position) - 1];
    return last === undefined ? undefined : { thread, position: last };
  }

  private reach(from: Step): Reached {
    const key = `${from.thread} ${from.position}`;
    const known = this.reached.get(key) ?? this.search(from);
    this.reached.set(key, known);
    return known;
  }

  private search(from: Step): Reached {
    const reached: Reached = { steps: new Map([[from.thread, from.position]]), sealed: new Map(), commits: new Map() };
    const wanted = new Map<number, number>();
    const cluster = this.trace.threads[from.thread]?.clusterId ?? -1;
    for (const one of this.backward.get(cluster) ?? []) this.goThrough(one, reached, wanted);
    return reached;
  }

  /** Goes back through what orders threads. `wanted`: by mbarrier, the phase that is known to be complete. */
  private goThrough(one: Synchronization, { steps, sealed, commits }: Reached, wanted: Map<number, number>): void {
    const isReached = ({ thread, position }: Step, by = position): boolean => by <= (steps.get(thread) ?? -1);
    if ('barrier' in one) {
      if (one.waiters.some((step) => isReached(step))) for (const step of one.arrivals) raise(steps, step);
    } else if (one.kind === 'tensor-fence') {
      if (one.place === 'after_thread_sync') return;
      for (const step of one.steps) if (isReached(step)) raise(sealed, step);
    } else if (one.kind === 'election') {
      if (!isReached(one.step)) return;
      const all = one.lanes.map((lane) => this.reach(lane));
      for (const [own, of] of [
        [steps, 'steps'],
        [sealed, 'sealed'],
        [commits, 'commits'],
      ] as const)
        for (const [key, first] of all[0]?.[of] ?? [])
          raise(own, { thread: key, position: Math.min(first, ...all.map((each) => each[of].get(key) ?? 0)) });
    } else if (one.kind === 'mbarrier' && !one.isTry) {
      const { object, phase, commit } = one;
      if (one.step === 'wait') {
        if (!one.steps.some((step) => isReached(step, step.position + 1))) return;
        wanted.set(object, Math.max(wanted.get(object) ?? -1, phase));
      } else if (phase <= (wanted.get(object) ?? -1)) {
        if (one.step === 'arrive' && !one.isAsync) for (const step of one.steps) raise(steps, step);
        if (commit !== undefined) raise(commits, { thread: commit.object, position: commit.phase + 1 });
      }
    }
  }
}

function raise(steps: Map<number, number>, { thread, position }: Step): void {
  steps.set(thread, Math.max(steps.get(thread) ?? 0, position));
}

/** A step of one of those that something orders, if it is of threads of one cluster. */
function firstStepOf(one: Synchronization): Step | undefined {
  if ('barrier' in one) return one.arrivals[0];
  if (one.kind === 'mbarrier') return one.isTry ? undefined : one.steps[0];
  if (one.kind === 'tensor-fence') return one.place === 'before_thread_sync' ? one.steps[0] : undefined;
  return one.kind === 'election' ? one.step : undefined;
}

const isOwn = (one: Step, step: Step): boolean => one.thread === step.thread && one.position <= step.position;
