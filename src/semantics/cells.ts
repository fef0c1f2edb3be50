import { groupBy } from '../program/group-by.js';
import { elementOf, type Located, type MemoryObject, type MemoryRange } from '../program/locations.js';
import { firstAbove } from '../program/sorted.js';

/** A run of bytes of an object that every access covers wholly or not at all. */
export interface Cell extends MemoryRange {
  readonly id: number;
}

/** A range of bytes of an object. */
export interface ByteRange {
  readonly offset: number;
  readonly bytes: number;
}

/** Whether two ranges of one object have a byte in common. */
export function rangesOverlap(a: ByteRange, b: ByteRange): boolean {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

export function sameBytes(a: ByteRange, b: ByteRange): boolean {
  return a.offset === b.offset && a.bytes === b.bytes;
}

/** Whether two places have a byte in common. */
export function overlap(a: MemoryRange, b: MemoryRange): boolean {
  return a.object === b.object && rangesOverlap(a, b);
}

/** Finds, among places, those that have a byte in common with another one, in the order in which they are given. */
export function overlapping<Place, Whole>(
  places: readonly Place[],
  rangeOf: (place: Place) => RangeOf<Whole>,
): (range: RangeOf<Whole>) => readonly Place[] {
  const meet = (a: RangeOf<Whole>, b: RangeOf<Whole>): boolean => a.object === b.object && rangesOverlap(a, b);
  const [only] = places;
  // As most accesses have it.
  if (only !== undefined && places.length === 1) return (range) => (meet(range, rangeOf(only)) ? places : []);
  if (places.length <= FEW_PLACES) return (range) => places.filter((place) => meet(range, rangeOf(place)));
  const indexed = places.map((place, index) => ({ place, index, range: rangeOf(place) }));
  const byObject = groupBy(indexed, ({ range }) => range.object);
  const lists = new Map(
    [...byObject].map(([object, own]) => {
      const sorted = own.toSorted((a, b) => a.range.offset - b.range.offset);
      return [object, { sorted, longest: own.reduce((most, { range }) => Math.max(most, range.bytes), 0) }];
    }),
  );
  return (range) => {
    const { sorted, longest } = lists.get(range.object) ?? { sorted: [], longest: 0 };
    const from = firstAbove(sorted, (one) => one.range.offset, range.offset - longest);
    const to = firstAbove(sorted, (one) => one.range.offset, range.offset + range.bytes - 1);
    const found = sorted.slice(from, to).filter((one) => rangesOverlap(range, one.range));
    return found.sort((a, b) => a.index - b.index).map(({ place }) => place);
  };
}

/** The same, of the places that each event has. */
export function overlappingAt<Place, Whole>(
  placesOf: (event: number) => readonly Place[],
  rangeOf: (place: Place) => RangeOf<Whole>,
): (event: number, range: RangeOf<Whole>) => readonly Place[] {
  const known = new Map<number, (range: RangeOf<Whole>) => readonly Place[]>();
  return (event, range) => {
    const find = known.get(event) ?? overlapping(placesOf(event), rangeOf);
    known.set(event, find);
    return find(range);
  };
}

type RangeOf<Whole> = ByteRange & { readonly object: Whole };

/** Among no more places it is looked at each. */
const FEW_PLACES = 8;

/** Whether they have one, but not all. */
export function overlapPartially(a: MemoryRange, b: MemoryRange): boolean {
  return overlap(a, b) && !sameBytes(a, b);
}

/** Whether the virtual addresses by which they are reached overlap too; those of aliases do not. */
export function overlapVirtually(a: Located, b: Located): boolean {
  return (
    overlap(a, b) &&
    a.virtualAddress < b.virtualAddress + BigInt(b.bytes) &&
    b.virtualAddress < a.virtualAddress + BigInt(a.bytes)
  );
}

/** What is larger, and accessed by nothing, is no cell. */
const LARGEST_IDLE = 1 << 16;

/** Cuts the memory of a test into cells, at the borders of all the accesses that its events may make. */
export function memoryCells(objects: readonly MemoryObject[], accesses: Iterable<MemoryRange>): readonly Cell[] {
  const borders = new Map<MemoryObject, Set<number>>(objects.map((object) => [object, new Set([0, object.size])]));
  /** By object and where they begin, the furthest ends of accesses. */
  const ends = new Map<MemoryObject, Map<number, number>>();
  for (const { object, offset, bytes } of accesses) {
    const end = offset + bytes;
    borders.get(object)?.add(offset).add(end);
    const own = ends.get(object) ?? new Map<number, number>();
    ends.set(object, own.set(offset, Math.max(end, own.get(offset) ?? end)));
  }
  const cells: Cell[] = [];
  for (const [object, set] of borders) {
    const sorted = [...set].sort((a, b) => a - b);
    let accessedTo = 0;
    sorted.slice(1).forEach((end, i) => {
      const offset = sorted[i] ?? 0;
      accessedTo = Math.max(accessedTo, ends.get(object)?.get(offset) ?? 0);
      if (accessedTo <= offset && end - offset > LARGEST_IDLE) return;
      cells.push({ id: cells.length, object, offset, bytes: end - offset });
    });
  }
  return cells;
}

/** The initial bytes of a range of an object, lowest first; undefined where the test leaves them unknown. */
export function initialBytes(object: MemoryObject, offset: number, bytes: number): readonly (number | undefined)[] {
  const elementBytes = object.elementType.width / 8;
  return Array.from({ length: bytes }, (_, i) => {
    const at = offset + i;
    const element = elementOf(object, Math.floor(at / elementBytes));
    return element === undefined ? undefined : Number((element >> BigInt(8 * (at % elementBytes))) & 0xffn);
  });
}
