import { computeArithmetic, resize, truncate } from '../program/integer.js';
import { initialValue, type LocationTable } from '../program/locations.js';
import { operandWidth } from '../program/operand-width.js';
import { registersWritten } from '../program/operands.js';
import type { Operand } from '../program/operation.js';
import type { Program, Thread } from '../program/program.js';

const MOST_STEPS = 4096;

/**
 * How often a thread takes each backward branch at one go, by the branch, where that follows from numbers that the
 * thread starts with: it is run, without memory that somebody may write, until a branch depends on something else.
 * `isLeft`: loops that only wait, which are left some time.
 */
export function tripCounts(
  { locations }: Program,
  thread: Thread,
  isLeft: (branch: number) => boolean,
): ReadonlyMap<number, number> {
  const registers = new Map<string, bigint | undefined>(
    [...thread.registers].map(([name, { initial }]) => [name, initial]),
  );
  const read = (operand: Operand, width: number): bigint | undefined => {
    const value = operand.kind === 'constant' ? operand.value : registers.get(operand.name);
    return value === undefined ? undefined : truncate(value, width);
  };
  const most = new Map<number, number>();
  const current = new Map<number, number>();
  let index = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const statement = thread.statements[index];
    if (statement === undefined) return most;
    const { operation, guard } = statement;
    const value = guard === undefined ? 1n : registers.get(guard.register);
    const executes = value === undefined ? undefined : guard?.negated === true ? value === 0n : value !== 0n;
    index += 1;
    if (operation.kind === 'branch') {
      const target = thread.labels.get(operation.label) ?? thread.statements.length;
      const backward = target < index;
      if (executes === undefined && !(backward && isLeft(index - 1))) return finished(thread, most, current);
      if (executes !== true || (backward && isLeft(index - 1))) {
        current.delete(index - 1);
        continue;
      }
      if (backward) {
        const taken = (current.get(index - 1) ?? 0) + 1;
        current.set(index - 1, taken);
        most.set(index - 1, Math.max(taken, most.get(index - 1) ?? 0));
      }
      index = target;
      continue;
    }
    if (operation.kind === 'exit' || operation.kind === 'trap') {
      if (executes === undefined) return finished(thread, most, current);
      if (executes) return most;
      continue;
    }
    if (operation.kind === 'compute' && executes === true) {
      const operands = operation.operands.map((operand, i) => read(operand, operandWidth(operation.arithmetic, i)));
      const known = operands.every((operand) => operand !== undefined);
      const result = known ? computeArithmetic(operation.arithmetic, operands as readonly bigint[]) : undefined;
      const width = thread.registers.get(operation.target)?.type.width ?? operation.type.width;
      registers.set(
        operation.target,
        result === undefined
          ? undefined
          : resize(result, operation.arithmetic.resultWidth, width, operation.type.kind === 's'),
      );
    } else if (operation.kind === 'load' && executes === true) {
      operation.targets.forEach((target, i) => {
        const address = read(operation.address.base, 64);
        const bytes = operation.type.width / 8;
        const at =
          address === undefined ? undefined : truncate(address + operation.address.offset + BigInt(i * bytes), 64);
        const value = at === undefined ? undefined : constantAt(locations, at, bytes);
        const width = target === undefined ? 0 : (thread.registers.get(target)?.type.width ?? operation.type.width);
        if (target !== undefined)
          registers.set(
            target,
            value === undefined ? undefined : resize(value, operation.type.width, width, operation.type.kind === 's'),
          );
      });
    } else if (executes !== false)
      for (const register of registersWritten(operation)) registers.set(register, undefined);
  }
  return new Map();
}

/** What is read at an address of memory that nobody writes. */
function constantAt(locations: LocationTable, address: bigint, bytes: number): bigint | undefined {
  const range = locations.at(address, bytes);
  return range === undefined || (range.object.space !== 'const' && range.object.space !== 'param')
    ? undefined
    : initialValue(range.object, Number(address - range.base), bytes);
}

/**
 * Only loops that have been left, and that no other loop may begin anew: of the others it is not known how often they
 * are still gone round.
 */
function finished(
  thread: Thread,
  most: ReadonlyMap<number, number>,
  current: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const targetOf = (branch: number): number => {
    const operation = thread.statements[branch]?.operation;
    return operation?.kind === 'branch'
      ? (thread.labels.get(operation.label) ?? thread.statements.length)
      : thread.statements.length;
  };
  const isInside = (branch: number): boolean =>
    thread.statements.some((_, from) => from > branch && targetOf(from) <= targetOf(branch));
  return new Map([...most].filter(([branch]) => !current.has(branch) && !isInside(branch)));
}
