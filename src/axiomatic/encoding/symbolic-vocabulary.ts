import {
  BASE_SETS,
  barrierLevel,
  DERIVED_RELATIONS,
  EXECUTION_RELATIONS,
  STATIC_RELATIONS,
} from '../../execution/base-relations.js';
import type { EventUniverse, ExecutionRelations } from '../../execution/candidate-execution.js';
import { EventSet } from '../../relation/event-set.js';
import { Relation } from '../../relation/relation.js';
import { overlap, overlapPartially, overlapVirtually } from '../../semantics/cells.js';
import type { PossibleTarget } from '../../semantics/value-analysis.js';
import type { EventRun } from '../../semantics/value-domain.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, type FormulaBuilder, TRUE } from '../formula/formula.js';
import type { ExecutedEvents } from '../relations/executed-events.js';
import type { FormulaRelation } from '../relations/pair-formulas.js';
import type { SymbolicValue } from '../relations/symbolic-algebra.js';
import { SymbolicRelation, SymbolicSet } from '../relations/symbolic-relation.js';
import type { AddressEncoding } from './encode-addresses.js';
import type { AsyncEncoding } from './encode-async.js';
import type { BarrierEncoding } from './encode-barriers.js';
import type { ClusterBarrierEncoding } from './encode-cluster-barriers.js';
import type { GridEncoding } from './encode-grids.js';
import type { LaneEncoding } from './encode-lanes.js';
import type { MemoryEncoding } from './encode-memory.js';
import type { MbarrierEncoding } from './mbarrier-places.js';

/** What the base relations are made of: the encoded program. */
export interface VocabularySource {
  readonly builder: FormulaBuilder;
  readonly universe: EventUniverse;
  readonly executed: ExecutedEvents;
  readonly runs: readonly (EventRun<Bits, Formula> | undefined)[];
  readonly addresses: AddressEncoding;
  readonly memory: MemoryEncoding;
  readonly barriers: BarrierEncoding;
  readonly clusterBarriers: ClusterBarrierEncoding;
  readonly lanes: LaneEncoding;
  readonly grids: GridEncoding;
  readonly mbarriers: MbarrierEncoding;
  readonly asynchronous: AsyncEncoding;
  readonly fenceOrder: FormulaRelation;
}

/** The vocabulary of the models over all executions of a program: the symbolic side of base-relations.ts. */
export class SymbolicVocabulary {
  constructor(private readonly source: VocabularySource) {}

  base(name: string): SymbolicValue | undefined {
    const { executed } = this.source;
    this.source.builder.checkBudget();
    const { size } = executed;
    const { events } = this.source.universe;
    const set = BASE_SETS.get(name);
    if (set !== undefined) {
      const may = EventSet.from(size, (e) => executed.at(e) !== FALSE && events[e] !== undefined && set(events[e]));
      return { kind: 'set', value: new SymbolicSet(may, (e) => executed.at(e)) };
    }
    const related = STATIC_RELATIONS.get(name);
    if (related !== undefined) {
      const may = Relation.from(
        size,
        (a, b) =>
          executed.at(a) !== FALSE &&
          executed.at(b) !== FALSE &&
          events[a] !== undefined &&
          events[b] !== undefined &&
          related(events[a], events[b]),
      );
      return { kind: 'relation', value: new SymbolicRelation(may, may, (a, b) => executed.both(a, b), executed) };
    }
    const given = EXECUTION_RELATIONS[name];
    if (given !== undefined) return { kind: 'relation', value: this.executionRelation(given) };
    const derived = DERIVED_RELATIONS[name];
    if (derived === undefined) return undefined;
    const [a, b] = [this.base(derived[0]), this.base(derived[1])];
    if (a?.kind !== 'relation' || b?.kind !== 'relation') return undefined;
    const [x, y] = [a.value, b.value];
    return {
      kind: 'relation',
      value: new SymbolicRelation(
        x.may.intersection(y.may),
        x.must.intersection(y.must),
        (p, q) => this.source.builder.and(x.at(p, q), y.at(p, q)),
        executed,
      ),
    };
  }

