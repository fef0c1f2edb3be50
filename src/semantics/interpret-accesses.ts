import type { ProgramEvent } from '../events/program-event.js';
import { ofKind } from '../events/program-event.js';
import type { Atomic, RegionAccess, TensorAccess } from '../program/operation.js';
import type { Node } from '../unroll/unroll.js';
import type { Interpreter } from './interpret.js';
import type { Dependencies, RegisterValue, State } from './value-domain.js';

/** An atomic, or each element of a vector of them. */
export function runAtomics<V, C>(
  thread: Interpreter<V, C>,
  operation: Atomic,
  events: readonly ProgramEvent[],
  state: State<V, C>,
  control: Dependencies<C>,
  written: Map<string, RegisterValue<V, C>>,
): void {
  const { target, values, more = [] } = operation;
  [{ target, values }, ...more.map((one) => ({ target: one.target, values: [one.value] }))].forEach((element, i) => {
    runAtomic(thread, { ...operation, ...element }, i, events.slice(2 * i), state, control, written);
  });
}

/** An atomic: a read, the new value computed from it, and a write; a failing cas writes nothing (8.4, Table 20). */
function runAtomic<V, C>(
  thread: Interpreter<V, C>,
  operation: Atomic,
  element: number,
  events: readonly ProgramEvent[],
  state: State<V, C>,
  control: Dependencies<C>,
  written: Map<string, RegisterValue<V, C>>,
): void {
  const [read, write] = [ofKind('read', events[0]), ofKind('write', events[1])];
  const { domain } = thread;
  const { width } = operation.type;
  const address = thread.address(state, operation.address, element * (width / 8));
  const operands = operation.values.map((value) => thread.operand(state, value, width));
  const old = thread.environment.read(read);
  const fromOld = thread.from(read);
  const [first, second] = operands;
  if (first === undefined) throw new Error('an atomic without operands');
  const updated =
    operation.function === undefined
      ? thread.update(operation.operation, operation.type, old, fromOld, first)
      : thread.openValue(`${write.node}.${element}`, width, operation.function, [{ value: old, from: fromOld }, first]);
  let { value, from } = updated;
  let executed = state.condition;
  if (operation.operation === 'cas') {
    const equal = domain.compute({ name: 'equal', signed: false, width, resultWidth: 1 }, [old, first.value]);
    const changed = domain.truth(equal);
    value = second?.value ?? value;
    from = thread.union(thread.union(first.from, second?.from ?? thread.none), fromOld);
    // 8.4: an atomic is a write if it results in one; the other reading has a failing cas write the old value back.
    if (thread.structure.failingCasWrites) value = domain.choose(changed, value, old);
    else executed = domain.and(executed, changed);
  }
  const common = { address: address.value, addressDependencies: address.from, controlDependencies: control };
  thread.record({ event: read, executed: state.condition, value: old, ...common });
  thread.record({ event: write, executed, value, dataDependencies: from, ...common });
  if (operation.target !== undefined)
    thread.write(written, operation.target, old, operation.type.kind === 's', fromOld);
}

/** Accesses of one instruction to a run of bytes, each to a part of it. */
export function runRegion<V, C>(
  thread: Interpreter<V, C>,
  node: Node,
  { address: at, bytes, contents }: RegionAccess,
  events: readonly ProgramEvent[],
  state: State<V, C>,
  control: Dependencies<C>,
): void {
  const size = thread.operand(state, bytes, 32);
  for (const event of events) {
    const offset = event.chunk?.offset ?? 0;
    const width = event.type?.width ?? 8;
    const address = thread.address(state, at, offset);
    const value =
      event.kind === 'read'
        ? thread.environment.read(event)
        : contents === 'zero'
          ? thread.domain.constant(0n, width)
          : thread.openValue(`${node.id}.${offset}`, width, undefined, []).value;
    thread.record({
      event,
      executed: state.condition,
      value,
      bytes: size.value,
      address: address.value,
      addressDependencies: thread.union(address.from, size.from),
      controlDependencies: control,
    });
  }
}

/** An access of one instruction to a run of columns of tensor memory. */
export function runTensorAccess<V, C>(
  thread: Interpreter<V, C>,
  node: Node,
  { address: at, bytes, value: given, target }: TensorAccess,
  events: readonly ProgramEvent[],
  state: State<V, C>,
  control: Dependencies<C>,
  written: Map<string, RegisterValue<V, C>>,
): void {
  const size = thread.operand(state, bytes, 32);
  for (const event of events) {
    const common = { event, executed: state.condition, bytes: size.value, controlDependencies: control };
    if (event.kind === 'issue') {
      thread.record({ ...common, dataDependencies: size.from });
      continue;
    }
    const offset = event.chunk?.offset ?? 0;
    const width = event.type?.width ?? 8;
    const address = thread.address(state, at, offset);
    const whole = { ...common, address: address.value, addressDependencies: address.from };
    if (event.kind === 'read') {
      const value = thread.environment.read(event);
      thread.record({ ...whole, value });
      if (target !== undefined) thread.write(written, target, value, false, thread.from(event));
      continue;
    }
    const stored =
      given === undefined
        ? thread.openValue(`${node.id}.${offset}`, width, undefined, [])
        : thread.operand(state, given, width);
    thread.record({ ...whole, value: stored.value, dataDependencies: stored.from });
  }
}
