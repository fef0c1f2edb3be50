import { BARRIER_RULES } from '../events/barrier-groups.js';
import { type EventStructure, NO_EVENT, type ProgramEvent } from '../events/events.js';
import type { EventUniverse, InitialWrite } from '../execution/candidate-execution.js';
import { truncate } from '../program/integer.js';
import type { Observable, Proposition, Term } from '../program/program.js';
import { comparisonType } from '../program/proposition.js';
import type { Cell } from '../semantics/cells.js';
import { interpretThread } from '../semantics/interpret.js';
import {
  analyseValues,
  cellsOf,
  groupsBeforeRunning,
  overlap,
  type PossibleTarget,
  type ValueAnalysis,
  writersBeyond,
} from '../semantics/value-analysis.js';
import type { EventRun, ThreadRun } from '../semantics/value-domain.js';
import { BitDomain, type Bits } from './bits.js';
import { ChosenValues } from './chosen-values.js';
import { symbolicAcyclic } from './closure.js';
import { type AsyncEncoding, encodeAsync } from './encode-async.js';
import { type BarrierEncoding, encodeBarriers } from './encode-barriers.js';
import { type ClusterBarrierEncoding, encodeClusterBarriers } from './encode-cluster-barriers.js';
import { type DeadlockEncoding, encodeDeadlock } from './encode-deadlock.js';
import { encodeFenceOrder } from './encode-fence-order.js';
import { encodeLanes, type LaneEncoding } from './encode-lanes.js';
import { type EncodedViolation, encodeMbarriers, type MbarrierEncoding } from './encode-mbarriers.js';
import { encodeMemory, type MemoryEncoding } from './encode-memory.js';
import type { EncodingContext } from './encoding-context.js';
import { ExecutedEvents } from './executed-events.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from './formula.js';
import { noMeetingWaitsForItself } from './meetings.js';
import { PairFormulas } from './pair-formulas.js';
import type { SymbolicValue } from './symbolic-algebra.js';
import { SymbolicRelation } from './symbolic-relation.js';
import { SymbolicVocabulary } from './symbolic-vocabulary.js';

/**
 * All executions of a program as one formula, before any model: control flow, values, memory, barriers, Fence-SC order.
 */
export interface ExecutionEncoding {
  readonly builder: FormulaBuilder;
  readonly universe: EventUniverse;
  readonly analysis: ValueAnalysis;
  readonly executed: readonly Formula[];
  readonly executedEvents: ExecutedEvents;
  /** What every execution satisfies. */
  readonly constraints: readonly Formula[];
  /** Every thread ran to its end, and no barrier kept it. */
  readonly ended: Formula;
  /** Some thread would go round a loop more often than the bound allows. */
  readonly cut: Formula;
  /** Some access goes to an address outside of every location. */
  readonly wild: Formula;
  /** The same, access by access. */
  readonly wildAccesses: ReadonlyMap<number, Formula>;
  /** Some pair of accesses may overlap partially, one of them a write. */
  readonly mixedSizes: boolean;
  readonly chosen: ChosenValues;
  readonly memory: MemoryEncoding;
  readonly barriers: BarrierEncoding;
  readonly clusterBarriers: ClusterBarrierEncoding;
  readonly lanes: LaneEncoding;
  readonly mbarriers: MbarrierEncoding;
  readonly asynchronous: AsyncEncoding;
  /** What PTX leaves undefined under every model. */
  readonly violations: readonly EncodedViolation[];
  /** Some thread waits for ever while all others have ended or wait for ever too; FALSE where threads are not kept. */
  readonly deadlock: DeadlockEncoding;
  /** Every thread is at its end, or is kept or goes round a waiting loop. */
  readonly stopped: Formula;
  /** Of each thread: it ran to its end. */
  endedOf(thread: number): Formula;
  /** Of each edge that goes round a waiting loop: the thread stays in it. */
  spins(thread: number): readonly Formula[];
  blockedAt(event: number): Formula;
  /** The value that a read takes; bits. */
  value(event: number): Bits;
  /** Fence-SC order (8.9.3). */
  readonly fenceOrder: PairFormulas;
  /** A base set or relation of the models. */
  base(name: string): SymbolicValue | undefined;
  observable(observable: Observable): Bits;
  proposition(proposition: Proposition): Formula;
}

export interface EncodingOptions {
  /** Reads may return values that go back to no initial one. */
  readonly thinAir: boolean;
  /** Also those executions in which barriers keep threads for ever. */
  readonly keepsThreads: boolean;
}

