import type { EventStructure } from '../../events/events.js';
import { isOfShared, placeOf } from '../../events/program-event.js';
import type { CandidateExecution, EventUniverse } from '../../execution/candidate-execution.js';
import type { Choices } from '../../execution/choices.js';
import { runProgram } from '../../execution/run-program.js';
import { surroundingsOf } from '../../execution/run-threads.js';
import type { Located, MemoryObject, MemoryRange } from '../../program/locations.js';
import { Relation } from '../../relation/relation.js';
import { initialBytes } from '../../semantics/cells.js';
import { CONCRETE_VALUES } from '../../semantics/concrete-values.js';
import { interpretThread } from '../../semantics/interpret.js';
import { cellsOf, type ValueAnalysis } from '../../semantics/value-analysis.js';
import { universeOf } from '../encoding/universe.js';

/** What plain accesses and fences are tagged with: nothing that PTX leaves undefined but a race of unlike sizes. */
const PLAIN: ReadonlySet<string> = new Set([
  ...(['R', 'W', 'F', 'RMW', 'RED', 'WEAK', 'RLX', 'ACQ', 'REL', 'ACQ_REL', 'SC', 'VOL'] as const),
  ...(['CTA', 'CLUSTER', 'GPU', 'SYS', 'GEN'] as const),
]);
/** Orders of the threads that are tried. */
const MOST_ORDERS = 6;

/** Whether a test does nothing but fence and access memory that is not shared, each object in elements of one size. */
export function isPlain({ events }: EventStructure, { targets, outside }: ValueAnalysis): boolean {
  const sizes = new Map<MemoryObject, number>();
  const isElement = ({ object, offset, bytes }: Located): boolean => {
    const size = sizes.get(object) ?? bytes;
    sizes.set(object, size);
    return size === bytes && offset % bytes === 0;
  };
  return (
    outside.size === 0 &&
    events.every(
      (event) =>
        ['read', 'write', 'fence'].includes(event.kind) &&
        [...event.tags].every((tag) => PLAIN.has(tag)) &&
        !isOfShared(event) &&
        (targets.get(event.id) ?? []).every(isElement),
    )
  );
}

/**
 * The executions of a plain test in which the threads run one after the other, each to its end, in as many orders as
 * are tried. Such an execution is sequentially consistent.
 */
export function* executionsInTurn(structure: EventStructure, analysis: ValueAnalysis): Generator<CandidateExecution> {
  const universe = universeOf(structure, cellsOf(structure, analysis));
  for (const order of ordersOf(structure.threads.map((_, index) => index))) {
    const choices = choicesInTurn(universe, order);
    if (choices !== undefined) yield runProgram(universe, choices);
  }
}

/** All orders of a few, those of many by turning them round. */
function ordersOf(threads: readonly number[]): readonly (readonly number[])[] {
  if (threads.length <= 3)
    return threads.length < 2
      ? [threads]
      : threads.flatMap((first) => ordersOf(threads.filter((one) => one !== first)).map((rest) => [first, ...rest]));
  return threads.slice(0, MOST_ORDERS).map((_, by) => [...threads.slice(by), ...threads.slice(0, by)]);
}

/** What a cell of memory holds, and the writes that went there. */
interface Held {
  readonly cell: Pick<Choices['finals'][number], 'objectId' | 'offset' | 'bytes'>;
  readonly value: bigint;
  readonly writes: readonly number[];
}

/** What the threads choose that run in such an order; undefined where one of them does not come to its end. */
function choicesInTurn(universe: EventUniverse, order: readonly number[]): Choices | undefined {
  const { structure, initialWrites, events } = universe;
  let memory = new Map<string, Held>();
  for (const { event, object, offset, bytes } of initialWrites) {
    const given = initialBytes(object, offset, bytes);
    const value = given.reduce<bigint>((all, byte, i) => all | (BigInt(byte ?? 0) << BigInt(8 * i)), 0n);
    const cell = { objectId: object.id, offset, bytes };
    memory.set(keyOf({ object, offset, bytes }), { cell, value, writes: [event.id] });
  }
  const choices = {
    ...{ barrierResults: new Map(), mbarrierResults: new Map(), unspecified: new Map(), open: new Map() },
    ...{ mbarriers: [], barrierPhases: [], firstTriggers: [] },
    readValues: new Map<number, bigint>(),
    sources: [] as Choices['sources'][number][],
    ends: structure.threads.map(() => ({ kind: 'ended' }) as const),
    coherence: new Relation(events.length),
    fenceSc: new Relation(events.length),
    finals: [] as Choices['finals'][number][],
    initialByte: () => 0,
  };
  const fences: number[] = [];
  for (const thread of order) {
    const ran = runAlone(universe, thread, memory, choices);
    if (ran === undefined) return undefined;
    memory = ran.memory;
    choices.sources.push(...ran.sources);
    fences.push(...ran.fences);
  }
  for (const { cell, writes } of memory.values()) {
    writes.forEach((later, i) => {
      for (const earlier of writes.slice(0, i)) choices.coherence.add(earlier, later);
    });
    choices.finals.push({ ...cell, write: lastOf(writes) });
  }
  fences.forEach((later, i) => {
    for (const earlier of fences.slice(0, i)) choices.fenceSc.add(earlier, later);
  });
  return choices;
}

const keyOf = ({ object, offset, bytes }: MemoryRange): string => `${object.id}+${offset}/${bytes}`;

/** The last of some writes, of which the initial one is the first. */
function lastOf(writes: readonly number[]): number {
  const last = writes.at(-1);
  if (last === undefined) throw new Error('a cell without its initial write');
  return last;
}

interface RanAlone {
  readonly memory: Map<string, Held>;
  /** What its reads take. */
  readonly sources: Choices['sources'];
  /** Its fence.sc, in program order. */
  readonly fences: readonly number[];
}

/**
 * Runs a thread on memory that nobody else touches: again with each read put right, until all of them find what is
 * there.
 */
function runAlone(
  { structure }: EventUniverse,
  thread: number,
  before: ReadonlyMap<string, Held>,
  choices: Choices & { readonly readValues: Map<number, bigint> },
): RanAlone | undefined {
  const { locations } = structure.program;
  const surroundings = surroundingsOf(choices, new Set());
  for (let turn = 0; turn <= structure.events.length; turn++) {
    const run = interpretThread(structure, thread, CONCRETE_VALUES, surroundings);
    const memory = new Map(before);
    const sources: Choices['sources'][number][] = [];
    const fences: number[] = [];
    let isWrong = false;
    for (const { event, executed, address, value } of run.events) {
      if (!executed) continue;
      if (event.kind === 'fence' && event.tags.has('SC')) fences.push(event.id);
      const place = placeOf(event);
      if (address === undefined || place === undefined) continue;
      const found = locations.locate({ bytes: place.type.width / 8, ...place }, event.placement, address.bits);
      const at = found && keyOf(found);
      const held = memory.get(at ?? '');
      if (at === undefined || held === undefined) return undefined;
      if (event.kind === 'write') {
        memory.set(at, { ...held, value: value?.bits ?? 0n, writes: [...held.writes, event.id] });
        continue;
      }
      if (choices.readValues.get(event.id) !== held.value) {
        choices.readValues.set(event.id, held.value);
        isWrong = true;
        break;
      }
      sources.push({ ...held.cell, read: event.id, write: lastOf(held.writes) });
    }
    if (!isWrong) return run.ended ? { memory, sources, fences } : undefined;
  }
  return undefined;
}
