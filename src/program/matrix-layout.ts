import { joinedRanges } from './joined-ranges.js';

/** A matrix in shared memory, as an instruction takes it. */
export interface MatrixShape {
  /** Its elements along M or N, and along K, and how many bits each has. */
  readonly extent: number;
  readonly depth: number;
  readonly bits: number;
  /** Elements along M or N, and not along K, are next to each other. */
  readonly isTransposed: boolean;
}

/** Bytes one after the other, by the address of the first in the shared memory of the CTA. */
export interface MatrixRun {
  readonly address: number;
  readonly bytes: number;
}

/** Fields of a matrix descriptor, in bits (PTX ISA, wgmma and tcgen05: matrix descriptor format). */
const FIELDS = { start: 0n, leading: 16n, stride: 32n, baseOffset: 49n, swizzle: 62n } as const;
/** Of tcgen05: the leading dimension is an address; chunks of 32 bytes are exchanged. */
const OTHER_LAYOUTS = [52n, 61n] as const;
/** By the swizzling mode: over so many bytes; without, a core matrix has 8 rows of 16 bytes. */
const SPANS = [16, 128, 64, 32] as const;
/** The bytes that a swizzling mode exchanges at once. */
export const CHUNK = 16;
const ROWS = 8;

/**
 * The bytes of a matrix that a descriptor describes (PTX ISA, wgmma and tcgen05: strides, canonical layouts, swizzling
 * modes); undefined where its pattern does not begin at a multiple of its size, and of layouts that tcgen05 has besides
 * those of wgmma. In chunks of 16 bytes: 8 rows of a span are next to each other, further ones a stride away; a matrix
 * that is wider than a span goes on at the leading dimension. Swizzling exchanges the chunks of a row by the number of
 * the row in the pattern.
 */
export function matrixRuns(
  descriptor: bigint,
  { extent, depth, bits, isTransposed }: MatrixShape,
): MatrixRun[] | undefined {
  const field = (at: bigint, width: bigint): number => Number((descriptor >> at) & ((1n << width) - 1n));
  const [start, leading, stride] = [FIELDS.start, FIELDS.leading, FIELDS.stride].map(
    (at) => CHUNK * field(at, 14n),
  ) as [number, number, number];
  if (field(FIELDS.baseOffset, 3n) !== 0 || OTHER_LAYOUTS.some((at) => field(at, 1n) !== 0)) return undefined;
  const span = SPANS[field(FIELDS.swizzle, 2n)] ?? CHUNK;
  const [rows, length] = isTransposed ? [depth, extent] : [extent, depth];
  // Without swizzle both strides of a transposed matrix have the other's meaning.
  const [across, along] = span === CHUNK && isTransposed ? [leading, stride] : [stride, leading];
  const chunks = new Set<number>();
  for (let row = 0; row < rows; row++)
    for (let chunk = 0; chunk < Math.ceil((length * bits) / 8 / CHUNK); chunk++) {
      const inSpan = span / CHUNK;
      const column = isTransposed || span === CHUNK ? [chunk % inSpan, Math.floor(chunk / inSpan)] : [chunk, 0];
      const [near = 0, far = 0] = column;
      const plain = start + (row % ROWS) * span + Math.floor(row / ROWS) * across + near * CHUNK + far * along;
      chunks.add(swizzled(plain, span));
    }
  const ranges = joinedRanges([...chunks].map((chunk) => [chunk, chunk + CHUNK] as const));
  return ranges.map(([address, end]) => ({ address, bytes: end - address }));
}

/** Where a byte of shared memory stands by a swizzling mode over so many bytes (PTX ISA, Swizzling Modes). */
export const swizzled = (address: number, span: number): number =>
  address ^ (((address >> 7) & (span / CHUNK - 1)) << 4);
