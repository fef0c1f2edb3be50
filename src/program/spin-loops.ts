import type { MbarrierOperation } from './mbarrier-operation.js';
import type { Operand, Operation, ProgramStatement } from './operation.js';
import type { Thread } from './program.js';

/**
 * The backward branches that only wait: the statements between label and branch write no memory on a round that goes
 * on, use no barrier, are entered at the label only, and carry no register from one round to the next or out of an earlier one. In an execution
 * that leaves such a loop the earlier rounds can be removed: that takes reads and fences away, and with them only
 * constraints.
 */
export function findSpinLoops(thread: Thread): ReadonlySet<number> {
  const result = new Set<number>();
  thread.statements.forEach(({ operation }, from) => {
    if (operation.kind !== 'branch') return;
    const target = thread.labels.get(operation.label) ?? thread.statements.length;
    if (target <= from && isSpin(thread, target, from)) result.add(from);
  });
  return result;
}

function isSpin(thread: Thread, target: number, from: number): boolean {
  const body = thread.statements.slice(target, from + 1);
  const entered = thread.statements.some(({ operation }, index) => {
    if (operation.kind !== 'branch' || (index >= target && index <= from)) return false;
    const to = thread.labels.get(operation.label) ?? thread.statements.length;
    return to > target && to <= from;
  });
  if (entered) return false;
  // Other backward branches inside would be loops of their own.
  const inner = body.slice(0, -1).some(({ operation }, i) => operation.kind === 'branch' && (thread.labels.get(operation.label) ?? thread.statements.length) <= target + i);
  if (inner) return false;
  if (!body.every(({ operation }) => isHarmless(operation) || (operation.kind === 'atomic' && isFailedCasLoop(thread, body, operation)))) return false;
  return carriedRegisters(thread, target, from).length === 0;
}

function isHarmless(operation: Operation): boolean {
  return (
    operation.kind === 'compute' ||
    operation.kind === 'load' ||
    operation.kind === 'fence' ||
    operation.kind === 'proxy-fence' ||
    operation.kind === 'branch' ||
    operation.kind === 'exit' ||
    // A wait changes nothing, and nobody else can know that one in an earlier round returned True.
    (operation.kind === 'mbarrier' && operation.action === 'wait')
  );
}

/**
 * `L: atom.cas r, [x], c, v; setp.ne p, r, c; @p bra L`: going round means that the cas failed, and a failing cas writes
 * nothing. Only this shape, straight through, is recognised; any other is unrolled.
 */
function isFailedCasLoop(thread: Thread, body: readonly ProgramStatement[], atomic: Extract<Operation, { kind: 'atomic' }>): boolean {
  const compared = atomic.values[0];
  const last = body[body.length - 1];
  if (atomic.operation !== 'cas' || atomic.target === undefined || compared?.kind !== 'constant' || last?.guard === undefined) return false;
  const statements = body.slice(0, -1);
  if (statements.some(({ operation, guard }) => guard !== undefined || operation.kind === 'branch' || operation.kind === 'exit')) return false;
  if (statements.filter(({ operation }) => operation.kind === 'atomic').length !== 1) return false;
  const fails = failureOf(statements, atomic.target, compared, last.guard.register);
  return fails !== undefined && fails !== last.guard.negated && thread.registers.has(atomic.target);
}

/** Whether `register` holds "the cas failed" (true) or "succeeded" (false) at the end of the body; undefined: neither. */
function failureOf(body: readonly ProgramStatement[], old: string, compared: Operand, register: string): boolean | undefined {
  const meaning = new Map<string, boolean>();
  let seen = false;
  for (const { operation } of body) {
    if (operation.kind === 'atomic') seen = true;
    if (operation.kind === 'load') for (const target of operation.targets) if (target === old) return undefined;
    if (operation.kind !== 'compute') continue;
    const { arithmetic, operands, target } = operation;
    const [a, b] = operands;
    const source = a?.kind === 'register' ? meaning.get(a.name) : undefined;
    let value: boolean | undefined;
    if (target === old) return undefined;
    if (arithmetic.name === 'equal' && seen && isPair(a, b, old, compared)) value = false;
    else if (arithmetic.name === 'not' && source !== undefined) value = !source;
    else if (arithmetic.name === 'move' && source !== undefined) value = source;
    if (value === undefined) meaning.delete(target);
    else meaning.set(target, value);
  }
  return meaning.get(register);
}

