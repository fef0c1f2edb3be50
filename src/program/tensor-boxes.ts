import { showDataType } from './data-type.js';
import type { Tensor } from './locations.js';

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

/** The runs of bytes of a tile, or why there are none: of the box at a corner, or of rows from one column on. */
export function tileRuns(tensor: Tensor, corner: readonly number[], isOfRows: boolean): readonly Run[] | string {
  const { shape, target } = tensor;
  if (shape === undefined) return `the tensor map of ${target.name} says no box: write tensormap(.type, …)`;
  const { length } = shape.box;
  if (!isOfRows)
    return length === corner.length
      ? boxRuns(tensor, corner)
      : `the tensor has ${length} dimensions, and this copy names ${corner.length} coordinates`;
  if (length !== 2 || shape.box[1] !== 1)
    return `rows need a box of one row in 2 dimensions, and that of ${target.name} is ${shape.box.join(' x ')}`;
  const [column = 0, ...rows] = corner;
  return rows.flatMap((row, i) =>
    boxRuns(tensor, [column, row]).map((run) => ({ ...run, at: run.at + i * tensor.bytes })),
  );
}

/** The runs of bytes of a box, by where they are in the tile. */
export function boxRuns({ shape, target }: Tensor, corner: readonly number[]): readonly Run[] {
  if (shape === undefined)
    throw new Error(`the tensor ${target.name} (.${showDataType(target.elementType)}) has no shape`);
  const { box, dimensions, strides } = shape;
  const [width = 1, ...outer] = box;
  const element = strides[0] ?? 1;
  const rows = outer.reduce((product, size) => product * size, 1);
  const runs: Run[] = [];
  const add = (run: Run): void => {
    const last = runs.at(-1);
    const follows =
      last !== undefined &&
      (last.global === undefined) === (run.global === undefined) &&
      (last.global === undefined || last.global + last.bytes === run.global);
    if (follows) runs[runs.length - 1] = { ...last, bytes: last.bytes + run.bytes };
    else if (run.bytes > 0) runs.push(run);
  };
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
    const at = row * width * element;
    const part = (start: number, end: number, inside: boolean): void =>
      add({
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
