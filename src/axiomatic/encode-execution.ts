import { BASE_SETS, DERIVED_RELATIONS, EXECUTION_RELATIONS, mutuallyInScope, STATIC_RELATIONS } from '../execution/base-relations.js';
import type { EventUniverse, ExecutionRelations, InitialWrite } from '../execution/candidate-execution.js';
import { type Cell, memoryCells } from '../execution/cells.js';
import { barrierGroups } from '../program/barrier-groups.js';
import type { EventStructure, ProgramEvent } from '../program/events.js';
import { type EventRun, interpretThread, type ThreadRun } from '../program/interpret.js';
import type { Observable, Program, Proposition, Term } from '../program/program.js';
import { comparisonType } from '../program/build-conditions.js';
import { truncate } from '../program/integer.js';
import { EventSet } from '../relation/event-set.js';
import { Relation } from '../relation/relation.js';
import { BitDomain, type Bits } from './bits.js';
import { type BarrierEncoding, encodeBarriers } from './encode-barriers.js';
import { encodeMemory, type MemoryEncoding } from './encode-memory.js';
import type { EncodingContext } from './encoding-context.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from './formula.js';
import { SymbolicRelation, SymbolicSet } from './symbolic-relation.js';
import type { SymbolicValue } from './symbolic-algebra.js';
import { analyseValues, overlap, type PossibleTarget, type ValueAnalysis } from './value-analysis.js';

/** All executions of a program as one formula, before any model: control flow, values, memory, barriers, Fence-SC order. */
export interface ExecutionEncoding {
  readonly builder: FormulaBuilder;
  readonly universe: EventUniverse;
  readonly analysis: ValueAnalysis;
  readonly executed: readonly Formula[];
  /** What every execution satisfies. */
  readonly constraints: readonly Formula[];
  /** Every thread ran to its end, and no barrier kept it. */
  readonly ended: Formula;
  /** Some thread would go round a loop more often than the bound allows. */
  readonly cut: Formula;
  /** Some access goes to an address outside of every location. */
  readonly wild: Formula;
  /** Some pair of accesses may overlap partially, one of them a write. */
  readonly mixedSizes: boolean;
  readonly memory: MemoryEncoding;
  readonly barriers: BarrierEncoding;
  /** The value that a read takes; bits. */
  value(event: number): Bits;
  barrierResult(event: number): Bits | undefined;
  fenceOrder(a: number, b: number): Formula;
  /** A base set or relation of the models. */
  base(name: string): SymbolicValue | undefined;
  observable(observable: Observable): Bits;
  proposition(proposition: Proposition): Formula;
}

/** Encodes a program, or says in a sentence why it cannot. */
export function encodeExecution(builder: FormulaBuilder, structure: EventStructure): ExecutionEncoding | string {
  return new ExecutionEncoder(builder, structure).encode();
}

class ExecutionEncoder implements ExecutionEncoding {
  private readonly bits: BitDomain;
  readonly analysis: ValueAnalysis;
  readonly universe: EventUniverse;
  private readonly cells: readonly Cell[];
  readonly constraints: Formula[] = [];
  ended: Formula = TRUE;
  cut: Formula = FALSE;
  wild: Formula = FALSE;
  mixedSizes = false;
  memory!: MemoryEncoding;
  barriers!: BarrierEncoding;
  private readonly guards: Formula[] = [];
  private readonly runs: EventRun<Bits, Formula>[] = [];
  private threads: readonly ThreadRun<Bits, Formula>[] = [];
  private readonly readBits = new Map<number, Bits>();
  private readonly resultBits = new Map<number, Bits>();
  private readonly fences = new Map<number, Formula>();
  private readonly program: Program;

  constructor(
    readonly builder: FormulaBuilder,
    private readonly structure: EventStructure,
  ) {
    this.program = structure.program;
    this.bits = new BitDomain(builder);
    this.analysis = analyseValues(structure);
    const accesses = [...this.analysis.targets.values()].flat().map(({ range, offset, bytes }) => ({ object: range.object, offset, bytes }));
    this.cells = memoryCells(this.program.locations.objects, [...accesses, ...this.program.observed.flatMap((o) => (o.kind === 'memory' ? [{ object: o.object, offset: o.offset, bytes: o.type.width / 8 }] : []))]);
    const initialWrites = this.cells.map((cell): InitialWrite => ({ event: initialWriteEvent(structure.events.length + cell.id), object: cell.object, offset: cell.offset, bytes: cell.bytes }));
    this.universe = { structure, initialWrites, events: [...structure.events, ...initialWrites.map(({ event }) => event)] };
  }