function isPair(a: Operand | undefined, b: Operand | undefined, old: string, compared: Operand): boolean {
  const is = (one: Operand | undefined, other: Operand | undefined): boolean =>
    one?.kind === 'register' && one.name === old && other?.kind === 'constant' && compared.kind === 'constant' && other.value === compared.value;
  return is(a, b) || is(b, a);
}

/**
 * Registers that one round hands to the next, or to what follows the loop: those written in the body that are read, or
 * still there where the loop can be left, before this round has surely written them.
 */
function carriedRegisters(thread: Thread, target: number, from: number): readonly string[] {
  const body = thread.statements.slice(target, from + 1);
  const written = new Set(body.flatMap(({ operation }) => writes(operation)));
  const surely = new Set<string>();
  const carried: string[] = [];
  let conditional = false;
  for (const { operation, guard } of body) {
    const read = [...reads(operation), ...(guard === undefined ? [] : [guard.register])];
    if (guard !== undefined && operation.kind !== 'branch' && operation.kind !== 'exit') read.push(...writes(operation));
    carried.push(...read.filter((register) => written.has(register) && !surely.has(register)));
    if (leaves(thread, operation, target, from)) carried.push(...[...written].filter((register) => !surely.has(register)));
    if (operation.kind === 'branch' && guard !== undefined) conditional = true;
    if (guard === undefined && !conditional) for (const register of writes(operation)) surely.add(register);
  }
  return carried;
}

/** Whether control can leave the loop here: by a branch out of it, by exit, or past the branch at its end. */
function leaves(thread: Thread, operation: Operation, target: number, from: number): boolean {
  if (operation.kind === 'exit') return true;
  if (operation.kind !== 'branch') return false;
  const to = thread.labels.get(operation.label) ?? thread.statements.length;
  return to < target || to > from || operation === thread.statements[from]?.operation;
}

function writes(operation: Operation): readonly string[] {
  switch (operation.kind) {
    case 'compute':
      return [operation.target];
    case 'load':
      return operation.targets.filter((target) => target !== undefined);
    case 'atomic':
      return operation.target === undefined ? [] : [operation.target];
    case 'barrier':
      return operation.reduction === undefined ? [] : [operation.reduction.target];
    case 'mbarrier':
      return (operation.action === 'arrive' || operation.action === 'wait') && operation.target !== undefined ? [operation.target] : [];
    default:
      return [];
  }
}

function reads(operation: Operation): readonly string[] {
  const of = (operands: readonly (Operand | undefined)[]): string[] => operands.flatMap((operand) => (operand?.kind === 'register' ? [operand.name] : []));
  switch (operation.kind) {
    case 'compute':
      return of(operation.operands);
    case 'load':
      return of([operation.address.base]);
    case 'store':
    case 'atomic':
      return of([operation.address.base, ...operation.values]);
    case 'barrier':
      return of([operation.id, operation.count, operation.reduction?.value]);
    case 'mbarrier':
      return of([operation.object.base, ...mbarrierOperands(operation)]);
    case 'require':
      return of([operation.value]);
    case 'proxy-fence':
      return of([operation.address?.base]);
    case 'async': {
      const { source, destination, tile, multicast, completion } = operation;
      const given = source.kind === 'memory' ? [source.address.base, source.bytes, source.given, source.ignored] : source.kind === 'values' ? source.values : [];
      return of([...given, destination.base, tile?.descriptor.base, tile?.coordinate, multicast, completion.kind === 'mbarrier' ? completion.object.base : undefined]);
    }
    case 'tensormap-copy':
      return of([operation.source.base, operation.destination.base]);
    case 'fence':
    case 'cluster-barrier':
    case 'group':
    case 'branch':
    case 'exit':
      return [];
  }
}

function mbarrierOperands(operation: MbarrierOperation): readonly (Operand | undefined)[] {
  switch (operation.action) {
    case 'init':
      return [operation.count];
    case 'expect_tx':
    case 'complete_tx':
      return [operation.bytes];
    case 'arrive':
      return [operation.count, operation.expect];
    case 'wait':
      return [operation.test.operand];
    case 'inval':
    case 'async_arrive':
      return [];
  }
}
