import type { CandidateExecution, ThreadEnd } from '../../execution/candidate-execution.js';
import type { Choices } from '../../execution/choices.js';
import { runProgram } from '../../execution/run-program.js';
import { Relation } from '../../relation/relation.js';
import type { Spin } from '../../unroll/unroll.js';
import type { ExecutionEncoding } from '../encoding/encode-execution.js';
import { type Bits, numberOf } from '../formula/bits.js';
import { evaluator, type Formula } from '../formula/formula.js';

/** The candidate execution of a satisfying assignment: its choices are read, and all else is worked out anew. */
export function decodeExecution(encoding: ExecutionEncoding, assigned: (node: number) => boolean): CandidateExecution {
  const { universe, memory, finals, barriers } = encoding;
  const truth = evaluator(encoding.builder, assigned);
  const number = (bits: Bits): bigint => numberOf(bits, truth);
  const size = universe.events.length;
  const readValues = new Map<number, bigint>();
  const barrierResults = new Map<number, bigint>();
  const mbarrierResults = new Map<number, bigint>();
  const unspecified = new Map<number, bigint>();
  const keep = (map: Map<number, bigint>, event: number, bits: Bits | undefined): void => {
    if (bits !== undefined) map.set(event, number(bits));
  };
  for (const event of universe.structure.events) {
    if (event.kind === 'read' && truth(encoding.threads.executed[event.id] ?? (0 as Formula)))
      readValues.set(event.id, number(encoding.threads.runs[event.id]?.value ?? []));
    keep(barrierResults, event.id, encoding.chosen.resultOf(event.id));
    keep(mbarrierResults, event.id, encoding.chosen.answerOf(event.id));
    keep(unspecified, event.id, encoding.chosen.unspecifiedOf(event.id));
  }
  const pairs = (
    candidates: Iterable<readonly [number, number]>,
    formula: (a: number, b: number) => Formula,
  ): Relation =>
    Relation.ofPairs(
      size,
      [...candidates].filter(([a, b]) => truth(formula(a, b))),
    );
  const choices: Choices = {
    readValues,
    barrierResults,
    mbarrierResults,
    unspecified,
    open: new Map([...encoding.chosen.openValues].map(([step, bits]) => [step, number(bits)])),
    ends: universe.structure.threads.map(({ thread, spins }) => endOf(encoding, thread.index, spins, truth)),
    mbarriers: encoding.mbarriers.objects.flatMap(({ number, object, offset, steps, waits }) => {
      const order = steps.flatMap((step) => [...step].filter(([, formula]) => truth(formula)).map(([event]) => event));
      const looks = [...waits].flatMap(([event, places]) =>
        places.flatMap((formula, after) => (truth(formula) ? [{ event, after }] : [])),
      );
      return order.length + looks.length === 0
        ? []
        : [{ number, objectId: object.id, offset, steps: order, waits: looks }];
    }),
    sources: memory.sources
      .filter(({ formula }) => truth(formula))
      .map(({ write, read, cell }) => ({
        write,
        read,
        objectId: cell.object.id,
        offset: cell.offset,
        bytes: cell.bytes,
      })),
    coherence: pairs(memory.coherence.pairs, (a, b) => memory.coherence.at(a, b)),
    fenceSc: pairs(
      allPairs(universe.structure.events.filter((event) => event.tags.has('SC')).map((event) => event.id)),
      (a, b) => encoding.fenceSc.at(a, b),
    ),
    barrierPhases: barriers.phases
      .filter(({ complete }) => truth(complete))
      .map(({ group, index, members }) => ({
        group,
        index,
        events: members.filter(({ formula }) => truth(formula)).map(({ event }) => event),
      })),
    firstTriggers: [...encoding.grids.firstTriggers].filter(([, formula]) => truth(formula)).map(([id]) => id),
    finals: finals.finals
      .filter(({ formula }) => truth(formula))
      .map(({ write, cell }) => ({ write, objectId: cell.object.id, offset: cell.offset, bytes: cell.bytes })),
    initialByte: (objectId, offset) =>
      memory.accesses
        .initialByte(objectId, offset)
        .reduce((value, bit, i) => (truth(bit) ? value | (1 << i) : value), 0),
  };
  return runProgram(universe, choices);
}

function endOf(
  encoding: ExecutionEncoding,
  thread: number,
  spins: readonly Spin[],
  truth: (formula: Formula) => boolean,
): ThreadEnd {
  if (truth(encoding.threads.endedOf(thread))) return { kind: 'ended' };
  const taken = encoding.threads.spins(thread).findIndex((formula) => truth(formula));
  const spin = spins[taken];
  if (spin !== undefined) return { kind: 'spins', round: spin.round };
  if (truth(encoding.threads.trappedOf(thread))) return { kind: 'trapped' };
  const kept = encoding.universe.structure.events.find(
    (event) => event.thread === thread && truth(encoding.threads.blockedAt(event.id)),
  );
  // Nothing keeps a thread that goes round a loop more often than the bound allows: no question asks for such an
  // execution.
  if (kept === undefined) throw new Error('a thread neither ends nor waits');
  return { kind: 'blocked', event: kept.id };
}

function* allPairs(events: readonly number[]): Generator<readonly [number, number]> {
  for (const a of events) for (const b of events) if (a !== b) yield [a, b];
}