  private executionRelation(name: keyof ExecutionRelations): SymbolicRelation {
    const relation = (
      pairs: Iterable<readonly [number, number]>,
      formula: (a: number, b: number) => Formula,
    ): SymbolicRelation => SymbolicRelation.eager(this.source.executed, pairs, formula);
    const found = (formulas: FormulaRelation): SymbolicRelation =>
      relation(formulas.pairs, (a, b) => formulas.at(a, b));
    switch (name) {
      case 'readsFrom':
        return found(this.source.memory.readsFrom);
      case 'partialReadsFrom':
        return found(this.source.memory.partialReadsFrom);
      case 'coherence':
        return found(this.source.memory.coherence);
      case 'fromReads':
        return found(this.source.memory.fromReads);
      case 'fenceSc':
        return found(this.source.fenceOrder);
      case 'barrierSynchronization':
      case 'warpSynchronization': {
        const level = name === 'warpSynchronization' ? 'warp' : 'cta';
        return relation(
          this.source.barriers.synchronization.pairs.filter(
            ([a]) => barrierLevel(this.source.universe.events[a]) === level,
          ),
          (a, b) => this.source.barriers.synchronization.at(a, b),
        );
      }
      case 'clusterSynchronization':
        return found(this.source.clusterBarriers.synchronization);
      case 'exitSynchronization':
        return relation([...this.source.clusterBarriers.exits.pairs, ...this.source.barriers.exits.pairs], (a, b) =>
          this.source.builder.or(this.source.clusterBarriers.exits.at(a, b), this.source.barriers.exits.at(a, b)),
        );
      case 'rearrival':
        return found(this.source.barriers.rearrivals);
      case 'lateArrival':
        return found(this.source.barriers.lateArrivals());
      case 'laneSynchronization':
        return found(this.source.lanes.synchronization);
      case 'mbarrierOrder':
        return found(this.source.mbarriers.order);
      case 'mbarrierPhase':
        return found(this.source.mbarriers.phase);
      case 'completion':
        return found(this.source.asynchronous.completion);
      case 'fenceCoverage':
        return found(this.source.asynchronous.coverage);
      case 'sharedMemoryExit':
        return found(this.source.asynchronous.exits);
      case 'launches':
        return found(this.source.grids.launches);
      case 'sameLocation':
        return relation(this.memoryPairs(), (a, b) => this.locationFormula(a, b, overlap));
      case 'sameVirtualLocation':
        return relation(this.memoryPairs(), (a, b) => this.locationFormula(a, b, overlapVirtually));
      case 'partialOverlap':
        return relation(this.memoryPairs(), (a, b) =>
          this.isInitial(a) || this.isInitial(b) || a === b ? FALSE : this.locationFormula(a, b, overlapPartially),
        );
      case 'addressDependency':
        return this.dependency((run) => run.addressDependencies);
      case 'dataDependency':
        return this.dependency((run) => run.dataDependencies);
      case 'controlDependency':
        return this.dependency((run) => run.controlDependencies);
    }
  }

  private isInitial(event: number): boolean {
    return event >= this.source.universe.structure.events.length;
  }

  private *memoryPairs(): Generator<readonly [number, number]> {
    const memory = this.source.universe.events
      .filter(({ kind }) => kind === 'read' || kind === 'write' || kind === 'mbarrier')
      .map((event) => event.id);
    for (const a of memory) {
      this.source.builder.checkBudget();
      for (const b of memory) yield [a, b];
    }
  }

  /**
   * Same location, also with the initial write of a cell, which has the virtual addresses of its object's first name.
   */
  private locationFormula(a: number, b: number, related: (x: PossibleTarget, y: PossibleTarget) => boolean): Formula {
    if (a === b) return this.source.executed.at(a);
    const { addresses } = this.source;
    const targets = (event: number): readonly (readonly [PossibleTarget, Formula])[] =>
      this.isInitial(event)
        ? [[this.initialTarget(event), TRUE] as const]
        : addresses.targetsOf(event).map((target) => [target, addresses.accesses(event, target)] as const);
    return this.source.builder.any(
      targets(a).flatMap(([x, first]) =>
        targets(b).flatMap(([y, second]) => (related(x, y) ? [this.source.builder.and(first, second)] : [])),
      ),
    );
  }

  private initialTarget(event: number): PossibleTarget {
    const initial = this.source.universe.initialWrites[event - this.source.universe.structure.events.length];
    if (initial === undefined) throw new Error('an initial write without its location');
    const { object, offset, bytes } = initial;
    return this.source.universe.structure.program.locations.ofObject(object, offset, bytes);
  }

  private dependency(of: (run: EventRun<Bits, Formula>) => ReadonlyMap<number, Formula>): SymbolicRelation {
    const pairs: (readonly [number, number])[] = [];
    for (const run of this.source.runs)
      if (run !== undefined) for (const from of of(run).keys()) pairs.push([from, run.event.id]);
    const { builder, executed } = this.source;
    return SymbolicRelation.eager(executed, pairs, (a, b) => {
      const run = this.source.runs[b];
      const depends = run === undefined ? FALSE : (of(run).get(a) ?? FALSE);
      return depends === TRUE ? executed.both(a, b) : builder.and(depends, executed.both(a, b));
    });
  }
}
