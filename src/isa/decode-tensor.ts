import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import { type DataType, PREDICATE, showDataType } from '../program/data-type.js';
import type { Tensor, VirtualRange } from '../program/locations.js';
import type { Address, AtomicOperation, Operand } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import { BULK_ALIGNMENT, decodeEnding, place, requireMultiple, WEAK } from './decode-async.js';
import { objectAddress } from './decode-mbarrier.js';
import { type Decoder, windowOf } from './decoder.js';
import { TYPES_OF } from './qualifier-rules.js';
import { constant } from './steps.js';

/**
 * Tensor copies, abstractly: a tile is a run of bytes of a location, the descriptor (`tensormap(x, bytes)`) holds the
 * address of the tensor, and the first coordinate counts its elements. The descriptor is read through the tensormap
 * proxy. And cluster launch control.
 */
const COORDINATE: DataType = { kind: 's', width: 32 };
const ADDRESS: DataType = { kind: 'u', width: 64 };

interface TensorQualifiers {
  readonly dimension: string;
  readonly space: string;
  readonly mechanism: string;
  readonly multicast?: string;
}

export function decodeTensorCopy(decoder: Decoder, instruction: InstructionSyntax, qualifiers: TensorQualifiers): void {
  decodeTile(decoder, instruction, qualifiers, undefined);
}

export function decodeTensorReduction(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: TensorQualifiers & { readonly operation: AtomicOperation },
): void {
  decodeTile(decoder, instruction, qualifiers, qualifiers.operation);
}

function decodeTile(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: TensorQualifiers,
  operation: AtomicOperation | undefined,
): void {
  const stores = qualifiers.space === 'global';
  const [tileOperand, memory] = stores
    ? [instruction.operands[0], instruction.operands[1]]
    : [instruction.operands[1], instruction.operands[0]];
  const dimension = Number(qualifiers.dimension[0]);
  if (tileOperand?.kind !== 'tensor' || tileOperand.coordinates.length !== dimension)
    return void decoder.refuse(
      tileOperand?.span ?? instruction.span,
      `a tile of a .${qualifiers.dimension} tensor is [map, ` +
        `{${Array.from({ length: dimension }, (_, i) => `c${i}`).join(', ')}}]`,
    );
  const isShaped = decoder.locations.objects.some(({ tensors }) =>
    tensors.some(({ tensor: { shape } }) => shape !== undefined),
  );
  const tensor = isShaped ? { target: undefined, bytes: 0 } : tensorOf(decoder, tileOperand);
  const coordinates = isShaped
    ? tileOperand.coordinates.map((one) => decoder.value(one, COORDINATE)).filter((one) => one !== undefined)
    : undefined;
  const descriptor = place(decoder, instruction, tileOperand, undefined, DESCRIPTOR_BYTES, 64);
  const coordinate =
    tensor?.target === undefined
      ? isShaped
        ? constant(0)
        : undefined
      : byteOffset(decoder, instruction, tileOperand.coordinates, tensor.target);
  const local = place(
    decoder,
    instruction,
    memory,
    stores ? 'shared::cta' : qualifiers.space,
    tensor?.bytes ?? 0,
    BULK_ALIGNMENT,
  );
  const ending = decodeEnding(decoder, instruction, qualifiers, instruction.operands.slice(2), 2);
  if (
    tensor === undefined ||
    descriptor === undefined ||
    coordinate === undefined ||
    local === undefined ||
    ending === undefined
  )
    return;
  const global: Address = { ...descriptor, window: 'global' };
  const type = tensor.target?.elementType ?? COORDINATE;
  if (
    tensor.target !== undefined &&
    operation !== undefined &&
    !(TYPES_OF[operation] ?? []).includes(showDataType(type))
  )
    return void decoder.refuse(
      instruction.span,
      `.${operation} needs a tensor of type ${(TYPES_OF[operation] ?? []).map((name) => `.${name}`).join(', ')}; ` +
        `${tensor.target.name} has .${showDataType(type)}`,
    );
  decoder.emit(instruction, {
    kind: 'async',
    proxy: 'async',
    // A tensor reduction is relaxed at gpu scope, element by element (PTX ISA, cp.reduce.async.bulk.tensor).
    ...(operation === undefined ? WEAK : { ...WEAK, order: 'relaxed', scope: 'gpu' }),
    source: {
      kind: 'memory',
      address: stores ? local : global,
      bytes: { kind: 'constant', value: BigInt(tensor.bytes) },
      given: undefined,
      ignored: undefined,
    },
    destination: stores ? global : local,
    reduction: operation === undefined ? undefined : { operation, type },
    ...ending,
    tile: {
      descriptor,
      coordinate,
      side: stores ? 'destination' : 'source',
      ...(coordinates === undefined ? {} : { coordinates }),
    },
    // A coordinate may be any element; what is aligned is the tile in shared memory and the start of the tensor.
    rules: ['tile-alignment', ...(stores ? [] : (['mbarrier-with-destination'] as const))],
  });
}

