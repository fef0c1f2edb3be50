import type { Operand, Operation } from './operation.js';
import { remembered } from './remembered.js';

/**
 * A part of an operation with other operands in the place of its own, such as numbers in that of registers. All that
 * has the form of an operand is one, wherever it stands: no kind of operation, and no field, can be forgotten.
 */
export function mapOperands<T>(part: T, map: (operand: Operand) => Operand): T {
  if (typeof part !== 'object' || part === null) return part;
  if (isOperand(part)) return map(part) as T;
  if (Array.isArray(part)) return part.map((one) => mapOperands(one, map)) as T;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, mapOperands(value, map)])) as T;
}

function isOperand(part: object): part is Operand {
  const { kind } = part as { readonly kind?: unknown };
  return kind === 'register' || kind === 'constant';
}

const read = new WeakMap<Operation, readonly string[]>();
const written = new WeakMap<Operation, readonly string[]>();

/** The registers that stand as operands in a part of an operation. */
export function registersIn(part: unknown, found: string[] = []): readonly string[] {
  if (typeof part !== 'object' || part === null) return found;
  if (!isOperand(part)) for (const one of Object.values(part)) registersIn(one, found);
  else if (part.kind === 'register') found.push(part.name);
  return found;
}

/** The numbers that stand as operands in a part of an operation. */
export function constantsIn(part: unknown, found: bigint[] = []): readonly bigint[] {
  if (typeof part !== 'object' || part === null) return found;
  if (!isOperand(part)) for (const one of Object.values(part)) constantsIn(one, found);
  else if (part.kind === 'constant') found.push(part.value);
  return found;
}

/** The registers that an operation reads, its guard apart. */
export const registersRead = (operation: Operation): readonly string[] => remembered(read, operation, registersIn);

/** The registers that an operation may write; under a guard it may also leave them as they were. */
export const registersWritten = (operation: Operation): readonly string[] => remembered(written, operation, targetsIn);

/** Wherever an operation names a register that takes a result, it is a target. */
function targetsIn(part: unknown, found: string[] = []): readonly string[] {
  if (typeof part !== 'object' || part === null) return found;
  for (const [key, value] of Object.entries(part)) {
    if (key !== 'target' && key !== 'targets') targetsIn(value, found);
    else found.push(...[value].flat().filter((one) => typeof one === 'string'));
  }
  return found;
}

/** Whether two operands are one: the same register, or the same number. */
export const areOneOperand = (a: Operand, b: Operand): boolean =>
  a.kind === 'constant' ? b.kind === 'constant' && a.value === b.value : b.kind === 'register' && a.name === b.name;
