import type { Area, Point } from './place-labels.js';

/** A cubic curve: where it begins, its two control points, where it ends. */
export type Curve = readonly [Point, Point, Point, Point];

/** A node that an arrow may begin or end at; `row`: the height at which it meets the left and the right side. */
export interface End extends Area {
  readonly row?: number | undefined;
}

export interface Arrow {
  readonly from: End;
  readonly to: End;
}

/** Where an arrow may meet a node, and the direction out of the node there. */
interface Anchor extends Point {
  readonly out: Point;
}

const UP: Point = { x: 0, y: 1 };
const DOWN: Point = { x: 0, y: -1 };
const LEFT: Point = { x: -1, y: 0 };
const RIGHT: Point = { x: 1, y: 0 };
/** Parts of a side, from its middle. */
const ACROSS = [0, -0.25, 0.25];
const BESIDE = [0, -0.3, 0.3];
const SAMPLES = Array.from({ length: 17 }, (_, i) => (i + 1) / 18);
/** In points: what each way to look bad is worth. */
const THROUGH_NODE = 400;
const SHARED_END = 60;
const CLOSE = 14;
const ALONG_OTHER = 20;

/**
 * Draws each arrow as a curve between two sides of its nodes: of all ways to do so the one that passes through fewest
 * nodes, keeps away from the arrows before it, and is short. Nodes stay where they are, which layered layouts do not
 * grant.
 */
export function routeArrows(arrows: readonly Arrow[], nodes: readonly Area[]): readonly Curve[] {
  const taken = new Taken();
  return arrows.flatMap(({ from, to }): readonly Curve[] => {
    let best: { readonly curve: Curve; readonly passes: readonly Point[]; readonly cost: number } | undefined;
    for (const start of anchorsOf(from))
      for (const end of anchorsOf(to)) {
        const curve = between(start, end);
        const passes = SAMPLES.map((along) => pointOn(curve, along));
        const inside = passes.filter((point) => nodes.some((node) => contains(node, point))).length;
        const cost = lengthOf(passes) + inside * THROUGH_NODE + taken.cost(curve, passes);
        if (best === undefined || cost < best.cost) best = { curve, passes, cost };
      }
    if (best === undefined) return [];
    taken.add(best.curve, best.passes);
    return [best.curve];
  });
}

/** Where arrows pass and end, by squares. */
class Taken {
  private readonly passed = new Map<string, number>();
  private readonly ends = new Map<string, number>();

  add([start, , , end]: Curve, passes: readonly Point[]): void {
    for (const point of passes) count(this.passed, point);
    for (const point of [start, end]) count(this.ends, point);
  }

  cost([start, , , end]: Curve, passes: readonly Point[]): number {
    const of = (map: ReadonlyMap<string, number>, points: readonly Point[]): number =>
      points.reduce((sum, point) => sum + (map.get(square(point)) ?? 0), 0);
    return of(this.ends, [start, end]) * SHARED_END + of(this.passed, passes) * ALONG_OTHER;
  }
}

const square = ({ x, y }: Point): string => `${Math.round(x / CLOSE)} ${Math.round(y / CLOSE)}`;

function count(map: Map<string, number>, point: Point): void {
  const at = square(point);
  map.set(at, (map.get(at) ?? 0) + 1);
}

function anchorsOf({ x, y, width, height, row }: End): readonly Anchor[] {
  if (width === 0) return [LEFT, RIGHT, UP, DOWN].map((out) => ({ x, y, out }));
  const beside = row === undefined ? BESIDE.map((part) => y + part * height) : [row];
  return [
    ...ACROSS.flatMap((part): readonly Anchor[] => [
      { x: x + part * width, y: y + height / 2, out: UP },
      { x: x + part * width, y: y - height / 2, out: DOWN },
    ]),
    ...beside.flatMap((at): readonly Anchor[] => [
      { x: x - width / 2, y: at, out: LEFT },
      { x: x + width / 2, y: at, out: RIGHT },
    ]),
  ];
}

/** Leaves and comes in at right angles to the sides. */
function between(start: Anchor, end: Anchor): Curve {
  const bend = Math.min(90, Math.max(12, Math.hypot(end.x - start.x, end.y - start.y) * 0.35));
  const beyond = ({ x, y, out }: Anchor): Point => ({ x: x + out.x * bend, y: y + out.y * bend });
  return [start, beyond(start), beyond(end), end];
}

function pointOn([a, b, c, d]: Curve, t: number): Point {
  const u = 1 - t;
  const mix = (of: (point: Point) => number): number =>
    u ** 3 * of(a) + 3 * u ** 2 * t * of(b) + 3 * u * t ** 2 * of(c) + t ** 3 * of(d);
  return { x: mix(({ x }) => x), y: mix(({ y }) => y) };
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

const lengthOf = (passes: readonly Point[]): number =>
  passes.reduce((sum, point, i) => sum + (i === 0 ? 0 : distance(point, passes[i - 1] ?? point)), 0);

const contains = ({ x, y, width, height }: Area, point: Point): boolean =>
  Math.abs(point.x - x) < width / 2 && Math.abs(point.y - y) < height / 2;
