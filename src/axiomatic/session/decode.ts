import type { ProgramEvent } from '../../events/program-event.js';
import type { CandidateExecution, ThreadEnd } from '../../execution/candidate-execution.js';
import type { Choices } from '../../execution/choices.js';
import type { MbarrierChoice } from '../../execution/mbarrier-histories.js';
import { runProgram } from '../../execution/run-program.js';
import { Relation } from '../../relation/relation.js';
import type { Cell } from '../../semantics/cells.js';
import type { Spin } from '../../unroll/unroll.js';
import type { ExecutionEncoding } from '../encoding/encode-execution.js';
import type { EncodedObject } from '../encoding/mbarrier-places.js';
import { type Bits, numberOf } from '../formula/bits.js';
import { evaluator, FALSE, type Truth } from '../formula/formula.js';

/** The candidate execution of a satisfying assignment: its choices are read, and all else is worked out anew. */
export function decodeExecution(encoding: ExecutionEncoding, assigned: (node: number) => boolean): CandidateExecution {
  const { universe, memory, finals, barriers } = encoding;
  const truth = evaluator(encoding.builder, assigned);
  const number = (bits: Bits): bigint => numberOf(bits, truth);
  const chosenBy = (chooses: (event: ProgramEvent) => boolean): ReadonlyMap<number, bigint> =>
    new Map(
      universe.structure.events.filter(chooses).flatMap(({ id }) => {
        const bits = encoding.chosen.valueOf(id);
        return bits === undefined ? [] : [[id, number(bits)] as const];
      }),
    );
  const relationOf = (relation: ExecutionEncoding['fenceSc']): Relation =>
    Relation.ofPairs(
      universe.events.length,
      relation.pairs.filter(([a, b]) => truth(relation.at(a, b))),
    );
  const choices: Choices = {
    readValues: chosenBy(({ id, kind }) => kind === 'read' && truth(encoding.threads.executed[id] ?? FALSE)),
    barrierResults: chosenBy(({ kind }) => kind === 'barrier'),
    mbarrierResults: chosenBy(({ kind }) => kind === 'mbarrier'),
    unspecified: chosenBy(({ kind }) => kind === 'write'),
    open: new Map([...encoding.chosen.openValues].map(([step, bits]) => [step, number(bits)])),
    ends: universe.structure.threads.map(({ thread, spins }) => endOf(encoding, thread.index, spins, truth)),
    mbarriers: encoding.mbarriers.objects.map((object) => orderOn(object, truth)).filter(isUsed),
    sources: memory.sources
      .filter(({ formula }) => truth(formula))
      .map(({ write, read, cell }) => ({ write, read, ...bytesOf(cell) })),
    coherence: relationOf(memory.coherence),
    fenceSc: relationOf(encoding.fenceSc),
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
      .map(({ write, cell }) => ({ write, ...bytesOf(cell) })),
    initialByte: (objectId, offset) => Number(number(memory.accesses.initialByte(objectId, offset))),
  };
  return runProgram(universe, choices);
}

const bytesOf = ({ object, offset, bytes }: Cell) => ({ objectId: object.id, offset, bytes });

/** The operations on one mbarrier object, as an assignment orders them. */
function orderOn({ number, object, offset, steps, waits }: EncodedObject, truth: Truth): MbarrierChoice {
  return {
    ...{ number, objectId: object.id, offset },
    steps: steps.flatMap((step) => [...step].filter(([, formula]) => truth(formula)).map(([event]) => event)),
    waits: [...waits].flatMap(([event, places]) =>
      places.flatMap((formula, after) => (truth(formula) ? [{ event, after }] : [])),
    ),
  };
}

const isUsed = ({ steps, waits }: MbarrierChoice): boolean => steps.length + waits.length > 0;

function endOf(
  { universe, threads: { threads, executed }, chosen }: ExecutionEncoding,
  thread: number,
  spins: readonly Spin[],
  truth: Truth,
): ThreadEnd {
  const run = threads[thread];
  if (run !== undefined && truth(run.ended)) return { kind: 'ended' };
  const spin = spins.find((_, i) => truth(run?.spins[i] ?? FALSE));
  if (spin !== undefined) return { kind: 'spins', round: spin.round };
  if (run !== undefined && truth(run.trapped)) return { kind: 'trapped' };
  const halt = chosen.haltOf(thread, universe.structure.threads[thread]?.nodes.length ?? 0, truth);
  if (halt !== undefined) return { kind: 'halted', node: halt };
  const kept = universe.structure.events.find(
    ({ id, thread: own }) => own === thread && truth(executed[id] ?? FALSE) && !truth(chosen.passesAt(id)),
  );
  // Nothing keeps a thread that goes round a loop more often than the bound allows: no question asks for such an
  // execution.
  if (kept === undefined) throw new Error('a thread neither ends nor waits');
  return { kind: 'blocked', event: kept.id };
}
