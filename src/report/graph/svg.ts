import type { CandidateExecution } from '../../execution/candidate-execution.js';
import { escaped } from '../markup.js';
import { type Arrangement, arrange, type Item, type Node } from './arrange.js';
import { type BundledEdge, bundled } from './bundle-edges.js';
import type { DrawnEdge } from './drawn-relations.js';
import { type Area, placeLabels } from './place-labels.js';
import { type Curve, type End, routeArrows } from './route-arrows.js';
import { type EdgeStyle, edgeStyle, MARK, type Theme } from './themes.js';

export interface SvgOptions {
  readonly theme: Theme;
  readonly title: string;
  /** Events that stand out, such as the two that race. */
  readonly marked?: readonly number[];
}

const MARGIN = 10;
const LINE = 15;
const DASHES = { solid: undefined, dashed: '6 4', dotted: '2 3' } as const;

/**
 * The execution as a picture of its own, without Graphviz: for pages, which can fade and hide what it is made of. Each
 * arrow is a group of class `edge` with its relation in `data-relation`, each node one of class `node`.
 */
export function svgGraph(
  execution: CandidateExecution,
  edges: readonly DrawnEdge[],
  { theme, title, marked = [] }: SvgOptions,
): string {
  const arrangement = arrange(execution);
  const { items, nodes, around } = arrangement;
  const arrows = bundled(edges, nodes).flatMap((edge) => arrowOf(edge, arrangement));
  const areas = [...new Set(nodes.values())];
  const curves = routeArrows(arrows, areas);
  const labels = placeLabels(
    arrows.map(({ edge }, i) => ({ id: `${i}`, points: curves[i] as Curve, label: edge.relation })),
    areas,
  );
  const width = around.right + 2 * MARGIN;
  const height = around.top - around.bottom + 2 * MARGIN;
  // Measures go up from the lower left corner, those of SVG down from the upper left one.
  const pen = new Pen((y) => around.top + MARGIN - y);
  const isMarked = ({ cell }: Node): boolean => cell.events.some(({ id }) => marked.includes(id));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} 0 ${round(width)} ${round(height)}" ` +
      `width="${round(width)}" height="${round(height)}" role="img" font-family="Helvetica, Arial, sans-serif">`,
    `<title>${escaped(title)}</title>`,
    ...items
      .filter(({ kind }) => kind === 'box')
      .reverse()
      .map((item) => pen.item(item, false)),
    ...items.filter(({ kind }) => kind !== 'box').map((item) => pen.item(item, item.kind === 'node' && isMarked(item))),
    ...arrows.map(({ edge, dot }, i) =>
      pen.arrow(edge, curves[i] as Curve, labels.get(`${i}`), edgeStyle(theme, edge.relation), dot),
    ),
    '</svg>',
    '',
  ].join('\n');
}

interface PlacedArrow {
  readonly edge: BundledEdge;
  readonly from: End;
  readonly to: End;
  /** It begins at a write of the initial state, for which a dot stands. */
  readonly dot: boolean;
}

function arrowOf(edge: BundledEdge, { nodes }: Arrangement): readonly PlacedArrow[] {
  const [source, target] = [nodes.get(edge.from), nodes.get(edge.to)];
  if (target === undefined) return [];
  const end = (node: Node, event: number): End => {
    const row = node.cell.events.findIndex(({ id }) => id === event);
    const isOne = !edge.whole && node.cell.events.length > 1;
    return isOne ? { ...node, row: lineOf(node, row) } : node;
  };
  const to = end(target, edge.to);
  if (source !== undefined) return [{ edge, from: end(source, edge.from), to, dot: false }];
  const { x, y, width, height } = target;
  return [{ edge, from: { x: x - width / 2 - 26, y: y + height / 2 - 2, width: 0, height: 0 }, to, dot: true }];
}

/** The height of the middle of a line of a node. */
const lineOf = ({ y, height }: Node, row: number): number => y + height / 2 - 5 - LINE * (row + 0.5);

class Pen {
  constructor(private readonly down: (y: number) => number) {}

