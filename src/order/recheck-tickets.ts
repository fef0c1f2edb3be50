import { numberGrowths } from '../follow/ticket-growth.js';
import { kindOf, rowsTouching, type TicketedAccess, type Trace } from '../follow/trace.js';
import { groupBy } from '../program/group-by.js';
import { initialValue } from '../program/locations.js';
import { reachEachOther } from './recheck-patterns.js';

/** Words that are said to be counted upwards, looked at again: which accesses their tickets keep apart. */
export class CountedWords {
  private readonly names = new Map<number, string>();
  /** By word: the least that is added to it. */
  private readonly least = new Map<string, bigint>();
  /** What does not hold. */
  readonly wrong: string | undefined;

  constructor(private readonly trace: Trace) {
    for (const { piece, offset, bytes, most, unit, isOfQueue } of trace.counts) {
      const touching = rowsTouching(trace, piece.id, offset, bytes);
      const rows = touching.filter((row) => kindOf(trace, row).writes);
      const added = rows.map((row) => this.addedBy(row, offset, bytes));
      const begin = initialValue(piece.object, offset, bytes);
      const sum = added.reduce<bigint | undefined>(
        (all, one) => (all === undefined || one === undefined ? undefined : all + one),
        begin,
      );
      // Threads draw less, or more, from a queue that ends (recheck-queues.ts).
      const end = sum === undefined || isOfQueue !== true ? sum : most;
      const isHeld = end !== undefined && end <= most && end < 2n ** BigInt(8 * bytes);
      if (!added.every((one) => one === undefined || one % unit === 0n)) this.wrong ??= 'what is added to a word';
      if (!isHeld || !reachEachOther(trace, rows)) this.wrong ??= 'a word that is not only counted upwards';
      const least = added.reduce((a, b) => (a === undefined || b === undefined ? undefined : b < a ? b : a));
      if (least !== undefined) this.least.set(`${piece.id} ${offset}`, least);
    }
    this.nameAll();
  }

  /**
   * Those that grow alike are apart if all of them, of one ticket, lie within what is between two tickets; else only
   * those that are at the same place of theirs.
   */
  private nameAll(): void {
    const numberOf = numberGrowths();
    const nameOf = ({ from, scale, growth }: TicketedAccess): string =>
      `${this.wordAt(from)} ${scale} ${numberOf(growth)}`;
    const alike = groupBy([...this.trace.tickets], ([, one]) => nameOf(one));
    for (const [name, own] of alike) {
      const [[, some] = []] = own;
      if (some === undefined) continue;
      const apart = (this.least.get(this.wordAt(some.from)) ?? 0n) * (some.scale < 0n ? -some.scale : some.scale);
      const shared = this.sharedOf(own);
      if (some.growth !== undefined) {
        const accesses = [
          ...new Map(own.map(([, { first, bytes }]) => [`${first} ${bytes}`, { first, bytes }])).values(),
        ];
        if (areTilesApart(some, accesses))
          for (const [row, { from }] of own) if (!shared.has(from)) this.names.set(row, name);
        continue;
      }
      const low = own.reduce((all, [, { first }]) => (first < all ? first : all), some.first);
      const areClose = own.every(([, { first, bytes }]) => first + bytes - low <= apart);
      for (const [row, { from, first, bytes }] of own)
        if (bytes <= apart && !shared.has(from)) this.names.set(row, areClose ? name : `${name} ${first}`);
    }
  }

  /** Tickets of which one thread writes a byte that another one accesses. */
  private sharedOf(own: readonly (readonly [number, TicketedAccess])[]): ReadonlySet<number> {
    const users = new Map<string, Set<number>>();
    const written = new Map<string, number>();
    for (const [row, { from, first, bytes }] of own)
      for (let at = first; at < first + bytes; at++) {
        const byte = `${from} ${at}`;
        users.set(byte, (users.get(byte) ?? new Set()).add(this.trace.accesses.threads.at(row)));
        if (kindOf(this.trace, row).writes) written.set(byte, from);
      }
    return new Set([...written].flatMap(([byte, from]) => ((users.get(byte)?.size ?? 0) > 1 ? [from] : [])));
  }

  private wordAt(row: number): string {
    const { pieces, starts } = this.trace.accesses;
    return `${pieces.at(row)} ${starts.at(row)}`;
  }

  /** The accesses that are as far apart as their tickets; undefined of one that none gives. */
  nameOf(row: number): string | undefined {
    return this.names.get(row);
  }

  areApart(a: number, b: number): boolean {
    const name = this.names.get(a);
    return name !== undefined && name === this.names.get(b);
  }

  /** By how much it raises the word; undefined if it does something else. */
  private addedBy(row: number, offset: number, bytes: number): bigint | undefined {
    const { accesses } = this.trace;
    const { change, unit } = kindOf(this.trace, row);
    if (unit !== undefined || accesses.starts.at(row) !== offset || accesses.sizes.at(row) !== bytes) return undefined;
    if (typeof change !== 'object' || change.name !== 'add') return undefined;
    const value = accesses.values.at(row);
    return value === 0n ? undefined : value;
  }
}

/** Whether accesses that grow like one of them are apart from the same ones by any other ticket. */
export function areTilesApart(
  some: Pick<TicketedAccess, 'scale' | 'growth'>,
  accesses: readonly Pick<TicketedAccess, 'first' | 'bytes'>[],
): boolean {
  return differencesOf(some).every((by) => !meetWhenMoved(accesses, by));
}

/** How far what two tickets give may be from each other; 0 where two give the same. */
function differencesOf({ scale, growth }: Pick<TicketedAccess, 'scale' | 'growth'>): readonly bigint[] {
  const at = growth?.at ?? [];
  const all = new Set<bigint>();
  for (let a = 0; a < at.length; a++)
    for (let b = a + 1; b < at.length; b++) {
      const by = scale * ((at[b] ?? 0n) - (at[a] ?? 0n));
      all.add(by < 0n ? -by : by);
    }
  return [...all];
}

/** Whether some bytes and the same ones, so far from there, have any in common. */
function meetWhenMoved(accesses: readonly Pick<TicketedAccess, 'first' | 'bytes'>[], by: bigint): boolean {
  const inOrder = accesses.map(({ first, bytes }) => [first, first + bytes] as const);
  inOrder.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  // No access has more bytes, so that none that begins earlier reaches here.
  const longest = inOrder.reduce((all, [from, to]) => (to - from > all ? to - from : all), 0n);
  let begin = 0;
  for (const [from, to] of inOrder) {
    while (begin < inOrder.length && (inOrder[begin]?.[0] ?? 0n) + by + longest <= from) begin++;
    for (let i = begin; i < inOrder.length; i++) {
      const [otherFrom, otherTo] = inOrder[i] ?? [to, to];
      if (otherFrom + by >= to) break;
      if (otherTo + by > from) return true;
    }
  }
  return false;
}
