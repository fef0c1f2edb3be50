import { UsageError } from '../diagnostics/usage-error.js';
import { type Area, type Point, placeLabels } from '../report/graph/place-labels.js';

/**
 * Draws a graph of Graphviz whose nodes have their places: only the arrows are routed, and then their labels are
 * placed. Graphviz comes as WASM, loaded when it is needed.
 */
export async function renderSvg(dot: string): Promise<string> {
  const { instance } = await import('@viz-js/viz').catch(() => {
    throw new UsageError(
      'pictures need the optional package @viz-js/viz, which is not installed: npm install @viz-js/viz; --format ' +
        'ascii and --format dot do without',
    );
  });
  const viz = await instance();
  const { objects = [], edges = [] } = viz.renderJSON(dot, { engine: 'nop' }) as Routed;
  const nodes = objects.flatMap(({ pos, width, height }): readonly Area[] => {
    if (pos === undefined || width === undefined || height === undefined) return [];
    const [x = 0, y = 0] = pos.split(',').map(Number);
    return [{ x, y, width: Number(width) * POINTS, height: Number(height) * POINTS }];
  });
  const routed = edges.flatMap(({ id, pos, label }) =>
    pos === undefined ? [] : [{ id, points: controlPoints(pos), label }],
  );
  const labels = placeLabels(routed, nodes);
  // The places are those that Graphviz moved everything to, so the labels go into what it wrote.
  const placed = routed.reduce(
    (text, { id }) => {
      const label = labels.get(id);
      if (label === undefined) return text;
      return text.replace(
        new RegExp(`(\\bid=${id},[^\\]]*?\\blp=)"[^"]*"`),
        `$1"${label.x.toFixed(1)},${label.y.toFixed(1)}"`,
      );
    },
    viz.renderString(dot, { format: 'dot', engine: 'nop' }),
  );
  return viz.renderString(placed, { format: 'svg', engine: 'nop2' });
}

/** What Graphviz says of nodes and arrows that it has placed; sizes are in inches. */
interface Routed {
  readonly objects?: readonly { readonly pos?: string; readonly width?: string; readonly height?: string }[];
  readonly edges?: readonly { readonly id: string; readonly pos?: string; readonly label: string }[];
}
const POINTS = 72;

/** Of a spline: `e,x,y x,y ...` with arrow heads named first (Graphviz, splineType). */
const controlPoints = (spline: string): readonly Point[] =>
  spline
    .split(/\s+/)
    .filter((part) => !/^[se],/.test(part))
    .map((part) => {
      const [x = 0, y = 0] = part.split(',').map(Number);
      return { x, y };
    });
