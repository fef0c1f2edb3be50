import type { Operand, ProgramStatement } from '../program/operation.js';
import type { Register } from '../program/program.js';
import { at, each, type LaneValue } from './lane-value.js';

/**
 * Arithmetic of which some operands may not be known, where the others settle the result: of predicates, which decide
 * where control goes. Of numbers they settle nothing, since dependencies are taken by syntax (models/README.md): what
 * `and` makes with 0 depends on the other operand too.
 */
export function settled(
  lanes: number,
  values: readonly LaneValue[],
  name: string,
  width: number,
  of: (values: readonly bigint[]) => bigint,
): LaneValue {
  if (!values.includes(undefined) && !values.some((value) => typeof value === 'object'))
    return of(values as readonly bigint[]);
  const result = (own: readonly (bigint | undefined)[]): bigint | undefined => {
    if (own.every((value) => value !== undefined)) return of(own);
    if (width === 1 && name === 'and' && own.includes(0n)) return 0n;
    if (width === 1 && name === 'or' && own.includes(1n)) return 1n;
    if (name === 'select' && own[0] !== undefined) return own[0] === 1n ? own[1] : own[2];
    return undefined;
  };
  return values.some((value) => typeof value === 'object')
    ? each(lanes, (lane) => result(values.map((value) => at(value, lane))))
    : result(values as readonly (bigint | undefined)[]);
}

/** Puts a number into a register. */
export function move({ name, type }: Register, bits: bigint, span: ProgramStatement['span']): ProgramStatement {
  const arithmetic = { name: 'move', signed: false, width: type.width, resultWidth: type.width } as const;
  const operands: readonly Operand[] = [{ kind: 'constant', value: bits }];
  return { operation: { kind: 'compute', target: name, type, arithmetic, operands }, guard: undefined, span };
}
