import type { DataType } from '../program/data-type.js';
import type { Operand, ProgramStatement } from '../program/operation.js';
import type { Decoder } from './decoder.js';

/**
 * An instruction reads all that it reads before it writes (its guard, too, is evaluated once). Where it is decoded into
 * several operations, and one reads a register that an earlier one has written, the old value is kept in a register of
 * our own beforehand. `from`: the number of its first statement.
 */
export function readBeforeWriting(decoder: Decoder, from: number): void {
  const own = decoder.statements.slice(from);
  const kept = new Map<string, string>();
  const written = new Map<string, DataType>();
  const keep = (register: string): string => {
    const type = written.get(register);
    if (type === undefined) return register;
    const copy = kept.get(register) ?? decoder.temporary(type, own[0]?.span as ProgramStatement['span']);
    kept.set(register, copy);
    return copy;
  };
  for (const { operation, guard } of own) {
    for (const register of registersRead({ operation, guard })) keep(register);
    // What our own registers hold is meant to be read.
    if ((operation.kind === 'compute' || operation.kind === 'open') && !operation.target.startsWith('#'))
      written.set(operation.target, operation.type);
  }
  if (kept.size === 0) return;
  const old = (operand: Operand): Operand =>
    operand.kind === 'register' ? { ...operand, name: kept.get(operand.name) ?? operand.name } : operand;
  const copies = [...kept].map(([register, copy]): ProgramStatement => {
    const type = written.get(register) as DataType;
    const arithmetic = { name: 'move', signed: false, width: type.width, resultWidth: type.width } as const;
    const operands: readonly Operand[] = [{ kind: 'register', name: register }];
    const operation = { kind: 'compute', target: copy, type, arithmetic, operands } as const;
    return { operation, guard: undefined, span: own[0]?.span as ProgramStatement['span'] };
  });
  const reading = own.map(({ operation, guard, span }): ProgramStatement => {
    const held = guard && { ...guard, register: kept.get(guard.register) ?? guard.register };
    switch (operation.kind) {
      case 'compute':
      case 'open':
        return { operation: { ...operation, operands: operation.operands.map(old) }, guard: held, span };
      case 'require':
        return { operation: { ...operation, value: old(operation.value) }, guard: held, span };
      default:
        return { operation, guard: held, span };
    }
  });
  decoder.statements.splice(from, own.length, ...copies, ...reading);
}

function registersRead({ operation, guard }: Pick<ProgramStatement, 'operation' | 'guard'>): readonly string[] {
  const operands =
    operation.kind === 'compute' || operation.kind === 'open'
      ? operation.operands
      : operation.kind === 'require'
        ? [operation.value]
        : [];
  return [
    ...(guard === undefined ? [] : [guard.register]),
    ...operands.flatMap((operand) => (operand.kind === 'register' ? [operand.name] : [])),
  ];
}