/** Encodes a program, or says in a sentence why it cannot. */
export function encodeExecution(
  builder: FormulaBuilder,
  structure: EventStructure,
  options: EncodingOptions,
): ExecutionEncoding | string {
  return new ExecutionEncoder(builder, structure, options).encode();
}

/** Bits of reads that are variables, at most: each takes part in many formulas. */
const MOST_OPEN_BITS = 1 << 17;

class ExecutionEncoder implements ExecutionEncoding {
  private readonly bits: BitDomain;
  readonly analysis: ValueAnalysis;
  readonly universe: EventUniverse;
  private readonly cells: readonly Cell[];
  readonly constraints: Formula[] = [];
  ended: Formula = TRUE;
  cut: Formula = FALSE;
  wild: Formula = FALSE;
  readonly wildAccesses = new Map<number, Formula>();
  mixedSizes = false;
  memory!: MemoryEncoding;
  barriers!: BarrierEncoding;
  clusterBarriers!: ClusterBarrierEncoding;
  lanes!: LaneEncoding;
  mbarriers!: MbarrierEncoding;
  asynchronous!: AsyncEncoding;
  violations: readonly EncodedViolation[] = [];
  deadlock: DeadlockEncoding = { deadlock: FALSE, withoutProgress: FALSE };
  stopped: Formula = TRUE;
  private readonly guards: Formula[] = [];
  private readonly runs: EventRun<Bits, Formula>[] = [];
  private threads: readonly ThreadRun<Bits, Formula>[] = [];
  readonly chosen: ChosenValues;
  fenceOrder!: PairFormulas;
  private vocabulary: SymbolicVocabulary | undefined;

  constructor(
    readonly builder: FormulaBuilder,
    private readonly structure: EventStructure,
    private readonly options: EncodingOptions,
  ) {
    this.bits = new BitDomain(builder);
    this.analysis = analyseValues(structure, options.thinAir);
    this.chosen = new ChosenValues(builder, this.bits, structure, this.analysis, options.keepsThreads);
    this.cells = cellsOf(structure, this.analysis);
    const initialWrites = this.cells.map(
      (cell): InitialWrite => ({
        event: initialWriteEvent(structure.events.length + cell.id),
        object: cell.object,
        offset: cell.offset,
        bytes: cell.bytes,
      }),
    );
    this.universe = {
      structure,
      initialWrites,
      events: [...structure.events, ...initialWrites.map(({ event }) => event)],
    };
  }

  encode(): ExecutionEncoding | string {
    const groups = groupsBeforeRunning(this.structure, this.analysis);
    if (typeof groups === 'string') return groups;
    const open = [...this.analysis.readValues].reduce(
      (bits, [, { values, width }]) => bits + (values === 'any' ? width : 0),
      0,
    );
    if (open > MOST_OPEN_BITS)
      return 'memory: reads of too many bytes whose contents depend on the execution; use smaller copies';
    this.interpretThreads();
    this.checkAddresses();
    const context = this.asContext();
    this.memory = encodeMemory(context);
    const passes = (event: number): Formula => this.chosen.passesAt(event);
    this.barriers = encodeBarriers(context, groups, {
      resultOf: (event) => this.chosen.resultOf(event),
      passesOf: passes,
      endedOf: (thread) => this.endedOf(thread),
    });
    this.clusterBarriers = encodeClusterBarriers(context, (thread) => this.endedOf(thread), passes);
    this.lanes = encodeLanes(
      context,
      (event) => this.runs[event],
      (thread) => this.endedOf(thread),
      passes,
    );
    const meetings = [...this.barriers.meetings, ...this.clusterBarriers.meetings, ...this.lanes.meetings];
    this.assert(noMeetingWaitsForItself(context, meetings, false));
    const mayBeEarly = meetings.some(
      ({ again }) => again !== undefined && [...again.values()].some((formula) => formula !== FALSE),
    );
    const early = {
      rule: BARRIER_RULES.again,
      formula: mayBeEarly ? not(noMeetingWaitsForItself(context, meetings, true)) : FALSE,
    };
    this.mbarriers = encodeMbarriers(context, (event) => this.runs[event]);
    this.asynchronous = encodeAsync(context, this.mbarriers);
    const parts = [this.barriers, this.mbarriers, this.clusterBarriers, this.lanes, this.asynchronous];
    this.violations = [...parts.flatMap(({ violations }) => violations), early].filter(
      ({ formula }) => formula !== FALSE,
    );
    this.fenceOrder = encodeFenceOrder(context);
    this.ended = this.builder.all([
      ...this.threads.flatMap((thread) => [thread.ended, thread.assumed]),
      this.barriers.released,
      this.clusterBarriers.released,
      this.lanes.released,
    ]);
    this.stopped = this.builder.all(
      this.threads.map((thread) => this.builder.or(thread.ended, thread.blocked, ...thread.spins)),
    );
    if (this.options.keepsThreads) this.deadlock = encodeDeadlock(context, this.threads, this.memory, this.mbarriers);
    this.cut = this.builder.any(this.threads.map((thread) => thread.cut));
    this.encodeBeyond();
    // Every answer shows a whole final state, so all of it is constrained, also what no condition asks for.
    for (const observable of this.structure.program.observed) this.observable(observable);
    return this;
  }

