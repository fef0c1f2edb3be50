import type { DataType, TypeName } from '../program/data-type.js';
import { canReach, initialValue, type VirtualRange } from '../program/locations.js';
import type { AccessQualifiers, Address, Operand, Order, Proxy } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import { cellAt, decodeCellAccess } from './decode-parameters.js';
import { type Decoder, windowOf } from './decoder.js';
import { constant, Steps } from './steps.js';

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

export function decodeLoad(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Given, proxy: Proxy): void {
  const [target, source] = instruction.operands;
  if (
    qualifiers.type === undefined &&
    (source?.kind === 'number' ||
      (source?.kind === 'name' && decoder.registers.has(source.name) && !decoder.isLocation(source.name)))
  ) {
    return decodeRegisterMove(decoder, instruction);
  }
  if (target === undefined) return;
  const elements = vectorElements(decoder, target, qualifiers.vector);
  const cell = cellAt(decoder, source);
  if (cell !== undefined && elements !== undefined)
    return decodeCellAccess(decoder, instruction, cell, qualifiers.type, elements);
  const at = decoder.address(source, windowOf(qualifiers.space));
  if (at === undefined) return;
  const type = decoder.type(qualifiers.type, at.range);
  if (
    elements === undefined ||
    !checkAccess(decoder, instruction, qualifiers, proxy, at.range, at.address.offset, type, elements.length)
  )
    return;
  const rest = { address: at.address, ...access(qualifiers, qualifiers.readOnly === undefined ? proxy : 'readonly') };
  if (
    at.range?.object.space === 'param' &&
    loadParameter(decoder, instruction, at.range, at.address.offset, type, elements)
  )
    return;
  if (type.width === 128 && rest.order === 'weak') return loadHalves(decoder, instruction, target, rest);
  const untyped = qualifiers.type === undefined;
  const targets = elements.map((element) =>
    decoder.target(element, type, { widerAllowed: true, untyped, sink: elements.length > 1 }),
  );
  decoder.emit(instruction, { kind: 'load', type, targets, ...rest });
}

/** A parameter of the kernel whose value the test gives is that value; whether it is (PTX ISA, Kernel Parameters). */
function loadParameter(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { object }: VirtualRange,
  offset: bigint,
  type: DataType,
  elements: readonly OperandSyntax[],
): boolean {
  const bytes = type.width / 8;
  const values = elements.map((_, i) => initialValue(object, Number(offset) + i * bytes, bytes));
  if (values.some((value) => value === undefined)) return false;
  const steps = new Steps(decoder, instruction);
  elements.forEach((element, i) => {
    const target = decoder.target(element, type, { widerAllowed: true, sink: elements.length > 1 });
    if (target !== undefined) steps.result(target, type, constant(values[i] ?? 0n));
  });
  return true;
}

const HALF: DataType = { kind: 'b', width: 64 };

/**
 * A weak access of 128 bits is two scalar ones of 64 bits in unspecified order (PTX ISA 8.2.4); a strong one is whole,
 * as an atomic is (docs/decisions/128-bit-accesses.md).
 */
function loadHalves(
  decoder: Decoder,
  instruction: InstructionSyntax,
  target: OperandSyntax,
  rest: AccessQualifiers & { readonly address: Address },
): void {
  const type: DataType = { kind: 'b', width: 128 };
  const register = decoder.target(target, type);
  if (register === undefined) return;
  const halves = [decoder.temporary(HALF, instruction.span), decoder.temporary(HALF, instruction.span)];
  decoder.emit(instruction, { kind: 'load', type: HALF, targets: halves, ...rest });
  const arithmetic = { name: 'concatenate', signed: false, width: 64, resultWidth: 128 } as const;
  decoder.emit(instruction, {
    kind: 'compute',
    target: register,
    type,
    arithmetic,
    operands: halves.map((name) => ({ kind: 'register', name })),
  });
}

function storeHalves(
  decoder: Decoder,
  instruction: InstructionSyntax,
  source: OperandSyntax,
  rest: AccessQualifiers & { readonly address: Address },
): void {
  const value = decoder.value(source, { kind: 'b', width: 128 });
  if (value === undefined) return;
  const values = [0n, 64n].map((shift): Operand => {
    const half = decoder.temporary(HALF, instruction.span);
    const arithmetic = { name: 'shift-right', signed: false, width: 128, resultWidth: 64 } as const;
    decoder.emit(instruction, {
      kind: 'compute',
      target: half,
      type: HALF,
      arithmetic,
      operands: [value, { kind: 'constant', value: shift }],
    });
    return { kind: 'register', name: half };
  });
  decoder.emit(instruction, { kind: 'store', type: HALF, values, ...rest });
}

/** `ld r0, 1`: a move, in the Dat3M dialect. */
function decodeRegisterMove(decoder: Decoder, instruction: InstructionSyntax): void {
  if (instruction.qualifiers.length > 0)
    return void decoder.refuse(
      instruction.span,
      'a load needs an address such as [x]; without one, ld takes no qualifiers and is a move',
    );
  const type = decoder.type(undefined);
  const target = decoder.target(instruction.operands[0], type, { untyped: true });
  const value = decoder.value(instruction.operands[1], type, { untyped: true });
  if (target === undefined || value === undefined) return;
  decoder.emit(instruction, {
    kind: 'compute',
    target,
    type,
    arithmetic: { name: 'move', signed: false, width: type.width, resultWidth: type.width },
    operands: [value],
  });
}

