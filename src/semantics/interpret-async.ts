import type { ProgramEvent } from '../events/program-event.js';
import { ofKind } from '../events/program-event.js';
import type { AsyncOperation } from '../program/async-operation.js';
import { RANK_FIELD } from '../program/locations.js';
import type { TensormapCopy } from '../program/operation.js';
import type { Interpreter } from './interpret.js';
import type { Dependencies, RegisterValue, State } from './value-domain.js';

const NOWHERE = { base: { kind: 'constant', value: 0n }, offset: 0n, window: 'generic' } as const;
const ADDRESS = { signed: false, width: 64, resultWidth: 64 } as const;

/** Runs an asynchronous operation: where each of its events goes, what it moves, and under which condition. */
export function runAsync<V, C>(
  thread: Interpreter<V, C>,
  node: number,
  operation: AsyncOperation,
  events: readonly ProgramEvent[],
  state: State<V, C>,
  control: Dependencies<C>,
): void {
  const { domain } = thread;
  const { source, tile } = operation;
  const constant = (value: number | bigint): V => domain.constant(BigInt(value), 64);
  const plus = (base: RegisterValue<V, C>, offset: number): RegisterValue<V, C> =>
    offset === 0
      ? base
      : { value: domain.compute({ name: 'add', ...ADDRESS }, [base.value, constant(offset)]), from: base.from };

  const [issue] = events;
  const descriptor = events.find(({ tags }) => tags.has('TMAP'));
  const common = { controlDependencies: control };
  if (issue !== undefined) {
    const bytes = sizeOf(thread, state, operation);
    const given =
      source.kind === 'memory' && source.given !== undefined ? thread.operand(state, source.given, 32) : undefined;
    const dataDependencies = thread.union(bytes.from, given?.from ?? thread.none);
    thread.record({
      event: issue,
      executed: state.condition,
      ...common,
      bytes: bytes.value,
      ...(given === undefined ? {} : { count: given.value }),
      dataDependencies,
    });
  }
  let tileAddress: RegisterValue<V, C> | undefined;
  if (descriptor !== undefined && tile !== undefined) {
    const at = thread.address(state, tile.descriptor, 0);
    const base = thread.environment.read(ofKind('read', descriptor));
    thread.record({
      event: descriptor,
      executed: state.condition,
      address: at.value,
      addressDependencies: at.from,
      value: base,
      ...common,
    });
    const coordinate = thread.operand(state, tile.coordinate, 64);
    const value = domain.compute({ name: 'add', ...ADDRESS }, [base, coordinate.value]);
    for (const event of events) {
      if (event.chunk === undefined || !event.tags.has('TMAP')) continue;
      const part = thread.address(state, tile.descriptor, event.chunk.offset);
      thread.record({
        event,
        executed: state.condition,
        address: part.value,
        addressDependencies: part.from,
        value: thread.environment.read(ofKind('read', event)),
        ...common,
      });
    }
    tileAddress = { value, from: thread.union(thread.from(descriptor), coordinate.from) };
  }

  const sourceAt = (offset: number): RegisterValue<V, C> => {
    if (source.kind !== 'memory') throw new Error('no source in memory');
    return plus(
      tile?.side === 'source' && tileAddress !== undefined ? tileAddress : thread.address(state, source.address, 0),
      offset,
    );
  };
  const read = (event: ProgramEvent, offset: number): RegisterValue<V, C> => {
    if (source.kind !== 'memory') throw new Error('no source in memory');
    const address = sourceAt(offset);
    let executed = state.condition;
    // Whether the source is read decides what is written: the write depends on that too.
    let whether = thread.none;
    if (source.given !== undefined) {
      const given = thread.operand(state, source.given, 32);
      const compared = domain.compute({ name: 'less', signed: false, width: 32, resultWidth: 1 }, [
        domain.constant(BigInt(offset), 32),
        given.value,
      ]);
      executed = domain.and(executed, domain.truth(compared));
      whether = thread.union(whether, given.from);
    }
    if (source.ignored !== undefined) {
      const ignored = thread.operand(state, source.ignored, 1);
      executed = domain.and(executed, domain.not(domain.truth(ignored.value)));
      whether = thread.union(whether, ignored.from);
    }
    const value = thread.environment.read(ofKind('read', event));
    const controlDependencies = thread.union(control, whether);
    thread.record({
      event,
      executed,
      address: address.value,
      value,
      addressDependencies: address.from,
      controlDependencies,
    });
    // What is not read is 0 (src-size, ignore-src).
    const zero = domain.constant(0n, event.type?.width ?? 8);
    return {
      value: executed === state.condition ? value : domain.choose(executed, value, zero),
      from: thread.union(thread.from(event), whether),
    };
  };

  /** By offset, what is moved. */
  const moved = new Map<number, RegisterValue<V, C>>();
  for (const event of events) {
    const { chunk } = event;
    if (
      chunk === undefined ||
      chunk.rank !== undefined ||
      event.kind !== 'read' ||
      event.partner !== undefined ||
      event.tags.has('TMAP')
    )
      continue;
    moved.set(chunk.offset, read(event, chunk.offset));
  }
  for (const event of events) {
    const { chunk } = event;
    if (chunk === undefined || (event.kind === 'read' && event.partner === undefined)) continue;
    const selected = chunk.rank === undefined ? undefined : selects(thread, state, operation, chunk.rank);
    const executed = selected === undefined ? state.condition : domain.and(state.condition, selected.condition);
    const controlDependencies = selected === undefined ? control : thread.union(control, selected.from);
    if (event.kind === 'mbarrier') {
      if (operation.completion.kind !== 'mbarrier') throw new Error('a completion without an object');
      const object = inCta(thread, thread.address(state, operation.completion.object, 0), chunk.rank);
      const bytes = sizeOf(thread, state, operation);
      const all = timesOf(thread, bytes.value, operation.completion);
      const given = { bytes: all, dataDependencies: bytes.from };
      thread.record({
        event,
        executed,
        address: object.value,
        addressDependencies: object.from,
        controlDependencies,
        ...given,
      });
      continue;
    }
    const base =
      tile?.side === 'destination' && tileAddress !== undefined
        ? tileAddress
        : thread.address(state, operation.destination ?? NOWHERE, 0);
    const address = plus(inCta(thread, base, chunk.rank), chunk.offset);
    const at = { address: address.value, addressDependencies: address.from, controlDependencies };
    if (event.kind === 'read') {
      thread.record({ event, executed, value: thread.environment.read(ofKind('read', event)), ...at });
      continue;
    }
    const given = broughtTo(thread, state, operation, moved, event, chunk.offset);
    const partner = event.partner === undefined ? undefined : events.find(({ id }) => id === event.partner);
    const data =
      partner === undefined || operation.reduction === undefined
        ? given
        : reduced(thread, operation.reduction, partner, given, `${node}.${chunk.offset}`);
    thread.record({ event, executed, value: data.value, dataDependencies: data.from, ...at });
  }
}

