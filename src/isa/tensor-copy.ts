import { DESCRIPTOR_BYTES, type PlaceRule } from '../program/async-operation.js';
import { type DataType, showDataType } from '../program/data-type.js';
import type { Tensor, VirtualRange } from '../program/locations.js';
import { type Address, type AtomicOperation, constant, type Operand } from '../program/operation.js';
import { GATHERED_ROWS } from '../program/tensor-boxes.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { BULK_ALIGNMENT, decodeEnding } from './bulk-copy.js';
import { emitAsync, fromMemory } from './emit-async.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { place } from './place.js';
import { TYPES_OF } from './qualifier-rules.js';

/**
 * Tensor copies, abstractly: a tile is a run of bytes of a location, the descriptor (`tensormap(x, bytes)`) holds the
 * address of the tensor, and the first coordinate counts its elements. The descriptor is read through the tensormap
 * proxy.
 */
const COORDINATE: DataType = { kind: 's', width: 32 };

type TensorOperand = Extract<OperandSyntax, { kind: 'tensor' }>;

interface TensorQualifiers {
  readonly dimension: string;
  readonly space: string;
  readonly mechanism: string;
  readonly mode?: string;
  readonly multicast?: string;
  readonly group?: string;
}

export function decodeTile(
  at: InstructionDecoder,
  qualifiers: TensorQualifiers,
  operation: AtomicOperation | undefined,
): void {
  const stores = qualifiers.space === 'global';
  const [first, second] = at.operands;
  const [tileOperand, memory] = stores ? [first, second] : [second, first];
  // Of a gather, or scatter, one column and four rows (PTX ISA, Tiled Mode: tile::gather4).
  const isOfRows = qualifiers.mode?.startsWith('tile::') === true;
  const dimension = isOfRows ? 1 + GATHERED_ROWS : Number(qualifiers.dimension[0]);
  if (tileOperand?.kind !== 'tensor' || tileOperand.coordinates.length !== dimension)
    return void at.refuse(
      tileOperand,
      `${isOfRows ? 'four rows' : 'a tile'} of a .${qualifiers.dimension} tensor ${isOfRows ? 'are' : 'is'} [map, ` +
        `{${Array.from({ length: dimension }, (_, i) => `c${i}`).join(', ')}}]`,
    );
  const tile = tileOf(at, tileOperand, isOfRows);
  const descriptor = place(at, tileOperand, undefined, DESCRIPTOR_BYTES, 64);
  const coordinate = tile?.target === undefined ? constant(0) : byteOffset(at, tileOperand.coordinates, tile.target);
  const local = place(at, memory, stores ? 'shared::cta' : qualifiers.space, tile?.bytes ?? 0, BULK_ALIGNMENT);
  const ending = decodeEnding(at, qualifiers, at.operands.slice(2));
  if (tile === undefined || descriptor === undefined || coordinate === undefined) return;
  if (local === undefined || ending === undefined) return;
  const global: Address = { ...descriptor, window: 'global' };
  const type = tile.target?.elementType ?? COORDINATE;
  if (tile.target !== undefined && operation !== undefined && !isReducible(at, tile.target, operation)) return;
  const { coordinates } = tile;
  emitAsync(at, {
    // A tensor reduction is relaxed at gpu scope, element by element (PTX ISA, cp.reduce.async.bulk.tensor).
    ...(operation === undefined ? {} : { order: 'relaxed', scope: 'gpu' }),
    source: fromMemory(stores ? local : global, constant(tile.bytes)),
    destination: stores ? global : local,
    reduction: operation === undefined ? undefined : { operation, type },
    ...ending,
    tile: {
      ...{ descriptor, coordinate, side: stores ? 'destination' : 'source' },
      ...(coordinates === undefined ? {} : { coordinates }),
      ...(isOfRows ? { isOfRows } : {}),
    },
    // A coordinate may be any element; what is aligned is the tile in shared memory and the start of the tensor.
    rules: ['tile-alignment', ...(stores ? [] : [toldIn(qualifiers)])],
  });
}

/** Where the mbarrier may be that tells the end (PTX ISA, cp.async.bulk.tensor). */
const toldIn = ({ group }: TensorQualifiers): PlaceRule =>
  group === 'cta_group::2' ? 'mbarrier-in-pair' : 'mbarrier-with-destination';

/** A tile is a run of bytes of a tensor, or in a test whose tensors have shapes still to be cut, by its coordinates. */
interface Tile {
  readonly target: VirtualRange | undefined;
  readonly bytes: number;
  readonly coordinates?: readonly Operand[];
}

function tileOf(at: InstructionDecoder, operand: TensorOperand, isOfRows: boolean): Tile | undefined {
  const isShaped = at.decoder.thread.locations.objects.some(({ tensors }) =>
    tensors.some(({ tensor: { shape } }) => shape !== undefined),
  );
  if (!isShaped && isOfRows)
    return at.refuse(operand, 'rows need tensor maps with a shape', 'declare one as map = tensormap(.type, x, …)');
  if (!isShaped) return tensorOf(at, operand);
  const coordinates = operand.coordinates.map((one) => at.value(one, COORDINATE)).filter((one) => one !== undefined);
  return { target: undefined, bytes: 0, coordinates };
}

/** Whether a reduction is one of the elements of a tensor. */
function isReducible(at: InstructionDecoder, { name, elementType }: VirtualRange, operation: AtomicOperation): boolean {
  const types = TYPES_OF[operation] ?? [];
  if (types.includes(showDataType(elementType))) return true;
  at.refuse(
    undefined,
    `.${operation} needs a tensor of type ${types.map((one) => `.${one}`).join(', ')}; ` +
      `${name} has .${showDataType(elementType)}`,
  );
  return false;
}

/** The tensor that a descriptor is declared with; of a descriptor in a register: what all of the test's agree on. */
function tensorOf(at: InstructionDecoder, operand: TensorOperand): Tensor | undefined {
  const { base, span } = operand;
  if (typeof base === 'string' && at.decoder.isLocation(base))
    return (
      at.decoder.location(base, span).object.tensors[0]?.tensor ??
      at.refuse(
        operand,
        `${base} is not declared as a tensor map`,
        `declare it as .global .align 64 .b8 ${base}[128] = tensormap(x, bytes), x being the tensor's location`,
      )
    );
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
