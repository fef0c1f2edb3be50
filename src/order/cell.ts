/**
 * What of a cell may still conflict with what comes. Of accesses of one thread that are alike the last one stands for
 * all: what comes after it comes after the others.
 */
export interface Cell {
  /** Conflicts are known of it, or not told, since it is waited for: all that is done there is kept. */
  readonly isKept: boolean;
  /** By thread, kind, and what tells that it is complete. */
  reads: Map<number, number>;
  writes: number[];
  /** Asynchronous reads that are behind all writes before them. */
  readonly relays: Set<number>;
  /** Read-modify-writes that are morally strong with each other, and come to the same in any order, group by group. */
  readonly updates: Map<string, Map<number, number>>;
  /** Threads whose last access was such an update, and behind all others: so is the next like it. */
  behind?: Map<number, string>;
  /** Where it is, if it is one of all of some places. */
  readonly places?: Places;
}

/** Places of which the same is known, but for those that have a cell of their own again. */
export interface Places {
  readonly from: number;
  readonly to: number;
  readonly apart: Set<number>;
}

/** The same known of one place by itself. */
export const copyOf = ({ isKept, reads, writes, relays, updates, behind }: Cell): Cell => ({
  ...{ isKept, reads: new Map(reads), writes: [...writes], relays: new Set(relays) },
  updates: new Map([...updates].map(([group, others]) => [group, new Map(others)])),
  ...(behind !== undefined && { behind: new Map(behind) }),
});

/** Takes an update of a group; `isBehind`: all that is beside the group is before it. */
export function update(cell: Cell, group: string, thread: number, row: number, isBehind: boolean): void {
  const own = cell.updates.get(group) ?? new Map<number, number>();
  cell.updates.set(group, own.set(thread, row));
  if (cell.updates.size > 1) cell.behind?.clear();
  else if (isBehind) {
    cell.behind ??= new Map();
    cell.behind.set(thread, group);
  }
}
