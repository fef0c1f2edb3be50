import type { CandidateExecution } from '../../execution/candidate-execution.js';
import { type Arrangement, arrange, type Item, type Node } from './arrange.js';
import { type BundledEdge, bundled } from './bundle-edges.js';
import type { DrawnEdge } from './drawn-relations.js';
import { edgeStyle, MARK, type Theme } from './themes.js';

export interface DotOptions {
  readonly theme: Theme;
  readonly title: string;
  /** Events that stand out, such as the two that race. */
  readonly marked?: readonly number[];
}

/**
 * The execution for Graphviz, every node in its place: `neato -n` (or the engine `nop`) draws the arrows and moves
 * nothing, where a layered layout would destroy the columns.
 */
export function dotGraph(
  execution: CandidateExecution,
  edges: readonly DrawnEdge[],
  { theme, title, marked = [] }: DotOptions,
): string {
  const arrangement = arrange(execution);
  const { items, nodes, around } = arrangement;
  return [
    'digraph execution {',
    `  graph [label=${quoted(title)}, labelloc=t, bb="${at(0, around.bottom)},${at(around.right, around.top)}", ` +
      'splines=true, fontname="Helvetica", fontsize=12, color="#888888"];',
    '  node [shape=box, style="rounded,filled", fillcolor="white", color="#888888", fontname="Courier", ' +
      'fontsize=12, fixedsize=true];',
    '  edge [fontname="Helvetica", fontsize=10];',
    ...items.map((item, i) =>
      itemLine(item, items.slice(0, i).filter(({ kind }) => kind === 'box').length, new Set(marked)),
    ),
    ...bundled(edges, nodes).flatMap((edge, i) => arrowLines(edge, `edge${i}`, arrangement, theme)),
    '}',
    '',
  ].join('\n');
}

/** `boxes`: how many there are before it. */
function itemLine(item: Item, boxes: number, marked: ReadonlySet<number>): string {
  switch (item.kind) {
    case 'box': {
      const { title, around, names } = item;
      return (
        `  subgraph cluster${boxes} { label=${quoted(title)}; ` +
        `bb="${at(around.left, around.bottom)},${at(around.right, around.top)}"; ` +
        `lp="${at(around.left + 8 + title.length * 3.5, around.top - 10)}"; ${names.join('; ')}; }`
      );
    }
    case 'heading':
      return (
        `  ${item.name} [shape=plaintext, label=${quoted(item.title)}, pos="${at(item.x, item.y)}", ` +
        `height=0.32, width=${inches(item.width)}, fontname="Helvetica", fontsize=14];`
      );
    case 'node':
      return (
        `  ${item.name} [label=<${labelOf(item)}>, pos="${at(item.x, item.y)}", width=${inches(item.width)}, ` +
        `height=${inches(item.height)}${item.cell.events.some(({ id }) => marked.has(id)) ? MARKED : ''}];`
      );
  }
}

const MARKED = `, color="${MARK}", penwidth=2.5`;

function arrowLines(
  { from, to, relation, weight, whole }: BundledEdge,
  id: string,
  { nodes }: Arrangement,
  theme: Theme,
): readonly string[] {
  const [source, target] = [nodes.get(from), nodes.get(to)];
  if (target === undefined) return [];
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
  /** Of several events in a node each has its port. */
  const end = ({ name, cell }: Node, event: number): string =>
    whole || cell.events.length === 1 ? name : `${name}:p${event}`;
  if (source !== undefined) return [`  ${end(source, from)} -> ${end(target, to)} [${attributes}];`];
  // The initial writes are hidden: a small dot stands for what was there before.
  const dot = `initial${from}_${to}`;
  return [
    `  ${dot} [shape=point, label="", width=0.06, height=0.06, ` +
      `pos="${at(target.x - target.width / 2 - 26, target.y + target.height / 2 - 2)}"];`,
    `  ${dot} -> ${end(target, to)} [${attributes}];`,
  ];
}

/** The events of a cell below each other, each a port, and the instruction below them in small letters. */
function labelOf({ cell, source }: Node): string {
  const row = (text: string, attributes = ''): string => `<TR><TD${attributes}>${text}</TD></TR>`;
  const rows = cell.events.map(({ id, letter, text }) => row(markup(`${letter}: ${text}`), ` PORT="p${id}"`));
  const below = source === '' ? [] : [row(`<FONT POINT-SIZE="8" COLOR="#606060">${markup(source)}</FONT>`)];
  return `<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="0">${[...rows, ...below].join('')}</TABLE>`;
}

const markup = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const at = (x: number, y: number): string => `${x.toFixed(1)},${y.toFixed(1)}`;
const inches = (points: number): string => (points / 72).toFixed(3);
const quoted = (text: string): string => `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`;
