import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import { parseDataType } from '../program/data-type.js';
import type { Tensor, VirtualRange } from '../program/locations.js';
import type { LocationDeclaration, TensorShape } from '../syntax/litmus-ast.js';

const MOST_DIMENSIONS = 5;
const LARGEST_BOX = 256n;
const STRIDE_UNIT = 16n;

/** Bytes from one element, row, plane … to the next, innermost first. */
const stridesOf = ({ strides }: TensorShape, elementBytes: bigint): readonly bigint[] => [elementBytes, ...strides];

/** Modes, by within how many bytes chunks are exchanged (PTX ISA, Swizzling Modes). */
const SWIZZLES: ReadonlyMap<string, number | undefined> = new Map([
  ['none', undefined],
  ['32B', 32],
  ['64B', 64],
  ['128B', 128],
]);
const spanOf = ({ swizzle }: TensorShape): number | undefined =>
  swizzle === undefined ? undefined : SWIZZLES.get(swizzle);

/** What a tensor map cannot be (CUDA driver API, cuTensorMapEncodeTiled). */
export function wrongShape(shape: TensorShape, target: VirtualRange, bytes: number): string | undefined {
  const type = parseDataType(shape.type);
  const { dimensions, strides, box, name } = shape;
  if (type === undefined || type.width < 8) return `.${shape.type} is no type of tensor elements`;
  if (bytes !== DESCRIPTOR_BYTES) return 'a tensor map has 128 bytes';
  if (target.object.space !== 'global') return `a tensor lies in .global memory; ${name} does not`;
  if (target.base % STRIDE_UNIT !== 0n)
    return `a tensor starts at a multiple of 16 bytes: declare ${name} with .align 16`;
  const rank = dimensions.length;
  if (rank < 1 || rank > MOST_DIMENSIONS) return `a tensor has 1 to ${MOST_DIMENSIONS} dimensions`;
  if (box.length !== rank || strides.length !== rank - 1)
    return `a tensor of ${rank} dimensions has ${rank} numbers in box and ${rank - 1} in strides`;
  if (dimensions.some((size) => size < 1n) || box.some((size) => size < 1n || size > LARGEST_BOX))
    return 'dimensions are at least 1, and those of a box 1 to 256';
  const wrongStride = strides.find((stride) => stride < 1n || stride % STRIDE_UNIT !== 0n);
  if (wrongStride !== undefined) return `a stride is a multiple of 16 bytes; ${wrongStride} is not`;
  const elementBytes = BigInt(type.width / 8);
  if (((box[0] ?? 0n) * elementBytes) % STRIDE_UNIT !== 0n) return 'a row of a box has a multiple of 16 bytes';
  const { swizzle } = shape;
  if (swizzle !== undefined && !SWIZZLES.has(swizzle))
    return `a swizzle is one of ${[...SWIZZLES.keys()].join(', ')}; ${swizzle} is none`;
  const span = spanOf(shape);
  if (span !== undefined && (box[0] ?? 0n) * elementBytes > BigInt(span))
    return `a row of a box has no more bytes than chunks are exchanged within, which are ${span}`;
  const all = stridesOf(shape, elementBytes);
  const end = dimensions.reduce((sum, size, i) => sum + (size - 1n) * (all[i] ?? 0n), elementBytes);
  return end > BigInt(target.object.size)
    ? `the tensor needs ${end} bytes, and ${name} has ${target.object.size}`
    : undefined;
}

/** A shape that is none of those. */
export function tensorOfShape(shape: TensorShape, target: VirtualRange): Tensor {
  const elementType = parseDataType(shape.type) ?? target.elementType;
  const elementBytes = elementType.width / 8;
  const box = shape.box.map(Number);
  return {
    target,
    bytes: box.reduce((product, size) => product * size, elementBytes),
    shape: {
      elementType,
      dimensions: shape.dimensions.map(Number),
      strides: stridesOf(shape, BigInt(elementBytes)).map(Number),
      box,
      swizzle: spanOf(shape),
    },
  };
}

/** A tensor map may be declared without saying that it has 128 bytes of global memory. */
export function asMap(declaration: LocationDeclaration): LocationDeclaration {
  const { span } = declaration;
  if (declaration.directives.length > 0) return declaration;
  const directives = [
    { name: 'global', span },
    { name: 'align', span, argument: 64n },
    { name: 'b8', span },
  ];
  return { ...declaration, directives, elements: DESCRIPTOR_BYTES };
}
