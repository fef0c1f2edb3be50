import {
  kindOf,
  type MbarrierSteps,
  type Step,
  type Synchronization,
  stepsOf,
  type TensorRow,
  type Trace,
  threadOf,
} from '../follow/trace.js';
import type { Clock } from './clocks.js';
import type { Knowledge } from './knowledge.js';
import { pipelineOf } from './tensor-pipelines.js';
import type { OrderEdge } from './whole-run.js';

/** What is before a point, as far as the order of tensor memory goes (PTX ISA 9.7.18.6). */
interface Known {
  /** In the order of execution (9.7.18.6.3): steps, and commits that a wait has found. */
  readonly execution: Clock;
  /** Of that, what is before a tcgen05.fence::before_thread_sync, and such commits. */
  readonly sealed: Clock;
  /** What was sealed at a tcgen05.fence::after_thread_sync of the thread. */
  readonly issued: Clock;
  /** What was before a wait of the thread for an mbarrier, if it acquires, in base causality. */
  readonly complete: Clock;
}

/** What the arrivals at an mbarrier have handed on, up to a phase. */
type Handed = Pick<Known, 'execution' | 'sealed'>;

/** What of an access must be before a point for it to be complete there. */
interface Completion {
  readonly steps: readonly Step[];
  /** Phases of what tells of commits: as any wait knows them, as one that acquires does. */
  readonly commits:
    | { readonly any: readonly [number, number]; readonly byAcquire: readonly [number, number] }
    | undefined;
}

/** Of accesses that a warp makes together: whether each of its lanes must be in order, or one. */
interface WhichLanes {
  readonly ofFirst: 'every' | 'some';
  readonly ofSecond: 'every' | 'some';
}
const EACH_LANE: WhichLanes = { ofFirst: 'every', ofSecond: 'every' };

/**
 * What accesses to tensor memory come before others in every execution: by the order of their issue where two are
 * pipelined, else by their completion (models/ptx-9.4.cat, tensor-order).
 */
export class TensorOrder {
  /** Kinds of edges that it has used. */
  readonly edges = new Set<OrderEdge>();
  private readonly knownOf: { readonly from: number; readonly known: Known }[][];
  private readonly nothing: Known;
  private readonly objects = new Map<number, { handed: Handed; readonly complete: Map<number, Handed> }>();
  /** All accesses to tensor memory; of each so far, by its place among them, those before it. */
  private readonly rows: readonly number[];
  private readonly places: ReadonlyMap<number, number>;
  private readonly before: Uint8Array[] = [];

  constructor(
    private readonly trace: Trace,
    private readonly knowledge: Knowledge,
  ) {
    const { clock } = knowledge.nothing;
    this.nothing = { execution: clock, sealed: clock, issued: clock, complete: clock };
    this.knownOf = trace.threads.map(() => [{ from: 0, known: this.nothing }]);
    this.rows = [...trace.tensors.keys()];
    this.places = new Map(this.rows.map((row, place) => [row, place]));
  }

  /** Takes what threads do next, of which base causality knows already. */
  synchronize(one: Synchronization): void {
    if ('barrier' in one) return this.meet(one.arrivals, one.waiters);
    if (one.kind === 'mbarrier') return this.onMbarrier(one);
    if (one.kind === 'election') return this.elect(one.step, one.lanes);
    if (one.kind !== 'tensor-fence') return;
    const isBefore = one.place === 'before_thread_sync';
    for (const step of one.steps) {
      const { sealed } = this.at(step);
      if (isBefore) this.advance(step, { sealed: this.knowledge.withSteps(sealed, [step]) });
      else this.advance(step, { issued: sealed });
    }
  }

  /** Whether an earlier access of the run is before a later one. */
  isOrdered(first: number, second: number): boolean {
    if (this.isDirect(first, second)) return true;
    const [a = 0, b = 0] = [this.places.get(first), this.places.get(second)];
    while (this.before.length <= b) this.before.push(this.allBefore(this.before.length));
    return this.before[b]?.[a] === 1;
  }

