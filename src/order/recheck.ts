import type { AccessKind, FollowedThread, Step, Synchronization, Trace } from '../follow/trace.js';

/**
 * A second look at what must-order says of a run, which shares the trace with it and nothing else: without clocks, each
 * access is held against those of its bytes that it must come after, and for each a chain of barriers is looked for.
 * Gives what does not hold; undefined if all does.
 */
export function recheck(trace: Trace): string | undefined {
  return new Recheck(trace).firstWrong();
}

/** Who has accessed a byte since the last write that is behind all before. */
interface Last {
  write: number | undefined;
  reads: number[];
  /** Read-modify-writes that come to the same in any order: those of one operation, size and scope together. */
  updates: Map<string, number[]>;
}

interface Meeting {
  /** Launches all of whose threads have come to their ends before it. */
  readonly after: readonly number[];
  readonly arrivals: ReadonlyMap<number, number>;
  readonly waiters: ReadonlyMap<number, number>;
}

class Recheck {
  private readonly meetings: readonly Meeting[];
  /** By thread: the meetings that it arrives at, and those that it has waited for, in order. */
  private readonly arrivalsOf = new Map<number, number[]>();
  private readonly waitsOf = new Map<number, number[]>();
  private readonly found = new Map<string, boolean>();

  constructor(private readonly trace: Trace) {
    this.meetings = trace.synchronizations.map((one) => ({
      after: 'after' in one ? one.after : [],
      arrivals: byThread('arrivals' in one ? one.arrivals : []),
      waiters: byThread('waiters' in one ? one.waiters : this.startOf(one.launch)),
    }));
    this.meetings.forEach(({ arrivals, waiters }, at) => {
      for (const thread of arrivals.keys()) append(this.arrivalsOf, thread, at);
      for (const thread of waiters.keys()) append(this.waitsOf, thread, at);
    });
  }

  firstWrong(): string | undefined {
    const { accesses } = this.trace;
    const bytes = new Map<number, Map<number, Last>>();
    const written = new Set<number>();
    for (let row = 0; row < accesses.count; row++) if (this.kind(row).writes) written.add(accesses.pieces.at(row));
    for (let row = 0; row < accesses.count; row++) {
      const piece = accesses.pieces.at(row);
      if (!written.has(piece)) continue;
      const own = bytes.get(piece) ?? new Map<number, Last>();
      bytes.set(piece, own);
      const start = accesses.starts.at(row);
      for (let byte = start; byte < start + accesses.sizes.at(row); byte++) {
        const last = own.get(byte) ?? { write: undefined, reads: [], updates: new Map() };
        own.set(byte, last);
        const wrong = this.enter(last, row);
        if (wrong !== undefined) return this.describe(wrong, row);
      }
    }
    return this.firstDoubtful();
  }

  /** Takes an access of a byte; gives one that it must come after, and does not. */
  private enter(last: Last, row: number): number | undefined {
    const { writes, commutes } = this.kind(row);
    const alike = commutes === undefined ? undefined : this.likeness(row);
    const isBefore = (other: number): boolean => this.isOrdered(other, row);
    if (last.write !== undefined && !isBefore(last.write)) return last.write;
    const wrong = writes ? last.reads.find((other) => !isBefore(other)) : undefined;
    if (wrong !== undefined) return wrong;
    for (const [of, rows] of last.updates) {
      const unlike = of === alike ? undefined : rows.find((other) => !isBefore(other));
      if (unlike !== undefined) return unlike;
    }
    if (alike !== undefined) append(last.updates, alike, row);
    else if (writes) Object.assign(last, { write: row, reads: [], updates: new Map() });
    else last.reads.push(row);
    return undefined;
  }

  /**
   * Atomics of one operation on the same bytes are strong in scopes that hold each other, and their order makes no
   * difference, if this is the same of both (PTX ISA 8.7).
   */
  private likeness(row: number): string {
    const { starts, sizes, ranges } = this.trace.accesses;
    const { scope, commutes, tags } = this.kind(row);
    const thread = this.thread(row);
    const within = { cta: thread.ctaId, cluster: thread.clusterId, gpu: thread.gpu, sys: 0, none: row }[
      scope ?? 'none'
    ];
    const bytes = [starts, sizes, ranges].map((column) => column.at(row));
    return [commutes, scope, tags.has('WEAK') ? row : '', within, ...bytes].join(' ');
  }

