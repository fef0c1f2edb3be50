import type {
  BarrierEffect,
  Condition,
  Data,
  Effect,
  MbarrierEffect,
  MemoryOperand,
  ReadEffect,
  Result,
  Taken,
  UpdateEffect,
  WriteEffect,
} from '../effects/effect.js';
import type { EventOf, ProgramEvent } from '../events/program-event.js';
import { ofKind } from '../events/program-event.js';
import { RANK_FIELD } from '../program/locations.js';
import { Numbers } from '../program/numbers.js';
import type { Operand } from '../program/operation.js';
import { canBlock, type Interpreter } from './interpret.js';
import type { Dependencies, EventRun, RegisterValue, State } from './value-domain.js';

/** Where an event goes, under which condition, what decides that, and what it takes. */
type Reached<V, C> = Pick<EventRun<V, C>, 'executed' | 'addressDependencies' | 'controlDependencies'> &
  Values<V> & { readonly address: V };

type Values<V> = Pick<EventRun<V, unknown>, 'value' | 'count' | 'bytes'>;

/**
 * Executes the effects of one node: for each event where it goes, what it takes and what it writes; what comes from
 * outside of the thread its environment gives.
 */
export class NodeExecution<V, C> {
  readonly written = new Map<string, RegisterValue<V, C>>();
  /** What the reads of the node have found, by offset, for its writes. */
  private readonly moved = new Map<number, RegisterValue<V, C>>();
  /** The address that a descriptor holds. */
  private described: RegisterValue<V, C> | undefined;

  constructor(
    private readonly thread: Interpreter<V, C>,
    private readonly node: number,
    private state: State<V, C>,
    private readonly control: Dependencies<C>,
  ) {}

  run(events: readonly ProgramEvent[]): void {
    events.forEach((event, i) => {
      if (event.effect === undefined) throw new Error(`event ${event.id} is of no effect`);
      this.step(event, event.effect, events[i + 1]);
    });
  }

  /** `next`: of a read-modify-write the write, which is executed with its read. */
  private step(event: ProgramEvent, effect: Effect, next: ProgramEvent | undefined): void {
    switch (effect.kind) {
      case 'read':
        return this.read(ofKind('read', event), effect);
      case 'write':
        return this.write(ofKind('write', event), effect);
      case 'update':
        return event.kind === 'read' ? this.update(event, ofKind('write', next), effect) : undefined;
      case 'mbarrier':
        return this.mbarrier(ofKind('mbarrier', event), effect);
      case 'barrier':
        return this.barrier(ofKind('barrier', event), effect, next !== undefined);
      case 'fence':
      case 'issue':
        return this.plain(event, effect.takes, effect.at);
      case 'group':
      case 'grid':
      case 'check':
      case 'tensor-step':
        return this.plain(event, effect.takes);
    }
  }

  private plain(event: ProgramEvent, takes: Taken | undefined, at?: MemoryOperand): void {
    const { thread, state, control } = this;
    const address = at === undefined ? undefined : thread.address(state, at.address, 0);
    const { values, from } = this.taken(takes);
    thread.record({
      event,
      executed: state.condition,
      ...(address === undefined ? {} : { address: address.value }),
      ...values,
      addressDependencies: address?.from ?? thread.none,
      dataDependencies: from,
      controlDependencies: control,
    });
  }

  private read(event: EventOf<'read'>, { at, takes, when, results }: ReadEffect): void {
    const { thread, state } = this;
    const offset = event.offset ?? 0;
    const reached = this.reached(event, at, takes);
    const { executed, from: whether } = this.reads(reached.executed, when, offset);
    const value = thread.environment.read(event);
    const controlDependencies = thread.union(reached.controlDependencies, whether);
    const run = { event, value, dataDependencies: thread.none, ...reached };
    thread.record({ ...run, executed, controlDependencies });
    this.leave(results[this.elementOf(event)], value, event);
    const own = { value, from: thread.union(thread.from(event), whether) };
    if (at.what === 'descriptor') {
      this.described ??= own;
      return;
    }
    if (executed === state.condition) this.moved.set(offset, own);
    else {
      // What is not read is 0 (src-size, ignore-src).
      const zero = thread.domain.constant(0n, event.type.width);
      this.moved.set(offset, { ...own, value: thread.domain.choose(executed, value, zero) });
    }
  }