  /** Whether an access that is not asynchronous is in the order of execution before a step. */
  isExecuted(row: number, step: Step): boolean {
    const { threads, positions } = this.trace.accesses;
    return this.isBehind({ thread: threads.at(row), position: positions.at(row) + 1 }, step, this.at(step).execution);
  }

  /** Directly, or through others. */
  private allBefore(at: number): Uint8Array {
    const row = this.rows[at] ?? 0;
    const found = new Uint8Array(at);
    for (let other = at - 1; other >= 0; other--) {
      if (found[other] === 1 || !this.isDirect(this.rows[other] ?? 0, row)) continue;
      found[other] = 1;
      for (const [i, isBefore] of (this.before[other] ?? []).entries()) if (isBefore === 1) found[i] = 1;
    }
    return found;
  }

  /**
   * Whether it is not certain that two are in no order: what a warp does together may come between them in one of its
   * lanes, which are not told apart here.
   */
  mayBeOrdered(first: number, second: number): boolean {
    const [start = 0, end = 0] = [this.places.get(first), this.places.get(second)];
    const met = new Set([end]);
    for (const at of met) {
      const isLast = at === end;
      const to = this.rows[at] ?? 0;
      if (this.edgeBetween(first, to, { ofFirst: 'every', ofSecond: isLast ? 'every' : 'some' }) !== undefined)
        return true;
      const how = { ofFirst: 'some', ofSecond: isLast ? 'every' : 'some' } as const;
      for (let other = start + 1; other < at; other++)
        if (!met.has(other) && this.edgeBetween(this.rows[other] ?? 0, to, how) !== undefined) met.add(other);
    }
    return false;
  }

  private isDirect(first: number, second: number): boolean {
    const edge = this.edgeBetween(first, second, EACH_LANE);
    if (edge !== undefined) this.edges.add(edge);
    return edge !== undefined;
  }

  private edgeBetween(first: number, second: number, { ofFirst, ofSecond }: WhichLanes): OrderEdge | undefined {
    const [a, b] = [this.rowAt(first), this.rowAt(second)];
    const steps = stepsOf(this.trace, second);
    if (!isAsync(this.trace, first))
      return steps[ofSecond]((step) => this.isExecuted(first, step)) ? 'tensor-allocation' : undefined;
    const areOfWarp = a.isOfWarp && b.isOfWarp && a.warp === b.warp;
    const pipeline = pipelineOf(this.trace, first, second);
    const issued = { steps: stepsOf(this.trace, first).map(next), commits: undefined };
    const areBehind = (done: Completion, by: keyof Known): boolean =>
      steps[ofSecond]((step) => this.isBehindAll(done, step, ofFirst, by));
    // What the lanes of a warp do together they issue one after the other.
    if (pipeline !== undefined && (areOfWarp || areBehind(issued, 'issued'))) return pipeline.edge;
    const done = this.completionOf(a);
    if (done === undefined) return undefined;
    if (areOfWarp)
      return steps.every((step) => done.steps.some((one) => isEarlier(one, step))) ? 'tensor-wait' : undefined;
    if (areBehind(done, 'issued')) return done.commits === undefined ? 'tensor-wait' : 'tensor-commit';
    if (areBehind(done, 'complete')) return 'tensor-acquire';
    const isExecuted = !isAsync(this.trace, second) && areBehind(done, 'execution');
    return isExecuted ? 'tensor-allocation' : undefined;
  }

  private completionOf({ waits, commit }: TensorRow): Completion | undefined {
    if (waits.length > 0) return { steps: waits, commits: undefined };
    if (commit === undefined) return undefined;
    const { object, byAcquire, phase } = commit;
    return { steps: [], commits: { any: [object, phase + 1], byAcquire: [byAcquire, phase + 1] } };
  }

  /** Whether that is before a step, by what is known there. */
  private isBehindAll(
    { steps, commits }: Completion,
    step: Step,
    which: WhichLanes['ofFirst'],
    by: keyof Known,
  ): boolean {
    const clock = this.at(step)[by];
    if (commits === undefined) return steps[which]((one) => this.isBehind(one, step, clock));
    // In base causality what waits that acquire have told of counts.
    const [object, phases] = by === 'complete' ? commits.byAcquire : commits.any;
    return this.knowledge.phases(clock, object) >= phases;
  }

