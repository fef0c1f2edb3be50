import type { Span } from '../diagnostics/source.js';
import type { Chunk, NodeChunks } from '../events/chunks.js';
import type { EventStructure } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import type { MemoryObject } from '../program/locations.js';
import type { Operation } from '../program/operation.js';
import { type Undecided, unknownBefore } from '../program/undecided.js';
import { rangesOverlap } from './cells.js';
import { interpretThread } from './interpret.js';
import { analyzeValues } from './value-analysis.js';
import { anyValue, unionOf, VALUE_SETS, type ValueSet, valueSet } from './value-sets.js';

/** The first bytes of a descriptor hold the address of the tensor here. */
const ADDRESS_BYTES = 8;

const MOST_CHUNKS = 256;
/** Of the size of tensor memory, and of the largest location that a test may declare. */
const LARGEST_COPY = 1 << 20;

/** A place that a copy may read or write from its first byte on. */
interface Place {
  readonly object: MemoryObject;
  readonly offset: number;
}

interface Copy {
  readonly bytes: number;
  readonly places: readonly Place[];
  /**
   * The size of elements that are accessed whole: of a reduction, of values from registers, and the 16 bytes of a
   * strong copy (docs/decisions/128-bit-accesses.md). Other copies are cut where something else tells their bytes
   * apart.
   */
  readonly element: number | undefined;
  readonly borders: Set<number>;
}

/**
 * Cuts each copy into as few events as tell apart what the other accesses of the test tell apart: at the borders of all
 * of them, carried from source to destination and back. PTX leaves the order of a copy's bytes open, so that is exact.
 * Where an address is not known before the test is run, a copy is cut into elements of the locations' types instead.
 */