  item(item: Item, isMarked: boolean): string {
    switch (item.kind) {
      case 'box': {
        const { left, right, top, bottom } = item.around;
        return (
          `<g class="box"><rect x="${round(left)}" y="${this.y(top)}" width="${round(right - left)}" ` +
          `height="${round(top - bottom)}" rx="4" fill="none" stroke="#888888"/>` +
          `${this.text(item.title, left + 8, top - 14, 'font-size="12" fill="#595959"')}</g>`
        );
      }
      case 'heading':
        return this.text(item.title, item.x, item.y - 5, 'class="heading" font-size="14" text-anchor="middle"');
      case 'node':
        return this.node(item, isMarked);
    }
  }

  private node(node: Node, isMarked: boolean): string {
    const { x, y, width, height, cell, source } = node;
    const letters = cell.events.map(({ letter, text }, i) =>
      this.text(
        `${letter}: ${text}`,
        x,
        lineOf(node, i) - 4,
        'font-size="12" text-anchor="middle" font-family="Courier New, Courier, monospace"',
      ),
    );
    const below =
      source === ''
        ? ''
        : this.text(
            source,
            x,
            lineOf(node, cell.events.length) - 1,
            'font-size="8" text-anchor="middle" fill="#505050"',
          );
    return (
      `<g class="node${isMarked ? ' marked' : ''}" data-events="${cell.events.map(({ id }) => id).join(' ')}">` +
      `<rect x="${round(x - width / 2)}" y="${this.y(y + height / 2)}" width="${round(width)}" ` +
      `height="${round(height)}" rx="6" fill="white" stroke="${isMarked ? MARK : '#888888'}"` +
      `${isMarked ? ' stroke-width="2.5"' : ''}/>${letters.join('')}${below}</g>`
    );
  }

  arrow(
    { from, to, relation, weight }: BundledEdge,
    curve: Curve,
    label: Area | undefined,
    style: EdgeStyle,
    dot: boolean,
  ): string {
    const color = weight === 'faded' ? '#b0b0b0' : style.color;
    const [a, b, c, d] = curve.map(({ x, y }) => `${round(x)} ${this.y(y)}`);
    const path = `M${a} C${b} ${c} ${d}`;
    const dash = DASHES[style.style];
    const width = weight === 'thick' ? 3 : 1.3;
    const dashed = dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
    const doubled = style.double === true && weight === 'plain';
    return (
      `<g class="edge ${weight}" data-relation="${escaped(relation)}" data-from="${from}" data-to="${to}">` +
      `<path d="${path}" fill="none" stroke="${color}" stroke-width="${doubled ? 4 : width}"${dashed}/>` +
      `${doubled ? `<path d="${path}" fill="none" stroke="white" stroke-width="1.6"/>` : ''}` +
      `${dot ? `<circle cx="${round(curve[0].x)}" cy="${this.y(curve[0].y)}" r="2.5" fill="${color}"/>` : ''}` +
      `${style.undirected === true ? '' : this.head(curve, color, weight === 'thick' ? 1.4 : 1)}` +
      `${label === undefined ? '' : this.label(relation, label, weight === 'faded' ? '#767676' : color)}</g>`
    );
  }

  /** A white edge keeps a label readable where it lies on an arrow. */
  private label(text: string, { x, y }: Area, color: string): string {
    const attributes = `font-size="10" text-anchor="middle" fill="${color}" stroke="white" stroke-width="3"`;
    return this.text(text, x, y - 3.5, `${attributes} paint-order="stroke"`);
  }

  private head([, , before, end]: Curve, color: string, size: number): string {
    const angle = Math.atan2(this.down(end.y) - this.down(before.y), end.x - before.x);
    const corner = (turn: number): string => {
      const [x, y] = [Math.cos(angle + turn), Math.sin(angle + turn)];
      return `${round(end.x - 9 * size * x)},${round(this.down(end.y) - 9 * size * y)}`;
    };
    return `<polygon points="${round(end.x)},${this.y(end.y)} ${corner(0.38)} ${corner(-0.38)}" fill="${color}"/>`;
  }

  private text(text: string, x: number, y: number, attributes: string): string {
    return `<text x="${round(x)}" y="${this.y(y)}" ${attributes} xml:space="preserve">${escaped(text)}</text>`;
  }

  private y(y: number): string {
    return round(this.down(y));
  }
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
