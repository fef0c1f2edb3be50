import { mutuallyInScope } from '../execution/base-relations.js';
import type { EventUniverse, InitialWrite } from '../execution/candidate-execution.js';
import { comparisonType } from '../program/build-conditions.js';
import type { Cell } from '../program/cells.js';
import { type EventStructure, NO_EVENT, type ProgramEvent } from '../program/events.js';
import { truncate } from '../program/integer.js';
import { interpretThread } from '../program/interpret.js';
import type { Observable, Proposition, Term } from '../program/program.js';
import { analyseValues, cellsOf, groupsBeforeRunning, overlap, type PossibleTarget, type ValueAnalysis, writtenBeyond } from '../program/value-analysis.js';
import type { EventRun, ThreadRun } from '../program/value-domain.js';
import { BitDomain, type Bits } from './bits.js';
import { ChosenValues } from './chosen-values.js';
import { type AsyncEncoding, encodeAsync } from './encode-async.js';
import { type BarrierEncoding, encodeBarriers } from './encode-barriers.js';
import { type ClusterBarrierEncoding, encodeClusterBarriers } from './encode-cluster-barriers.js';
import { encodeDeadlock } from './encode-deadlock.js';
import { encodeLanes, type LaneEncoding } from './encode-lanes.js';
import { type EncodedViolation, encodeMbarriers, type MbarrierEncoding } from './encode-mbarriers.js';
import { encodeMemory, type MemoryEncoding } from './encode-memory.js';
import type { EncodingContext } from './encoding-context.js';
import { ExecutedEvents } from './executed-events.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from './formula.js';
import { noMeetingWaitsForItself } from './meetings.js';
import type { SymbolicValue } from './symbolic-algebra.js';
import { SymbolicVocabulary } from './symbolic-vocabulary.js';