/** The new value of an element of a reduction. */
function reduced<V, C>(
  thread: Interpreter<V, C>,
  { operation, type, function: of }: NonNullable<AsyncOperation['reduction']>,
  partner: ProgramEvent,
  given: RegisterValue<V, C>,
  step: string,
): RegisterValue<V, C> {
  const old = { value: thread.environment.read(ofKind('read', partner)), from: thread.from(partner) };
  return of === undefined
    ? thread.update(operation, type, old.value, old.from, given)
    : thread.openValue(step, type.width, of, [old, given]);
}

/** What an operation brings to its destination at an offset. */
function broughtTo<V, C>(
  thread: Interpreter<V, C>,
  state: State<V, C>,
  { source }: AsyncOperation,
  moved: ReadonlyMap<number, RegisterValue<V, C>>,
  event: ProgramEvent,
  offset: number,
): RegisterValue<V, C> {
  if (source.kind === 'response')
    return { value: thread.environment.unspecified(ofKind('write', event)), from: thread.none };
  const value = source.kind === 'values' ? source.values[offset / (source.type.width / 8)] : undefined;
  if (source.kind === 'values' && value !== undefined) return thread.operand(state, value, source.type.width);
  const held = moved.get(offset);
  if (held === undefined) throw new Error(`nothing is moved to offset ${offset}`);
  return held;
}

