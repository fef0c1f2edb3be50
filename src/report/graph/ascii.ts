import type { CandidateExecution } from '../../execution/candidate-execution.js';
import { eventName } from '../describe-event.js';
import { isToldAtEnd } from '../legend.js';
import type { DrawnEdge } from './drawn-relations.js';
import { type Box, type Column, type Layout, layOut } from './layout.js';

/** What the columns and rows of a picture in text show by themselves, unless it is asked for. */
const SHOWN_BY_PLACE: ReadonlySet<string> = new Set(['po', 'issue', 'syncbar', 'syncwarp']);

/**
 * An execution as text: threads side by side, in boxes for CTAs, clusters and GPUs, with what each event reads,
 * overlooks or precedes. `asked`: relations to note in any case.
 */
export function asciiGraph(
  execution: CandidateExecution,
  edges: readonly DrawnEdge[],
  asked: ReadonlySet<string> = new Set(),
): readonly string[] {
  const layout = layOut(execution);
  const notes = notesOf(execution, edges, asked);
  const heights = rowHeights(layout, notes);
  const letterWidth =
    Math.max(
      1,
      ...layout.columns.flatMap(({ cells }) =>
        cells.flatMap(({ events }) => events.map(({ letter }) => letter.length)),
      ),
    ) + 2;
  const blockOf = (part: Box | Column): readonly string[] => {
    if ('cells' in part) return columnBlock(part, notes, heights, letterWidth);
    return framed(part.title, sideBySide(part.content.map(blockOf)));
  };
  return sideBySide(layout.boxes.map(blockOf)).map((line) => line.trimEnd());
}

function columnBlock(
  { title, cells }: Column,
  notes: ReadonlyMap<number, readonly string[]>,
  heights: readonly number[],
  letterWidth: number,
): readonly string[] {
  const lines = heights.flatMap((height, row) => {
    const here = cells.filter((cell) => cell.row === row);
    const events = here.flatMap((cell) => cell.events);
    const text = events.flatMap(({ id, letter, text: what }) => [
      `${letter.padEnd(letterWidth)}${what}`,
      ...(notes.get(id) ?? []).map((note) => `${' '.repeat(letterWidth + 2)}${note}`),
    ]);
    return [...text, ...Array.from({ length: height - text.length }, () => '')];
  });
  return rectangle([title, ...lines]);
}

function rowHeights({ columns, rows }: Layout, notes: ReadonlyMap<number, readonly string[]>): readonly number[] {
  return Array.from({ length: rows }, (_, row) =>
    Math.max(
      ...columns.map(({ cells }) =>
        cells
          .filter((cell) => cell.row === row)
          .flatMap(({ events }) => events)
          .reduce((sum, { id }) => sum + 1 + (notes.get(id)?.length ?? 0), 0),
      ),
    ),
  );
}

/** By event: `rf <- b`, `fr -> a`, and those of the cycle marked with a star. */
function notesOf(
  execution: CandidateExecution,
  edges: readonly DrawnEdge[],
  asked: ReadonlySet<string>,
): ReadonlyMap<number, readonly string[]> {
  const notes = new Map<number, Map<string, string[]>>();
  for (const { from, to, relation, weight } of edges) {
    if (SHOWN_BY_PLACE.has(relation) && (weight !== 'thick' || relation === 'po') && !asked.has(relation)) continue;
    const atEnd = isToldAtEnd(relation);
    const [at, other] = atEnd ? [to, from] : [from, to];
    const key = `${relation} ${atEnd ? '<-' : '->'}`;
    const mine = notes.get(at) ?? new Map<string, string[]>();
    mine.set(key, [...(mine.get(key) ?? []), `${eventName(execution, other, 'init')}${weight === 'thick' ? '*' : ''}`]);
    notes.set(at, mine);
  }
  return new Map(
    [...notes].map(([event, mine]) => [
      event,
      // Bytes of one initial write are one source.
      [[...mine].map(([key, others]) => `${key} ${[...new Set(others)].join(', ')}`).join('   ')],
    ]),
  );
}

function framed(title: string, block: readonly string[]): readonly string[] {
  const width = Math.max(title.length + 2, ...block.map((line) => line.length));
  return [
    `+- ${title} ${'-'.repeat(Math.max(0, width - title.length - 1))}+`,
    ...block.map((line) => `| ${line.padEnd(width)} |`),
    `+${'-'.repeat(width + 2)}+`,
  ];
}

function sideBySide(blocks: readonly (readonly string[])[]): readonly string[] {
  const height = Math.max(0, ...blocks.map((block) => block.length));
  return Array.from({ length: height }, (_, i) =>
    blocks.map((block) => block[i] ?? ' '.repeat(block[0]?.length ?? 0)).join('  '),
  );
}

function rectangle(lines: readonly string[]): readonly string[] {
  const width = Math.max(...lines.map((line) => line.length));
  return lines.map((line) => line.padEnd(width));
}

/** How wide the text of an execution is. */
export function widthOf(lines: readonly string[]): number {
  return Math.max(0, ...lines.map((line) => line.length));
}