export function chunksOfCopies(whole: EventStructure): NodeChunks | Undecided {
  const borders = new Map<MemoryObject, Set<number>>(
    whole.program.locations.objects.map((object) => [object, new Set()]),
  );
  const copies = new Map<string, Copy>();
  const descriptors = new Map<string, Copy>();
  const written: (Place & Chunk)[] = [];
  const writesTo = (places: readonly Place[] | undefined, bytes: number): void => {
    const everywhere = whole.program.locations.objects.map((object) => ({ object, offset: 0, bytes: object.size }));
    written.push(...(places === undefined ? everywhere : places.map((place) => ({ ...place, bytes }))));
  };
  let unknown = false;
  const beginnings = valueSet(
    64,
    whole.program.locations.ranges
      .filter(({ object }) => object.space === 'global' && object.tensors.length === 0)
      .map(({ base }) => base),
  );
  for (const observable of whole.program.observed) {
    if (observable.kind === 'memory') mark(borders, observable, observable.type.width / 8);
  }
  // Addresses of tensor memory come out of shared memory, where alloc has stored them.
  const known = usesTensorMemory(whole) ? analyzeValues(whole, false, () => undefined).readValues : undefined;
  for (const [index, { thread, nodes }] of whole.threads.entries()) {
    const { events } = interpretThread(whole, index, VALUE_SETS, {
      // A descriptor most likely names the beginning of a location; a tile elsewhere is only cut less finely.
      read: ({ id, type, tags }) => (tags.has('TMAP') ? beginnings : (known?.get(id) ?? anyValue(type.width))),
      barrierResult: ({ barrier }) =>
        anyValue(barrier?.kind === 'barrier' ? (barrier.reduction?.resultWidth ?? 32) : 32),
      mbarrierResult: ({ mbarrier }) => anyValue(mbarrier?.step === 'wait' ? 1 : 64),
      open: (_, width) => anyValue(width),
      either: (_, values) => unionOf(...values),
      unspecified: () => anyValue(64),
      passes: () => 'maybe',
    });
    for (const { id, statement } of nodes) {
      const { operation } = statement;
      const runs = events.filter(({ event }) => event.node === id);
      if (isCopy(operation)) {
        const sizes =
          operation.kind === 'tensormap-copy'
            ? new Set([BigInt(DESCRIPTOR_BYTES)])
            : runs.find(({ bytes }) => bytes !== undefined)?.bytes?.values;
        if (sizes === undefined || sizes === 'any' || sizes.size !== 1)
          return unknownBefore(`${thread.name}: the size of ${describe(statement.span)}`);
        const bytes = Number([...sizes][0] ?? 0n);
        if (bytes > LARGEST_COPY)
          return {
            kind: 'size',
            what: `${thread.name}: ${describe(statement.span)} is of ${bytes} bytes, more than any location has`,
          };
        const found = runs.filter(({ event }) => event.chunk !== undefined && event.kind !== 'mbarrier');
        const places = found.flatMap(
          ({ event, address }) => placesOf(whole, event, address) ?? tilePlaces(whole, event),
        );
        for (const { event, address } of found)
          if (event.kind === 'write') writesTo(placesOf(whole, event, address), bytes);
        const descriptor = runs.find(({ event }) => event.tags.has('TMAP'));
        if (descriptor !== undefined) {
          const at = placesOf(whole, descriptor.event, descriptor.address) ?? tensorMaps(whole);
          descriptors.set(`${index}/${id}`, {
            bytes: DESCRIPTOR_BYTES,
            places: at,
            element: undefined,
            borders: new Set([0, ADDRESS_BYTES, DESCRIPTOR_BYTES]),
          });
        }
        const element =
          operation.kind === 'async' ? elementOf(operation) : isHeld(operation) ? Math.max(bytes, 1) : undefined;
        const cuts = new Set([0, bytes]);
        // Other copies of the same bytes are cut where these elements end: an element and a part of a copy never
        // overlap partially.
        if (element !== undefined)
          for (let offset = 0; offset < bytes && offset / element <= MOST_CHUNKS; offset += element) cuts.add(offset);
        copies.set(`${index}/${id}`, { bytes, places, element, borders: cuts });
        if (operation.kind === 'async' && operation.source.kind === 'memory') {
          const given = runs.find(({ event }) => event.kind === 'issue')?.count?.values;
          if (given === 'any') return unknownBefore(`${thread.name}: the src-size of ${describe(statement.span)}`);
          for (const size of given ?? [])
            if (size < BigInt(bytes)) copies.get(`${index}/${id}`)?.borders.add(Number(size));
        }
        continue;
      }
      for (const { event, address } of runs) {
        if (event.kind !== 'read' && event.kind !== 'write') continue;
        const places = placesOf(whole, event, address);
        if (places === undefined) unknown = true;
        if (event.kind === 'write') writesTo(places, (event.type?.width ?? 8) / 8);
        for (const place of places ?? []) mark(borders, place, (event.type?.width ?? 8) / 8);
      }
    }
  }
  settle([...copies.values(), ...descriptors.values()], borders);
  for (const copy of copies.values()) {
    const element =
      copy.element ??
      (unknown ? Math.min(...copy.places.map(({ object }) => object.elementType.width / 8), 8) : undefined);
    if (element !== undefined)
      for (let offset = 0; offset < copy.bytes && offset / element <= MOST_CHUNKS; offset += element)
        copy.borders.add(offset);
    if (copy.borders.size > MOST_CHUNKS)
      return {
        kind: 'size',
        what:
          `a copy of ${copy.bytes} bytes has more than ${MOST_CHUNKS} parts that the test tells apart: use a ` +
          'smaller one',
      };
  }
  return (thread, node) => {
    const [copy, descriptor] = [copies, descriptors].map((cut) => cut.get(`${thread}/${node}`));
    const isWritten = ({ offset, bytes }: Chunk): boolean =>
      descriptor?.places.some((place) =>
        written.some(
          (one) => one.object === place.object && rangesOverlap({ offset: place.offset + offset, bytes }, one),
        ),
      ) === true;
    return {
      moved: chunksBetween(copy),
      descriptor: chunksBetween(descriptor).filter((chunk) => chunk.offset >= ADDRESS_BYTES && isWritten(chunk)),
    };
  };
}

