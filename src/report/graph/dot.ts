import type { CandidateExecution } from '../../execution/candidate-execution.js';
import { groupBy } from '../../program/group-by.js';
import type { DrawnEdge } from './drawn-relations.js';
import { type Box, type Cell, type Column, type Layout, layOut } from './layout.js';
import { edgeStyle, type Theme } from './themes.js';

/** All measures in points, from the lower left corner, as Graphviz has them. */
const CHARACTER = 7.3;
const SMALL_CHARACTER = 4.9;
const LINE = 15;
const SOURCE_LINE = 11;
const NODE_PADDING = 10;
const ROW_GAP = 34;
const COLUMN_GAP = 70;
const PADDING = 22;
const TITLE = 20;
const HEADING = 20;
/** Of longer instructions the middle is left out. */
const MOST_SOURCE = 72;

interface Rectangle {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

interface Drawn {
  readonly around: Rectangle;
  readonly names: readonly string[];
}

/** Where an event is drawn: a node of Graphviz, and the place in it where it holds several. */
interface Node {
  readonly name: string;
  readonly port: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DotOptions {
  readonly theme: Theme;
  readonly title: string;
}

/**
 * The execution for Graphviz, every node in its place: `neato -n` (or the engine `nop`) draws the arrows and moves
 * nothing, where a layered layout would destroy the columns.
 */
export function dotGraph(
  execution: CandidateExecution,
  edges: readonly DrawnEdge[],
  { theme, title }: DotOptions,
): string {
  const layout = layOut(execution, true);
  const picture = new Picture(layout);
  const all = layout.boxes.map((box) => picture.box(box).around);
  for (const [i, edge] of bundled(edges, picture.nodes).entries()) picture.arrow(edge, `edge${i}`, theme);
  const right = Math.max(...all.map((one) => one.right));
  const bottom = Math.min(...all.map((one) => one.bottom));
  const above = Math.max(...all.map((one) => one.top)) + TITLE;
  return [
    'digraph execution {',
    `  graph [label=${quoted(title)}, labelloc=t, bb="${at(0, bottom)},${at(right, above)}", splines=true, ` +
      'fontname="Helvetica", fontsize=12, color="#888888"];',
    '  node [shape=box, style="rounded,filled", fillcolor="white", color="#888888", fontname="Courier", ' +
      'fontsize=12, fixedsize=true];',
    '  edge [fontname="Helvetica", fontsize=10];',
    ...picture.lines,
    '}',
    '',
  ].join('\n');
}

/** The statements of a picture, which is drawn from left to right. */
class Picture {
  readonly lines: string[] = [];
  /** By the events that they show. */
  readonly nodes = new Map<number, Node>();
  private readonly heights: readonly number[];
  private readonly top: number;
  private x = PADDING;
  private boxes = 0;

  constructor({ boxes, columns, rows }: Layout) {
    const depth = Math.max(...boxes.map(depthOf));
    this.heights = Array.from({ length: rows }, (_, row) =>
      Math.max(0, ...columns.flatMap(({ cells }) => cells.filter((cell) => cell.row === row).map(heightOf))),
    );
    const height =
      this.heights.reduce((sum, one) => sum + one + ROW_GAP, 0) + 2 * PADDING + depth * (PADDING + TITLE) + TITLE;
    this.top = height - depth * (PADDING + TITLE) - 2 * TITLE;
  }

  box({ title, content }: Box): Drawn {
    this.x += PADDING;
    const parts = content.map((part) => ('cells' in part ? this.column(part) : this.box(part)));
    this.x += PADDING;
    const borders = parts.map(({ around }) => around);
    const around = {
      left: Math.min(...borders.map(({ left }) => left)) - PADDING,
      bottom: Math.min(...borders.map(({ bottom }) => bottom)) - PADDING / 2,
      right: Math.max(...borders.map(({ right }) => right)) + PADDING,
      top: Math.max(...borders.map(({ top }) => top)) + TITLE,
    };
    const names = parts.flatMap((part) => part.names);
    this.lines.push(
      `  subgraph cluster${this.boxes++} { label=${quoted(title)}; ` +
        `bb="${at(around.left, around.bottom)},${at(around.right, around.top)}"; ` +
        `lp="${at(around.left + 8 + title.length * 3.5, around.top - 10)}"; ${names.join('; ')}; }`,
    );
    return { around, names };
  }

  /** The upper border of a row; of the one behind the last the lower border of all. */
  private y(row: number): number {
    return this.heights.slice(0, row).reduce((y, height) => y - height - ROW_GAP, this.top);
  }

  private column({ title, cells }: Column): Drawn {
    const { x: left, lines } = this;
    const width = Math.max(title.length * CHARACTER, ...cells.map(widthOf)) + 16;
    const center = left + width / 2;
    const heading = `heading${lines.length}`;
    lines.push(
      `  ${heading} [shape=plaintext, label=${quoted(title)}, pos="${at(center, this.y(0) + HEADING)}", ` +
        `height=0.32, width=${inches(width)}, fontname="Helvetica", fontsize=14];`,
    );
    const names = cells.map((cell) => this.node(cell, center, width));
    this.x += width + COLUMN_GAP;
    const around = { left, bottom: this.y(this.heights.length), right: left + width, top: this.y(0) + 2 * TITLE };
    return { around, names: [heading, ...names] };
  }

