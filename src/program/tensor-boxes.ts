import { showDataType } from './data-type.js';
import type { Tensor } from './locations.js';
import { CHUNK, swizzled } from './matrix-layout.js';

/** A run of bytes of a box. */
export interface Run {
  /** In the tile, in bytes. */
  readonly at: number;
  /** In the tensor, in bytes; undefined: outside of it. */
  readonly global: number | undefined;
  readonly bytes: number;
}

/** How many rows tile::gather4 and tile::scatter4 move, one after the other in the tile. */
export const GATHERED_ROWS = 4;

/**
 * The runs of bytes of a tile that begins somewhere in shared memory, or why there are none: of the box at a corner, or
 * of rows from one column on.
 */
export function tileRuns(tensor: Tensor, place: TilePlace): readonly Run[] | string {
  const { shape, target } = tensor;
  if (shape === undefined) return `the tensor map of ${target.name} says no box: write tensormap(.type, …)`;
  const { corner, isOfRows, start } = place;
  const trapped = trappedBy(shape, place);
  if (trapped !== undefined) return trapped;
  const runs = plainRuns(tensor, shape, corner, isOfRows);
  if (shape.swizzle === undefined || typeof runs === 'string') return runs;
  if (start === undefined) return 'where a swizzled tile begins must be known before the test is run';
  return swizzledRuns(runs, shape.swizzle, Number(start & PATTERN));
}

/** A tile: at which corner of its tensor it begins, and where in shared memory, if that is known. */
export interface TilePlace {
  readonly corner: readonly number[];
  readonly isOfRows: boolean;
  /** It is stored to the tensor. */
  readonly isStored: boolean;
  readonly start: bigint | undefined;
}

/** Of what PTX does not say that it is undefined, and an H200 does not do: it ends with an illegal instruction. */
function trappedBy({ strides }: Shape, { corner, isOfRows, isStored }: TilePlace): string | undefined {
  const [first = 0] = corner;
  const bytes = first * (strides[0] ?? 1);
  if (isOfRows) return undefined;
  if (bytes % CHUNK !== 0)
    return `a box begins at a multiple of 16 bytes of a row, and this one at ${bytes}: an H200 traps there`;
  const outside = corner.find((coordinate) => coordinate < 0);
  return isStored && outside !== undefined
    ? `a box that is stored to begins in its tensor, and this one at the coordinate ${outside}: an H200 traps there`
    : undefined;
}

/** All patterns of swizzling modes begin again at a multiple of this. */
const PATTERN = 1023n;

function plainRuns(
  tensor: Tensor,
  shape: Shape,
  corner: readonly number[],
  isOfRows: boolean,
): readonly Run[] | string {
  const { target } = tensor;
  const { length } = shape.box;
  if (!isOfRows)
    return length === corner.length
      ? boxRuns(tensor, corner)
      : `the tensor has ${length} dimensions, and this copy names ${corner.length} coordinates`;
  if (length !== 2 || shape.box[1] !== 1)
    return `rows need a box of one row in 2 dimensions, and that of ${target.name} is ${shape.box.join(' x ')}`;
  const [column = 0, ...rows] = corner;
  return rows.flatMap((row, i) =>
    boxRuns(tensor, [column, row]).map((run) => ({ ...run, at: run.at + i * pitchOf(shape) })),
  );
}

type Shape = NonNullable<Tensor['shape']>;

/** From one row of a tile to the next, in bytes. */
const pitchOf = ({ box, strides, swizzle }: Shape): number => swizzle ?? (box[0] ?? 1) * (strides[0] ?? 1);

/** The same runs where chunks of a row are exchanged, by their addresses in shared memory. */
function swizzledRuns(runs: readonly Run[], span: number, start: number): readonly Run[] {
  const chunks: Run[] = [];
  for (const { at, global, bytes } of runs)
    for (let done = 0; done < bytes; ) {
      const address = start + at + done;
      const size = Math.min(bytes - done, CHUNK - (address % CHUNK));
      const place = swizzled(address, span) - start;
      append(chunks, { at: place, global: global === undefined ? undefined : global + done, bytes: size });
      done += size;
    }
  return chunks;
}

/** Takes one more run, as part of the last one if it follows that in both memories. */
function append(runs: Run[], run: Run): void {
  const last = runs.at(-1);
  const follows =
    last !== undefined &&
    last.at + last.bytes === run.at &&
    (last.global === undefined) === (run.global === undefined) &&
    (last.global === undefined || last.global + last.bytes === run.global);
  if (follows) runs[runs.length - 1] = { ...last, bytes: last.bytes + run.bytes };
  else if (run.bytes > 0) runs.push(run);
}

/** The runs of bytes of a box, by where they are in the tile before chunks are exchanged. */
export function boxRuns({ shape, target }: Tensor, corner: readonly number[]): readonly Run[] {
  if (shape === undefined)
    throw new Error(`the tensor ${target.name} (.${showDataType(target.elementType)}) has no shape`);
  const { box, dimensions, strides } = shape;
  const [width = 1, ...outer] = box;
  const element = strides[0] ?? 1;
  const rows = outer.reduce((product, size) => product * size, 1);
  const pitch = pitchOf(shape);
  const runs: Run[] = [];
  for (let row = 0; row < rows; row++) {
    let rest = row;
    let offset = 0;
    let isInside = true;
    outer.forEach((size, i) => {
      const coordinate = (corner[i + 1] ?? 0) + (rest % size);
      rest = Math.floor(rest / size);
      offset += coordinate * (strides[i + 1] ?? 0);
      isInside &&= coordinate >= 0 && coordinate < (dimensions[i + 1] ?? 1);
    });
    const first = corner[0] ?? 0;
    const from = Math.min(Math.max(-first, 0), width);
    const to = Math.min(Math.max((dimensions[0] ?? 1) - first, from), width);
    const at = row * pitch;
    const part = (start: number, end: number, inside: boolean): void =>
      append(runs, {
        at: at + start * element,
        global: inside ? offset + (first + start) * element : undefined,
        bytes: (end - start) * element,
      });
    if (!isInside) part(0, width, false);
    else {
      if (from > 0) part(0, from, false);
      if (to > from) part(from, to, true);
      if (to < width) part(to, width, false);
    }
  }
  return runs;
}