  encode(): ExecutionEncoding | string {
    const groups = barrierGroups(this.structure, (event) => {
      const run = this.analysis.runs[event.id];
      const only = (set: EventRun<{ readonly values: ReadonlySet<bigint> | 'any' }, unknown>['barrierId']): bigint | undefined => (set === undefined || set.values === 'any' || set.values.size !== 1 ? undefined : [...set.values][0]);
      return { id: only(run?.barrierId), count: only(run?.barrierCount) };
    });
    if (typeof groups === 'string') return groups;
    this.interpretThreads();
    this.checkAddresses();
    this.memory = encodeMemory(this.asContext());
    this.barriers = encodeBarriers(this.asContext(), groups, (event) => this.resultBits.get(event));
    this.encodeFenceOrder();
    this.ended = this.builder.all([...this.threads.map((thread) => thread.ended), this.barriers.released]);
    this.cut = this.builder.any(this.threads.map((thread) => thread.cut));
    // What may lie beyond the bound is read only in executions that are cut.
    for (const beyond of this.memory.fromBeyond) this.assert(this.builder.implies(beyond, this.cut));
    return this;
  }

  private asContext(): EncodingContext {
    return {
      builder: this.builder, bits: this.bits, universe: this.universe, cells: this.cells, analysis: this.analysis,
      assert: (formula) => this.assert(formula),
      executed: (event) => this.guards[event] ?? FALSE,
      value: (event) => this.value(event),
      accesses: (event, target) => this.accesses(event, target),
      overlaps: (a, b) => this.overlaps(a, b),
      writtenBeyond: (cell) => this.writtenBeyond(cell),
    };
  }

  get executed(): readonly Formula[] {
    return this.guards;
  }

  private assert(formula: Formula): void {
    if (formula !== TRUE) this.constraints.push(formula);
  }

  private interpretThreads(): void {
    this.threads = this.structure.threads.map((_, index) =>
      interpretThread<Bits, Formula>(this.structure, index, this.bits, {
        read: (event) => this.bitsOfRead(event),
        barrierResult: (event) => this.bitsOfResult(event),
      }),
    );
    for (const thread of this.threads) for (const run of thread.events) this.runs[run.event.id] = run;
    for (const event of this.universe.events) this.guards.push(event.thread === undefined ? TRUE : (this.runs[event.id]?.executed ?? FALSE));
  }

  /** A read's value: what all its possible values share is constant, the other bits are variables. */
  private bitsOfRead(event: ProgramEvent): Bits {
    let bits = this.readBits.get(event.id);
    if (bits === undefined) {
      const width = event.type?.width ?? 32;
      const possible = this.structure.threads.some((thread) => thread.cuts.length > 0) ? undefined : this.analysis.readValues.get(event.id);
      const values = possible === undefined || possible.values === 'any' ? undefined : [...possible.values];
      bits = Array.from({ length: width }, (_, i) => {
        const seen = new Set(values?.map((value) => (value >> BigInt(i)) & 1n));
        if (values !== undefined && seen.size <= 1) return seen.has(1n) ? TRUE : FALSE;
        return this.builder.variable(`value(${event.id}).${i}`);
      });
      this.readBits.set(event.id, bits);
    }
    return bits;
  }

  private bitsOfResult(event: ProgramEvent): Bits {
    let bits = this.resultBits.get(event.id);
    if (bits === undefined) {
      const wide = event.barrier?.reduction?.operation === 'popc';
      const needed = wide ? Math.ceil(Math.log2(this.program.threads.length + 1)) : 1;
      const low = Array.from({ length: needed }, (_, i) => this.builder.variable(`result(${event.id}).${i}`));
      bits = this.bits.resize(low, wide ? 32 : 1, false);
      this.resultBits.set(event.id, bits);
    }
    return bits;
  }

  value(event: number): Bits {
    return this.runs[event]?.value ?? [];
  }

  barrierResult(event: number): Bits | undefined {
    return this.resultBits.get(event);
  }