  private asContext(): EncodingContext {
    return {
      builder: this.builder,
      bits: this.bits,
      universe: this.universe,
      cells: this.cells,
      analysis: this.analysis,
      assert: (formula) => this.assert(formula),
      executed: (event) => this.guards[event] ?? FALSE,
      value: (event) => this.value(event),
      accesses: (event, target) => this.accesses(event, target),
      overlaps: (a, b) => this.overlaps(a, b),
      isTold: (event) =>
        this.builder.any(this.universe.events.map(({ id }) => this.asynchronous.completion.at(event, id))),
      writersBeyond: (cell) => writersBeyond(this.structure, this.analysis.threads, cell.object),
    };
  }

  get executed(): readonly Formula[] {
    return this.guards;
  }

  private events: ExecutedEvents | undefined;
  get executedEvents(): ExecutedEvents {
    this.events ??= new ExecutedEvents(this.builder, this.guards);
    return this.events;
  }

  private assert(formula: Formula): void {
    if (formula !== TRUE) this.constraints.push(formula);
  }

  private interpretThreads(): void {
    const interpret = (index: number): ThreadRun<Bits, Formula> =>
      interpretThread<Bits, Formula>(this.structure, index, this.bits, this.chosen);
    this.threads = this.structure.threads.map((_, index) => {
      const run = interpret(index);
      // What ends a waiting loop is known beforehand: then nothing that follows depends on it.
      return this.chosen.settle(run.assumed) ? interpret(index) : run;
    });
    for (const thread of this.threads) for (const run of thread.events) this.runs[run.event.id] = run;
    for (const event of this.universe.events)
      this.guards.push(event.thread === undefined ? TRUE : (this.runs[event.id]?.executed ?? FALSE));
  }

  endedOf(thread: number): Formula {
    return this.threads[thread]?.ended ?? FALSE;
  }

  spins(thread: number): readonly Formula[] {
    return this.threads[thread]?.spins ?? [];
  }

  blockedAt(event: number): Formula {
    return this.builder.and(this.guards[event] ?? FALSE, not(this.chosen.passesAt(event)));
  }

  value(event: number): Bits {
    return this.runs[event]?.value ?? [];
  }

  private readonly accessFormulas = new Map<number, Map<bigint, Formula>>();
  private accesses(event: number, target: PossibleTarget): Formula {
    const known = this.accessFormulas.get(event) ?? new Map<bigint, Formula>();
    this.accessFormulas.set(event, known);
    let formula = known.get(target.virtualAddress);
    if (formula === undefined) {
      formula = this.accessFormula(event, target);
      known.set(target.virtualAddress, formula);
    }
    return formula;
  }

  private accessFormula(event: number, target: PossibleTarget): Formula {
    const address = this.runs[event]?.address;
    if (address === undefined) return FALSE;
    return this.builder.and(
      this.guards[event] ?? FALSE,
      this.bits.equal(address, this.bits.constant(target.virtualAddress, 64)),
    );
  }

  private checkAddresses(): void {
    const { builder } = this;
    for (const event of this.analysis.wild)
      this.wildAccesses.set(
        event,
        builder.and(
          this.guards[event] ?? FALSE,
          not(builder.any(this.targetsOf(event).map((target) => this.accesses(event, target)))),
        ),
      );
    this.wild = builder.any([...this.wildAccesses.values()]);
    const all = this.accessTargets();
    this.mixedSizes = all.some(([a, targets]) =>
      all.some(
        ([b, others]) =>
          a < b &&
          (this.universe.events[a]?.kind === 'write' || this.universe.events[b]?.kind === 'write') &&
          targets.some((x) => others.some((y) => overlap(x, y) && (x.offset !== y.offset || x.bytes !== y.bytes))),
      ),
    );
  }

  /** The places that reads and writes may go to. */
  private accessTargets(): readonly (readonly [number, readonly PossibleTarget[]])[] {
    return [...this.analysis.targets].filter(([event]) =>
      ['read', 'write'].includes(this.structure.events[event]?.kind ?? ''),
    );
  }