const usesTensorMemory = ({ program }: EventStructure): boolean =>
  program.locations.objects.some(({ space }) => space === 'tensor');

/** Operations that are cut. */
const isCopy = ({ kind }: Operation): boolean => COPIES.has(kind);
const COPIES: ReadonlySet<Operation['kind']> = new Set(['async', 'tensormap-copy', 'region', 'tensor']);

/** What a register holds is stored and loaded in one. */
const isHeld = (operation: Operation): boolean =>
  operation.kind === 'tensor' && (operation.value !== undefined || operation.target !== undefined);

function chunksBetween(copy: Copy | undefined): readonly Chunk[] {
  const sorted = [...(copy?.borders ?? [])].sort((a, b) => a - b);
  return sorted.slice(1).map((end, i) => ({ offset: sorted[i] ?? 0, bytes: end - (sorted[i] ?? 0) }));
}

const tensorMaps = ({ program }: EventStructure): readonly Place[] =>
  program.locations.objects.flatMap((object) => object.tensors.map(({ at }) => ({ object, offset: at })));

/** Carries borders through the copies until nothing changes. */
function settle(copies: readonly Copy[], borders: ReadonlyMap<MemoryObject, Set<number>>): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const copy of copies) {
      for (const { object, offset } of copy.places) {
        const marked = borders.get(object);
        if (marked === undefined) continue;
        for (const at of marked) {
          const inside = at - offset;
          if (
            inside <= 0 ||
            inside >= copy.bytes ||
            copy.borders.has(inside) ||
            (copy.element !== undefined && inside % copy.element !== 0)
          )
            continue;
          copy.borders.add(inside);
          changed = true;
        }
        for (const inside of copy.borders) {
          if (marked.has(offset + inside)) continue;
          marked.add(offset + inside);
          changed = true;
        }
      }
    }
  }
}

function mark(borders: ReadonlyMap<MemoryObject, Set<number>>, { object, offset }: Place, bytes: number): void {
  borders
    .get(object)
    ?.add(offset)
    .add(offset + bytes);
}

function placesOf(
  structure: EventStructure,
  event: ProgramEvent,
  address: ValueSet | undefined,
): readonly Place[] | undefined {
  if (address === undefined) return [];
  if (address.values === 'any') return undefined;
  return [...address.values].flatMap((at) => {
    const range = structure.program.locations.at(
      at,
      event.chunk === undefined ? (event.type?.width ?? 8) / 8 : 1,
      event.thread,
    );
    return range === undefined ? [] : [{ object: range.object, offset: Number(at - range.base) }];
  });
}

/** Where a copy may go whose address comes out of memory, as that of a tile does: to any element. */
function tilePlaces(structure: EventStructure, event: ProgramEvent): readonly Place[] {
  const objects = structure.program.locations.objects.filter(
    ({ tensors, space }) =>
      tensors.length === 0 && (event.window === 'generic' || (space === 'global') === (event.window === 'global')),
  );
  return objects.flatMap((object) => {
    const step = object.elementType.width / 8;
    return Array.from({ length: Math.min(Math.floor(object.size / step), MOST_CHUNKS) }, (_, i) => ({
      object,
      offset: i * step,
    }));
  });
}

function elementOf(
  operation: Extract<EventStructure['threads'][number]['nodes'][number]['statement']['operation'], { kind: 'async' }>,
): number | undefined {
  if (operation.reduction !== undefined) return operation.reduction.type.width / 8;
  if (operation.source.kind === 'values') return operation.source.type.width / 8;
  return operation.order === 'weak' ? undefined : 16;
}

const describe = ({ source, start, end }: Span): string => `"${source.text.slice(start, end)}"`;
