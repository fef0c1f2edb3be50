import type { DataType, TypeName } from '../program/data-type.js';
import { initialValue, type VirtualRange } from '../program/locations.js';
import {
  type AccessQualifiers,
  type Address,
  constant,
  type Operand,
  type Order,
  type Proxy,
  register,
} from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { cellAt, decodeCellAccess } from './decode-parameters.js';
import { type FoundAddress, type InstructionDecoder, windowOf } from './instruction-decoder.js';
import { checkPlace } from './place.js';

/** What ld, st, atom and red are given (PTX ISA, ld, st, atom, red). */
export interface Given {
  readonly order: Order | 'volatile';
  readonly scope?: Scope;
  readonly mmio?: string;
  readonly space?: string;
  readonly vector?: 'v2' | 'v4' | 'v8';
  readonly readOnly?: 'nc' | 'proxy::readonly' | 'ldu';
  readonly type?: TypeName;
}

export function decodeLoad(at: InstructionDecoder, qualifiers: Given, proxy: Proxy): void {
  const [target, source] = at.operands;
  if (
    qualifiers.type === undefined &&
    (source?.kind === 'number' ||
      (source?.kind === 'name' && at.decoder.thread.registers.has(source.name) && !at.decoder.isLocation(source.name)))
  ) {
    return decodeRegisterMove(at);
  }
  if (target === undefined) return;
  const elements = vectorElements(at, target, qualifiers.vector);
  const cell = cellAt(at, source);
  if (cell !== undefined && elements !== undefined) return decodeCellAccess(at, cell, qualifiers.type, elements);
  const found = at.address(source, windowOf(qualifiers.space));
  if (found === undefined) return;
  const type = at.type(qualifiers.type, found.range);
  if (elements === undefined || !checkAccess(at, qualifiers, proxy, found, type, elements.length)) return;
  const rest = {
    address: found.address,
    ...access(qualifiers, qualifiers.readOnly === undefined ? proxy : 'readonly'),
  };
  if (found.range?.object.space === 'param' && loadParameter(at, found.range, found.address.offset, type, elements))
    return;
  if (type.width === 128 && rest.order === 'weak') return loadHalves(at, target, rest);
  const untyped = qualifiers.type === undefined;
  const targets = elements.map((element) =>
    at.target(element, type, { widerAllowed: true, untyped, sink: elements.length > 1 }),
  );
  at.emit({ kind: 'load', type, targets, ...rest });
}

/** A parameter of the kernel whose value the test gives is that value; whether it is (PTX ISA, Kernel Parameters). */
function loadParameter(
  at: InstructionDecoder,
  { object }: VirtualRange,
  offset: bigint,
  type: DataType,
  elements: readonly OperandSyntax[],
): boolean {
  const bytes = type.width / 8;
  const values = elements.map((_, i) => initialValue(object, Number(offset) + i * bytes, bytes));
  if (values.some((value) => value === undefined)) return false;
  elements.forEach((element, i) => {
    const target = at.target(element, type, { widerAllowed: true, sink: elements.length > 1 });
    if (target !== undefined) at.result(target, type, constant(values[i] ?? 0n));
  });
  return true;
}

const HALF: DataType = { kind: 'b', width: 64 };

/**
 * A weak access of 128 bits is two scalar ones of 64 bits in unspecified order (PTX ISA 8.2.4); a strong one is whole,
 * as an atomic is (docs/decisions/128-bit-accesses.md).
 */
function loadHalves(
  at: InstructionDecoder,
  target: OperandSyntax,
  rest: AccessQualifiers & { readonly address: Address },
): void {
  const type: DataType = { kind: 'b', width: 128 };
  const whole = at.target(target, type);
  if (whole === undefined) return;
  const halves = [at.temporary(HALF), at.temporary(HALF)];
  at.emit({ kind: 'load', type: HALF, targets: halves, ...rest });
  at.result(whole, type, at.of(64).concatenate(halves.map(register)));
}

