import { vocabulary } from '../../cat/vocabulary.js';
import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import { amongExecuted, executedThat } from '../../execution/named-relations.js';
import type { Located, MemoryObject } from '../../program/locations.js';
import { EventSet } from '../../relation/event-set.js';
import { Relation } from '../../relation/relation.js';
import { overlap, overlapPartially, overlappingAt, overlapVirtually } from '../../semantics/cells.js';
import type { EventRun } from '../../semantics/value-domain.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, TRUE } from '../formula/formula.js';
import { remembered } from '../formula/remembered.js';
import type { ExecutedEvents } from '../relations/executed-events.js';
import type { FormulaRelation } from '../relations/pair-formulas.js';
import { type SymbolicValue, symbolicAlgebra } from '../relations/symbolic-algebra.js';
import { SymbolicRelation, SymbolicSet } from '../relations/symbolic-relation.js';
import type { EncodingContext } from './encoding-context.js';

/** A relation of which pairs that may be related are told one by one. */
interface PossiblePairs extends Pick<FormulaRelation, 'at'> {
  readonly pairs: Iterable<readonly [number, number]>;
}

type PlaceRelation = 'sameLocation' | 'sameVirtualLocation' | 'partialOverlap';
type DependencyRelation = 'addressDependency' | 'dataDependency' | 'controlDependency';

/**
 * The vocabulary of the models over all executions of a program: the symbolic side of base-relations.ts. Of what is not
 * `encoded` nothing is known.
 */
export function symbolicVocabulary(
  context: EncodingContext,
  executed: ExecutedEvents,
  encoded: Partial<Omit<ExecutionRelationsOf<FormulaRelation>, PlaceRelation | DependencyRelation>>,
): (name: string) => SymbolicValue | undefined {
  const { builder, universe } = context;
  const possible = { universe, executed: EventSet.from(executed.size, (e) => executed.at(e) !== FALSE) };
  const anything = Relation.product(possible.executed, possible.executed);
  const relations: Partial<ExecutionRelationsOf<PossiblePairs>> = {
    ...encoded,
    ...placeRelations(context),
    ...dependencies(context, executed),
  };
  const { intersection } = symbolicAlgebra(builder, executed).relation;
  return vocabulary<SymbolicSet, SymbolicRelation>({
    set: (belongs) => new SymbolicSet(executedThat(possible, belongs), (e) => executed.at(e)),
    relation: (related) => {
      const may = amongExecuted(possible, related);
      return new SymbolicRelation(may, may, (a, b) => executed.both(a, b), executed);
    },
    given: (name) => {
      builder.checkBudget();
      const relation = relations[name];
      if (relation === undefined)
        return new SymbolicRelation(anything, new Relation(executed.size), () => builder.variable('unknown'));
      return SymbolicRelation.eager(executed, relation.pairs, (a, b) => relation.at(a, b));
    },
    intersection,
  });
}

function placeRelations(context: EncodingContext): Pick<ExecutionRelationsOf<PossiblePairs>, PlaceRelation> {
  const { builder, universe } = context;
  const { program, events } = universe.structure;
  const memory = universe.events
    .filter(({ kind }) => kind === 'read' || kind === 'write' || kind === 'mbarrier')
    .map(({ id }) => id);
  const isInitial = (event: number): boolean => event >= events.length;
  /** An initial write of a cell has the virtual addresses of its object's first name. */
  const targets = new Map<number, readonly (readonly [Located, Formula])[]>();
  const targetsOf = (event: number): readonly (readonly [Located, Formula])[] =>
    remembered(targets, event, () => {
      const initial = universe.initialWrites[event - events.length];
      if (initial !== undefined)
        return [[program.locations.ofObject(initial.object, initial.offset, initial.bytes), TRUE]];
      return context.targetsOf(event).map((target) => [target, context.accesses(event, target)]);
    });
  const meeting = overlappingAt(targetsOf, ([target]) => target);
  const objectsOf = (event: number): readonly MemoryObject[] => {
    const initial = universe.initialWrites[event - events.length];
    return initial === undefined ? context.targetsOf(event).map(({ object }) => object) : [initial.object];
  };
  const pairs = pairsOfOneObject(memory, objectsOf, isInitial);
  const where = (related: (x: Located, y: Located) => boolean): PossiblePairs => ({
    pairs,
    at: (a, b) => {
      if (a === b) return context.executed(a);
      // Of addresses that are open there are many places, of which no formula is made.
      builder.checkBudget();
      return builder.any(
        targetsOf(a).flatMap(([x, first]) =>
          meeting(b, x).flatMap(([y, second]) => (related(x, y) ? [builder.and(first, second)] : [])),
        ),
      );
    },
  });
  const partial = where(overlapPartially);
  return {
    sameLocation: where(overlap),
    sameVirtualLocation: where(overlapVirtually),
    partialOverlap: {
      pairs,
      at: (a, b) => (isInitial(a) || isInitial(b) || a === b ? FALSE : partial.at(a, b)),
    },
  };
}

/**
 * The pairs of events, in the order in which they are given, that may access one object; each with itself too. Initial
 * writes are of different cells.
 */
function pairsOfOneObject(
  events: readonly number[],
  objectsOf: (event: number) => readonly MemoryObject[],
  isInitial: (event: number) => boolean,
): readonly (readonly [number, number])[] {
  const accessing = new Map<MemoryObject, number[]>();
  const ofProgram = new Map<MemoryObject, number[]>();
  const objects = new Map(events.map((event) => [event, [...new Set(objectsOf(event))]]));
  for (const [event, some] of objects)
    for (const object of some) {
      remembered(accessing, object, () => []).push(event);
      if (!isInitial(event)) remembered(ofProgram, object, () => []).push(event);
    }
  return events.flatMap((a) => {
    const lists = isInitial(a) ? ofProgram : accessing;
    const [only = [a], ...more] = (objects.get(a) ?? []).map((object) => lists.get(object) ?? []);
    const isAll = more.length === 0 && !isInitial(a);
    const others = isAll ? only : [...new Set([a, only, more].flat(2))].sort((x, y) => x - y);
    return others.map((b) => [a, b] as const);
  });
}

function dependencies(
  context: EncodingContext,
  executed: ExecutedEvents,
): Pick<ExecutionRelationsOf<PossiblePairs>, DependencyRelation> {
  const { builder } = context;
  const dependency = (of: (run: EventRun<Bits, Formula>) => ReadonlyMap<number, Formula>): PossiblePairs => {
    const on = (event: number): ReadonlyMap<number, Formula> | undefined => {
      const run = context.runOf(event);
      return run && of(run);
    };
    return {
      pairs: context.universe.structure.events.flatMap(({ id }) =>
        [...(on(id)?.keys() ?? [])].map((from) => [from, id] as const),
      ),
      at: (a, b) => {
        const depends = on(b)?.get(a) ?? FALSE;
        return depends === TRUE ? executed.both(a, b) : builder.and(depends, executed.both(a, b));
      },
    };
  };
  return {
    addressDependency: dependency((run) => run.addressDependencies),
    dataDependency: dependency((run) => run.dataDependencies),
    controlDependency: dependency((run) => run.controlDependencies),
  };
}
