import type { EventStructure } from '../events/events.js';
import { evaluateFloat, type FloatFunction } from '../program/float-function.js';
import type { MemoryObject } from '../program/locations.js';
import { registersRead, registersWritten } from '../program/operands.js';
import type { Operand, ProgramStatement } from '../program/operation.js';
import type { ValueAnalysis } from './value-analysis.js';
import { combinationsOf } from './value-sets.js';

/**
 * The statements that give a value which PTX or this tool leaves open, if what the test asks for, or where control or
 * an address goes, may depend on one of them; empty if it makes no difference what these values are.
 */
export function openValuesThatMatter(
  structure: EventStructure,
  { openOperands, targets }: Pick<ValueAnalysis, 'openOperands' | 'targets'>,
): readonly ProgramStatement[] {
  const isSettled = (thread: number, node: string, of: FloatFunction | undefined): boolean => {
    const sets = openOperands.get(`${thread}/${node}`);
    const combinations = of === undefined || sets === undefined ? undefined : combinationsOf(sets);
    return of !== undefined && combinations?.every((operands) => evaluateFloat(of, operands) !== undefined) === true;
  };
  const sources: ProgramStatement[] = [];
  const registers = structure.threads.map(() => new Set<string>());
  // Nothing is known of what tensor memory holds before the test.
  const objects = new Set(structure.program.locations.objects.filter(({ space }) => space === 'tensor'));
  let matters = false;
  for (let size = -1; size !== sizeOf(registers, objects); ) {
    size = sizeOf(registers, objects);
    for (const [index, { nodes }] of structure.threads.entries()) {
      const open = registers[index] ?? new Set<string>();
      const isOpen = (operand: Operand | undefined): boolean => operand?.kind === 'register' && open.has(operand.name);
      for (const { id, statement } of nodes) {
        const { operation, guard } = statement;
        const places = structure.eventsOf(index, id).flatMap((event) => targets.get(event.id) ?? []);
        const finds = places.some(({ range }) => objects.has(range.object));
        const mark = (when: boolean): void => {
          if (!when) return;
          for (const register of registersWritten(operation)) open.add(register);
        };
        const leave = (when: boolean): void => {
          if (when) for (const { range } of places) objects.add(range.object);
        };
        const guarded = guard !== undefined && open.has(guard.register);
        switch (operation.kind) {
          case 'open': {
            const source = !isSettled(index, `${id}`, operation.function);
            if (source && !sources.includes(statement)) sources.push(statement);
            mark(source || guarded || operation.operands.some(isOpen));
            continue;
          }
          case 'compute':
            mark(guarded || operation.operands.some(isOpen));
            continue;
          case 'load':
            matters ||= guarded || isOpen(operation.address.base);
            mark(finds);
            continue;
          case 'store':
            matters ||= guarded || isOpen(operation.address.base);
            leave(operation.values.some(isOpen));
            continue;
          case 'region':
            matters ||= guarded || isOpen(operation.address.base) || isOpen(operation.bytes);
            if (operation.contents !== 'zero' && operation.action === 'write' && !sources.includes(statement))
              sources.push(statement);
            leave(operation.contents !== 'zero' && operation.action === 'write');
            continue;
          case 'tensor':
            matters ||= guarded || isOpen(operation.address.base) || isOpen(operation.bytes);
            if (operation.action === 'read') {
              mark(finds);
              if (finds && operation.target !== undefined && !sources.includes(statement)) sources.push(statement);
            } else {
              if (operation.value === undefined && !sources.includes(statement)) sources.push(statement);
              leave(operation.value === undefined || isOpen(operation.value));
            }
            continue;
          case 'atomic': {
            const unsettled = operation.function !== undefined && !isSettled(index, `${id}.0`, operation.function);
            if (unsettled && !sources.includes(statement)) sources.push(statement);
            const values = [...operation.values, ...(operation.more ?? []).map(({ value }) => value)];
            matters ||= guarded || isOpen(operation.address.base);
            matters ||= operation.operation === 'cas' && (finds || isOpen(operation.values[0]));
            leave(unsettled || values.some(isOpen));
            mark(finds);
            continue;
          }
          case 'barrier': {
            const { reduction, id: number, count } = operation;
            matters ||= guarded || isOpen(number) || isOpen(count);
            mark(isOpen(reduction?.value) || (reduction?.operation.startsWith('shuffle') === true && open.size > 0));
            continue;
          }
          case 'async': {
            const of = operation.reduction?.function;
            const offsets = structure.eventsOf(index, id).flatMap(({ chunk }) => chunk?.offset ?? []);
            const unsettled = of !== undefined && !offsets.every((at) => isSettled(index, `${id}.${at}`, of));
            if (unsettled && !sources.includes(statement)) sources.push(statement);
            leave(finds || unsettled);
            matters ||= guarded || registersRead(operation).some((register) => open.has(register));
            continue;
          }
          case 'tensormap-copy':
            leave(finds);
            matters ||= guarded || registersRead(operation).some((register) => open.has(register));
            continue;
          default:
            matters ||= guarded || registersRead(operation).some((register) => open.has(register));
        }
      }
    }
  }
  const asked = structure.program.observed.some((one) =>
    one.kind === 'register' ? registers[one.thread]?.has(one.register) === true : objects.has(one.object),
  );
  return matters || asked ? sources : [];
}

const sizeOf = (registers: readonly ReadonlySet<string>[], objects: ReadonlySet<MemoryObject>): number =>
  objects.size + registers.reduce((sum, { size }) => sum + size, 0);
