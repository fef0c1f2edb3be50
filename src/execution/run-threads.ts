import type { EventStructure } from '../events/events.js';
import { placeOf, reductionOf } from '../events/program-event.js';
import type { Located } from '../program/locations.js';
import { TOKEN } from '../program/mbarrier-operation.js';
import { EventSet } from '../relation/event-set.js';
import { initialBytes } from '../semantics/cells.js';
import { CONCRETE_VALUES, type ConcreteValue, settledResult } from '../semantics/concrete-values.js';
import { interpretThread } from '../semantics/interpret.js';
import type { EventRun, Surroundings, ThreadRun } from '../semantics/value-domain.js';
import type { EventUniverse, ThreadEnd } from './candidate-execution.js';
import type { Choices } from './choices.js';

/** What the threads of one execution do with what they are given. */
export interface RunThreads {
  readonly universe: EventUniverse;
  readonly executed: EventSet;
  /** By event, of those of the threads that are executed. */
  readonly runs: readonly (EventRun<ConcreteValue, boolean> | undefined)[];
  readonly targets: readonly (Located | undefined)[];
  readonly values: readonly (bigint | undefined)[];
  /** By thread. */
  readonly registers: readonly ReadonlyMap<string, ConcreteValue>[];
  readonly ended: readonly boolean[];
  /** The events that keep their threads for ever. */
  readonly kept: ReadonlySet<number>;
}

/** Runs the threads with the chosen values. Throws if one does not stop as it was chosen to, or leaves memory. */
export function runThreads(universe: EventUniverse, choices: Choices): RunThreads {
  const { structure, initialWrites, events } = universe;
  const { locations, threads } = structure.program;
  const executed = new EventSet(events.length);
  const values: (bigint | undefined)[] = [];
  const targets: (Located | undefined)[] = [];
  const runs: EventRun<ConcreteValue, boolean>[] = [];
  const kept = new Set(choices.ends.flatMap((end) => (end.kind === 'blocked' ? [end.event] : [])));
  const chosen = surroundingsOf(choices, kept);
  const registers = structure.threads.map((unrolled, index) => {
    const run = interpretThread(structure, index, CONCRETE_VALUES, chosen);
    if (!stopsAs(choices.ends[index], run, unrolled))
      throw new Error(`${threads[index]?.name} does not run to its end`);
    for (const eventRun of run.events) {
      if (!eventRun.executed) continue;
      const { event, address, value } = eventRun;
      executed.add(event.id);
      runs[event.id] = eventRun;
      values[event.id] = value?.bits;
      const place = placeOf(event);
      if (address === undefined || place === undefined) continue;
      const found = locations.locate({ bytes: place.type.width / 8, ...place }, event.placement, address.bits);
      if (found === undefined) throw new Error(`event ${event.id} leaves memory`);
      targets[event.id] = found;
    }
    return run.registers;
  });
  for (const { event, object, offset, bytes } of initialWrites) {
    executed.add(event.id);
    targets[event.id] = locations.ofObject(object, offset, bytes);
    values[event.id] = initialBytes(object, offset, bytes).reduce<bigint>(
      (value, byte, i) => value | (BigInt(byte ?? choices.initialByte(object.id, offset + i)) << BigInt(8 * i)),
      0n,
    );
  }
  const ended = choices.ends.map(({ kind }) => kind === 'ended');
  return { universe, executed, runs, targets, values, registers, ended, kept };
}

/** What comes from outside of the threads, as it was chosen; `kept`: the events that keep their threads for ever. */
export function surroundingsOf(choices: Choices, kept: ReadonlySet<number>): Surroundings<ConcreteValue, boolean> {
  return {
    read: (event) => ({ bits: choices.readValues.get(event.id) ?? 0n, width: event.type.width }),
    barrierResult: (event) => ({
      bits: choices.barrierResults.get(event.id) ?? 0n,
      width: reductionOf(event)?.resultWidth ?? 1,
    }),
    mbarrierResult: (event) => ({
      bits: choices.mbarrierResults.get(event.id) ?? 0n,
      width: event.mbarrier?.step === 'wait' ? 1 : TOKEN.width,
    }),
    open: (step, width, of, operands) => ({
      bits: choices.open.get(step) ?? settledResult(of, operands) ?? 0n,
      width,
    }),
    either: (step, [first, second]) => {
      const bits = choices.open.get(step) ?? first.bits;
      if (bits !== first.bits && bits !== second.bits) throw new Error(`${bits} is none of two values`);
      return { bits, width: first.width };
    },
    unspecified: (event) => ({ bits: choices.unspecified.get(event.id) ?? 0n, width: 64 }),
    passes: (event) => !kept.has(event.id),
    halts: (thread, node) => {
      const end = choices.ends[thread];
      return (end?.kind === 'halted' || end?.kind === 'repeats') && end.node === node;
    },
  };
}

function stopsAs(
  end: ThreadEnd | undefined,
  run: ThreadRun<ConcreteValue, boolean>,
  { spins }: EventStructure['threads'][number],
): boolean {
  if (end?.kind === 'spins') return run.spins.some((taken, i) => taken && spins[i]?.round.join() === end.round.join());
  if (end?.kind === 'repeats') return run.halted;
  return end !== undefined && run[end.kind];
}
