import { registersWritten } from '../program/operands.js';
import type { Operand } from '../program/operation.js';
import type { Thread } from '../program/program.js';
import { computed } from './evaluate.js';
import { targetOf } from './graph.js';

/**
 * The value of an operand that is the same in every run: a constant, a register that is never written, or one that a
 * single unguarded statement computes from such values before, on every way. Undefined: not known by these means.
 */
export function knownValue(thread: Thread, operand: Operand, before: number): bigint | undefined {
  if (operand.kind === 'constant') return operand.value;
  const register = thread.registers.get(operand.name);
  const writes = thread.statements.flatMap(({ operation }, index) =>
    registersWritten(operation).includes(operand.name) ? [index] : [],
  );
  const [write] = writes;
  if (write === undefined) return register?.initial ?? 0n;
  const statement = thread.statements[write];
  if (
    writes.length > 1 ||
    statement?.operation.kind !== 'compute' ||
    statement.guard !== undefined ||
    write >= before ||
    !isOnEveryWay(thread, write)
  )
    return undefined;
  return computed(statement.operation, thread.registers, (one) => knownValue(thread, one, write));
}

/** No branch leads past the statement. */
export function isOnEveryWay(thread: Thread, index: number): boolean {
  return !thread.statements.some((_, from) => from < index && (targetOf(thread, from) ?? from) > index);
}