  /** Whether the source of a copy is read at an offset. What is written depends on that too. */
  private reads(
    reached: C,
    when: Condition | undefined,
    offset: number,
  ): { readonly executed: C; readonly from: Dependencies<C> } {
    const { thread, state } = this;
    const { domain } = thread;
    let [executed, from] = [reached, thread.none];
    if (when?.below !== undefined) {
      const below = thread.operand(state, when.below, 32);
      const sizes = new Numbers(domain, 32);
      executed = domain.and(executed, domain.truth(sizes.less(sizes.number(offset), below.value)));
      from = thread.union(from, below.from);
    }
    if (when?.unless !== undefined) {
      const unless = thread.operand(state, when.unless, 1);
      executed = domain.and(executed, domain.not(domain.truth(unless.value)));
      from = thread.union(from, unless.from);
    }
    return { executed, from };
  }

  private write(event: EventOf<'write'>, { at, takes, data }: WriteEffect): void {
    const reached = this.reached(event, at, takes);
    const { value, from: dataDependencies } = this.data(data, event);
    this.thread.record({ event, value, dataDependencies, ...reached });
  }

  /** A read, the new value computed from it, and a write; a failing cas writes nothing (8.4, Table 20). */
  private update(read: EventOf<'read'>, write: EventOf<'write'>, effect: UpdateEffect): void {
    const { thread, state } = this;
    const { domain } = thread;
    const { type } = effect.at;
    const reached = this.reached(read, effect.at);
    const compared = effect.compared === undefined ? undefined : thread.operand(state, effect.compared, type.width);
    const given = this.data(effect.data, write);
    const old = { value: thread.environment.read(read), from: thread.from(read) };
    let { value, from } =
      effect.function === undefined
        ? thread.update(effect.operation, type, old, given)
        : thread.openValue(`${this.node}.${read.offset ?? 0}`, type.width, effect.function, [old, given]);
    let { executed } = reached;
    if (compared !== undefined) {
      const changed = domain.truth(new Numbers(domain, type.width).equal(old.value, compared.value));
      from = thread.union(thread.union(compared.from, given.from), old.from);
      // 8.4: an atomic is a write if it results in one; the other reading has a failing cas write the old value back.
      if (thread.structure.failingCasWrites) value = domain.choose(changed, given.value, old.value);
      else executed = domain.and(executed, changed);
    }
    thread.record({ event: read, value: old.value, dataDependencies: thread.none, ...reached });
    thread.record({ event: write, value, dataDependencies: from, ...reached, executed });
    this.leave(effect.results[this.elementOf(read)], old.value, read);
  }

  /** What an operation gives to an mbarrier object and takes from it; what that does is in mbarrier-machine.ts. */
  private mbarrier(event: EventOf<'mbarrier'>, effect: MbarrierEffect): void {
    const { thread } = this;
    const { result: into } = effect;
    const reached = this.reached(event, effect.at);
    const { values, from } = this.taken(effect.takes, effect.times);
    const run = { event, dataDependencies: from, ...reached, ...values };
    if (into === undefined) return thread.record(run);
    const result = thread.environment.mbarrierResult(event);
    thread.record({ result, ...run });
    if (into !== 'discarded') this.leave(into, result, event);
  }

  /** Before an arrival the threads of a warp come together, and until then it is not executed. */
  private barrier(event: EventOf<'barrier'>, { barrier }: BarrierEffect, isFirst: boolean): void {
    const { thread, state, control } = this;
    const { domain, environment, none } = thread;
    if (barrier.kind === 'barrier') thread.barrier(barrier, event, state, control, this.written);
    else {
      const dependencies = { addressDependencies: none, dataDependencies: none, controlDependencies: control };
      thread.record({ event, executed: state.condition, ...dependencies });
    }
    if (isFirst && canBlock(event))
      this.state = { ...state, condition: domain.and(state.condition, environment.passes(event, state.condition)) };
  }

  private leave(result: Result | undefined, value: V, event: ProgramEvent): void {
    if (result === undefined) return;
    this.thread.write(this.written, result.register, value, result.signed, this.thread.from(event));
  }

  private elementOf({ offset = 0, type }: EventOf<'read'>): number {
    return offset / (type.width / 8);
  }

