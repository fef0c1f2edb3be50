import { kindOf, type Step, stepsOf, type TensorRow, type Trace } from '../follow/trace.js';
import { append } from '../program/group-by.js';
import { firstAbove } from '../program/sorted.js';
import type { Chains } from './recheck-chains.js';
import { ExecutionBefore } from './recheck-execution.js';

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
  private readonly execution: ExecutionBefore;
  /** By thread: its fences after synchronization; what is behind its waits for mbarriers that acquire. */
  private readonly opened = new Map<number, number[]>();
  private readonly acquired = new Map<number, number[]>();
  /** By what tells of commits: where these have arrived. */
  private readonly arrivals = new Map<number, Arrival[]>();
  private readonly rows: readonly number[];
  /** By thread that is elected: where it is, and the lanes of which it may be any. */
  private readonly elections = new Map<number, { readonly position: number; readonly lanes: readonly Step[] }[]>();

  constructor(
    private readonly trace: Trace,
    private readonly chains: Pick<Chains, 'leads'>,
  ) {
    this.rows = [...trace.tensors.keys()];
    this.execution = new ExecutionBefore(trace);
    for (const one of trace.synchronizations) {
      if (one.kind === 'tensor-fence' && one.place === 'after_thread_sync')
        for (const { thread, position } of one.steps) append(this.opened, thread, position);
      if (one.kind === 'election')
        append(this.elections, one.step.thread, { position: one.step.position, lanes: one.lanes });
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
    const isTold = (to: Step): boolean => this.execution.of(to).get('commits', object) > phase;
    const start = { kind: 'phase', launch: -1 } as const;
    const isLed = (to: Step): boolean =>
      this.arrivalsOf(object, phase).some((one) => this.chains.leads({ ...start, ...one }, to));
    return steps.every(
      (step) =>
        this.isBehind(this.opened, step, isTold) ||
        this.isBehind(this.acquired, step, isLed) ||
        (inOrder && isTold(step)),
    );
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
      const reached = this.execution.of(step);
      return marks.every((one) => isOwn(one, step) || reached.get('steps', one.thread) >= one.position);
    });
  }

  private areSealed(marks: readonly Step[], steps: readonly Step[]): boolean {
    return steps.every((step) => {
      const others = marks.filter((one) => !isOwn(one, step));
      return others.length === 0 || this.isBehind(this.opened, step, (opened) => this.isSealed(others, opened));
    });
  }

  private isSealed(marks: readonly Step[], opened: Step): boolean {
    const reached = this.execution.of(opened);
    return marks.every((one) => reached.get('sealed', one.thread) >= one.position);
  }

  /** Whether a step is behind another one by base causality up to a wait of its own thread that acquires. */
  private isAcquired(one: Step, step: Step): boolean {
    return (
      isOwn(one, step) ||
      this.isBehind(this.acquired, step, (acquired) => this.chains.leads({ kind: 'step', ...one }, acquired))
    );
  }

  /**
   * Whether a step is behind one of some steps of its thread of which something holds; who has been elected is behind
   * what is so for each lane that it may be.
   */
  private isBehind(of: ReadonlyMap<number, number[]>, step: Step, holds: (one: Step) => boolean): boolean {
    const last = this.latest(of, step);
    if (last !== undefined && holds(last)) return true;
    const election = this.elections.get(step.thread)?.findLast(({ position }) => position <= step.position);
    return election?.lanes.every((lane) => this.isBehind(of, lane, holds)) === true;
  }

  private latest(of: ReadonlyMap<number, number[]>, { thread, position }: Step): Step | undefined {
    const own = of.get(thread) ?? [];
    const last = own[firstAbove(own, (one) => one, position) - 1];
    return last === undefined ? undefined : { thread, position: last };
  }
}

const isOwn = (one: Step, step: Step): boolean => one.thread === step.thread && one.position <= step.position;