function sizeOf<V, C>(thread: Interpreter<V, C>, state: State<V, C>, { source }: AsyncOperation): RegisterValue<V, C> {
  if (source.kind === 'memory') return thread.operand(state, source.bytes, 32);
  const bytes = source.kind === 'values' ? (source.values.length * source.type.width) / 8 : 16;
  return { value: thread.domain.constant(BigInt(bytes), 32), from: thread.none };
}

/** Whether the mask of a multicast selects the CTA of that rank. */
function selects<V, C>(
  thread: Interpreter<V, C>,
  state: State<V, C>,
  { multicast }: AsyncOperation,
  rank: number,
): { readonly condition: C; readonly from: Dependencies<C> } {
  const mask = thread.operand(state, multicast ?? { kind: 'constant', value: 0n }, 16);
  const constant = thread.domain.constant(BigInt(rank), 32);
  const shifted = thread.domain.compute({ name: 'shift-right', signed: false, width: 16, resultWidth: 1 }, [
    mask.value,
    constant,
  ]);
  return { condition: thread.domain.truth(shifted), from: mask.from };
}

/** The same offset in the shared memory of another CTA of the cluster, as mapa computes it. */
function inCta<V, C>(
  thread: Interpreter<V, C>,
  address: RegisterValue<V, C>,
  rank: number | undefined,
): RegisterValue<V, C> {
  if (rank === undefined) return address;
  const { domain } = thread;
  const { shift, width } = RANK_FIELD;
  const field = ((1n << BigInt(width)) - 1n) << BigInt(shift);
  const cleared = domain.compute({ name: 'and', ...ADDRESS }, [
    address.value,
    domain.constant(BigInt.asUintN(64, ~field), 64),
  ]);
  return {
    value: domain.compute({ name: 'or', ...ADDRESS }, [cleared, domain.constant(BigInt(rank) << BigInt(shift), 64)]),
    from: address.from,
  };
}

/** `tensormap.cp_fenceproxy`: a generic copy, then its fence. */
export function runTensormapCopy<V, C>(
  thread: Interpreter<V, C>,
  operation: TensormapCopy,
  events: readonly ProgramEvent[],
  state: State<V, C>,
  control: Dependencies<C>,
): void {
  const moved = new Map<number, RegisterValue<V, C>>();
  for (const event of events) {
    const offset = event.chunk?.offset ?? 0;
    if (event.kind === 'fence') {
      thread.record({ event, executed: state.condition, controlDependencies: control });
      continue;
    }
    const address = thread.address(state, event.kind === 'read' ? operation.source : operation.destination, offset);
    const at = {
      executed: state.condition,
      address: address.value,
      addressDependencies: address.from,
      controlDependencies: control,
    };
    if (event.kind === 'read') {
      const value = thread.environment.read(ofKind('read', event));
      moved.set(offset, { value, from: thread.from(event) });
      thread.record({ event, value, ...at });
      continue;
    }
    const held = moved.get(offset);
    if (held === undefined) throw new Error(`nothing is moved to offset ${offset}`);
    thread.record({ event, value: held.value, dataDependencies: held.from, ...at });
  }
}

/** The bytes of all copies that are taken as one. */
function timesOf<V, C>({ domain }: Interpreter<V, C>, bytes: V, completion: AsyncOperation['completion']): V {
  const times = completion.kind === 'mbarrier' ? (completion.times ?? 1) : 1;
  if (times === 1) return bytes;
  return domain.compute({ name: 'multiply', signed: false, width: 32, resultWidth: 32 }, [
    bytes,
    domain.constant(BigInt(times), 32),
  ]);
}