  private accesses(event: number, target: PossibleTarget): Formula {
    const address = this.runs[event]?.address;
    if (address === undefined) return FALSE;
    return this.builder.and(this.guards[event] ?? FALSE, this.bits.equal(address, this.bits.constant(target.virtualAddress, 64)));
  }

  private checkAddresses(): void {
    const { builder } = this;
    this.wild = builder.any([...this.analysis.wild].map((event) => builder.and(this.guards[event] ?? FALSE, not(builder.any(this.targetsOf(event).map((target) => this.accesses(event, target)))))));
    const all = [...this.analysis.targets];
    this.mixedSizes = all.some(([a, targets]) =>
      all.some(([b, others]) => a < b && (this.universe.events[a]?.kind === 'write' || this.universe.events[b]?.kind === 'write') && targets.some((x) => others.some((y) => overlap(x, y) && (x.offset !== y.offset || x.bytes !== y.bytes)))),
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
    for (const x of this.targetsOf(a)) for (const y of this.targetsOf(b)) if (related(x, y)) ways.push(this.builder.and(this.accesses(a, x), this.accesses(b, y)));
    return this.builder.any(ways);
  }

  private writtenBeyond(cell: Cell): boolean {
    return this.structure.threads.some((thread) => thread.cuts.length > 0 && thread.beyond.some(({ operation }) => {
      if (operation.kind !== 'store' && operation.kind !== 'atomic') return false;
      const { base } = operation.address;
      if (base.kind === 'register') return true;
      return this.program.locations.at(base.value, 1)?.object === cell.object;
    }));
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
    for (const a of fences) for (const b of fences) for (const c of fences) {
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
    const size = this.universe.events.length;
    const { events } = this.universe;
    const set = BASE_SETS.get(name);
    if (set !== undefined) {
      const may = EventSet.from(size, (e) => this.guards[e] !== FALSE && events[e] !== undefined && set(events[e]));
      return { kind: 'set', value: new SymbolicSet(may, (e) => this.guards[e] ?? FALSE) };
    }
    const related = STATIC_RELATIONS.get(name);
    if (related !== undefined) {
      const may = Relation.from(size, (a, b) => this.guards[a] !== FALSE && this.guards[b] !== FALSE && events[a] !== undefined && events[b] !== undefined && related(events[a], events[b]));
      const must = Relation.ofPairs(size, [...may].filter(([a, b]) => this.guards[a] === TRUE && this.guards[b] === TRUE));
      return { kind: 'relation', value: new SymbolicRelation(may, must, (a, b) => this.builder.and(this.guards[a] ?? FALSE, this.guards[b] ?? FALSE)) };
    }
    const given = EXECUTION_RELATIONS[name];
    if (given !== undefined) return { kind: 'relation', value: this.executionRelation(given) };
    const derived = DERIVED_RELATIONS[name];
    if (derived === undefined) return undefined;
    const [a, b] = [this.base(derived[0]), this.base(derived[1])];
    if (a?.kind !== 'relation' || b?.kind !== 'relation') return undefined;
    const [x, y] = [a.value, b.value];
    return { kind: 'relation', value: new SymbolicRelation(x.may.intersection(y.may), x.must.intersection(y.must), (p, q) => this.builder.and(x.at(p, q), y.at(p, q))) };
  }

  private executionRelation(name: keyof ExecutionRelations): SymbolicRelation {
    const size = this.universe.events.length;
    const relation = (pairs: Iterable<readonly [number, number]>, formula: (a: number, b: number) => Formula): SymbolicRelation => SymbolicRelation.eager(size, pairs, formula);
    switch (name) {
      case 'readsFrom':
        return relation(this.memory.readsFromPairs, (a, b) => this.memory.readsFrom(a, b));
      case 'coherence':
        return relation(this.memory.coherencePairs, (a, b) => this.memory.coherence(a, b));
      case 'fromReads':
        return relation(this.memory.fromReadsPairs, (a, b) => this.memory.fromReads(a, b));
      case 'fenceSc':
        return relation(this.fencePairs(), (a, b) => this.fenceOrder(a, b));
      case 'barrierSynchronization':
      case 'warpSynchronization': {
        const level = name === 'warpSynchronization' ? 'warp' : 'cta';
        return relation(this.barriers.pairs.filter(([a]) => this.universe.events[a]?.barrier?.level === level), (a, b) => this.barriers.synchronizes(a, b));
      }
      case 'sameLocation':
        return relation(this.memoryPairs(), (a, b) => this.locationFormula(a, b, overlap));
      case 'sameVirtualLocation':
        return relation(this.memoryPairs(), (a, b) => this.locationFormula(a, b, (x, y) => overlap(x, y) && x.virtualAddress < y.virtualAddress + BigInt(y.bytes) && y.virtualAddress < x.virtualAddress + BigInt(x.bytes)));
      case 'partialOverlap':
        return relation(this.memoryPairs(), (a, b) => (this.isInitial(a) || this.isInitial(b) ? FALSE : this.pairs(a, b, (x, y) => overlap(x, y) && (x.offset !== y.offset || x.bytes !== y.bytes))));
      case 'addressDependency':
        return this.dependency((run) => run.addressDependencies);
      case 'dataDependency':
        return this.dependency((run) => run.dataDependencies);
      case 'controlDependency':
        return this.dependency((run) => run.controlDependencies);
    }
  }

  private isInitial(event: number): boolean {
    return event >= this.structure.events.length;
  }

  private *memoryPairs(): Generator<readonly [number, number]> {
    const memory = this.universe.events.filter((event) => event.kind === 'read' || event.kind === 'write').map((event) => event.id);
    for (const a of memory) for (const b of memory) yield [a, b];
  }

  private *fencePairs(): Generator<readonly [number, number]> {
    for (const key of this.fences.keys()) yield [Math.floor(key / this.universe.events.length), key % this.universe.events.length];
  }

  /** Same location, also with the initial write of a cell, which has the virtual addresses of its object's first name. */
  private locationFormula(a: number, b: number, related: (x: PossibleTarget, y: PossibleTarget) => boolean): Formula {
    if (a === b) return this.guards[a] ?? FALSE;
    const targets = (event: number): readonly (readonly [PossibleTarget, Formula])[] => (this.isInitial(event) ? [[this.initialTarget(event), TRUE] as const] : this.targetsOf(event).map((target) => [target, this.accesses(event, target)] as const));
    return this.builder.any(targets(a).flatMap(([x, first]) => targets(b).flatMap(([y, second]) => (related(x, y) ? [this.builder.and(first, second)] : []))));
  }

  private initialTarget(event: number): PossibleTarget {
    const initial = this.universe.initialWrites[event - this.structure.events.length];
    const range = this.program.locations.ranges.find((candidate) => candidate.object === initial?.object);
    if (initial === undefined || range === undefined) throw new Error('an initial write without its location');
    return { range, offset: initial.offset, bytes: initial.bytes, virtualAddress: range.base + BigInt(initial.offset) };
  }

  private dependency(of: (run: EventRun<Bits, Formula>) => ReadonlyMap<number, Formula>): SymbolicRelation {
    const pairs: (readonly [number, number])[] = [];
    for (const run of this.runs) if (run !== undefined) for (const from of of(run).keys()) pairs.push([from, run.event.id]);
    return SymbolicRelation.eager(this.universe.events.length, pairs, (a, b) => {
      const run = this.runs[b];
      return run === undefined ? FALSE : this.builder.and(of(run).get(a) ?? FALSE, this.guards[a] ?? FALSE, this.guards[b] ?? FALSE);
    });
  }

  observable(observable: Observable): Bits {
    if (observable.kind === 'register') return this.threads[observable.thread]?.registers.get(observable.register) ?? this.bits.constant(0n, observable.type.width);
    const end = observable.offset + observable.type.width / 8;
    return this.cells.filter((cell) => cell.object === observable.object && cell.offset >= observable.offset && cell.offset + cell.bytes <= end).flatMap((cell) => this.memory.finalBits(cell));
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
        const bitsOf = (term: Term): Bits => (term.kind === 'number' ? this.bits.constant(truncate(term.value, width), width) : this.bits.resize(this.observable(term), width, term.type.kind === 's'));
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
  return { id, thread: undefined, placement: undefined, node: -1, kind: 'write', tags: new Set(['W', 'IW', 'WEAK', 'GEN']), scope: undefined, type: undefined, partner: undefined, barrier: undefined, span: undefined };
}