  private isOrdered(a: number, b: number): boolean {
    const { threads, positions, ends, ranges } = this.trace.accesses;
    if (![a, b].every((row) => this.kind(row).tags.has('GEN')) || ranges.at(a) !== ranges.at(b)) return false;
    const [s, t] = [threads.at(a), threads.at(b)];
    if (s === t)
      return ends.at(a) <= positions.at(b) || (!this.kind(a).tags.has('ASY') && positions.at(a) <= positions.at(b));
    const [from, to] = [ends.at(a) - 1, positions.at(b)];
    const last = (this.waitsOf.get(t) ?? []).findLast((at) => (this.meetings[at]?.waiters.get(t) ?? Infinity) <= to);
    if (last === undefined) return false;
    // Nearly always they meet at one barrier, the last before the later one.
    if ((this.meetings[last]?.arrivals.get(s) ?? -1) > from) return true;
    const first = (this.arrivalsOf.get(s) ?? []).find((at) => (this.meetings[at]?.arrivals.get(s) ?? -1) > from);
    const position = this.meetings[first ?? -1]?.arrivals.get(s) ?? Infinity;
    const key = `${s} ${position} ${t} ${last}`;
    const known = this.found.get(key) ?? this.leads({ thread: s, position }, t, last);
    this.found.set(key, known);
    return known;
  }

  /** Whether a chain of meetings leads from a step of a thread, or its end, to what another waits for. */
  private leads(from: Step, to: number, last: number): boolean {
    // By thread, from which of its steps on it is behind the first; and the launches that are complete behind it.
    const reached = new Map<number, number>([[from.thread, from.position]]);
    const ended = new Set([this.launchOf(from.thread)]);
    for (let at = 0; at <= last; at++) {
      const meeting = this.meetings[at];
      if (meeting === undefined) continue;
      const isReached =
        meeting.after.some((launch) => ended.has(launch)) ||
        [...meeting.arrivals].some(([thread, step]) => (reached.get(thread) ?? Infinity) <= step);
      if (!isReached) continue;
      if (meeting.waiters.has(to)) return true;
      for (const [thread, step] of meeting.waiters) {
        if (!reached.has(thread)) reached.set(thread, step);
        ended.add(this.launchOf(thread));
      }
    }
    return false;
  }

  /** Where the threads of a launch begin. */
  private startOf(launch: number): readonly Step[] {
    return this.trace.threads.flatMap((one) => (one.launch === launch ? [{ thread: one.id, position: 0 }] : []));
  }

  /** A barrier that may be complete with other arrivals than those of the run. */
  private firstDoubtful(): string | undefined {
    const last = new Map<string, Extract<Synchronization, { readonly barrier: string }>>();
    for (const one of this.trace.synchronizations) {
      if (one.kind !== 'cta-barrier') continue;
      const before = last.get(one.barrier);
      last.set(one.barrier, one);
      const released = byThread(before?.waiters ?? []);
      if (before !== undefined && !one.arrivals.every((step) => this.isReleased(step, released)))
        return `an arrival at ${one.barrier} may come to the instance before`;
    }
    return undefined;
  }

  private isReleased({ thread, position }: Step, released: ReadonlyMap<number, number>): boolean {
    if ((released.get(thread) ?? Infinity) <= position) return true;
    return (this.waitsOf.get(thread) ?? []).some((at) => {
      const meeting = this.meetings[at];
      if (meeting === undefined || (meeting.waiters.get(thread) ?? Infinity) > position) return false;
      return [...meeting.arrivals].some(([other, step]) => (released.get(other) ?? Infinity) <= step);
    });
  }

  private launchOf(thread: number): number {
    return this.trace.threads[thread]?.launch ?? -1;
  }

  private describe(a: number, b: number): string {
    const [x, y] = [this.thread(a), this.thread(b)];
    return `thread ${x.tid} of CTA ${x.cta} is not before thread ${y.tid} of CTA ${y.cta}`;
  }

  private kind(row: number): AccessKind {
    return this.trace.kinds[this.trace.accesses.kinds.at(row)] as AccessKind;
  }

  private thread(row: number): FollowedThread {
    return this.trace.threads[this.trace.accesses.threads.at(row)] as FollowedThread;
  }
}

const byThread = (steps: readonly Step[]): ReadonlyMap<number, number> =>
  new Map(steps.map(({ thread, position }) => [thread, position]));

function append<K>(lists: Map<K, number[]>, key: K, one: number): void {
  const own = lists.get(key);
  if (own === undefined) lists.set(key, [one]);
  else own.push(one);
}
