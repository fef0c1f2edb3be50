import type { ExecutionEvent } from '../../events/program-event.js';
import type { CandidateExecution } from '../../execution/candidate-execution.js';
import { groupBy } from '../../program/group-by.js';
import type { Placement } from '../../program/placement.js';
import { describeEvent, eventName, placeInSource } from '../describe-event.js';

/** The events of a thread, or what its asynchronous operations do, from top to bottom. */
export interface Column {
  readonly title: string;
  readonly cells: readonly Cell[];
}

/** One event, or all that an asynchronous operation does. */
export interface Cell {
  readonly events: readonly CellEvent[];
  /** `line 8: ld.weak.global.u32 r0, [x];`; empty where there is none. */
  readonly source: string;
  /** Events that meet at a barrier share a row, as do an asynchronous operation and its issue where they are apart. */
  readonly row: number;
}

export interface CellEvent {
  readonly id: number;
  readonly letter: string;
  /** `W.release.gpu  flag = 1`. */
  readonly text: string;
}

/** A CTA, cluster or GPU and what is in it. */
export interface Box {
  readonly title: string;
  readonly content: readonly Box[] | readonly Column[];
}

/**
 * The one arrangement behind the text and the pictures: a column for each thread, in the boxes of its CTA, cluster and
 * GPU.
 */
export interface Layout {
  readonly boxes: readonly Box[];
  /** From left to right. */
  readonly columns: readonly Column[];
  readonly rows: number;
}

/** `apart`: asynchronous operations in columns of their own. */
export function layOut(execution: CandidateExecution, apart = false): Layout {
  const { structure } = execution.universe;
  const units = unitsOf(execution, apart);
  const rows = rowsOf(execution, units, apart);
  const cellOf = (unit: Unit): Cell => ({
    events: unit.map((event) => ({
      id: event.id,
      letter: eventName(execution, event.id),
      text: describeEvent(execution, event),
    })),
    source: unit[0] === undefined ? '' : placeInSource(unit[0]),
    row: rows.get(unit) ?? 0,
  });
  const columnsOf = ({ index, name }: (typeof structure.program.threads)[number]): readonly Column[] => {
    const mine = units.filter(([first]) => first?.thread === index);
    const column = (title: string, of: readonly Unit[]): Column => ({ title, cells: of.map(cellOf) });
    if (!apart || !mine.some(isAsynchronousUnit)) return [column(name, mine)];
    return [
      column(
        name,
        mine.filter((unit) => !isAsynchronousUnit(unit)),
      ),
      column(`${name}, asynchronous`, mine.filter(isAsynchronousUnit)),
    ];
  };
  const { threads } = structure.program;
  const several = (key: (placement: Placement) => unknown): boolean =>
    new Set(threads.map(({ placement }) => key(placement))).size > 1;
  type Members = typeof threads;
  const boxesBy =
    (
      key: 'cta' | 'cluster' | 'gpu',
      number: 'ctaNumber' | 'clusterIndex' | 'gpu',
      content: (members: Members) => Box['content'],
    ) =>
    (members: Members): readonly Box[] =>
      [...groupBy(members, ({ placement }) => placement[key]).values()].map((of) => ({
        title: `${key} ${of[0]?.placement[number]}`,
        content: content(of),
      }));
  const inCtas = boxesBy('cta', 'ctaNumber', (members) => members.flatMap(columnsOf));
  const shared = threads.some(({ placement }) => placement.clusterSize > 1);
  const inClusters = shared ? boxesBy('cluster', 'clusterIndex', inCtas) : inCtas;
  const boxes = (several(({ gpu }) => gpu) ? boxesBy('gpu', 'gpu', inClusters) : inClusters)(threads);
  const columns = boxes.flatMap(columnsIn);
  return { boxes, columns, rows: 1 + Math.max(0, ...columns.flatMap(({ cells }) => cells.map(({ row }) => row))) };
}

export function columnsIn(box: Box): readonly Column[] {
  return box.content.flatMap((part) => ('cells' in part ? [part] : columnsIn(part)));
}

/** The events of a cell. */
type Unit = readonly ExecutionEvent[];

/** Done by an asynchronous operation, not by the thread that issued it (8.9.1.1). */
const isAsynchronous = ({ tags }: ExecutionEvent): boolean => tags.has('ASY');
const isAsynchronousUnit = ([first]: Unit): boolean => first !== undefined && isAsynchronous(first);

/** Each event by itself; where they are apart, what one asynchronous operation does together. */
function unitsOf({ universe, executed }: CandidateExecution, apart: boolean): readonly Unit[] {
  const units: ExecutionEvent[][] = [];
  for (const event of universe.structure.events) {
    const { id, thread, kind, node } = event;
    if (thread === undefined || !executed.has(id) || kind === 'check' || kind === 'exit') continue;
    const [last] = units.at(-1) ?? [];
    const together =
      apart &&
      isAsynchronous(event) &&
      last !== undefined &&
      isAsynchronous(last) &&
      last.thread === thread &&
      last.node === node;
    if (together) units.at(-1)?.push(event);
    else units.push([event]);
  }
  return units;
}

/**
 * A row for each cell: below the one before it in its column, and level with those that it meets at a barrier, or with
 * its issue in the column beside.
 */
function rowsOf({ relations }: CandidateExecution, units: readonly Unit[], apart: boolean): ReadonlyMap<Unit, number> {
  const meets = relations.barrierSynchronization.union(relations.warpSynchronization);
  const level = meets.intersection(meets.inverse());
  const unitOf = new Map(units.flatMap((unit) => unit.map(({ id }) => [id, unit] as const)));
  const rows = new Map(units.map((unit) => [unit, 0]));
  // Barriers that meet are in the same order in all threads, so that this comes to an end.
  for (let changed = true, rounds = 0; changed && rounds <= units.length; rounds++) {
    changed = false;
    const last = new Map<string, number>();
    let issued = 0;
    for (const unit of units) {
      const [first] = unit;
      const beside = apart && isAsynchronousUnit(unit);
      const column = `${first?.thread} ${beside}`;
      const least = Math.max(
        (last.get(column) ?? -1) + 1,
        ...(beside ? [issued] : []),
        ...unit.flatMap(({ id }) => [...level.successors(id)].map((other) => rowOf(rows, unitOf.get(other)))),
      );
      if (least > rowOf(rows, unit)) {
        rows.set(unit, least);
        changed = true;
      }
      last.set(column, rowOf(rows, unit));
      if (!beside) issued = rowOf(rows, unit);
    }
  }
  return rows;
}

function rowOf(rows: ReadonlyMap<Unit, number>, unit: Unit | undefined): number {
  return unit === undefined ? 0 : (rows.get(unit) ?? 0);
}
