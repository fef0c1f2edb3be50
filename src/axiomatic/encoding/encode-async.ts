import type { ProgramEvent } from '../../events/program-event.js';
import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import { fenceCovers } from '../../execution/fence-coverage.js';
import { touchesLiveObject } from '../../execution/live-objects.js';
import { isMisplaced } from '../../execution/place-rules.js';
import type { PlaceRule } from '../../program/async-operation.js';
import { groupTells, inOneGroup, tellingOperations } from '../../semantics/completion.js';
import { FALSE, type Formula } from '../formula/formula.js';
import type { FormulaRelation } from '../relations/pair-formulas.js';
import { type EncodedViolation, type ViolationPart, violationBy } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import type { MbarrierEncoding } from './mbarrier-places.js';

/** What becomes of asynchronous operations: which waits tell of them, and where they may not go. */
export interface AsyncEncoding
  extends Pick<ExecutionRelationsOf<FormulaRelation>, 'completion' | 'fenceCoverage' | 'sharedMemoryExit'> {
  readonly violations: readonly EncodedViolation[];
}

const isAccess = ({ kind }: ProgramEvent): boolean => kind === 'read' || kind === 'write';
const isOnMemory = (event: ProgramEvent): boolean => isAccess(event) || event.kind === 'mbarrier';

export function encodeAsync(context: EncodingContext, mbarriers: MbarrierEncoding): AsyncEncoding {
  const live = context.universe.structure.events.filter((event) => context.executed(event.id) !== FALSE);
  return {
    completion: encodeCompletion(context, live, mbarriers),
    fenceCoverage: encodeCoverage(context, live),
    sharedMemoryExit: encodeExits(context, live),
    violations: [
      ...placeViolations(context, live),
      ...checkViolations(context, live),
      ...groupViolations(context, live),
      ...liveObjectViolations(context, live),
    ],
  };
}

function encodeCompletion(
  context: EncodingContext,
  live: readonly ProgramEvent[],
  { mbarrierPhase }: MbarrierEncoding,
): FormulaRelation {
  const { builder, bits } = context;
  const { structure } = context.universe;
  const completion = context.pairs();
  for (const access of live.filter((event) => isAccess(event) && event.tags.has('ASY'))) {
    const telling = tellingOperations(structure, access);
    for (const wait of live) {
      const told =
        wait.mbarrier?.step === 'wait'
          ? builder.and(
              context.executed(access.id),
              builder.any(telling.map((operation) => mbarrierPhase.at(operation.id, wait.id))),
            )
          : groupTells(bits, structure, access, wait, ({ id }) => context.executed(id));
      completion.add(access.id, wait.id, told);
    }
  }
  return completion;
}

function encodeCoverage(context: EncodingContext, live: readonly ProgramEvent[]): FormulaRelation {
  const { builder } = context;
  const coverage = context.pairs();
  for (const fence of live) {
    if (fence.kind !== 'fence' || (fence.restriction === undefined && fence.proxyFence === undefined)) continue;
    const places = context.targetsOf(fence.id);
    for (const access of live.filter(isOnMemory)) {
      const ways = context.targetsOf(access.id).map((target) => {
        if (fence.proxyFence?.address === undefined)
          return fenceCovers(fence, undefined, access, target) ? context.accesses(access.id, target) : FALSE;
        const at = places.filter((place) => fenceCovers(fence, place, access, target));
        return builder.and(
          context.accesses(access.id, target),
          builder.any(at.map((place) => context.accesses(fence.id, place))),
        );
      });
      coverage.add(fence.id, access.id, builder.and(context.executed(fence.id), builder.any(ways)));
    }
  }
  return coverage;
}