/** The tensor that a descriptor is declared with; of a descriptor in a register: what all of the test's agree on. */
function tensorOf(decoder: Decoder, operand: Extract<OperandSyntax, { kind: 'tensor' }>): Tensor | undefined {
  const { base, span } = operand;
  const named =
    typeof base === 'string' && decoder.isLocation(base)
      ? decoder.location(base, span).object.tensors[0]?.tensor
      : undefined;
  if (typeof base === 'string' && decoder.isLocation(base)) {
    return (
      named ??
      decoder.refuse(
        span,
        `${base} is not declared as a tensor map`,
        `declare it as .global .align 64 .b8 ${base}[128] = tensormap(x, bytes), x being the tensor's location`,
      )
    );
  }
  const tensors = decoder.locations.objects.flatMap((object) => object.tensors.map(({ tensor }) => tensor));
  const [first] = tensors;
  if (first === undefined)
    return decoder.refuse(
      span,
      'the test declares no tensor map',
      'declare one as .global .align 64 .b8 map[128] = tensormap(x, bytes)',
    );
  const agree = tensors.every(
    ({ bytes, target }) => bytes === first.bytes && target.elementType.width === first.target.elementType.width,
  );
  return agree
    ? first
    : decoder.refuse(span, 'the tensor maps of this test have tiles of different sizes: name the one that is meant');
}

function byteOffset(
  decoder: Decoder,
  instruction: InstructionSyntax,
  coordinates: readonly OperandSyntax[],
  target: VirtualRange,
): Operand | undefined {
  const [first, ...others] = coordinates;
  for (const other of others) {
    if (other.kind !== 'number' || other.value !== 0n)
      return decoder.refuse(other.span, 'a tile is one run of bytes here: the coordinates after the first are 0');
  }
  const elementBytes = BigInt(target.elementType.width / 8);
  const value = decoder.value(first, COORDINATE);
  if (value?.kind !== 'register')
    return value === undefined ? undefined : { kind: 'constant', value: BigInt.asIntN(32, value.value) * elementBytes };
  const offset = decoder.temporary(ADDRESS, instruction.span);
  const arithmetic = { name: 'multiply-wide', signed: true, width: 32, resultWidth: 64 } as const;
  decoder.emit(instruction, {
    kind: 'compute',
    target: offset,
    type: ADDRESS,
    arithmetic,
    operands: [value, { kind: 'constant', value: elementBytes }],
  });
  return { kind: 'register', name: offset };
}

/** A weak generic write of the field of the descriptor that holds the address of the tensor. */
export function decodeTensormapReplace(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: { readonly space?: string },
): void {
  const [map, value] = instruction.operands;
  const address = place(decoder, instruction, map, qualifiers.space, DESCRIPTOR_BYTES, 64);
  const target = decoder.value(value, ADDRESS);
  if (address === undefined || target === undefined) return;
  requireMultiple(decoder, instruction, target, ADDRESS, 'tensor-alignment');
  decoder.emit(instruction, { kind: 'store', type: ADDRESS, values: [target], address, proxy: 'generic', ...WEAK });
}

export function decodeTensormapCopy(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { scope }: { readonly scope: Scope },
): void {
  const [to, from, size] = instruction.operands;
  if (size?.kind !== 'number' || size.value !== BigInt(DESCRIPTOR_BYTES))
    return void decoder.refuse(size?.span ?? instruction.span, 'the size is 128, the bytes of a tensor map');
  const destination = place(decoder, instruction, to, 'global', DESCRIPTOR_BYTES, DESCRIPTOR_BYTES);
  const source = place(decoder, instruction, from, 'shared::cta', DESCRIPTOR_BYTES, DESCRIPTOR_BYTES);
  if (destination !== undefined && source !== undefined)
    decoder.emit(instruction, { kind: 'tensormap-copy', source, destination, scope });
}

const RESPONSE: DataType = { kind: 'b', width: 128 };
/**
 * Set when the thread has seen a request fail: another one is then undefined (PTX ISA,
 * clusterlaunchcontrol.try_cancel).
 */
