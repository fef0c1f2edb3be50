import { fencedSpaceOf, type Step, type Trace } from '../follow/trace.js';
import type { Before } from './before.js';
import type { Clock } from './clocks.js';
import type { Knowledge, Known } from './knowledge.js';
import type { Orders } from './orders.js';
import type { PairsOfCtas } from './pairs-of-ctas.js';
import type { ProxyFences } from './proxy-fences.js';
import type { TensorOrder } from './tensor-order.js';

/** What is known of the order of a run, as far as it has been replayed. */
interface Replayed {
  readonly knowledge: Knowledge;
  readonly variables: Orders;
  readonly tensors: TensorOrder | undefined;
  readonly pairs: PairsOfCtas;
  readonly fences: ProxyFences;
  /** By launch, and by thread that has waited for it: the launches that are complete. */
  readonly completed: Readonly<Record<'launches' | 'threads', ReadonlyMap<number, ReadonlySet<number>>>>;
}

/** What is before each access of a run, when its replay comes to it. */
export class BeforeAccesses {
  private together: { readonly steps: readonly Step[]; readonly known: readonly Known[] } | undefined;

  constructor(
    private readonly trace: Trace,
    private readonly replayed: Replayed,
  ) {}

  of(row: number): Before {
    const { tensors } = this.replayed;
    if (tensors !== undefined && this.trace.tensors.has(row))
      return {
        ...{ isOrdered: (earlier) => tensors.isOrdered(earlier, row), isFenced: () => false },
        ...{ mayBeFenced: () => false, isAcrossGrids: () => false },
      };
    const { threads, positions, issues } = this.trace.accesses;
    const [thread, position] = [threads.at(row), positions.at(row)];
    const together = this.trace.issues[issues.at(row) - 1];
    if (together !== undefined && together.length > 1) return this.beforeAll(row, together);
    const step = { thread, position };
    return new BeforeOne(this, row, step, this.replayed.knowledge.at(step));
  }

  /** What is before an access that threads make together. */
  private beforeAll(row: number, steps: readonly Step[]): Before {
    const all = this.allKnown(steps);
    return {
      isOrdered: (earlier) => all.every(({ clock }) => this.isComplete(clock, earlier)),
      isFenced: (earlier) => this.isFencedIn(all, earlier, row),
      mayBeFenced: (earlier, by) => steps.every((step) => this.mayBeFencedAt(step, earlier, row, by)),
      isAcrossGrids: (earlier) => this.isAcrossGrids(earlier, row, false),
    };
  }

  /** Whether the grid of an access is over when that of another one begins, or, of one of a thread, this has waited. */
  isAcrossGrids(earlier: number, row: number, isOfThread: boolean): boolean {
    const { threads } = this.trace.accesses;
    const { knowledge, completed } = this.replayed;
    const [of, thread] = [knowledge.thread(threads.at(earlier)), knowledge.thread(threads.at(row))];
    const isWaitedFor = isOfThread && completed.threads.get(thread.id)?.has(of.launch) === true;
    return isWaitedFor || completed.launches.get(thread.launch)?.has(of.launch) === true;
  }

  /** Whether an access is before one of a thread, of which it is known what it knows then. */
  isBefore(earlier: number, row: number, { clock }: Known): boolean {
    const { threads, positions, ends, tellers } = this.trace.accesses;
    const [thread, position] = [threads.at(row), positions.at(row)];
    // What a thread does one after the other is in order, if the first is complete when the next begins.
    if (threads.at(earlier) === thread && tellers.at(earlier) === 0)
      return ends.at(earlier) <= Math.max(position, positions.at(earlier) + 1);
    return (
      this.isComplete(clock, earlier) ||
      this.replayed.variables.areInOrder(earlier, row) ||
      this.replayed.variables.isObserved(earlier, { thread, position }, clock)
    );
  }

  /** Whether all that do something know of a fence behind an access. */
  isFencedIn(all: readonly Known[], earlier: number, row: number): boolean {
    const space = fencedSpaceOf(this.trace, row);
    if (space === undefined) return false;
    const isComplete = (clock: Clock): boolean => this.isComplete(clock, earlier);
    return all.every((one) => isComplete(one[space]) || this.replayed.pairs.isFenced(one, row, isComplete));
  }

  /** Whether a fence may be between an access and one that is made at a step. */
  mayBeFencedAt(step: Step, earlier: number, row: number, by: 'any CTA' | undefined): boolean {
    const isComplete = (clock: Clock): boolean => this.isComplete(clock, earlier);
    const { fences } = this.replayed;
    if (by === 'any CTA') return fences.mayBeBetween(isComplete, step, undefined);
    const space = fencedSpaceOf(this.trace, row);
    return space !== undefined && fences.mayBeBetween(isComplete, step, space);
  }

  /** Whether it is known that an access is complete. */
  isComplete(clock: Clock, row: number): boolean {
    const { threads, ends, tellers } = this.trace.accesses;
    const teller = tellers.at(row);
    if (teller !== 0) return this.replayed.knowledge.phases(clock, teller - 1) >= ends.at(row);
    return this.replayed.knowledge.steps(clock, threads.at(row)) >= ends.at(row);
  }

  /** What threads know that do something together; it is asked for each of their accesses, one after the other. */
  private allKnown(steps: readonly Step[]): readonly Known[] {
    if (this.together?.steps !== steps) {
      const keyOf = ({ clock, shared, remote, global }: Known): string =>
        [clock.id, shared.id, remote.id, global.id].join();
      const known = new Map(steps.map((step) => this.replayed.knowledge.at(step)).map((one) => [keyOf(one), one]));
      this.together = { steps, known: [...known.values()] };
    }
    return this.together.known;
  }
}

/** What is before an access of one thread; there is one of these for nearly all accesses. */
class BeforeOne implements Before {
  constructor(
    private readonly all: BeforeAccesses,
    private readonly row: number,
    private readonly step: Step,
    private readonly known: Known,
  ) {}

  isOrdered(earlier: number): boolean {
    return this.all.isBefore(earlier, this.row, this.known);
  }

  isFenced(earlier: number): boolean {
    return this.all.isFencedIn([this.known], earlier, this.row);
  }

  mayBeFenced(earlier: number, by?: 'any CTA'): boolean {
    return this.all.mayBeFencedAt(this.step, earlier, this.row, by);
  }

  isAcrossGrids(earlier: number): boolean {
    return this.all.isAcrossGrids(earlier, this.row, true);
  }
}