  private isBehind(one: Step, step: Step, clock: Clock): boolean {
    return isEarlier(one, step) || this.knowledge.steps(clock, one.thread) >= one.position;
  }

  private meet(arrivals: readonly Step[], waiters: readonly Step[]): void {
    let { execution, sealed } = this.nothing;
    for (const arrival of arrivals) {
      const known = this.at(arrival);
      execution = this.knowledge.joinClocks(execution, known.execution);
      sealed = this.knowledge.joinClocks(sealed, known.sealed);
    }
    execution = this.knowledge.withSteps(execution, arrivals);
    for (const waiter of waiters) this.advance(waiter, { execution, sealed });
  }

  private onMbarrier({
    object: id,
    step,
    phase,
    order,
    isAsync,
    isTry,
    completes,
    commit,
    steps,
  }: MbarrierSteps): void {
    if (isTry) return;
    const object = this.objects.get(id) ?? { handed: this.nothing, complete: new Map<number, Handed>() };
    this.objects.set(id, object);
    if (step === 'wait') return this.wait(object.complete.get(phase), steps, order === 'acquire');
    const { knowledge } = this;
    if (step === 'arrive' && !isAsync)
      for (const one of steps) {
        const { execution, sealed } = this.at(one);
        object.handed = {
          execution: knowledge.joinClocks(object.handed.execution, knowledge.withSteps(execution, [one])),
          sealed: knowledge.joinClocks(object.handed.sealed, sealed),
        };
      }
    if (commit !== undefined) {
      const told = (clock: Clock): Clock => knowledge.withPhases(clock, commit.object, commit.phase + 1);
      object.handed = { execution: told(object.handed.execution), sealed: told(object.handed.sealed) };
    }
    if (completes) object.complete.set(phase, object.handed);
  }

  private wait(handed: Handed | undefined, steps: readonly Step[], acquires: boolean): void {
    for (const step of steps.map(next)) {
      if (handed !== undefined) this.advance(step, { execution: handed.execution, sealed: handed.sealed });
      if (acquires) this.advance(step, { complete: this.knowledge.at(step).clock });
    }
  }

  /** Whichever lane it is, it comes after what is before all. */
  private elect(step: Step, lanes: readonly Step[]): void {
    const known = lanes.map((lane): Known => {
      const own = this.at(lane);
      return { ...own, execution: this.knowledge.withSteps(own.execution, [lane]) };
    });
    const [first = this.nothing] = known;
    const both = (a: Known, b: Known): Known => mapKnown((of) => this.knowledge.meetClocks(a[of], b[of]));
    this.advance(step, known.reduce(both, first));
  }

  private at({ thread, position }: Step): Known {
    return this.knownOf[thread]?.findLast(({ from }) => from <= position)?.known ?? this.nothing;
  }

  private advance(from: Step, more: Partial<Known>): void {
    const known = this.at(from);
    const all = mapKnown((of) => this.knowledge.joinClocks(known[of], more[of] ?? this.nothing[of]));
    this.knownOf[from.thread]?.push({ from: from.position, known: all });
  }

  private rowAt(row: number): TensorRow {
    const found = this.trace.tensors.get(row);
    if (found === undefined) throw new Error(`thread ${threadOf(this.trace, row).id} accesses other memory`);
    return found;
  }
}

const mapKnown = (of: (field: keyof Known) => Clock): Known => ({
  ...{ execution: of('execution'), sealed: of('sealed'), issued: of('issued'), complete: of('complete') },
});

const isAsync = (trace: Trace, row: number): boolean => kindOf(trace, row).tags.has('ASY');

const next = ({ thread, position }: Step): Step => ({ thread, position: position + 1 });

/** Whether a step is one of the same thread, not later. */
const isEarlier = (one: Step, step: Step): boolean => one.thread === step.thread && one.position <= step.position;
