import type { DataType } from '../program/data-type.js';
import { mapOperands, registersRead } from '../program/operands.js';
import { type Operand, type ProgramStatement, register } from '../program/operation.js';
import type { Decoder } from './decoder.js';
import { InstructionDecoder } from './instruction-decoder.js';

/**
 * An instruction reads all that it reads before it writes (its guard, too, is evaluated once). Where it is decoded into
 * several operations, and one reads a register that an earlier one has written, the old value is kept in a register of
 * our own beforehand. `from`: the number of its first statement.
 */
export function readBeforeWriting(decoder: Decoder, from: number): void {
  const own = decoder.statements.slice(from);
  const [first] = own;
  if (first === undefined) return;
  const { span } = first;
  const kept = new Map<string, string>();
  const written = new Map<string, DataType>();
  const keep = (name: string): void => {
    const type = written.get(name);
    if (type !== undefined && !kept.has(name)) kept.set(name, decoder.temporary(type, span));
  };
  for (const { operation, guard } of own) {
    for (const name of registersRead(operation)) keep(name);
    if (guard !== undefined) keep(guard.register);
    // What our own registers hold is meant to be read.
    if ((operation.kind === 'compute' || operation.kind === 'open') && !operation.target.startsWith('#'))
      written.set(operation.target, operation.type);
  }
  if (kept.size === 0) return;
  const old = (name: string): string => kept.get(name) ?? name;
  const reading = own.map(({ operation, guard, span }): ProgramStatement => {
    const read = (operand: Operand): Operand => (operand.kind === 'register' ? register(old(operand.name)) : operand);
    const held = guard && { ...guard, register: old(guard.register) };
    return { operation: mapOperands(operation, read), guard: held, span };
  });
  decoder.statements.length = from;
  const at = new InstructionDecoder(decoder, { span });
  for (const [name, copy] of kept) at.result(copy, written.get(name) as DataType, register(name));
  decoder.statements.push(...reading);
}
