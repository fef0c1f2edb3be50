import type { EventStructure } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import type { MemoryObject, MemoryRange } from '../program/locations.js';
import { type Placement, scopeIncludes } from '../program/placement.js';
import type { CheckBudget } from '../program/undecided.js';
import { initialBytes, sameBytes } from './cells.js';
import type { PossibleTarget } from './value-analysis.js';
import type { EventRun } from './value-domain.js';
import { anyValue, type Certainty, unionOf, type ValueSet, valueSet } from './value-sets.js';

/**
 * Where an access of one scalar may take its bytes from several writes of exactly those bytes (PTX ISA 8.9.7 speaks of
 * bytes, 8.10.3 keeps those of morally strong accesses together only). That depends on the accesses alone, not on what
 * else a test mentions. Memory is cut into bytes only where the result can be one that nobody wrote.
 */
export interface Source {
  /** Undefined: what was there before all threads. */
  readonly write: ProgramEvent | undefined;
  readonly values: ValueSet;
}

type Targets = ReadonlyMap<number, readonly PossibleTarget[]>;
type Runs = readonly EventRun<ValueSet, Certainty>[];

/** What may be found at a place that was written as a whole. */
export function sourcesOf(
  structure: EventStructure,
  place: PossibleTarget,
  runs: Runs,
  targets: Targets,
  read?: ProgramEvent,
): readonly Source[] {
  const writes = structure.events.flatMap((write): Source[] => {
    const run = runs[write.id];
    if (write.kind !== 'write' || write.id === read?.partner || run?.value === undefined || run.executed === 'no')
      return [];
    const there = (targets.get(write.id) ?? []).some(
      (target) => target.object === place.object && sameBytes(target, place),
    );
    return there ? [{ write, values: run.value }] : [];
  });
  return [initialSource(place), ...writes];
}

/** Its value is only made where it is asked for: of a tile it has thousands of bytes. */
function initialSource({ object, offset, bytes }: PossibleTarget): Source {
  let known: ValueSet | undefined;
  return {
    write: undefined,
    get values() {
      known ??= initialValue(object, offset, bytes);
      return known;
    },
  };
}

function initialValue(object: MemoryObject, offset: number, bytes: number): ValueSet {
  let digits = '';
  for (const byte of initialBytes(object, offset, bytes)) {
    if (byte === undefined) return anyValue(bytes * 8);
    digits = byte.toString(16).padStart(2, '0') + digits;
  }
  return valueSet(bytes * 8, [BigInt(`0x${digits}`)]);
}

/**
 * Bytes of two of the sources may make a value that neither has, and not all of the writes are morally strong with each
 * other and the read.
 */
export function mayTear(sources: readonly Source[], read?: ProgramEvent): boolean {
  const writes = sources.flatMap(({ write }) => write ?? []);
  if (writes.length === 0) return false;
  if (!someMix(sources.map(({ values }) => values))) return false;
  const strong = [...writes, ...(read === undefined ? [] : [read])];
  return !strong.every((a, i) => strong.every((b, j) => j <= i || certainlyMorallyStrong(a, b)));
}

/** All that bytes of the sources can make. */
export function bytewise(sources: readonly Source[]): ValueSet {
  const all = sources.map(({ values }) => values).reduce(unionOf);
  if (all.values === 'any') return all;
  let found = valueSet(all.width, [0n]);
  for (let at = 0n; at < BigInt(all.width); at += 8n) {
    if (found.values === 'any') return found;
    const bytes = new Set([...all.values].map((value) => value & (0xffn << at)));
    found = valueSet(
      all.width,
      [...found.values].flatMap((value) => [...bytes].map((byte) => value | byte)),
    );
  }
  return found;
}

/** A value of one set and a value of another one differ in more than one byte. */
function someMix(sets: readonly ValueSet[]): boolean {
  if (sets.length < 2 || sets.every(({ width }) => width <= 8)) return false;
  if (sets.some(({ values }) => values === 'any')) return true;
  /** Of each value: the only set that has it, or several. */
  const owners = new Map<bigint, number | 'several'>();
  sets.forEach(({ values }, i) => {
    if (values !== 'any') for (const value of values) owners.set(value, owners.has(value) ? 'several' : i);
  });
  const values = [...owners];
  return values.some(([x, a], i) =>
    values.some(([y, b], j) => j > i && (a === 'several' || a !== b) && differingBytes(x ^ y) > 1),
  );
}

function differingBytes(difference: bigint): number {
  let count = 0;
  for (let rest = difference; rest > 0n; rest >>= 8n) if ((rest & 0xffn) !== 0n) count += 1;
  return count;
}

/**
 * 8.7, as far as it is known before the test is run: through one generic address both are strong and in each other's
 * scope.
 */
function certainlyMorallyStrong(a: ProgramEvent, b: ProgramEvent): boolean {
  if (!a.tags.has('GEN') || !b.tags.has('GEN') || a.tags.has('ASY') || b.tags.has('ASY')) return false;
  if (a.thread === b.thread) return true;
  const holds = (one: ProgramEvent, other: Placement | undefined): boolean =>
    one.scope !== undefined &&
    one.placement !== undefined &&
    other !== undefined &&
    scopeIncludes(one.scope, one.placement, other);
  return holds(a, b.placement) && holds(b, a.placement);
}

/** The ranges that some read, or the end of the test, may find torn. */
export function tornRanges(
  structure: EventStructure,
  runs: Runs,
  targets: Targets,
  checkBudget: CheckBudget,
): readonly MemoryRange[] {
  const { events, program } = structure;
  const read = events
    .filter(({ id, kind }) => kind === 'read' && runs[id]?.executed !== 'no')
    .flatMap((event) => (targets.get(event.id) ?? []).map((place) => ({ event, place })));
  const observed = program.observed.flatMap((one) => (one.kind === 'memory' ? [one] : []));
  const written = events
    .filter(({ id, kind }) => kind === 'write' && runs[id]?.executed !== 'no')
    .flatMap((event) => targets.get(event.id) ?? [])
    .filter((place) =>
      observed.some(
        ({ object, offset, type }) =>
          object === place.object && offset < place.offset + place.bytes && place.offset < offset + type.width / 8,
      ),
    );
  return [
    ...read
      .filter(({ event, place }) => {
        checkBudget();
        return mayTear(sourcesOf(structure, place, runs, targets, event), event);
      })
      .map(({ place }) => place),
    // At the end only writes are left: what was there before is overwritten as a whole.
    ...written.filter((place) => {
      checkBudget();
      return mayTear(sourcesOf(structure, place, runs, targets).slice(1));
    }),
  ];
}
