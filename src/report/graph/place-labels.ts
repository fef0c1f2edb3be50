/** A rectangle by its center, in points. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** An arrow with its way: the control points of a piecewise cubic curve. */
export interface RoutedEdge {
  readonly id: string;
  readonly points: readonly Point[];
  readonly label: string;
}

const CHARACTER = 6.2;
const LABEL_HEIGHT = 12;
/** Steps along an arrow, from its middle to its ends; and aside, in halves of the label: at 1 it touches the arrow. */
const ALONG = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.1, 0.9];
const ASIDE = [1, -1, 2, -2, 3, -3, 0];

/** Where an arrow is taken to pass. */
const SAMPLES = Array.from({ length: 41 }, (_, i) => i / 40);

/**
 * Places the labels of arrows so that none lies on another, nor on a node or an arrow where that can be helped:
 * Graphviz does that only in layouts of its own.
 */
export function placeLabels(edges: readonly RoutedEdge[], nodes: readonly Area[]): ReadonlyMap<string, Area> {
  const placed = new Map<string, Area>();
  const passed = edges.flatMap(({ points }) =>
    SAMPLES.map((along) => beside(points, along, 0, { width: 0, height: 0 })),
  );
  // Short arrows have the least choice.
  const byLength = [...edges].sort((a, b) => lengthOf(a.points) - lengthOf(b.points));
  for (const { id, points, label } of byLength) {
    const size = { width: label.length * CHARACTER + 4, height: LABEL_HEIGHT };
    const candidates = ASIDE.flatMap((aside) => ALONG.map((along) => beside(points, along, aside, size)));
    const hits = (area: Area): number =>
      1000 * count([...placed.values()], area) + 100 * count(nodes, area) + count(passed, area);
    const best = candidates.reduce((least, one) => (hits(one) < hits(least) ? one : least));
    placed.set(id, best);
  }
  return placed;
}

const count = (areas: readonly Area[], area: Area): number => areas.filter((one) => overlap(one, area)).length;

export function overlap(a: Area, b: Area): boolean {
  return Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2;
}

function lengthOf(points: readonly Point[]): number {
  return points.reduce((sum, { x, y }, i) => {
    const last = points[i - 1];
    return last === undefined ? sum : sum + Math.hypot(x - last.x, y - last.y);
  }, 0);
}

/** Beside a point of the piecewise cubic curve. */
function beside(
  points: readonly Point[],
  along: number,
  aside: number,
  { width, height }: Pick<Area, 'width' | 'height'>,
): Area {
  const pieces = Math.max(1, Math.floor((points.length - 1) / 3));
  const piece = Math.min(pieces - 1, Math.floor(along * pieces));
  const t = along * pieces - piece;
  const at = (i: number): Point => points[Math.min(points.length - 1, piece * 3 + i)] ?? { x: 0, y: 0 };
  const mix = (of: (point: Point) => number): readonly [value: number, slope: number] => {
    const [a, b, c, d] = [of(at(0)), of(at(1)), of(at(2)), of(at(3))];
    const u = 1 - t;
    return [
      u ** 3 * a + 3 * u ** 2 * t * b + 3 * u * t ** 2 * c + t ** 3 * d,
      3 * u ** 2 * (b - a) + 6 * u * t * (c - b) + 3 * t ** 2 * (d - c),
    ];
  };
  const [[x, dx], [y, dy]] = [mix((point) => point.x), mix((point) => point.y)];
  const norm = Math.hypot(dx, dy) || 1;
  const [across, up] = [-dy / norm, dx / norm];
  const away = aside * (Math.abs(across) * (width / 2) + Math.abs(up) * (height / 2));
  return { x: x + across * away, y: y + up * away, width, height };
}
