import type { CandidateExecution } from '../../execution/candidate-execution.js';
import { type Box, type Cell, type Column, type Layout, layOut } from './layout.js';

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

export interface Rectangle {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/** Where the events of a cell are drawn, by its center. */
export interface Node {
  readonly kind: 'node';
  readonly name: string;
  readonly cell: Cell;
  /** The instruction, as far as there is room for it. */
  readonly source: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What is drawn of the threads and their places, but for arrows. */
export type Item =
  | Node
  | {
      readonly kind: 'heading';
      readonly name: string;
      readonly title: string;
      readonly x: number;
      readonly y: number;
      readonly width: number;
    }
  /** `names`: of the headings and nodes in it. */
  | { readonly kind: 'box'; readonly title: string; readonly around: Rectangle; readonly names: readonly string[] };

/** A picture before its arrows: every item in its place, in the order in which they are drawn. */
export interface Arrangement {
  readonly items: readonly Item[];
  /** By the events that they show. */
  readonly nodes: ReadonlyMap<number, Node>;
  readonly around: Rectangle;
}

/** Where an execution is drawn: asynchronous operations in columns of their own. */
export function arrange(execution: CandidateExecution): Arrangement {
  const layout = layOut(execution, true);
  const arranging = new Arranging(layout);
  const all = layout.boxes.map((box) => arranging.box(box).around);
  const around = {
    left: 0,
    right: Math.max(...all.map((one) => one.right)),
    bottom: Math.min(...all.map((one) => one.bottom)),
    top: Math.max(...all.map((one) => one.top)) + TITLE,
  };
  return { items: arranging.items, nodes: arranging.nodes, around };
}

interface Placed {
  readonly around: Rectangle;
  readonly names: readonly string[];
}

/** From left to right. */
class Arranging {
  readonly items: Item[] = [];
  readonly nodes = new Map<number, Node>();
  private readonly heights: readonly number[];
  private readonly top: number;
  private x = PADDING;

  constructor({ boxes, columns, rows }: Layout) {
    const depth = Math.max(...boxes.map(depthOf));
    this.heights = Array.from({ length: rows }, (_, row) =>
      Math.max(0, ...columns.flatMap(({ cells }) => cells.filter((cell) => cell.row === row).map(heightOf))),
    );
    const height =
      this.heights.reduce((sum, one) => sum + one + ROW_GAP, 0) + 2 * PADDING + depth * (PADDING + TITLE) + TITLE;
    this.top = height - depth * (PADDING + TITLE) - 2 * TITLE;
  }

  box({ title, content }: Box): Placed {
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
    this.items.push({ kind: 'box', title, around, names });
    return { around, names };
  }

  /** The upper border of a row; of the one behind the last the lower border of all. */
  private y(row: number): number {
    return this.heights.slice(0, row).reduce((y, height) => y - height - ROW_GAP, this.top);
  }

  private column({ title, cells }: Column): Placed {
    const { x: left, items } = this;
    const width = Math.max(title.length * CHARACTER, ...cells.map(widthOf)) + 16;
    const center = left + width / 2;
    const heading = `heading${items.length}`;
    items.push({ kind: 'heading', name: heading, title, x: center, y: this.y(0) + HEADING, width });
    const names = cells.map((cell) => this.node(cell, center, width));
    this.x += width + COLUMN_GAP;
    const around = { left, bottom: this.y(this.heights.length), right: left + width, top: this.y(0) + 2 * TITLE };
    return { around, names: [heading, ...names] };
  }

  private node(cell: Cell, x: number, width: number): string {
    const name = `e${cell.events[0]?.id}`;
    const height = heightOf(cell);
    const y = this.y(cell.row) - height / 2;
    const node: Node = { kind: 'node', name, cell, source: shortened(cell.source), x, y, width, height };
    for (const { id } of cell.events) this.nodes.set(id, node);
    this.items.push(node);
    return name;
  }
}

const heightOf = ({ events, source }: Cell): number =>
  events.length * LINE + (source === '' ? 0 : SOURCE_LINE) + NODE_PADDING;

const widthOf = ({ events, source }: Cell): number =>
  Math.max(
    ...events.map(({ letter, text }) => (letter.length + 2 + text.length) * CHARACTER),
    Math.min(source.length, MOST_SOURCE) * SMALL_CHARACTER,
  );

/** The operands stand at the end. */
const shortened = (source: string): string =>
  source.length > MOST_SOURCE ? `${source.slice(0, MOST_SOURCE / 2)}...${source.slice(3 - MOST_SOURCE / 2)}` : source;

function depthOf(box: Box): number {
  return 1 + Math.max(0, ...box.content.map((part) => ('cells' in part ? 0 : depthOf(part))));
}