  private taken(takes: Taken | undefined, times = 1): { readonly values: Values<V>; readonly from: Dependencies<C> } {
    const { thread } = this;
    const values: { value?: V; count?: V; bytes?: V } = {};
    let from = thread.none;
    if (takes === undefined) return { values, from };
    for (const role of ['bytes', 'count', 'value'] as const) {
      const sized = takes[role];
      if (sized === undefined) continue;
      const operand = thread.operand(this.state, sized.operand, sized.width);
      from = thread.union(from, operand.from);
      values[role] = times === 1 ? operand.value : this.repeated(operand.value, sized.width, times);
    }
    return { values, from };
  }

  private repeated(value: V, width: number, times: number): V {
    const numbers = new Numbers(this.thread.domain, width);
    return numbers.multiply(value, numbers.number(times));
  }

  /** `takes`: what it takes decides how many bytes are accessed. */
  private reached(event: ProgramEvent, at: MemoryOperand, takes?: Taken): Reached<V, C> {
    const { thread, state, control } = this;
    const { values, from } = this.taken(takes);
    const rank = event.chunk?.rank;
    const selected = rank === undefined ? undefined : this.selects(at.multicast, rank);
    const address = this.address(event, at, rank);
    const reached = {
      executed: selected === undefined ? state.condition : thread.domain.and(state.condition, selected.condition),
      address: address.value,
      addressDependencies: address.from,
      controlDependencies: selected === undefined ? control : thread.union(control, selected.from),
    };
    if (takes === undefined) return reached;
    return { ...reached, ...values, addressDependencies: thread.union(address.from, from) };
  }

  private address(
    event: ProgramEvent,
    { address, tile, inPair }: MemoryOperand,
    rank: number | undefined,
  ): RegisterValue<V, C> {
    const { thread, state } = this;
    const offset = event.offset ?? 0;
    if (tile === undefined && rank === undefined) return thread.address(state, address, offset);
    const base = tile === undefined ? thread.address(state, address, 0) : this.tileAt(tile.coordinate);
    return thread.plus(rank === undefined ? base : this.inCta(base, rank, inPair), BigInt(offset));
  }

  private tileAt(coordinate: Operand): RegisterValue<V, C> {
    const { thread, described } = this;
    if (described === undefined) throw new Error('a tile without a descriptor');
    const { value, from } = thread.operand(this.state, coordinate, 64);
    return { value: thread.addresses.add(described.value, value), from: thread.union(described.from, from) };
  }

  /** Whether the mask of a multicast selects the CTA of that rank. */
  private selects(mask: Operand | undefined, rank: number): { readonly condition: C; readonly from: Dependencies<C> } {
    const { domain } = this.thread;
    const { value, from } = this.thread.operand(this.state, mask ?? { kind: 'constant', value: 0n }, 16);
    return { condition: domain.truth(new Numbers(domain, 16).shiftRightBy(value, rank, 1)), from };
  }

  /** The same offset in the shared memory of another CTA of the cluster, as mapa computes it; or of its pair. */
  private inCta(address: RegisterValue<V, C>, rank: number, inPair = false): RegisterValue<V, C> {
    const { addresses } = this.thread;
    const shift = BigInt(RANK_FIELD.shift);
    const [kept, own] = inPair ? [1n << shift, rank & ~1] : [0n, rank];
    const cleared = addresses.and(address.value, addresses.number(~RANK_FIELD.mask | kept));
    return { ...address, value: addresses.or(cleared, addresses.number(BigInt(own) << shift)) };
  }

  private data(data: Data, event: EventOf<'write'>): RegisterValue<V, C> {
    const { thread } = this;
    const { none } = thread;
    const { type, offset = 0 } = event;
    switch (data.kind) {
      case 'operands': {
        const operand = data.operands[offset / (type.width / 8)];
        if (operand === undefined) throw new Error(`nothing is written at offset ${offset}`);
        return thread.operand(this.state, operand, type.width);
      }
      case 'moved': {
        const held = this.moved.get(offset);
        if (held === undefined) throw new Error(`nothing is moved to offset ${offset}`);
        return held;
      }
      case 'zero':
        return { value: thread.domain.constant(0n, type.width), from: none };
      case 'open':
        return thread.openValue(`${this.node}.${offset}`, type.width, undefined, []);
      case 'unspecified':
        return { value: thread.environment.unspecified(event), from: none };
    }
  }
}
