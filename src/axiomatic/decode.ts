import type { CandidateExecution } from '../execution/candidate-execution.js';
import { type Choices, runProgram } from '../execution/run-program.js';
import { Relation } from '../relation/relation.js';
import type { Bits } from './bits.js';
import type { ExecutionEncoding } from './encode-execution.js';
import { evaluateFormula, type Formula } from './formula.js';

/** The candidate execution of a satisfying assignment: its choices are read, and all else is worked out anew. */
export function decodeExecution(encoding: ExecutionEncoding, assigned: (node: number) => boolean): CandidateExecution {
  const { universe, memory, barriers } = encoding;
  const truth = evaluator(encoding, assigned);
  const number = (bits: Bits): bigint => bits.reduce((value, bit, i) => (truth(bit) ? value | (1n << BigInt(i)) : value), 0n);
  const size = universe.events.length;
  const readValues = new Map<number, bigint>();
  const barrierResults = new Map<number, bigint>();
  for (const event of universe.structure.events) {
    if (event.kind === 'read' && truth(encoding.executed[event.id] ?? (0 as Formula))) readValues.set(event.id, number(encoding.value(event.id)));
    const result = encoding.barrierResult(event.id);
    if (result !== undefined) barrierResults.set(event.id, number(result));
  }
  const pairs = (candidates: Iterable<readonly [number, number]>, formula: (a: number, b: number) => Formula): Relation =>
    Relation.ofPairs(
      size,
      [...candidates].filter(([a, b]) => truth(formula(a, b))),
    );
  const choices: Choices = {
    readValues,
    barrierResults,
    sources: [...memory.sources.values()]
      .filter(({ formula }) => truth(formula))
      .map(({ write, read, cell }) => ({ write, read, objectId: cell.object.id, offset: cell.offset, bytes: cell.bytes })),
    coherence: pairs(memory.coherencePairs, (a, b) => memory.coherence(a, b)),
    fenceSc: pairs(allPairs(universe.structure.events.filter((event) => event.tags.has('SC')).map((event) => event.id)), (a, b) => encoding.fenceOrder(a, b)),
    barrierPhases: barriers.phases
      .filter(({ complete }) => truth(complete))
      .map(({ group, index, members }) => ({ group, index, events: members.filter(({ formula }) => truth(formula)).map(({ event }) => event) })),
    finals: memory.finals.filter(({ formula }) => truth(formula)).map(({ write, cell }) => ({ write, objectId: cell.object.id, offset: cell.offset, bytes: cell.bytes })),
    initialByte: (objectId, offset) => memory.initialByte(objectId, offset).reduce((value, bit, i) => (truth(bit) ? value | (1 << i) : value), 0),
  };
  return runProgram(universe, choices);
}

function evaluator(encoding: ExecutionEncoding, assigned: (node: number) => boolean): (formula: Formula) => boolean {
  const memo = new Map<number, boolean>();
  return (formula) => evaluateFormula(encoding.builder, formula, assigned, memo);
}

function* allPairs(events: readonly number[]): Generator<readonly [number, number]> {
  for (const a of events) for (const b of events) if (a !== b) yield [a, b];
}
