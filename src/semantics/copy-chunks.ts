import type { Span } from '../diagnostics/source.js';
import type { Chunk, MemoryOperand } from '../effects/effect.js';
import { cutOperand } from '../effects/memory-accesses.js';
import type { Chunks, NodeChunks } from '../events/chunks.js';
import type { EventStructure } from '../events/events.js';
import { type ProgramEvent, reductionOf } from '../events/program-event.js';
import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import type { MemoryObject } from '../program/locations.js';
import { type Undecided, unknownBefore } from '../program/undecided.js';
import { rangesOverlap } from './cells.js';
import { interpretThread } from './interpret.js';
import { analyzeValues } from './value-analysis.js';
import type { EventRun, Surroundings } from './value-domain.js';
import { anyValue, type Certainty, unionOf, VALUE_SETS, type ValueSet, valueSet } from './value-sets.js';

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
  /** The size of elements that are accessed whole. */
  readonly element: number | undefined;
  readonly borders: Set<number>;
}

/**
 * Cuts each copy into as few events as tell apart what the other accesses of the test tell apart: at the borders of all
 * of them, carried from source to destination and back. PTX leaves the order of a copy's bytes open, so that is exact.
 * Where an address is not known before the test is run, a copy is cut into elements of the locations' types instead.
 */
export function chunksOfCopies(whole: EventStructure): NodeChunks | Undecided {
  const cutting = new Cutting(whole);
  return cutting.gather() ?? cutting.settle() ?? ((thread, node) => cutting.chunks(`${thread}/${node}`));
}

type Run = EventRun<ValueSet, Certainty>;

class Cutting {
  private readonly borders: ReadonlyMap<MemoryObject, Set<number>>;
  private readonly copies = new Map<string, Copy>();
  private readonly descriptors = new Map<string, Copy>();
  private readonly written: (Place & Chunk)[] = [];
  /** An access goes anywhere. */
  private isUnknown = false;

  constructor(private readonly whole: EventStructure) {
    this.borders = new Map(whole.program.locations.objects.map((object) => [object, new Set()]));
  }

  /** Where the accesses of the test begin and end; a reason, if the size of a copy is not known. */
  gather(): Undecided | undefined {
    for (const observable of this.whole.program.observed)
      if (observable.kind === 'memory') this.mark(observable, observable.type.width / 8);
    const surroundings = surroundingsOf(this.whole);
    for (const [index, { thread, nodes }] of this.whole.threads.entries()) {
      const { events } = interpretThread(this.whole, index, VALUE_SETS, surroundings);
      for (const { id, statement } of nodes) {
        const runs = events.filter(({ event }) => event.node === id);
        const region = cutOperand(statement.operation);
        if (region === undefined) this.access(runs);
        else {
          const undecided = this.copy(`${index}/${id}`, region, runs, `${thread.name}: `, statement.span);
          if (undecided !== undefined) return undecided;
        }
      }
    }
    return undefined;
  }

  private access(runs: readonly Run[]): void {
    for (const { event, address } of runs) {
      if (event.kind !== 'read' && event.kind !== 'write') continue;
      const places = placesOf(this.whole, event, address);
      const bytes = event.type.width / 8;
      if (places === undefined) this.isUnknown = true;
      if (event.kind === 'write') this.writesTo(places, bytes);
      for (const place of places ?? []) this.mark(place, bytes);
    }
  }

  private copy(
    key: string,
    { element: whole }: MemoryOperand,
    runs: readonly Run[],
    thread: string,
    span: Span,
  ): Undecided | undefined {
    const sizes = runs.find((run) => run.bytes !== undefined)?.bytes?.values;
    if (sizes === undefined || sizes === 'any' || sizes.size !== 1)
      return unknownBefore(`${thread}the size of ${describe(span)}`);
    const bytes = Number([...sizes][0] ?? 0n);
    if (bytes > LARGEST_COPY) {
      const what = `${thread}${describe(span)} is of ${bytes} bytes, more than any location has`;
      return { kind: 'size', what };
    }
    const moved = runs.filter(({ event }) => event.chunk !== undefined && event.kind !== 'mbarrier');
    const places = moved.flatMap(
      ({ event, address }) => placesOf(this.whole, event, address) ?? tilePlaces(this.whole, event),
    );
    for (const { event, address } of moved)
      if (event.kind === 'write') this.writesTo(placesOf(this.whole, event, address), bytes);
    this.describe(key, runs);
    const element = whole === 'whole' ? Math.max(bytes, 1) : whole;
    // Other copies of the same bytes are cut where these elements end: an element and a part of a copy never overlap
    // partially.
    const borders = new Set([0, bytes, ...stepsOf(element, bytes)]);
    this.copies.set(key, { bytes, places, element, borders });
    const given = runs.find(({ event }) => event.kind === 'issue')?.count?.values;
    if (given === 'any') return unknownBefore(`${thread}the src-size of ${describe(span)}`);
    for (const size of given ?? []) if (size < BigInt(bytes)) borders.add(Number(size));
    return undefined;
  }

