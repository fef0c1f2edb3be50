import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import { type DataType, PREDICATE, showDataType } from '../program/data-type.js';
import type { Tensor, VirtualRange } from '../program/locations.js';
import { type Address, type AtomicOperation, constant, type Operand } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { place } from './decode-access.js';
import { BULK_ALIGNMENT, decodeEnding, emitAsync, fromMemory, requireMultiple, WEAK } from './decode-async.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { windowOf } from './instruction-decoder.js';
import { objectAddress } from './mbarrier.js';
import { TYPES_OF } from './qualifier-rules.js';

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

export function decodeTensorCopy(at: InstructionDecoder, qualifiers: TensorQualifiers): void {
  decodeTile(at, qualifiers, undefined);
}

export function decodeTensorReduction(
  at: InstructionDecoder,
  qualifiers: TensorQualifiers & { readonly operation: AtomicOperation },
): void {
  decodeTile(at, qualifiers, qualifiers.operation);
}

function decodeTile(
  at: InstructionDecoder,
  qualifiers: TensorQualifiers,
  operation: AtomicOperation | undefined,
): void {
  const stores = qualifiers.space === 'global';
  const [tileOperand, memory] = stores ? [at.operands[0], at.operands[1]] : [at.operands[1], at.operands[0]];
  const dimension = Number(qualifiers.dimension[0]);
  if (tileOperand?.kind !== 'tensor' || tileOperand.coordinates.length !== dimension)
    return void at.refuse(
      tileOperand,
      `a tile of a .${qualifiers.dimension} tensor is [map, ` +
        `{${Array.from({ length: dimension }, (_, i) => `c${i}`).join(', ')}}]`,
    );
  const isShaped = at.decoder.thread.locations.objects.some(({ tensors }) =>
    tensors.some(({ tensor: { shape } }) => shape !== undefined),
  );
  const tensor = isShaped ? { target: undefined, bytes: 0 } : tensorOf(at, tileOperand);
  const coordinates = isShaped
    ? tileOperand.coordinates.map((one) => at.value(one, COORDINATE)).filter((one) => one !== undefined)
    : undefined;
  const descriptor = place(at, tileOperand, undefined, DESCRIPTOR_BYTES, 64);
  const coordinate =
    tensor?.target === undefined
      ? isShaped
        ? constant(0)
        : undefined
      : byteOffset(at, tileOperand.coordinates, tensor.target);
  const local = place(at, memory, stores ? 'shared::cta' : qualifiers.space, tensor?.bytes ?? 0, BULK_ALIGNMENT);
  const ending = decodeEnding(at, qualifiers, at.operands.slice(2), 2);
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
    return void at.refuse(
      undefined,
      `.${operation} needs a tensor of type ${(TYPES_OF[operation] ?? []).map((name) => `.${name}`).join(', ')}; ` +
        `${tensor.target.name} has .${showDataType(type)}`,
    );
  emitAsync(at, {
    // A tensor reduction is relaxed at gpu scope, element by element (PTX ISA, cp.reduce.async.bulk.tensor).
    ...(operation === undefined ? {} : { order: 'relaxed', scope: 'gpu' }),
    source: fromMemory(stores ? local : global, constant(BigInt(tensor.bytes))),
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
function tensorOf(at: InstructionDecoder, operand: Extract<OperandSyntax, { kind: 'tensor' }>): Tensor | undefined {
  const { base, span } = operand;
  const named =
    typeof base === 'string' && at.decoder.isLocation(base)
      ? at.decoder.location(base, span).object.tensors[0]?.tensor
      : undefined;
  if (typeof base === 'string' && at.decoder.isLocation(base)) {
    return (
      named ??
      at.refuse(
        operand,
        `${base} is not declared as a tensor map`,
        `declare it as .global .align 64 .b8 ${base}[128] = tensormap(x, bytes), x being the tensor's location`,
      )
    );
  }
  const tensors = at.decoder.thread.locations.objects.flatMap((object) => object.tensors.map(({ tensor }) => tensor));
  const [first] = tensors;
  if (first === undefined)
    return at.refuse(
      operand,
      'the test declares no tensor map',
      'declare one as .global .align 64 .b8 map[128] = tensormap(x, bytes)',
    );
  const agree = tensors.every(
    ({ bytes, target }) => bytes === first.bytes && target.elementType.width === first.target.elementType.width,
  );
  return agree
    ? first
    : at.refuse(operand, 'the tensor maps of this test have tiles of different sizes: name the one that is meant');
}

function byteOffset(
  at: InstructionDecoder,
  coordinates: readonly OperandSyntax[],
  target: VirtualRange,
): Operand | undefined {
  const [first, ...others] = coordinates;
  for (const other of others) {
    if (other.kind !== 'number' || other.value !== 0n)
      return at.refuse(other, 'a tile is one run of bytes here: the coordinates after the first are 0');
  }
  const elementBytes = BigInt(target.elementType.width / 8);
  const value = at.value(first, COORDINATE);
  if (value?.kind === 'constant') return constant(BigInt.asIntN(32, value.value) * elementBytes);
  return value && at.of(32, true).multiplyWide(value, constant(elementBytes));
}

/** A weak generic write of the field of the descriptor that holds the address of the tensor. */
export function decodeTensormapReplace(at: InstructionDecoder, qualifiers: { readonly space?: string }): void {
  const [map, value] = at.operands;
  const address = place(at, map, qualifiers.space, DESCRIPTOR_BYTES, 64);
  const target = at.value(value, ADDRESS);
  if (address === undefined || target === undefined) return;
  requireMultiple(at, target, ADDRESS.width, 'tensor-alignment');
  at.emit({ kind: 'store', type: ADDRESS, values: [target], address, proxy: 'generic', ...WEAK });
}

export function decodeTensormapCopy(at: InstructionDecoder, { scope }: { readonly scope: Scope }): void {
  const [to, from, size] = at.operands;
  if (size?.kind !== 'number' || size.value !== BigInt(DESCRIPTOR_BYTES))
    return void at.refuse(size, 'the size is 128, the bytes of a tensor map');
  const destination = place(at, to, 'global', DESCRIPTOR_BYTES, DESCRIPTOR_BYTES);
  const source = place(at, from, 'shared::cta', DESCRIPTOR_BYTES, DESCRIPTOR_BYTES);
  if (destination !== undefined && source !== undefined)
    at.emit({ kind: 'tensormap-copy', source, destination, scope });
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
  at: InstructionDecoder,
  qualifiers: { readonly space?: string; readonly multicast?: string },
): void {
  const multicasts = qualifiers.multicast !== undefined;
  const window = multicasts ? ('shared::cta' as const) : windowOf(qualifiers.space ?? 'shared::cta');
  const bytes = RESPONSE.width / 8;
  const destination = place(at, at.operands[0], 'shared::cta', bytes, bytes);
  const object = objectAddress(at, 1, window);
  if (destination === undefined || object === undefined) return;
  at.require(at.of(1).not(at.hidden(FAILED, PREDICATE)), 'request-after-failure');
  emitAsync(at, {
    source: { kind: 'response' },
    destination: multicasts ? { ...destination, window: 'shared::cluster' } : destination,
    completion: { kind: 'mbarrier', object: multicasts ? { ...object, window: 'shared::cluster' } : object },
    multicast: multicasts ? constant(0xffffn) : undefined,
  });
}

export function decodeQueryCancel(
  at: InstructionDecoder,
  qualifiers: { readonly query: string; readonly vector?: string },
): void {
  const [destination, operand] = at.operands;
  const response = at.value(operand, RESPONSE);
  if (response === undefined) return;
  const succeeded = at.of(1).element(response, RESPONSE.width, 0);
  if (qualifiers.query === 'is_canceled') {
    const target = at.target(destination, PREDICATE);
    if (target === undefined) return;
    at.result(target, PREDICATE, succeeded);
    const bit = at.of(1);
    return at.result(FAILED, PREDICATE, bit.or(at.hidden(FAILED, PREDICATE), bit.not(succeeded)));
  }
  at.require(succeeded, 'answer-of-failure');
  const word: DataType = { kind: 'b', width: 32 };
  const dimensions = ['get_first_ctaid::x', 'get_first_ctaid::y', 'get_first_ctaid::z'];
  const targets =
    qualifiers.vector === undefined
      ? [destination]
      : destination?.kind === 'vector'
        ? destination.elements.slice(0, 3)
        : [];
  if (qualifiers.vector !== undefined && (destination?.kind !== 'vector' || destination.elements.length !== 4))
    return void at.refuse(destination, 'expected a vector of 4: {x, y, z, _}');
  targets.forEach((one, i) => {
    if (one?.kind === 'sink') return;
    const target = at.target(one, word);
    const index = qualifiers.vector === undefined ? dimensions.indexOf(qualifiers.query) : i;
    if (target !== undefined) at.result(target, word, at.of(32).element(response, RESPONSE.width, index + 1));
  });
}
