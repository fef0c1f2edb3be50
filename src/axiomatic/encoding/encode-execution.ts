import type { Model } from '../../cat/model.js';
import type { BarrierGroups } from '../../events/barrier-groups.js';
import type { EventStructure } from '../../events/events.js';
import type { EventUniverse } from '../../execution/candidate-execution.js';
import type { Observable, Proposition } from '../../program/program.js';
import type { Undecided } from '../../program/undecided.js';
import {
  analyzeValues,
  cellsOf as cellsOfStructure,
  groupsBeforeRunning,
  type ValueAnalysis,
  writersBeyond,
} from '../../semantics/value-analysis.js';
import type { ThreadRun } from '../../semantics/value-domain.js';
import { BitDomain, type Bits } from '../formula/bits.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from '../formula/formula.js';
import { ExecutedEvents } from '../relations/executed-events.js';
import { eitherOf, type FormulaRelation, PairFormulas } from '../relations/pair-formulas.js';
import type { SymbolicValue } from '../relations/symbolic-algebra.js';
import { certainBarriers } from './certain-barriers.js';
import { certainCoherence } from './certain-coherence.js';
import { ChosenValues } from './chosen-values.js';
import { encodeActiveLanes } from './encode-active-lanes.js';
import { type AddressEncoding, encodeAddresses } from './encode-addresses.js';
import { encodeAsync } from './encode-async.js';
import { type BarrierEncoding, encodeBarriers } from './encode-barriers.js';
import { constrainBeyond } from './encode-beyond.js';
import { encodeClusterBarriers } from './encode-cluster-barriers.js';
import { type DeadlockEncoding, encodeDeadlock } from './encode-deadlock.js';
import { encodeFenceOrder } from './encode-fence-order.js';
import { cellsOf, encodeFinals, type FinalsEncoding } from './encode-finals.js';
import { encodeGrids, type GridEncoding } from './encode-grids.js';
import { encodeLanes } from './encode-lanes.js';
import { encodeMbarriers } from './encode-mbarriers.js';
import { encodeMemory, type MemoryEncoding } from './encode-memory.js';
import { encodeProposition } from './encode-proposition.js';
import { encodeThreads, type ThreadEncoding } from './encode-threads.js';
import type { EncodedViolation } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import type { MbarrierEncoding, MbarrierPlace } from './mbarrier-places.js';
import { type Meeting, noMeetingWaitsForItself } from './meetings.js';
import { symbolicVocabulary } from './symbolic-vocabulary.js';
import { universeOf } from './universe.js';

/**
 * All executions of a program as one formula, before any model: control flow, values, memory, barriers, Fence-SC order.
 */
export interface ExecutionEncoding {
  readonly builder: FormulaBuilder;
  readonly universe: EventUniverse;
  readonly analysis: ValueAnalysis;
  readonly executedEvents: ExecutedEvents;
  /** What every execution satisfies. */
  readonly constraints: readonly Formula[];
  /** What an execution chooses for its threads, beside what they read. */
  readonly chosen: ChosenValues;
  readonly threads: ThreadEncoding;
  readonly addresses: AddressEncoding;
  readonly memory: MemoryEncoding;
  readonly barriers: BarrierEncoding;
  readonly grids: GridEncoding;
  readonly mbarriers: MbarrierEncoding;
  readonly fenceSc: FormulaRelation;
  readonly finals: FinalsEncoding;
  /** What PTX leaves undefined under every model. */
  readonly violations: readonly EncodedViolation[];
  /** Every thread ran to its end, and no barrier kept it. */
  readonly ended: Formula;
  /** Every thread is at its end, or is kept or goes round a waiting loop. */
  readonly stopped: Formula;
  /** Some thread came to a trap. */
  readonly trapped: Formula;
  /** Some thread would go round a loop more often than the bound allows. */
  readonly cut: Formula;
  /** Some thread waits for ever while all others have ended or wait for ever too; FALSE where threads are not kept. */
  readonly deadlock: DeadlockEncoding;
  /** A base set or relation of the models. */
  base(name: string): SymbolicValue | undefined;
  /** The final value of what the test observes. */
  observable(observable: Observable): Bits;
  proposition(proposition: Proposition): Formula;
}

export interface EncodingOptions {
  /** Reads may return values that go back to no initial one. */
  readonly thinAir: boolean;
  /** Also those executions in which barriers keep threads for ever. */
  readonly keepsThreads: boolean;
  /** What is known to be impossible, by an encoding of the same events without it. */
  readonly ruledOut?: ReadonlySet<MbarrierPlace>;
  /** Axioms of the model that may say which writes are ordered in every execution. */
  readonly coherenceAxioms?: Model | undefined;
}

/** Bits of reads that are variables, at most: each takes part in many formulas. */
const MOST_OPEN_BITS = 1 << 17;