export function decodeStore(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Given, proxy: Proxy): void {
  const [target, source] = instruction.operands;
  if (source === undefined) return;
  const elements = vectorElements(decoder, source, qualifiers.vector);
  const cell = cellAt(decoder, target);
  if (cell !== undefined && elements !== undefined)
    return decodeCellAccess(decoder, instruction, cell, qualifiers.type, elements);
  const at = decoder.address(target, windowOf(qualifiers.space));
  if (at === undefined) return;
  const type = decoder.type(qualifiers.type, at.range);
  if (
    elements === undefined ||
    !checkAccess(decoder, instruction, qualifiers, proxy, at.range, at.address.offset, type, elements.length)
  )
    return;
  const rest = { address: at.address, ...access(qualifiers, proxy) };
  if (type.width === 128 && rest.order === 'weak') return storeHalves(decoder, instruction, source, rest);
  const values = elements.map((element) =>
    decoder.value(element, type, { widerAllowed: true, untyped: qualifiers.type === undefined }),
  );
  if (values.some((value) => value === undefined)) return;
  decoder.emit(instruction, { kind: 'store', type, values: values as Operand[], ...rest });
}

export function access({ order, scope, mmio, space }: Given, proxy: Proxy): AccessQualifiers {
  if (order === 'volatile' && space === 'local')
    return { order: 'weak', scope: undefined, proxy, volatile: true, mmio: false };
  // 8.4.2: a volatile operation is a relaxed one at system scope.
  if (order === 'volatile') return { order: 'relaxed', scope: 'sys', proxy, volatile: true, mmio: false };
  return { order, scope, proxy, volatile: false, mmio: mmio !== undefined };
}

export function vectorElements(
  decoder: Decoder,
  operand: OperandSyntax,
  vector: Given['vector'],
): readonly OperandSyntax[] | undefined {
  const length = vector === undefined ? 1 : Number(vector.slice(1));
  if (length === 1)
    return operand.kind === 'vector'
      ? decoder.refuse(operand.span, 'a vector operand needs .v2, .v4 or .v8')
      : [operand];
  if (operand.kind !== 'vector' || operand.elements.length !== length)
    return decoder.refuse(
      operand.span,
      `.v${length} needs a vector of ${length}: {a, b${length === 4 ? ', c, d' : ''}}`,
    );
  return operand.elements;
}

/** Whether an access can be what it says: inside its location, aligned, in its state space and through its proxy. */
export function checkAccess(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { space, vector }: Given,
  proxy: Proxy,
  range: VirtualRange | undefined,
  offset: bigint,
  type: DataType,
  elements: number,
): boolean {
  const bytes = (type.width / 8) * elements;
  // Of 32-byte accesses there are few (PTX ISA, ld and st: .v8 of 32 bits, .v4 of 64, in global memory).
  const wide = bytes === 32 && type.width >= 32 && (space === undefined || space === 'global');
  if (elements > 1 && (bytes > 16 ? !wide : vector === 'v8' && type.width !== 16))
    return (
      decoder.refuse(
        instruction.span,
        `a vector access has at most 128 bits, or 256 as .v8 of 32 or .v4 of 64 bits in .global, this one ${8 * bytes}`,
      ) ?? false
    );
  if (range?.proxy !== undefined && range.proxy !== proxy) {
    return (
      decoder.refuse(
        instruction.span,
        `${range.name} is reached through the ${range.proxy} proxy, but ${instruction.mnemonic} uses the ` +
          `${proxy} proxy`,
      ) ?? false
    );
  }
  return checkPlace(decoder, instruction, space, range, offset, bytes, bytes);
}

/**
 * Whether an address that names its location is inside it, aligned, and in the state space that the instruction names.
 */
export function checkPlace(
  decoder: Decoder,
  instruction: InstructionSyntax,
  stateSpace: string | undefined,
  range: VirtualRange | undefined,
  offset: bigint,
  bytes: number,
  alignment: number,
): boolean {
  if (range === undefined) return true;
  const { object } = range;
  if (offset < 0n || offset + BigInt(bytes) > BigInt(object.size)) {
    return (
      decoder.refuse(
        instruction.span,
        `this access of ${bytes} bytes at offset ${offset} leaves ${range.name}, which has ${object.size} bytes`,
      ) ?? false
    );
  }
  if (offset % BigInt(alignment) !== 0n)
    return (
      decoder.refuse(
        instruction.span,
        `this access of ${bytes} bytes at offset ${offset} of ${range.name} is not aligned to ` +
          `${alignment === bytes ? 'its size' : `${alignment} bytes`}`,
      ) ?? false
    );
  const space = stateSpace?.startsWith('shared') === true ? 'shared' : stateSpace;
  if (space !== undefined && space !== object.space)
    return (
      decoder.refuse(instruction.span, `.${stateSpace} is used for ${range.name}, which is .${object.space}`) ?? false
    );
  if (!canReach(object, decoder.placement))
    return (
      decoder.refuse(
        instruction.span,
        `${range.name} is in the shared memory of another cluster, which this thread cannot reach`,
      ) ?? false
    );
  if (object.cta !== undefined && object.cta !== decoder.placement.cta && stateSpace !== 'shared::cluster') {
    return (
      decoder.refuse(
        instruction.span,
        `${range.name} is in another CTA's shared memory: only .shared::cluster reaches it`,
      ) ?? false
    );
  }
  return true;
}