  private targetsOf(event: number): readonly PossibleTarget[] {
    return this.analysis.targets.get(event) ?? [];
  }

  private overlaps(a: number, b: number): Formula {
    return this.pairs(a, b, overlap);
  }

  private pairs(a: number, b: number, related: (x: PossibleTarget, y: PossibleTarget) => boolean): Formula {
    const ways: Formula[] = [];
    for (const x of this.targetsOf(a))
      for (const y of this.targetsOf(b))
        if (related(x, y)) ways.push(this.builder.and(this.accesses(a, x), this.accesses(b, y)));
    return this.builder.any(ways);
  }

  /**
   * What lies beyond the bound is written only in executions that are cut, and rests on what the cut rests on: no read
   * justifies itself that way (8.10.4). So the first cut, in the order of values and dependencies, rests on what is
   * within the bound.
   */
  private encodeBeyond(): void {
    const { builder } = this;
    const { fromBeyond } = this.memory;
    if (fromBeyond.length === 0) return;
    for (const { thread, formula } of fromBeyond)
      this.assert(builder.implies(formula, this.threads[thread]?.cut ?? FALSE));
    if (this.options.thinAir) return;
    const rests = new PairFormulas(builder, this.universe.events.length);
    for (const { read, thread, formula } of fromBeyond) {
      for (const [earlier, when] of this.threads[thread]?.cutDependencies ?? []) {
        rests.add(earlier, read, builder.and(formula, when));
      }
    }
    for (const name of ['rf', 'addr', 'data', 'ctrl']) {
      const value = this.base(name);
      if (value?.kind === 'relation') for (const [a, b] of value.value.may) rests.add(a, b, value.value.at(a, b));
    }
    const all = SymbolicRelation.eager(this.executedEvents, rests.pairs, (a, b) => rests.at(a, b));
    this.assert(symbolicAcyclic(builder, this.executedEvents, all));
  }

  base(name: string): SymbolicValue | undefined {
    this.vocabulary ??= new SymbolicVocabulary({
      builder: this.builder,
      universe: this.universe,
      executed: this.executedEvents,
      runs: this.runs,
      memory: this.memory,
      barriers: this.barriers,
      clusterBarriers: this.clusterBarriers,
      lanes: this.lanes,
      mbarriers: this.mbarriers,
      asynchronous: this.asynchronous,
      fenceOrder: this.fenceOrder,
      targetsOf: (event) => this.targetsOf(event),
      accesses: (event, target) => this.accesses(event, target),
    });
    return this.vocabulary.base(name);
  }

  observable(observable: Observable): Bits {
    if (observable.kind === 'register')
      return (
        this.threads[observable.thread]?.registers.get(observable.register) ??
        this.bits.constant(0n, observable.type.width)
      );
    const end = observable.offset + observable.type.width / 8;
    return this.cells
      .filter(
        (cell) =>
          cell.object === observable.object && cell.offset >= observable.offset && cell.offset + cell.bytes <= end,
      )
      .flatMap((cell) => this.memory.finalBits(cell));
  }

  proposition(proposition: Proposition): Formula {
    switch (proposition.kind) {
      case 'constant':
        return proposition.value ? TRUE : FALSE;
      case 'not':
        return not(this.proposition(proposition.operand));
      case 'and':
        return this.builder.all(proposition.operands.map((operand) => this.proposition(operand)));
      case 'or':
        return this.builder.any(proposition.operands.map((operand) => this.proposition(operand)));
      case 'compare': {
        const { left, right, comparison } = proposition;
        const { width, kind } = comparisonType(left, right);
        const bitsOf = (term: Term): Bits =>
          term.kind === 'number'
            ? this.bits.constant(truncate(term.value, width), width)
            : this.bits.resize(this.observable(term), width, term.type.kind === 's');
        const [a, b] = [bitsOf(left), bitsOf(right)];
        const signed = kind === 's';
        const forms: Readonly<Record<typeof comparison, () => Formula>> = {
          '==': () => this.bits.equal(a, b),
          '!=': () => not(this.bits.equal(a, b)),
          '<': () => this.bits.less(a, b, signed),
          '<=': () => not(this.bits.less(b, a, signed)),
          '>': () => this.bits.less(b, a, signed),
          '>=': () => not(this.bits.less(a, b, signed)),
        };
        return forms[comparison]();
      }
    }
  }
}

function initialWriteEvent(id: number): ProgramEvent {
  return {
    ...NO_EVENT,
    id,
    thread: undefined,
    placement: undefined,
    node: -1,
    kind: 'write',
    tags: new Set(['W', 'IW', 'WEAK', 'GEN']),
  };
}
