import type { CandidateExecution } from '../../execution/candidate-execution.js';
import type { DrawnEdge } from './drawn-relations.js';
import { type Box, type Cell, type Column, layOut } from './layout.js';
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
  const depth = Math.max(...layout.boxes.map(depthOf));
  const heights = Array.from({ length: layout.rows }, (_, row) =>
    Math.max(0, ...layout.columns.flatMap(({ cells }) => cells.filter((cell) => cell.row === row).map(heightOf))),
  );
  const height = heights.reduce((sum, one) => sum + one + ROW_GAP, 0) + 2 * PADDING + depth * (PADDING + TITLE) + TITLE;
  const top = height - depth * (PADDING + TITLE) - 2 * TITLE;
  /** The upper border of a row; of the one behind the last the lower border of all. */
  const y = (row: number): number => heights.slice(0, row).reduce((at, one) => at - one - ROW_GAP, top);
  const lines: string[] = [];
  const nodes = new Map<number, Node>();
  let x = PADDING;

  const drawColumn = ({ title: name, cells }: Column): Drawn => {
    const width = Math.max(name.length * CHARACTER, ...cells.map(widthOf)) + 16;
    const center = x + width / 2;
    const heading = `heading${lines.length}`;
    lines.push(
      `  ${heading} [shape=plaintext, label=${quoted(name)}, pos="${at(center, y(0) + HEADING)}", ` +
        'height=0.32, ' +
        `width=${inches(width)}, fontname="Helvetica", fontsize=14];`,
    );
    const names = cells.map((cell) => {
      const node = {
        name: `e${cell.events[0]?.id}`,
        x: center,
        y: y(cell.row) - heightOf(cell) / 2,
        width,
        height: heightOf(cell),
      };
      for (const { id } of cell.events) nodes.set(id, { ...node, port: cell.events.length > 1 ? `:p${id}` : '' });
      lines.push(
        `  ${node.name} [label=<${labelOf(cell)}>, pos="${at(node.x, node.y)}", width=${inches(width)}, ` +
          `height=${inches(heightOf(cell))}];`,
      );
      return node.name;
    });
    const around = { left: x, bottom: y(layout.rows), right: x + width, top: y(0) + 2 * TITLE };
    x += width + COLUMN_GAP;
    return { around, names: [heading, ...names] };
  };
  let boxes = 0;
  const drawBox = (box: Box): Drawn => {
    x += PADDING;
    const parts = box.content.map((part) => ('cells' in part ? drawColumn(part) : drawBox(part)));
    x += PADDING;
    const borders = parts.map(({ around }) => around);
    const around = {
      left: Math.min(...borders.map(({ left }) => left)) - PADDING,
      bottom: Math.min(...borders.map(({ bottom }) => bottom)) - PADDING / 2,
      right: Math.max(...borders.map(({ right }) => right)) + PADDING,
      top: Math.max(...borders.map((one) => one.top)) + TITLE,
    };
    const names = parts.flatMap((part) => part.names);
    lines.push(
      `  subgraph cluster${boxes++} { label=${quoted(box.title)}; ` +
        `bb="${at(around.left, around.bottom)},${at(around.right, around.top)}"; ` +
        `lp="${at(around.left + 8 + box.title.length * 3.5, around.top - 10)}"; ${names.join('; ')}; }`,
    );
    return { around, names };
  };
  const all = layout.boxes.map((box) => drawBox(box).around);

  for (const [i, { from, to, relation, weight, whole }] of bundled(edges, nodes).entries()) {
    const [source, target] = [nodes.get(from), nodes.get(to)];
    if (target === undefined) continue;
    const style = edgeStyle(theme, relation);
    const doubled = style.double === true && weight === 'plain';
    const attributes = [
      `id="edge${i}"`,
      `label=${quoted(relation)}`,
      `color="${weight === 'faded' ? '#c8c8c8' : doubled ? `${style.color}:${style.color}` : style.color}"`,
      `fontcolor="${weight === 'faded' ? '#909090' : style.color}"`,
      `style=${style.style}`,
      ...(style.undirected === true ? ['dir=none'] : []),
      ...(weight === 'thick' ? ['penwidth=3'] : []),
    ].join(', ');
    const end = ({ name, port }: Node): string => `${name}${whole ? '' : port}`;
    if (source !== undefined) lines.push(`  ${end(source)} -> ${end(target)} [${attributes}];`);
    else {
      // The initial writes are hidden: a small dot stands for what was there before.
      const dot = `initial${from}_${to}`;
      lines.push(
        `  ${dot} [shape=point, label="", width=0.06, height=0.06, ` +
          `pos="${at(target.x - target.width / 2 - 26, target.y + target.height / 2 - 2)}"];`,
        `  ${dot} -> ${end(target)} [${attributes}];`,
      );
    }
  }
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
    ...lines,
    '}',
    '',
  ].join('\n');
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
  const groups = new Map<string, DrawnEdge[]>();
  for (const edge of kept) groups.set(key(edge), [...(groups.get(key(edge)) ?? []), edge]);
  return [...groups.values()].flatMap((group): readonly BundledEdge[] => {
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