/** All executions of a program as one formula, before any model: control flow, values, memory, barriers, Fence-SC order. */
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
  readonly deadlock: Formula;
  /** Every thread is at its end, or is kept or goes round a waiting loop. */
  readonly stopped: Formula;
  /** Of each thread: it ran to its end. */
  endedOf(thread: number): Formula;
  /** Of each edge that goes round a waiting loop: the thread stays in it. */
  spins(thread: number): readonly Formula[];
  blockedAt(event: number): Formula;
  /** The value that a read takes; bits. */
  value(event: number): Bits;
  fenceOrder(a: number, b: number): Formula;
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
export function encodeExecution(builder: FormulaBuilder, structure: EventStructure, options: EncodingOptions): ExecutionEncoding | string {
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
  deadlock: Formula = FALSE;
  stopped: Formula = TRUE;
  private readonly guards: Formula[] = [];
  private readonly runs: EventRun<Bits, Formula>[] = [];
  private threads: readonly ThreadRun<Bits, Formula>[] = [];
  readonly chosen: ChosenValues;
  private readonly fences = new Map<number, Formula>();
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
      (cell): InitialWrite => ({ event: initialWriteEvent(structure.events.length + cell.id), object: cell.object, offset: cell.offset, bytes: cell.bytes }),
    );
    this.universe = { structure, initialWrites, events: [...structure.events, ...initialWrites.map(({ event }) => event)] };
  }

  encode(): ExecutionEncoding | string {
    const groups = groupsBeforeRunning(this.structure, this.analysis);
    if (typeof groups === 'string') return groups;
    const open = [...this.analysis.readValues].reduce((bits, [, { values, width }]) => bits + (values === 'any' ? width : 0), 0);
    if (open > MOST_OPEN_BITS) return 'memory: reads of too many bytes whose contents depend on the execution; use smaller copies';
    this.interpretThreads();
    this.checkAddresses();
    const context = this.asContext();
    this.memory = encodeMemory(context);
    const passes = (event: number): Formula => this.chosen.passesAt(event);
    this.barriers = encodeBarriers(context, groups, (event) => this.chosen.resultOf(event), passes);
    this.clusterBarriers = encodeClusterBarriers(context, (thread) => this.endedOf(thread), passes);
    this.lanes = encodeLanes(
      context,
      (event) => this.runs[event],
      (thread) => this.endedOf(thread),
      passes,
    );
    this.assert(noMeetingWaitsForItself(context, [...this.barriers.meetings, ...this.clusterBarriers.meetings, ...this.lanes.meetings]));
    this.mbarriers = encodeMbarriers(context, (event) => this.runs[event]);
    this.asynchronous = encodeAsync(context, this.mbarriers);
    this.violations = [...this.mbarriers.violations, ...this.clusterBarriers.violations, ...this.lanes.violations, ...this.asynchronous.violations].filter(
      ({ formula }) => formula !== FALSE,
    );
    this.encodeFenceOrder();
    this.ended = this.builder.all([
      ...this.threads.flatMap((thread) => [thread.ended, thread.assumed]),
      this.barriers.released,
      this.clusterBarriers.released,
      this.lanes.released,
    ]);
    this.stopped = this.builder.all(this.threads.map((thread) => this.builder.or(thread.ended, thread.blocked, ...thread.spins)));
    if (this.options.keepsThreads) this.deadlock = encodeDeadlock(context, this.threads, this.memory, this.mbarriers);
    this.cut = this.builder.any(this.threads.map((thread) => thread.cut));
    // What may lie beyond the bound is read only in executions that are cut.
    for (const beyond of this.memory.fromBeyond) this.assert(this.builder.implies(beyond, this.cut));
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
      writtenBeyond: (cell) => writtenBeyond(this.structure, this.analysis.threads, cell.object),
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
    const interpret = (index: number): ThreadRun<Bits, Formula> => interpretThread<Bits, Formula>(this.structure, index, this.bits, this.chosen);
    this.threads = this.structure.threads.map((_, index) => {
      const run = interpret(index);
      // What ends a waiting loop is known beforehand: then nothing that follows depends on it.
      return this.chosen.settle(run.assumed) ? interpret(index) : run;
    });
    for (const thread of this.threads) for (const run of thread.events) this.runs[run.event.id] = run;
    for (const event of this.universe.events) this.guards.push(event.thread === undefined ? TRUE : (this.runs[event.id]?.executed ?? FALSE));
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
    return this.builder.and(this.guards[event] ?? FALSE, this.bits.equal(address, this.bits.constant(target.virtualAddress, 64)));
  }

  private checkAddresses(): void {
    const { builder } = this;
    for (const event of this.analysis.wild)
      this.wildAccesses.set(event, builder.and(this.guards[event] ?? FALSE, not(builder.any(this.targetsOf(event).map((target) => this.accesses(event, target))))));
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
    return [...this.analysis.targets].filter(([event]) => ['read', 'write'].includes(this.structure.events[event]?.kind ?? ''));
  }

  private targetsOf(event: number): readonly PossibleTarget[] {
    return this.analysis.targets.get(event) ?? [];
  }

  private overlaps(a: number, b: number): Formula {
    return this.pairs(a, b, overlap);
  }

  private pairs(a: number, b: number, related: (x: PossibleTarget, y: PossibleTarget) => boolean): Formula {
    const ways: Formula[] = [];
    for (const x of this.targetsOf(a)) for (const y of this.targetsOf(b)) if (related(x, y)) ways.push(this.builder.and(this.accesses(a, x), this.accesses(b, y)));
    return this.builder.any(ways);
  }

  /** Fence-SC order (8.9.3): a total order on the executed fence.sc, of which morally strong pairs count. */
  private encodeFenceOrder(): void {
    const { builder } = this;
    const fences = this.structure.events.filter((event) => event.kind === 'fence' && event.tags.has('SC') && this.guards[event.id] !== FALSE);
    const size = this.universe.events.length;
    fences.forEach((a, i) => {
      for (const b of fences.slice(i + 1)) {
        const order = builder.variable(`sc(${a.id},${b.id})`);
        this.fences.set(a.id * size + b.id, order);
        this.fences.set(b.id * size + a.id, not(order));
      }
    });
    for (const a of fences)
      for (const b of fences)
        for (const c of fences) {
          if (a.id >= b.id || b.id >= c.id) continue;
          const [ab, bc, ac] = [this.order(a.id, b.id), this.order(b.id, c.id), this.order(a.id, c.id)];
          this.assert(builder.or(not(ab), not(bc), ac));
          this.assert(builder.or(ab, bc, not(ac)));
        }
  }

  private order(a: number, b: number): Formula {
    return this.fences.get(a * this.universe.events.length + b) ?? FALSE;
  }

  fenceOrder(a: number, b: number): Formula {
    const [x, y] = [this.universe.events[a], this.universe.events[b]];
    if (x === undefined || y === undefined || (x.thread !== y.thread && !mutuallyInScope(x, y))) return FALSE;
    return this.builder.and(this.order(a, b), this.guards[a] ?? FALSE, this.guards[b] ?? FALSE);
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
      fencePairs: [...this.fences.keys()].map((key) => [Math.floor(key / this.universe.events.length), key % this.universe.events.length] as const),
      fenceOrder: (x, y) => this.fenceOrder(x, y),
      targetsOf: (event) => this.targetsOf(event),
      accesses: (event, target) => this.accesses(event, target),
    });
    return this.vocabulary.base(name);
  }

  observable(observable: Observable): Bits {
    if (observable.kind === 'register') return this.threads[observable.thread]?.registers.get(observable.register) ?? this.bits.constant(0n, observable.type.width);
    const end = observable.offset + observable.type.width / 8;
    return this.cells
      .filter((cell) => cell.object === observable.object && cell.offset >= observable.offset && cell.offset + cell.bytes <= end)
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
          term.kind === 'number' ? this.bits.constant(truncate(term.value, width), width) : this.bits.resize(this.observable(term), width, term.type.kind === 's');
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
  return { ...NO_EVENT, id, thread: undefined, placement: undefined, node: -1, kind: 'write', tags: new Set(['W', 'IW', 'WEAK', 'GEN']) };
}
