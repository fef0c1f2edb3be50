import type { CandidateExecution } from '../../execution/candidate-execution.js';
import type { Placement } from '../../program/placement.js';
import { describeEvent, eventLetters } from '../describe-event.js';

/** A thread's events from top to bottom. */
export interface Column {
  readonly thread: number;
  readonly title: string;
  readonly cells: readonly Cell[];
}

export interface Cell {
  readonly event: number;
  readonly letter: string;
  /** `W.release.gpu  flag = 1`. */
  readonly text: string;
  /** Events that meet at a barrier share a row. */
  readonly row: number;
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

export function layOut(execution: CandidateExecution): Layout {
  const { structure } = execution.universe;
  const rows = rowsOf(execution);
  const letters = eventLetters(execution);
  const columnOf = ({ index, name }: (typeof structure.program.threads)[number]): Column => ({
    thread: index,
    title: name,
    cells: structure.events
      .filter(
        ({ id, thread, kind }) => thread === index && execution.executed.has(id) && kind !== 'check' && kind !== 'exit',
      )
      .map((event) => ({
        event: event.id,
        letter: letters.get(event.id) ?? '',
        text: describeEvent(execution, event),
        row: rows.get(event.id) ?? 0,
      })),
  });
  const { threads } = structure.program;
  const several = (key: (placement: Placement) => unknown): boolean =>
    new Set(threads.map(({ placement }) => key(placement))).size > 1;
  const inCtas = (members: typeof threads): readonly Box[] =>
    grouped(members, ({ placement }) => placement.cta).map((of) => ({
      title: `cta ${of[0]?.placement.ctaNumber}`,
      content: of.map(columnOf),
    }));
  const shared = threads.some(({ placement }) => placement.clusterSize > 1);
  const inClusters = (members: typeof threads): readonly Box[] =>
    shared
      ? grouped(members, ({ placement }) => placement.cluster).map((of) => ({
          title: `cluster ${of[0]?.placement.clusterIndex}`,
          content: inCtas(of),
        }))
      : inCtas(members);
  const boxes = several(({ gpu }) => gpu)
    ? grouped(threads, ({ placement }) => placement.gpu).map((of) => ({
        title: `gpu ${of[0]?.placement.gpu}`,
        content: inClusters(of),
      }))
    : inClusters(threads);
  const columns = boxes.flatMap(columnsIn);
  return { boxes, columns, rows: 1 + Math.max(0, ...columns.flatMap(({ cells }) => cells.map(({ row }) => row))) };
}

export function columnsIn(box: Box): readonly Column[] {
  return box.content.flatMap((part) => ('cells' in part ? [part] : columnsIn(part)));
}

function grouped<T>(members: readonly T[], key: (member: T) => unknown): readonly (readonly T[])[] {
  const groups = new Map<unknown, T[]>();
  for (const member of members) groups.set(key(member), [...(groups.get(key(member)) ?? []), member]);
  return [...groups.values()];
}

/** A row for each event: below the one before it in its thread, and level with those that it meets at a barrier. */
function rowsOf(execution: CandidateExecution): ReadonlyMap<number, number> {
  const { relations, universe, executed } = execution;
  const events = universe.structure.events.filter(({ id, thread }) => thread !== undefined && executed.has(id));
  const meets = relations.barrierSynchronization.union(relations.warpSynchronization);
  const level = meets.intersection(meets.inverse());
  const rows = new Map(events.map(({ id }) => [id, 0]));
  // Barriers that meet are in the same order in all threads, so that this comes to an end.
  for (let changed = true, rounds = 0; changed && rounds <= events.length; rounds++) {
    changed = false;
    const last = new Map<number, number>();
    for (const { id, thread = -1 } of events) {
      const least = Math.max(
        (last.get(thread) ?? -1) + 1,
        ...[...level.successors(id)].map((other) => rows.get(other) ?? 0),
      );
      if (least > (rows.get(id) ?? 0)) {
        rows.set(id, least);
        changed = true;
      }
      last.set(thread, rows.get(id) ?? 0);
    }
  }
  return rows;
}