function storeHalves(
  at: InstructionDecoder,
  source: OperandSyntax,
  rest: AccessQualifiers & { readonly address: Address },
): void {
  const value = at.value(source, { kind: 'b', width: 128 });
  if (value === undefined) return;
  const values = [0, 1].map((n) => at.of(64).element(value, 128, n));
  at.emit({ kind: 'store', type: HALF, values, ...rest });
}

/** `ld r0, 1`: a move, in the Dat3M dialect. */
function decodeRegisterMove(at: InstructionDecoder): void {
  if (at.qualifiers.length > 0)
    return void at.refuse(
      undefined,
      'a load needs an address such as [x]; without one, ld takes no qualifiers and is a move',
    );
  const type = at.type(undefined);
  const target = at.target(at.operands[0], type, { untyped: true });
  const value = at.value(at.operands[1], type, { untyped: true });
  if (target !== undefined && value !== undefined) at.result(target, type, value);
}

export function decodeStore(at: InstructionDecoder, qualifiers: Given, proxy: Proxy): void {
  const [target, source] = at.operands;
  if (source === undefined) return;
  const elements = vectorElements(at, source, qualifiers.vector);
  const cell = cellAt(at, target);
  if (cell !== undefined && elements !== undefined) return decodeCellAccess(at, cell, qualifiers.type, elements);
  const found = at.address(target, windowOf(qualifiers.space));
  if (found === undefined) return;
  const type = at.type(qualifiers.type, found.range);
  if (elements === undefined || !checkAccess(at, qualifiers, proxy, found, type, elements.length)) return;
  const rest = { address: found.address, ...access(qualifiers, proxy) };
  if (type.width === 128 && rest.order === 'weak') return storeHalves(at, source, rest);
  const values = elements.map((element) =>
    at.value(element, type, { widerAllowed: true, untyped: qualifiers.type === undefined }),
  );
  if (values.some((value) => value === undefined)) return;
  at.emit({ kind: 'store', type, values: values as Operand[], ...rest });
}

export function access({ order, scope, mmio, space }: Given, proxy: Proxy): AccessQualifiers {
  if (order === 'volatile' && space === 'local')
    return { order: 'weak', scope: undefined, proxy, volatile: true, mmio: false };
  // 8.4.2: a volatile operation is a relaxed one at system scope.
  if (order === 'volatile') return { order: 'relaxed', scope: 'sys', proxy, volatile: true, mmio: false };
  return { order, scope, proxy, volatile: false, mmio: mmio !== undefined };
}

export function vectorElements(
  at: InstructionDecoder,
  operand: OperandSyntax,
  vector: Given['vector'],
): readonly OperandSyntax[] | undefined {
  const length = vector === undefined ? 1 : Number(vector.slice(1));
  if (length === 1)
    return operand.kind === 'vector' ? at.refuse(operand, 'a vector operand needs .v2, .v4 or .v8') : [operand];
  if (operand.kind !== 'vector' || operand.elements.length !== length)
    return at.refuse(operand, `.v${length} needs a vector of ${length}: {a, b${length === 4 ? ', c, d' : ''}}`);
  return operand.elements;
}

/** Whether an access can be what it says: inside its location, aligned, in its state space and through its proxy. */
export function checkAccess(
  at: InstructionDecoder,
  { space, vector }: Given,
  proxy: Proxy,
  found: FoundAddress,
  type: DataType,
  elements: number,
): boolean {
  const bytes = (type.width / 8) * elements;
  // Of 32-byte accesses there are few (PTX ISA, ld and st: .v8 of 32 bits, .v4 of 64, in global memory).
  const wide = bytes === 32 && type.width >= 32 && (space === undefined || space === 'global');
  const wrong = (message: string): false => at.refuse(undefined, message) ?? false;
  if (elements > 1 && (bytes > 16 ? !wide : vector === 'v8' && type.width !== 16))
    return wrong(
      `a vector access has at most 128 bits, or 256 as .v8 of 32 or .v4 of 64 bits in .global, this one ${8 * bytes}`,
    );
  const { range } = found;
  if (range?.proxy !== undefined && range.proxy !== proxy)
    return wrong(
      `${range.name} is reached through the ${range.proxy} proxy, but ${at.mnemonic} uses the ${proxy} proxy`,
    );
  return checkPlace(at, space, found, bytes, bytes);
}
