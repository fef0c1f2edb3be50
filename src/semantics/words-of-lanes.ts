import type { EventStructure } from '../events/events.js';
import { type ProgramEvent, reductionOf } from '../events/program-event.js';
import { electionResult } from './elections.js';
import type { EventRun } from './value-domain.js';
import { anyValue, type Certainty, unionOf, type ValueSet, valueSet } from './value-sets.js';

const WORD = 32n;

/** What elect.sync may return: any lane of the warp. */
export function possibleLeaders({ program }: EventStructure, { placement }: ProgramEvent): ValueSet {
  const own = placement?.lane ?? 0;
  const lanes = program.threads.flatMap((one) => (one.placement.warp === placement?.warp ? [one.placement.lane] : []));
  return valueSet(
    64,
    lanes.map((lane) => electionResult(lane, own)),
  );
}

/** Whether an event takes a word of another lane. */
function takesWord(event: ProgramEvent): boolean {
  const operation = reductionOf(event)?.operation;
  return operation !== undefined && (operation.startsWith('shuffle') || operation === 'collective');
}

/** Keeps what lanes give to such instructions; whether that has grown. */
export function noteGiven(
  structure: EventStructure,
  runs: readonly EventRun<ValueSet, Certainty>[],
  given: Map<number, ValueSet>,
): boolean {
  let grown = false;
  for (const event of structure.events) {
    const value = takesWord(event) ? runs[event.id]?.value : undefined;
    if (value === undefined) continue;
    const before = given.get(event.id);
    const after = before === undefined ? value : unionOf(before, value);
    grown ||=
      before === undefined ||
      (before.values !== 'any' && (after.values === 'any' || after.values.size > before.values.size));
    given.set(event.id, after);
  }
  return grown;
}

/** Whether two lanes may come together here: instructions of a whole warp are executed in one order by all of it. */
function comeTogether({ events }: EventStructure, a: ProgramEvent, b: ProgramEvent): boolean {
  const places = [a, b].map((event) => {
    const own = events.filter((one) => one.thread === event.thread && reductionOf(one)?.operation === 'collective');
    return { count: own.length, rank: own.indexOf(event) };
  });
  return places[0]?.count !== places[1]?.count || places[0]?.rank === places[1]?.rank;
}

/** The words of the lanes that an event may ask for, each with a 1 above it; 0 where that lane does not answer. */
export function wordsOfLanes(
  structure: EventStructure,
  event: ProgramEvent,
  given: ReadonlyMap<number, ValueSet>,
): ValueSet | undefined {
  if (!takesWord(event)) return undefined;
  const own = given.get(event.id);
  if (own === undefined) return valueSet(64, []);
  if (own.values === 'any') return anyValue(64);
  const { operation, represented = [] } = reductionOf(event) ?? {};
  let result = valueSet(64, [0n]);
  for (const lane of new Set([...own.values].map((value) => (value >> WORD) & 0xffn))) {
    const hidden = represented.find((one) => BigInt(one.lane) === lane);
    if (hidden?.value.kind === 'register') return anyValue(64);
    if (hidden?.value.kind === 'constant')
      result = unionOf(result, valueSet(64, [(hidden.value.value & 0xffff_ffffn) | (1n << WORD)]));
    for (const other of structure.events) {
      const { placement } = other;
      const meets = reductionOf(other)?.operation === operation;
      if (!meets || placement.warp !== event.placement.warp || BigInt(placement.lane) !== lane) continue;
      if (operation === 'collective' && !comeTogether(structure, event, other)) continue;
      const words = given.get(other.id);
      if (words?.values === 'any') return anyValue(64);
      result = unionOf(
        result,
        valueSet(
          64,
          [...(words?.values ?? [])].map((word) => (word & 0xffff_ffffn) | (1n << WORD)),
        ),
      );
    }
  }
  return result;
}
