import type { CandidateExecution } from '../../execution/candidate-execution.js';
import type { DrawnEdge } from './drawn-relations.js';
import { type Box, type Column, columnsIn, layOut } from './layout.js';
import { edgeStyle, type Theme } from './themes.js';

/** All measures in points, from the lower left corner, as Graphviz has them. */
const CHARACTER = 7.3;
const ROW = 62;
const NODE_HEIGHT = 24;
const COLUMN_GAP = 70;
const PADDING = 22;
const TITLE = 20;

interface Rectangle {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
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
  const layout = layOut(execution);
  const shownNodes = new Set(layout.columns.flatMap(({ cells }) => cells.map(({ event }) => event)));
  const depth = Math.max(...layout.boxes.map(depthOf));
  const height = layout.rows * ROW + 2 * PADDING + depth * (PADDING + TITLE) + TITLE;
  const y = (row: number): number => height - depth * (PADDING + TITLE) - 2 * TITLE - ROW / 2 - row * ROW;
  const lines: string[] = [];
  const places = new Map<number, { readonly x: number; readonly y: number; readonly width: number }>();
  let x = PADDING;

  const drawColumn = ({ title: name, cells, thread }: Column): Rectangle => {
    const width =
      Math.max(
        name.length * CHARACTER,
        ...cells.map(({ letter, text }) => (letter.length + 2 + text.length) * CHARACTER),
      ) + 16;
    const center = x + width / 2;
    lines.push(
      `  thread${thread} [shape=plaintext, label=${quoted(name)}, pos="${at(center, y(-0.6))}", ` +
        'fontname="Helvetica", fontsize=14];',
    );
    for (const { event, letter, text, row } of cells) {
      places.set(event, { x: center, y: y(row), width });
      lines.push(
        `  e${event} [label=${quoted(`${letter}: ${text}`)}, pos="${at(center, y(row))}", width=${inches(width)}];`,
      );
    }
    const rectangle = { left: x, bottom: y(layout.rows - 1) - ROW / 2, right: x + width, top: y(-1) };
    x += width + COLUMN_GAP;
    return rectangle;
  };
  let boxes = 0;
  const drawBox = (box: Box): Rectangle => {
    x += PADDING;
    const parts = box.content.map((part) => ('cells' in part ? drawColumn(part) : drawBox(part)));
    x += PADDING;
    const around = {
      left: Math.min(...parts.map(({ left }) => left)) - PADDING,
      bottom: Math.min(...parts.map(({ bottom }) => bottom)) - PADDING / 2,
      right: Math.max(...parts.map(({ right }) => right)) + PADDING,
      top: Math.max(...parts.map(({ top }) => top)) + TITLE,
    };
    const members = columnsIn(box).flatMap(({ cells, thread }) => [
      `thread${thread};`,
      ...cells.map(({ event }) => `e${event};`),
    ]);
    lines.push(
      `  subgraph cluster${boxes++} { label=${quoted(box.title)}; ` +
        `bb="${at(around.left, around.bottom)},${at(around.right, around.top)}"; ` +
        `lp="${at(around.left + 8 + box.title.length * 3.5, around.top - 10)}"; ${members.join(' ')} }`,
    );
    return around;
  };
  const all = layout.boxes.map(drawBox);

  for (const { from, to, relation, weight } of edges) {
    const target = places.get(to);
    if (target === undefined) continue;
    const style = edgeStyle(theme, relation);
    const doubled = style.double === true && weight === 'plain';
    const attributes = [
      `label=${quoted(` ${relation} `)}`,
      `color="${weight === 'faded' ? '#c8c8c8' : doubled ? `${style.color}:${style.color}` : style.color}"`,
      `fontcolor="${weight === 'faded' ? '#b0b0b0' : style.color}"`,
      `style=${style.style}`,
      ...(style.undirected === true ? ['dir=none'] : []),
      ...(weight === 'thick' ? ['penwidth=3'] : []),
    ].join(', ');
    if (shownNodes.has(from)) lines.push(`  e${from} -> e${to} [${attributes}];`);
    else {
      // The initial writes are hidden: a small dot stands for what was there before.
      const dot = `initial${from}_${to}`;
      lines.push(
        `  ${dot} [shape=point, label="", width=0.06, height=0.06, ` +
          `pos="${at(target.x - target.width / 2 - 26, target.y + 22)}"];`,
        `  ${dot} -> e${to} [${attributes}];`,
      );
    }
  }
  const right = Math.max(...all.map((one) => one.right));
  const bottom = Math.min(...all.map((one) => one.bottom));
  const top = Math.max(...all.map((one) => one.top)) + TITLE;
  return [
    'digraph execution {',
    `  graph [label=${quoted(title)}, labelloc=t, bb="${at(0, bottom)},${at(right, top)}", splines=true, ` +
      'fontname="Helvetica", fontsize=12, color="#888888"];',
    '  node [shape=box, style="rounded,filled", fillcolor="white", color="#888888", fontname="Courier", ' +
      `fontsize=12, height=${inches(NODE_HEIGHT)}, fixedsize=true];`,
    '  edge [fontname="Helvetica", fontsize=10];',
    ...lines,
    '}',
    '',
  ].join('\n');
}

function depthOf(box: Box): number {
  return 1 + Math.max(0, ...box.content.map((part) => ('cells' in part ? 0 : depthOf(part))));
}

const at = (x: number, y: number): string => `${x.toFixed(1)},${y.toFixed(1)}`;
const inches = (points: number): string => (points / 72).toFixed(3);
const quoted = (text: string): string => `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`;