  /** The descriptor of a tile is cut behind the address in it. */
  private describe(key: string, runs: readonly Run[]): void {
    const descriptor = runs.find(({ event }) => event.tags.has('TMAP'));
    if (descriptor === undefined) return;
    const places = placesOf(this.whole, descriptor.event, descriptor.address) ?? tensorMaps(this.whole);
    const borders = new Set([0, ADDRESS_BYTES, DESCRIPTOR_BYTES]);
    this.descriptors.set(key, { bytes: DESCRIPTOR_BYTES, places, element: undefined, borders });
  }

  private writesTo(places: readonly Place[] | undefined, bytes: number): void {
    const { objects } = this.whole.program.locations;
    const everywhere = objects.map((object) => ({ object, offset: 0, bytes: object.size }));
    this.written.push(...(places === undefined ? everywhere : places.map((place) => ({ ...place, bytes }))));
  }

  private mark({ object, offset }: Place, bytes: number): void {
    this.borders
      .get(object)
      ?.add(offset)
      .add(offset + bytes);
  }

  /** Carries borders through the copies; a reason, if one of them has too many parts. */
  settle(): Undecided | undefined {
    carry([...this.copies.values(), ...this.descriptors.values()], this.borders);
    for (const { element, bytes, borders, places } of this.copies.values()) {
      const least = Math.min(...places.map(({ object }) => object.elementType.width / 8), 8);
      for (const at of stepsOf(element ?? (this.isUnknown ? least : undefined), bytes)) borders.add(at);
      if (borders.size > MOST_CHUNKS) {
        const parts = `has more than ${MOST_CHUNKS} parts that the test tells apart: use a smaller one`;
        return { kind: 'size', what: `a copy of ${bytes} bytes ${parts}` };
      }
    }
    return undefined;
  }

  chunks(key: string): Chunks {
    const descriptor = this.descriptors.get(key);
    const isWritten = ({ offset, bytes }: Chunk): boolean =>
      descriptor?.places.some((place) =>
        this.written.some(
          (one) => one.object === place.object && rangesOverlap({ offset: place.offset + offset, bytes }, one),
        ),
      ) === true;
    return {
      moved: chunksBetween(this.copies.get(key)),
      descriptor: chunksBetween(descriptor).filter((chunk) => chunk.offset >= ADDRESS_BYTES && isWritten(chunk)),
    };
  }
}

/** Where elements of a size begin, as far as they are looked at. */
const stepsOf = (element: number | undefined, bytes: number): readonly number[] =>
  element === undefined
    ? []
    : Array.from({ length: Math.min(Math.ceil(bytes / element), MOST_CHUNKS + 1) }, (_, i) => i * element);

/** What threads find before copies are cut: more than any execution has. */
function surroundingsOf(whole: EventStructure): Surroundings<ValueSet, Certainty> {
  const { ranges } = whole.program.locations;
  const isTensor = ({ object }: (typeof ranges)[number]): boolean =>
    object.space === 'global' && object.tensors.length === 0;
  const beginnings = valueSet(
    64,
    ranges.filter(isTensor).map(({ base }) => base),
  );
  // Addresses of tensor memory come out of shared memory, where alloc has stored them.
  const known = usesTensorMemory(whole) ? analyzeValues(whole, false, () => undefined).readValues : undefined;
  return {
    // A descriptor most likely names the beginning of a location; a tile elsewhere is only cut less finely.
    read: ({ id, type, tags }) => (tags.has('TMAP') ? beginnings : (known?.get(id) ?? anyValue(type.width))),
    barrierResult: (event) => anyValue(reductionOf(event)?.resultWidth ?? 32),
    mbarrierResult: ({ mbarrier }) => anyValue(mbarrier?.step === 'wait' ? 1 : 64),
    open: (_, width) => anyValue(width),
    either: (_, values) => unionOf(...values),
    unspecified: () => anyValue(64),
    passes: () => 'maybe',
  };
}

const usesTensorMemory = ({ program }: EventStructure): boolean =>
  program.locations.objects.some(({ space }) => space === 'tensor');

function chunksBetween(copy: Copy | undefined): readonly Chunk[] {
  const sorted = [...(copy?.borders ?? [])].sort((a, b) => a - b);
  return sorted.slice(1).map((end, i) => ({ offset: sorted[i] ?? 0, bytes: end - (sorted[i] ?? 0) }));
}

const tensorMaps = ({ program }: EventStructure): readonly Place[] =>
  program.locations.objects.flatMap((object) => object.tensors.map(({ at }) => ({ object, offset: at })));

/** Carries borders through the copies until nothing changes. */
function carry(copies: readonly Copy[], borders: ReadonlyMap<MemoryObject, Set<number>>): void {
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

const describe = ({ source, start, end }: Span): string => `"${source.text.slice(start, end)}"`;
