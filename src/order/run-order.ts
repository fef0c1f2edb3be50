import { type FollowedThread, kindOf, type Step, stepOf, type Trace } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import type { Scope } from '../program/placement.js';
import { AwaitedGroups } from './awaited-groups.js';
import type { Clock } from './clocks.js';
import type { Knowledge, Known } from './knowledge.js';
import type { Orders } from './orders.js';
import { NO_CLAIMS } from './recheck-links.js';
import { holds } from './scopes.js';

/** What threads of a CTA have released at a scope. */
interface Released {
  readonly scope: Scope;
  /** One of the CTA: a scope holds all of its threads, or none. */
  readonly thread: FollowedThread;
  readonly known: Known;
}

/** By scope and CTA. */
type ReleasedBy = Map<string, Released>;

/**
 * What may order accesses in the run itself: as if each strong read had observed all strong writes before it in the run
 * to its bytes, each fence.sc were behind all before it, and each fence before a trigger of its thread released to the
 * grids that depend on that. What this leaves in no order is in none in the run.
 */
export class RunOrder implements Orders {
  /** By byte, as piece and place: what its writes release; by thread and byte, what earlier ones of the thread did. */
  private readonly released = new Map<string, ReleasedBy>();
  private readonly own = new Map<string, ReleasedBy>();
  /** By thread: its last fences that release, and what its reads have found. */
  private readonly fences = new Map<number, ReleasedBy>();
  private readonly found = new Map<number, ReleasedBy>();
  /** Of all fence.sc so far. */
  private readonly sequential: ReleasedBy = new Map();
  /** By launch: what its threads have released before they let dependent ones begin. */
  private readonly handed = new Map<number, ReleasedBy>();
  /** By byte: the strong reads so far. */
  private readonly reads = new Map<string, { readonly row: number; readonly step: Step }[]>();
  readonly claims = NO_CLAIMS;
  readonly mayFind = new Map<string, readonly bigint[]>();
  readonly oneIsLast = [];
  readonly openWord = undefined;
  readonly unforced = undefined;
  readonly awaited: AwaitedGroups;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly trace: Trace,
  ) {
    this.awaited = new AwaitedGroups(knowledge);
  }

  /** Of the run itself nothing is said where that is done apart. */
  last(): void {}

  access(row: number): void {
    const { tags, scope, reads, writes } = kindOf(this.trace, row);
    if (tags.has('WEAK') || scope === undefined) return;
    const step = stepOf(this.trace, row);
    for (const byte of this.bytesOf(row)) {
      if (reads && !tags.has('RED')) this.read(byte, row, step, tags.has('ACQ') ? scope : undefined);
      if (writes) this.write(byte, step, tags.has('REL') ? scope : undefined);
    }
  }

  fence(step: Step, scope: Scope | undefined, releases: boolean, acquires: boolean, isSequential: boolean): void {
    if (scope === undefined) return;
    const { knowledge } = this;
    const thread = knowledge.thread(step.thread);
    if (acquires) knowledge.advance(step, this.acquired(this.found.get(step.thread), thread, scope));
    if (isSequential) knowledge.advance(step, this.acquired(this.sequential, thread, scope));
    const known = this.before(step);
    if (releases) this.add(listIn(this.fences, step.thread), { scope, thread, known });
    if (isSequential) this.add(this.sequential, { scope, thread, known });
  }

  trigger({ thread }: Step): void {
    const handed = listIn(this.handed, this.knowledge.thread(thread).launch);
    for (const one of this.fences.get(thread)?.values() ?? []) this.add(handed, one);
  }

  begin(launch: number, launchedBy: readonly number[]): void {
    for (const thread of this.trace.threads) {
      if (thread.launch !== launch) continue;
      const step = { thread: thread.id, position: 0 };
      for (const by of launchedBy) this.knowledge.advance(step, this.acquired(this.handed.get(by), thread, 'sys'));
    }
  }

  /** A strong write that is found by a read which is before a step. */
  isObserved(row: number, { thread, position }: Step, clock: Clock): boolean {
    const { tags, writes } = kindOf(this.trace, row);
    if (tags.has('WEAK') || !writes) return false;
    return this.bytesOf(row).some((byte) =>
      (this.reads.get(byte) ?? []).some(
        ({ row: later, step }) =>
          later > row &&
          (step.thread === thread
            ? step.position < position
            : this.knowledge.steps(clock, step.thread) > step.position),
      ),
    );
  }

  areInOrder(): boolean {
    return false;
  }

  poll(_: PollStep): void {}

  way(_: FollowedThread): void {}

  finish(): void {}

  private read(byte: string, row: number, step: Step, acquired: Scope | undefined): void {
    const thread = this.knowledge.thread(step.thread);
    const all = this.released.get(byte);
    const behind = { ...step, position: step.position + 1 };
    if (acquired !== undefined) this.knowledge.advance(behind, this.acquired(all, thread, acquired));
    const found = listIn(this.found, step.thread);
    for (const one of all?.values() ?? []) this.add(found, one);
    const reads = this.reads.get(byte) ?? [];
    this.reads.set(byte, reads);
    reads.push({ row, step });
  }

  private write(byte: string, step: Step, released: Scope | undefined): void {
    const thread = this.knowledge.thread(step.thread);
    const own = listIn(this.own, `${step.thread} ${byte}`);
    if (released !== undefined) this.add(own, { scope: released, thread, known: this.before(step) });
    const all = listIn(this.released, byte);
    for (const one of [...own.values(), ...(this.fences.get(step.thread)?.values() ?? [])]) this.add(all, one);
  }

  private add(to: ReleasedBy, one: Released): void {
    const key = `${one.scope} ${one.thread.ctaId}`;
    const known = to.get(key);
    to.set(key, known === undefined ? one : { ...one, known: this.knowledge.join(known.known, one.known) });
  }

  private acquired(from: ReleasedBy | undefined, reader: FollowedThread, scope: Scope): Known {
    let { nothing: all } = this.knowledge;
    for (const { scope: of, thread, known } of from?.values() ?? [])
      if (holds(of, thread, reader) && holds(scope, reader, thread)) all = this.knowledge.join(all, known);
    return all;
  }

  /** A release comes before what follows the acquire itself. */
  private before(step: Step): Known {
    return this.knowledge.before(step, { ...step, position: step.position + 1 });
  }

  private bytesOf(row: number): readonly string[] {
    const { pieces, starts, sizes } = this.trace.accesses;
    return Array.from({ length: sizes.at(row) }, (_, i) => `${pieces.at(row)} ${starts.at(row) + i}`);
  }
}

function listIn<K>(lists: Map<K, ReleasedBy>, key: K): ReleasedBy {
  const known = lists.get(key) ?? new Map<string, Released>();
  lists.set(key, known);
  return known;
}
