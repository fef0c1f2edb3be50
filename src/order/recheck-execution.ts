import type { Step, Synchronization, Trace } from '../follow/trace.js';
import { append } from '../program/group-by.js';
import { firstAbove } from '../program/sorted.js';

/** What is before a point: by thread its steps below this; the last tcgen05.fence::before_thread_sync among them. */
interface Marks {
  readonly steps: Map<number, number>;
  readonly sealed: Map<number, number>;
  /** By what tells of commits: how many of them waits have found. */
  readonly commits: Map<number, number>;
}
const OF_MARKS = ['steps', 'sealed', 'commits'] as const;

/** How far threads, and commits, are before a point in the order of execution (PTX ISA 9.7.18.6.3). */
export class Reached {
  constructor(
    private readonly marks: Marks,
    /** Two threads that are to change places in it. */
    private readonly twins: readonly [number, number] | undefined,
  ) {}

  get(of: keyof Marks, key: number): number {
    return this.marks[of].get(of === 'commits' ? key : this.other(key)) ?? 0;
  }

  keys(of: keyof Marks): readonly number[] {
    return [...this.marks[of].keys()].map((key) => (of === 'commits' ? key : this.other(key)));
  }

  private other(thread: number): number {
    if (this.twins === undefined) return thread;
    const [a, b] = this.twins;
    return thread === a ? b : thread === b ? a : thread;
  }
}

/** Goes back from steps of threads through what orders execution, one by one. */
export class ExecutionBefore {
  private readonly reached = new Map<string, Marks>();
  /** By cluster, the other way round: what may order execution. */
  private readonly backward = new Map<number, Synchronization[]>();
  /** By thread, in order: its steps in these, and where they stand there, from behind. */
  private readonly places = new Map<number, { readonly positions: number[]; readonly at: number[] }>();
  /** By thread: the first of those that do all that orders execution together with it, at the same positions. */
  private readonly firstTwin = new Map<number, number>();

  constructor(private readonly trace: Trace) {
    const doing = new Map<number, string[]>();
    for (const [index, one] of (trace.tensors.size === 0 ? [] : trace.synchronizations).entries()) {
      const roles = rolesIn(one);
      const cluster = trace.threads[roles.flat()[0]?.thread ?? -1]?.clusterId;
      if (cluster === undefined) continue;
      append(this.backward, cluster, one);
      const at = this.backward.get(cluster)?.length ?? 0;
      for (const [role, steps] of roles.entries())
        for (const { thread, position } of steps) {
          append(doing, thread, `${index} ${role} ${position}`);
          const own = this.places.get(thread) ?? { positions: [], at: [] };
          this.places.set(thread, own);
          own.positions.push(position);
          own.at.push(at);
        }
    }
    for (const all of this.backward.values()) all.reverse();
    const first = new Map<string, number>();
    for (const [thread, done] of doing) {
      const key = done.join();
      if (!first.has(key)) first.set(key, thread);
      this.firstTwin.set(thread, first.get(key) ?? thread);
    }
  }

  /** What is before a step. Whoever does the same as another one is before, and behind, the same as that. */
  of({ thread, position }: Step): Reached {
    const first = this.firstTwin.get(thread) ?? thread;
    const key = `${first} ${position}`;
    const known = this.reached.get(key) ?? this.search({ thread: first, position });
    this.reached.set(key, known);
    return new Reached(known, first === thread ? undefined : [first, thread]);
  }

  private search(from: Step): Marks {
    const marks: Marks = { steps: new Map([[from.thread, from.position]]), sealed: new Map(), commits: new Map() };
    const wanted = new Map<number, number>();
    const all = this.backward.get(this.trace.threads[from.thread]?.clusterId ?? -1) ?? [];
    // What comes behind all that the thread has done by then leads nowhere.
    const { positions, at } = this.places.get(from.thread) ?? { positions: [], at: [] };
    const last = at[firstAbove(positions, (one) => one, from.position) - 1] ?? 0;
    for (let index = all.length - last; index < all.length; index++) {
      const one = all[index];
      if (one !== undefined) this.goThrough(one, marks, wanted);
    }
    return marks;
  }

  /** Goes back through what orders threads. `wanted`: by mbarrier, the phase that is known to be complete. */
  private goThrough(one: Synchronization, marks: Marks, wanted: Map<number, number>): void {
    const { steps, sealed, commits } = marks;
    const isReached = ({ thread, position }: Step, by = position): boolean => by <= (steps.get(thread) ?? -1);
    if ('barrier' in one) {
      if (one.waiters.some((step) => isReached(step))) for (const step of one.arrivals) raise(steps, step);
    } else if (one.kind === 'tensor-fence') {
      if (one.place === 'after_thread_sync') return;
      for (const step of one.steps) if (isReached(step)) raise(sealed, step);
    } else if (one.kind === 'election') {
      if (!isReached(one.step)) return;
      const all = one.lanes.map((lane) => this.of(lane));
      for (const of of OF_MARKS)
        for (const key of all[0]?.keys(of) ?? [])
          raise(marks[of], { thread: key, position: Math.min(...all.map((each) => each.get(of, key))) });
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

/** The steps of threads of one cluster that something orders, by what they do in it. */
function rolesIn(one: Synchronization): readonly (readonly Step[])[] {
  if ('barrier' in one) return [one.arrivals, one.waiters];
  if (one.kind === 'mbarrier') return one.isTry ? [] : [one.steps];
  if (one.kind === 'tensor-fence') return one.place === 'before_thread_sync' ? [one.steps] : [];
  return one.kind === 'election' ? [[one.step], one.lanes] : [];
}
