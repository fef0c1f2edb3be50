/**
 * What of a cell may still conflict with what comes. Of accesses of one thread that are alike the last one stands for
 * all: what comes after it comes after the others.
 */
export interface Cell {
  /** Conflicts are known of it, or not told, since it is waited for: all that is done there is kept. */
  readonly isKept: boolean;
  /** Which values are written there matters: of a thread's writes that are alike the last one of each is kept. */
  readonly areValuesKept: boolean;
  /** By thread, kind, and what tells that it is complete. */
  reads: Map<number, number>;
  writes: readonly number[];
  /** Asynchronous reads that are behind all writes before them. */
  relays: readonly number[];
  /** Read-modify-writes that are morally strong with each other, and come to the same in any order, group by group. */
  updates: Map<string, Map<number, number>>;
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

/** What most of the many cells have none of, and share. */
const NONE = new Map<never, never>();
const NOBODY: readonly number[] = [];
const ALONE = { writes: NOBODY, reads: NONE, updates: NONE };
const own = <K, V>(map: Map<K, V>): Map<K, V> => (map === NONE ? new Map<K, V>() : map);

/** A cell that nobody has accessed. */
export const newCell = (isKept: boolean, areValuesKept: boolean): Cell => ({
  ...{ isKept, areValuesKept, reads: NONE, writes: NOBODY, relays: NOBODY, updates: NONE },
});

/** The same known of one place by itself. */
export const copyOf = ({ isKept, areValuesKept, reads, writes, relays, updates, behind }: Cell): Cell => ({
  ...{ isKept, areValuesKept, reads: new Map(reads), writes, relays },
  updates: new Map([...updates].map(([group, others]) => [group, new Map(others)])),
  ...(behind !== undefined && { behind: new Map(behind) }),
});

/** Takes a read, of those of its thread that are alike; `isRelay`: it is asynchronous, and behind all writes. */
export function read(cell: Cell, key: number, row: number, isRelay: boolean): void {
  cell.reads = own(cell.reads).set(key, row);
  if (isRelay) cell.relays = [...cell.relays, row];
}

/** Takes a write, with what nothing has ordered before it: the rest is before all that comes after it. */
export function write(cell: Cell, row: number, beside: Pick<Cell, 'reads' | 'writes' | 'updates'> = ALONE): void {
  cell.writes = [...beside.writes, row];
  cell.reads = beside.reads.size === 0 ? NONE : beside.reads;
  cell.relays = NOBODY;
  cell.updates = beside.updates.size === 0 ? NONE : beside.updates;
}

/** Takes an update of a group; `isBehind`: all that is beside the group is before it. */
export function update(cell: Cell, group: string, thread: number, row: number, isBehind: boolean): void {
  const others = cell.updates.get(group) ?? new Map<number, number>();
  cell.updates = own(cell.updates).set(group, others.set(thread, row));
  if (cell.updates.size > 1) cell.behind?.clear();
  else if (isBehind) {
    cell.behind ??= new Map();
    cell.behind.set(thread, group);
  }
}