const FAILED = '#cancellation-failed';

/**
 * The response here: bit 0 tells success, the words after the first are the coordinates of a CTA that the test does not
 * show.
 */
export function decodeTryCancel(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: { readonly space?: string; readonly multicast?: string },
): void {
  const multicasts = qualifiers.multicast !== undefined;
  const window = multicasts ? ('shared::cta' as const) : windowOf(qualifiers.space ?? 'shared::cta');
  const bytes = RESPONSE.width / 8;
  const destination = place(decoder, instruction, instruction.operands[0], 'shared::cta', bytes, bytes);
  const object = objectAddress(decoder, instruction, 1, window);
  if (destination === undefined || object === undefined) return;
  const unfailed = decoder.temporary(PREDICATE, instruction.span);
  decoder.hidden(FAILED, PREDICATE, instruction.span);
  decoder.emit(instruction, {
    kind: 'compute',
    target: unfailed,
    type: PREDICATE,
    arithmetic: { name: 'not', signed: false, width: 1, resultWidth: 1 },
    operands: [{ kind: 'register', name: FAILED }],
  });
  decoder.emit(instruction, {
    kind: 'require',
    value: { kind: 'register', name: unfailed },
    rule: 'request-after-failure',
  });
  decoder.emit(instruction, {
    kind: 'async',
    proxy: 'async',
    ...WEAK,
    source: { kind: 'response' },
    destination: multicasts ? { ...destination, window: 'shared::cluster' } : destination,
    reduction: undefined,
    completion: { kind: 'mbarrier', object: multicasts ? { ...object, window: 'shared::cluster' } : object },
    multicast: multicasts ? { kind: 'constant', value: 0xffffn } : undefined,
    tile: undefined,
    rules: [],
  });
}

export function decodeQueryCancel(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: { readonly query: string; readonly vector?: string },
): void {
  const [destination, operand] = instruction.operands;
  const response = decoder.value(operand, RESPONSE);
  if (response === undefined) return;
  const field = (shift: number, type: DataType, target: string): void => {
    const arithmetic = { name: 'shift-right', signed: false, width: RESPONSE.width, resultWidth: type.width } as const;
    decoder.emit(instruction, {
      kind: 'compute',
      target,
      type,
      arithmetic,
      operands: [response, { kind: 'constant', value: BigInt(shift) }],
    });
  };
  const succeeded = decoder.temporary(PREDICATE, instruction.span);
  field(0, PREDICATE, succeeded);
  if (qualifiers.query === 'is_canceled') {
    const target = decoder.target(destination, PREDICATE);
    if (target === undefined) return;
    field(0, PREDICATE, target);
    const failed = decoder.temporary(PREDICATE, instruction.span);
    decoder.hidden(FAILED, PREDICATE, instruction.span);
    const arithmetic = { signed: false, width: 1, resultWidth: 1 };
    decoder.emit(instruction, {
      kind: 'compute',
      target: failed,
      type: PREDICATE,
      arithmetic: { name: 'not', ...arithmetic },
      operands: [{ kind: 'register', name: succeeded }],
    });
    const operands: Operand[] = [
      { kind: 'register', name: FAILED },
      { kind: 'register', name: failed },
    ];
    return decoder.emit(instruction, {
      kind: 'compute',
      target: FAILED,
      type: PREDICATE,
      arithmetic: { name: 'or', ...arithmetic },
      operands,
    });
  }
  decoder.emit(instruction, {
    kind: 'require',
    value: { kind: 'register', name: succeeded },
    rule: 'answer-of-failure',
  });
  const word: DataType = { kind: 'b', width: 32 };
  const dimensions = ['get_first_ctaid::x', 'get_first_ctaid::y', 'get_first_ctaid::z'];
  const targets =
    qualifiers.vector === undefined
      ? [destination]
      : destination?.kind === 'vector'
        ? destination.elements.slice(0, 3)
        : [];
  if (qualifiers.vector !== undefined && (destination?.kind !== 'vector' || destination.elements.length !== 4))
    return void decoder.refuse(destination?.span ?? instruction.span, 'expected a vector of 4: {x, y, z, _}');
  targets.forEach((one, i) => {
    if (one?.kind === 'sink') return;
    const target = decoder.target(one, word);
    const index = qualifiers.vector === undefined ? dimensions.indexOf(qualifiers.query) : i;
    if (target !== undefined) field(32 * (index + 1), word, target);
  });
}