/** Encodes a program, or says why it cannot. */
export function encodeExecution(
  builder: FormulaBuilder,
  structure: EventStructure,
  options: EncodingOptions,
): ExecutionEncoding | Undecided {
  const begun = encodeBehavior(builder, structure, options);
  if ('kind' in begun) return begun;
  const { context, constraints, chosen, threads, addresses, groups } = begun;
  const { universe, analysis, bits, assert } = context;
  const executedEvents = new ExecutedEvents(builder, threads.executed);
  const { coherenceAxioms } = options;
  const memory = encodeMemory(context, (pairs) => certainCoherence(context, executedEvents, coherenceAxioms, pairs));
  const barriers = encodeBarriers(context, groups, (event) => chosen.valueOf(event));
  const clusterBarriers = encodeClusterBarriers(context);
  const lanes = encodeLanes(context);
  assert(encodeActiveLanes(context));
  const grids = encodeGrids(context);
  const meetings = [...barriers.meetings, ...clusterBarriers.meetings, ...lanes.meetings];
  assert(noMeetingWaitsForItself(context, meetings, false));
  const early: EncodedViolation = {
    rule: 'barrier-arrival-before-reset',
    formula: arrivesTooEarly(context, meetings),
  };
  const mbarriers = encodeMbarriers(context, options.ruledOut ?? new Set());
  const asynchronous = encodeAsync(context, mbarriers);
  const parts = [barriers, mbarriers, clusterBarriers, lanes, asynchronous];
  const fenceSc = encodeFenceOrder(context);
  const ended = builder.all([
    ...threads.threads.flatMap((thread) => [thread.ended, thread.assumed]),
    ...[barriers, clusterBarriers, lanes, grids].map(({ released }) => released),
  ]);
  const stopped = builder.all(threads.threads.map((thread) => hasStopped(builder, thread)));
  const trapped = builder.any(threads.threads.map((thread) => thread.trapped));
  const deadlock = options.keepsThreads
    ? encodeDeadlock(context, threads.threads, { memory, mbarriers, chosen })
    : { deadlock: FALSE, withoutProgress: FALSE };
  const cut = builder.any(threads.threads.map((thread) => thread.cut));
  const base = symbolicVocabulary(context, executedEvents, {
    ...{ ...memory, ...barriers, ...clusterBarriers, ...lanes, ...grids, ...mbarriers, ...asynchronous, fenceSc },
    exitSynchronization: eitherOf(builder, clusterBarriers.exitSynchronization, barriers.exitSynchronization),
  });
  constrainBeyond(builder, executedEvents, threads, memory, base, options.thinAir).forEach(assert);
  // Every answer shows a whole final state, so all of it is constrained, also what no condition asks for.
  const isTold = (event: number): Formula =>
    builder.any(universe.events.map(({ id }) => asynchronous.completion.at(event, id)));
  const finals = encodeFinals(context, memory, isTold, structure.program.observed);
  const observable = (one: Observable): Bits =>
    one.kind === 'register'
      ? (threads.threads[one.thread]?.registers.get(one.register) ?? bits.constant(0n, one.type.width))
      : cellsOf(context, one).flatMap((cell) => finals.bitsOf(cell));
  return {
    ...{ builder, universe, analysis, executedEvents, constraints, chosen, threads, addresses, memory },
    ...{ barriers, grids, mbarriers, fenceSc, finals },
    violations: [...parts.flatMap(({ violations }) => violations), early].filter(({ formula }) => formula !== FALSE),
    ...{ ended, stopped, trapped, cut, deadlock, base, observable },
    proposition: (proposition) => encodeProposition(builder, bits, proposition, observable),
  };
}

/** A thread is at its end, is kept or stops for good, or goes round a waiting loop. */
const hasStopped = (builder: FormulaBuilder, one: ThreadRun<Bits, Formula>): Formula =>
  builder.or(one.ended, one.blocked, one.trapped, one.halted, ...one.spins);

/** What the threads do and choose, which the rest of the encoding is about. */
interface EncodedBehavior extends Pick<ExecutionEncoding, 'constraints' | 'chosen' | 'threads' | 'addresses'> {
  readonly context: EncodingContext;
  readonly groups: BarrierGroups;
}

function encodeBehavior(
  builder: FormulaBuilder,
  structure: EventStructure,
  { thinAir, keepsThreads }: EncodingOptions,
): EncodedBehavior | Undecided {
  const analysis = analyzeValues(structure, thinAir, () => builder.checkBudget());
  const groups = groupsBeforeRunning(structure, analysis);
  if ('kind' in groups) return groups;
  if (openBits(analysis) > MOST_OPEN_BITS)
    return {
      kind: 'memory',
      what: 'memory: reads of too many bytes whose contents depend on the execution; use smaller copies',
    };
  const constraints: Formula[] = [];
  const assert = (formula: Formula): void => {
    if (formula !== TRUE) constraints.push(formula);
  };
  const bits = new BitDomain(builder);
  // Who may stop for good does not arrive for certain.
  const certain = structure.halts === undefined ? certainBarriers(structure, groups) : new Set<number>();
  const chosen = new ChosenValues(builder, bits, structure, analysis, keepsThreads, certain);
  const cells = cellsOfStructure(structure, analysis);
  const universe = universeOf(structure, cells);
  const threads = encodeThreads(bits, universe, chosen);
  const addresses = encodeAddresses(builder, bits, universe, analysis, threads);
  chosen.constraints.forEach(assert);
  const { runs } = threads;
  const context: EncodingContext = {
    ...{ builder, bits, universe, cells, analysis, assert },
    pairs: () => new PairFormulas(builder, universe.events.length),
    executed: (event) => threads.executed[event] ?? FALSE,
    runOf: (event) => runs[event],
    value: (event) => runs[event]?.value ?? [],
    ...addresses,
    endedOf: threads.endedOf,
    passesAt: (event) => chosen.passesAt(event),
    isCertain: (event) => certain.has(event),
    writersBeyond: (cell) => writersBeyond(structure, analysis.threads, cell.object),
  };
  return { context, constraints, chosen, threads, addresses, groups };
}

function openBits({ readValues }: ValueAnalysis): number {
  return [...readValues.values()].reduce((sum, { values, width }) => sum + (values === 'any' ? width : 0), 0);
}

/** A warp may arrive again before what it arrived for has completed (PTX ISA 9.7.15.1). */
function arrivesTooEarly(context: EncodingContext, meetings: readonly Meeting[]): Formula {
  const mayBe = meetings.some(({ again }) => [...(again?.values() ?? [])].some((formula) => formula !== FALSE));
  return mayBe ? not(noMeetingWaitsForItself(context, meetings, true)) : FALSE;
}