  private node(cell: Cell, x: number, width: number): string {
    const name = `e${cell.events[0]?.id}`;
    const height = heightOf(cell);
    const y = this.y(cell.row) - height / 2;
    for (const { id } of cell.events)
      this.nodes.set(id, { name, x, y, width, height, port: cell.events.length > 1 ? `:p${id}` : '' });
    this.lines.push(
      `  ${name} [label=<${labelOf(cell)}>, pos="${at(x, y)}", width=${inches(width)}, height=${inches(height)}];`,
    );
    return name;
  }

  arrow({ from, to, relation, weight, whole }: BundledEdge, id: string, theme: Theme): void {
    const [source, target] = [this.nodes.get(from), this.nodes.get(to)];
    if (target === undefined) return;
    const style = edgeStyle(theme, relation);
    const doubled = style.double === true && weight === 'plain';
    const attributes = [
      `id="${id}"`,
      `label=${quoted(relation)}`,
      `color="${weight === 'faded' ? '#c8c8c8' : doubled ? `${style.color}:${style.color}` : style.color}"`,
      `fontcolor="${weight === 'faded' ? '#909090' : style.color}"`,
      `style=${style.style}`,
      ...(style.undirected === true ? ['dir=none'] : []),
      ...(weight === 'thick' ? ['penwidth=3'] : []),
    ].join(', ');
    const end = ({ name, port }: Node): string => `${name}${whole ? '' : port}`;
    if (source !== undefined) {
      this.lines.push(`  ${end(source)} -> ${end(target)} [${attributes}];`);
      return;
    }
    // The initial writes are hidden: a small dot stands for what was there before.
    const dot = `initial${from}_${to}`;
    this.lines.push(
      `  ${dot} [shape=point, label="", width=0.06, height=0.06, ` +
        `pos="${at(target.x - target.width / 2 - 26, target.y + target.height / 2 - 2)}"];`,
      `  ${dot} -> ${end(target)} [${attributes}];`,
    );
  }
}

const heightOf = ({ events, source }: Cell): number =>
  events.length * LINE + (source === '' ? 0 : SOURCE_LINE) + NODE_PADDING;

const widthOf = ({ events, source }: Cell): number =>
  Math.max(
    ...events.map(({ letter, text }) => (letter.length + 2 + text.length) * CHARACTER),
    Math.min(source.length, MOST_SOURCE) * SMALL_CHARACTER,
  );

/** The events of a cell below each other, each a port, and the instruction below them in small letters. */
function labelOf({ events, source }: Cell): string {
  const row = (text: string, attributes = ''): string => `<TR><TD${attributes}>${text}</TD></TR>`;
  const rows = events.map(({ id, letter, text }) => row(markup(`${letter}: ${text}`), ` PORT="p${id}"`));
  // The operands stand at the end.
  const cut =
    source.length > MOST_SOURCE ? `${source.slice(0, MOST_SOURCE / 2)}...${source.slice(3 - MOST_SOURCE / 2)}` : source;
  const below = source === '' ? [] : [row(`<FONT POINT-SIZE="8" COLOR="#606060">${markup(cut)}</FONT>`)];
  return `<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="0">${[...rows, ...below].join('')}</TABLE>`;
}

interface BundledEdge extends DrawnEdge {
  /** It stands for all events of a node. */
  readonly whole: boolean;
}

/**
 * Of an asynchronous operation, which is one node, one arrow of a relation to another node stands for all; what it does
 * within itself is not drawn. The arrows of a cycle stay as they are.
 */
function bundled(edges: readonly DrawnEdge[], nodes: ReadonlyMap<number, Node>): readonly BundledEdge[] {
  const key = ({ from, to, relation }: DrawnEdge): string =>
    `${nodes.get(from)?.name ?? 'initial'} ${nodes.get(to)?.name} ${relation}`;
  const kept = edges.filter(
    ({ from, to, weight }) => weight === 'thick' || !nodes.has(from) || nodes.get(from)?.name !== nodes.get(to)?.name,
  );
  return [...groupBy(kept, key).values()].flatMap((group): readonly BundledEdge[] => {
    const thick = group.filter(({ weight }) => weight === 'thick');
    if (thick.length > 0) return thick.map((edge) => ({ ...edge, whole: false }));
    return group.slice(0, 1).map((edge) => ({ ...edge, whole: group.length > 1 }));
  });
}

const markup = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

function depthOf(box: Box): number {
  return 1 + Math.max(0, ...box.content.map((part) => ('cells' in part ? 0 : depthOf(part))));
}

const at = (x: number, y: number): string => `${x.toFixed(1)},${y.toFixed(1)}`;
const inches = (points: number): string => (points / 72).toFixed(3);
const quoted = (text: string): string => `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`;
