import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { Relation } from '../relation/relation.js';
import type { OrderName } from './thread-order.js';

const MOST_STEPS = 50_000;

/**
 * An order in which threads that take turns on one memory do all that an execution does: every read takes the last
 * value that was written. Undefined if there is none, or if it was not found within a bound.
 */
export function findInterleaving(
  execution: CandidateExecution,
  orders: ReadonlyMap<OrderName, Relation>,
): readonly number[] | undefined {
  return new Search(execution, orders).run();
}

class Search {
  private readonly members: readonly number[];
  private readonly place = new Map<number, number>();
  /** By place: the events that must come before, as bits. */
  private readonly before: readonly bigint[];
  private readonly seen = new Set<string>();
  private steps = 0;

  constructor(
    private readonly execution: CandidateExecution,
    private readonly orders: ReadonlyMap<OrderName, Relation>,
  ) {
    this.members = [...execution.executed].filter((id) => execution.universe.events[id]?.thread !== undefined);
    this.members.forEach((id, i) => this.place.set(id, i));
    this.before = this.members.map((b) =>
      this.members.reduce((bits, a, i) => (this.precedes(a, b) ? bits | (1n << BigInt(i)) : bits), 0n),
    );
  }

  private precedes(a: number, b: number): boolean {
    for (const relation of this.orders.values()) if (relation.has(a, b)) return true;
    return false;
  }

  run(): readonly number[] | undefined {
    return this.extend(0n, [], new Map());
  }

  /** `memory`: the last write to each byte. */
  private extend(
    done: bigint,
    order: readonly number[],
    memory: ReadonlyMap<string, number>,
  ): readonly number[] | undefined {
    if (order.length === this.members.length) return this.leavesFinalWrites(memory) ? order : undefined;
    if (++this.steps > MOST_STEPS) return undefined;
    const key = `${done}/${[...memory].sort().join()}`;
    if (this.seen.has(key)) return undefined;
    this.seen.add(key);
    for (const id of this.candidates(done, order)) {
      const step = this.step(id, done, memory);
      if (step === undefined) continue;
      const found = this.extend(step.done, [...order, ...step.events], step.memory);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Those that nothing must come before any more; the thread whose turn it is goes on where it can, and reads come
   * before writes.
   */
  private candidates(done: bigint, order: readonly number[]): readonly number[] {
    const { events } = this.execution.universe;
    const current = events[order[order.length - 1] ?? -1]?.thread;
    const ready = this.members.filter(
      (_, i) => (done & (1n << BigInt(i))) === 0n && ((this.before[i] ?? 0n) & ~done) === 0n,
    );
    const rank = (id: number): number =>
      (events[id]?.thread === current ? 0 : 2) + (events[id]?.kind === 'write' ? 1 : 0);
    return ready.sort((a, b) => rank(a) - rank(b));
  }

  /** Performs an event, an atomic operation whole; undefined if a read would find something else than it did. */
  private step(
    id: number,
    done: bigint,
    memory: ReadonlyMap<string, number>,
  ):
    | { readonly done: bigint; readonly events: readonly number[]; readonly memory: ReadonlyMap<string, number> }
    | undefined {
    const event = this.execution.universe.events[id];
    const mine = 1n << BigInt(this.place.get(id) ?? 0);
    if (event?.kind === 'write') {
      const written = new Map(memory);
      for (const byte of this.bytesOf(id)) written.set(byte, id);
      return { done: done | mine, events: [id], memory: written };
    }
    if (event?.kind !== 'read') return { done: done | mine, events: [id], memory };
    for (const byte of this.bytesOf(id)) {
      const last = memory.get(byte);
      if (last === undefined ? !this.readsInitial(id) : !this.execution.relations.readsFrom.has(last, id))
        return undefined;
    }
    const after = done | mine;
    const partner = event.partner;
    if (partner === undefined || !this.execution.executed.has(partner)) return { done: after, events: [id], memory };
    if (((this.before[this.place.get(partner) ?? 0] ?? 0n) & ~after) !== 0n) return undefined;
    const write = this.step(partner, after, memory);
    return write && { ...write, events: [id, ...write.events] };
  }

  private readsInitial(read: number): boolean {
    const { readsFrom } = this.execution.relations;
    return this.execution.universe.initialWrites.some(({ event }) => readsFrom.has(event.id, read));
  }

  private bytesOf(id: number): readonly string[] {
    const target = this.execution.targets[id];
    return target === undefined
      ? []
      : Array.from({ length: target.bytes }, (_, i) => `${target.object.id}+${target.offset + i}`);
  }

  private leavesFinalWrites(memory: ReadonlyMap<string, number>): boolean {
    const { finalWrites, universe } = this.execution;
    return finalWrites.every(({ write, objectId, offset, bytes }) => {
      const initial = universe.events[write]?.thread === undefined;
      return Array.from({ length: bytes }, (_, i) => memory.get(`${objectId}+${offset + i}`)).every((last) =>
        initial ? last === undefined : last === write,
      );
    });
  }
}
