import { resize, truncate } from '../program/integer.js';
import { initialValue, type LocationTable } from '../program/locations.js';
import { registersWritten } from '../program/operands.js';
import type { Load, Operand, Operation } from '../program/operation.js';
import type { Program, Thread } from '../program/program.js';
import { computed } from './evaluate.js';
import { targetOf } from './graph.js';

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
  const registers = new KnownRegisters(thread, locations);
  const most = new Map<number, number>();
  const current = new Map<number, number>();
  let index = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const statement = thread.statements[index];
    if (statement === undefined) return most;
    const { operation, guard } = statement;
    const value = guard === undefined ? 1n : registers.get(guard.register);
    const executes = value === undefined ? undefined : guard?.negated === true ? value === 0n : value !== 0n;
    const target = targetOf(thread, index);
    if (target !== undefined) {
      const backward = target <= index;
      const isKnownLeft = backward && isLeft(index);
      if (executes === undefined && !isKnownLeft) return finished(thread, most, current);
      if (executes !== true || isKnownLeft) {
        current.delete(index);
        index += 1;
        continue;
      }
      if (backward) {
        const taken = (current.get(index) ?? 0) + 1;
        current.set(index, taken);
        most.set(index, Math.max(taken, most.get(index) ?? 0));
      }
      index = target;
      continue;
    }
    if (operation.kind === 'exit' || operation.kind === 'trap') {
      if (executes === undefined) return finished(thread, most, current);
      if (executes) return most;
    } else if (executes !== false) registers.execute(operation, executes === true);
    index += 1;
  }
  return new Map();
}

/** What is known of the registers of a thread that is run. */
class KnownRegisters {
  private readonly values: Map<string, bigint | undefined>;

  constructor(
    private readonly thread: Thread,
    private readonly locations: LocationTable,
  ) {
    this.values = new Map([...thread.registers].map(([name, { initial }]) => [name, initial]));
  }

  get(register: string): bigint | undefined {
    return this.values.get(register);
  }

  private valueOf(operand: Operand): bigint | undefined {
    return operand.kind === 'constant' ? operand.value : this.values.get(operand.name);
  }

  /** `isCertain`: it is executed, and not only perhaps. */
  execute(operation: Operation, isCertain: boolean): void {
    if (operation.kind === 'compute' && isCertain)
      this.values.set(
        operation.target,
        computed(operation, this.thread.registers, (operand) => this.valueOf(operand)),
      );
    else if (operation.kind === 'load' && isCertain) this.load(operation);
    else for (const register of registersWritten(operation)) this.values.set(register, undefined);
  }

  private load({ targets, type, address }: Load): void {
    const bytes = type.width / 8;
    const base = this.valueOf(address.base);
    targets.forEach((target, i) => {
      if (target === undefined) return;
      const at = base === undefined ? undefined : truncate(base + address.offset + BigInt(i * bytes), 64);
      const value = at === undefined ? undefined : constantAt(this.locations, at, bytes);
      const width = this.thread.registers.get(target)?.type.width ?? type.width;
      this.values.set(target, value === undefined ? undefined : resize(value, type.width, width, type.kind === 's'));
    });
  }
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
  const end = thread.statements.length;
  const isInside = (branch: number): boolean =>
    thread.statements.some(
      (_, from) => from > branch && (targetOf(thread, from) ?? end) <= (targetOf(thread, branch) ?? end),
    );
  return new Map([...most].filter(([branch]) => !current.has(branch) && !isInside(branch)));
}
