import { registersRead } from '../program/operands.js';
import type { Operand, ProgramStatement } from '../program/operation.js';
import type { Decoder } from './decoder.js';

/**
 * Where an instruction leaves the value of a step in a register, and nothing else of it reads that step, the step
 * writes the register itself. Whether something does is known when all of the instruction is decoded, and no earlier.
 * `from`: the number of its first statement.
 */
export function fuseSteps(decoder: Decoder, from: number): void {
  const own = decoder.statements.slice(from);
  const uses = new Map<string, number>();
  for (const { operation, guard } of own)
    for (const register of [...registersRead(operation), ...(guard === undefined ? [] : [guard.register])])
      uses.set(register, (uses.get(register) ?? 0) + 1);
  const fused: ProgramStatement[] = [];
  for (const statement of own) {
    const step = fused.at(-1);
    const taken = step === undefined ? undefined : fusedWith(step, statement, uses);
    if (taken === undefined) fused.push(statement);
    else fused.splice(-1, 1, taken);
  }
  if (fused.length < own.length) decoder.statements.splice(from, own.length, ...fused);
}

/** A step and the statement that leaves it in a register, as one. */
function fusedWith(
  { operation: step, guard }: ProgramStatement,
  statement: ProgramStatement,
  uses: ReadonlyMap<string, number>,
): ProgramStatement | undefined {
  const { operation } = statement;
  if ((step.kind !== 'compute' && step.kind !== 'open') || guard !== undefined || operation.kind !== 'compute')
    return undefined;
  const { arithmetic, target, type, operands } = operation;
  const isMoved = arithmetic.name === 'move' && operands.some((operand) => isRegister(operand, step.target));
  if (!isMoved || !isOurs(step.target) || uses.get(step.target) !== 1 || step.type.width !== type.width)
    return undefined;
  return { ...statement, operation: { ...step, target, type } };
}

const isRegister = (operand: Operand, name: string): boolean => operand.kind === 'register' && operand.name === name;
/** A register of a step (see Decoder.temporary), which no other instruction reads. */
const isOurs = (name: string): boolean => /^#\d+$/.test(name);