function encodeExits(context: EncodingContext, live: readonly ProgramEvent[]): FormulaRelation {
  const exits = context.pairs();
  const ends = context.universe.structure.events.filter(({ kind }) => kind === 'exit');
  for (const access of live.filter(isOnMemory)) {
    for (const target of context.targetsOf(access.id)) {
      const { cta } = target.object;
      if (cta === undefined || cta === access.placement.cta) continue;
      const own = ends.filter(({ placement }) => placement.cta === cta);
      const left = context.builder.and(
        context.accesses(access.id, target),
        ...own.map(({ id }) => context.executed(id)),
      );
      for (const end of own) exits.add(access.id, end.id, left);
    }
  }
  return exits;
}

function placeViolations(context: EncodingContext, live: readonly ProgramEvent[]): readonly EncodedViolation[] {
  const { builder } = context;
  const broken = new Map<PlaceRule, ViolationPart[]>();
  for (const access of live.filter((event) => isAccess(event) && event.tags.has('ASY'))) {
    const operation = context.universe.structure.threads[access.thread]?.nodes[access.node]?.statement.operation;
    if (operation?.kind !== 'async') continue;
    const completes = live.filter(
      (event) =>
        event.kind === 'mbarrier' &&
        event.thread === access.thread &&
        event.node === access.node &&
        event.chunk?.rank === access.chunk?.rank,
    );
    const objects = completes.flatMap(({ id }) => context.targetsOf(id).map((place) => ({ id, place })));
    for (const rule of operation.rules) {
      for (const target of context.targetsOf(access.id)) {
        const ways =
          rule === 'mbarrier-with-destination' || rule === 'mbarrier-in-pair'
            ? objects
                .filter(({ place }) => isMisplaced(rule, access, target, place))
                .map(({ id, place }) => context.accesses(id, place))
            : isMisplaced(rule, access, target, undefined)
              ? [context.executed(access.id)]
              : [];
        const formula = builder.and(context.accesses(access.id, target), builder.any(ways));
        broken.set(rule, [...(broken.get(rule) ?? []), { events: [access.id], formula }]);
      }
    }
  }
  return [...broken].map(([rule, parts]) => violationBy(builder, rule, parts));
}

/** What an instruction demands of a value, such as a state that holds a pending count. */
function checkViolations(context: EncodingContext, live: readonly ProgramEvent[]): readonly EncodedViolation[] {
  const { builder } = context;
  const isFalse = (id: number): Formula => builder.iff(context.value(id)[0] ?? FALSE, FALSE);
  return live.flatMap(({ id, kind, rule }) =>
    kind === 'check' && rule !== undefined
      ? [violationBy(builder, rule, [{ events: [id], formula: builder.and(context.executed(id), isFalse(id)) }])]
      : [],
  );
}

function groupViolations(context: EncodingContext, live: readonly ProgramEvent[]): readonly EncodedViolation[] {
  const { builder, bits } = context;
  const { structure } = context.universe;
  const copied = live.filter(({ kind, tags }) => kind === 'write' && tags.has('ASY') && tags.has('GEN'));
  const together = copied.flatMap((a) =>
    copied.map((b) => ({
      events: [a.id, b.id],
      formula: builder.and(
        context.overlaps(a.id, b.id),
        inOneGroup(bits, structure, a, b, (event) => context.executed(event.id)),
      ),
    })),
  );
  return [violationBy(builder, 'one-async-group', together)];
}

/**
 * An object that the test declares is in use from the start; where nothing ever invalidates it, no other access may
 * touch it.
 */
function liveObjectViolations(context: EncodingContext, live: readonly ProgramEvent[]): readonly EncodedViolation[] {
  const invalidated = live
    .filter(({ mbarrier }) => mbarrier?.step === 'inval')
    .flatMap(({ id }) => context.targetsOf(id));
  const touched = live.filter(isAccess).flatMap(({ id }) =>
    context
      .targetsOf(id)
      .filter((target) => touchesLiveObject(target, invalidated))
      .map((target) => ({ events: [id], formula: context.accesses(id, target) })),
  );
  return [violationBy(context.builder, 'mbarrier-accessed', touched)];
}
