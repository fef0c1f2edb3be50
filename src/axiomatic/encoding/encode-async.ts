import type { ProgramEvent } from '../../events/program-event.js';
import { fenceCovers } from '../../execution/fence-coverage.js';
import { touchesLiveObject } from '../../execution/live-objects.js';
import { breaksPlaceRule } from '../../execution/place-rules.js';
import type { PlaceRule } from '../../program/async-operation.js';
import { groupTells, inOneGroup, tellingOperations } from '../../semantics/completion.js';
import type { PossibleTarget } from '../../semantics/value-analysis.js';
import { FALSE, type Formula } from '../formula/formula.js';
import { PairFormulas } from '../relations/pair-formulas.js';
import { type EncodedViolation, type ViolationPart, violationBy } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import type { MbarrierEncoding } from './mbarrier-places.js';

/** What becomes of asynchronous operations: which waits tell of them, and where they may not go. */
export interface AsyncEncoding {
  /** From an asynchronous access to a wait that tells of it. */
  readonly completion: PairFormulas;
  /** From a fence that names proxies, a state space or an address to an access within its reach. */
  readonly coverage: PairFormulas;
  /** An access to another CTA's shared memory, and the end of one of its threads, where all have ended. */
  readonly exits: PairFormulas;
  readonly violations: readonly EncodedViolation[];
}

const isAccess = ({ kind }: ProgramEvent): boolean => kind === 'read' || kind === 'write';

export function encodeAsync(context: EncodingContext, mbarriers: MbarrierEncoding): AsyncEncoding {
  const { builder } = context;
  const { structure } = context.universe;
  const size = context.universe.events.length;
  const live = structure.events.filter((event) => context.executed(event.id) !== FALSE);
  const targets = (event: ProgramEvent): readonly PossibleTarget[] => context.targetsOf(event.id);

  const [completion, coverage, exits] = [
    new PairFormulas(builder, size),
    new PairFormulas(builder, size),
    new PairFormulas(builder, size),
  ];
  for (const access of live.filter((event) => isAccess(event) && event.tags.has('ASY'))) {
    const telling = tellingOperations(structure, access);
    for (const wait of live) {
      const told =
        wait.mbarrier?.step === 'wait'
          ? builder.and(
              context.executed(access.id),
              builder.any(telling.map((operation) => mbarriers.phase.at(operation.id, wait.id))),
            )
          : groupTells(context.bits, structure, access, wait, (event) => context.executed(event.id));
      completion.add(access.id, wait.id, told);
    }
  }

  for (const fence of live.filter(
    (event) => event.kind === 'fence' && (event.restriction !== undefined || event.proxyFence !== undefined),
  )) {
    const places = targets(fence);
    for (const access of live.filter((event) => isAccess(event) || event.kind === 'mbarrier')) {
      const ways = targets(access).map((target) => {
        if (fence.proxyFence?.address === undefined)
          return fenceCovers(fence, undefined, access, target) ? context.accesses(access.id, target) : FALSE;
        const at = places.filter((one) => fenceCovers(fence, one, access, target));
        return builder.and(
          context.accesses(access.id, target),
          builder.any(at.map((one) => context.accesses(fence.id, one))),
        );
      });
      const formula = builder.and(context.executed(fence.id), builder.any(ways));
      coverage.add(fence.id, access.id, formula);
    }
  }

  const ends = structure.events.filter(({ kind }) => kind === 'exit');
  for (const access of live.filter((event) => isAccess(event) || event.kind === 'mbarrier')) {
    for (const target of targets(access)) {
      const { cta } = target.object;
      if (cta === undefined || cta === access.placement.cta) continue;
      const own = ends.filter(({ placement }) => placement?.cta === cta);
      const left = builder.and(context.accesses(access.id, target), ...own.map(({ id }) => context.executed(id)));
      for (const end of own) exits.add(access.id, end.id, left);
    }
  }

  return {
    completion,
    coverage,
    exits,
    violations: [
      ...placeViolations(context, live, targets),
      ...checkViolations(context, live),
      ...groupViolations(context, live),
      ...liveObjectViolations(context, live, targets),
    ],
  };
}

function placeViolations(
  context: EncodingContext,
  live: readonly ProgramEvent[],
  targets: (event: ProgramEvent) => readonly PossibleTarget[],
): readonly EncodedViolation[] {
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
    for (const rule of operation.rules) {
      for (const target of targets(access)) {
        const objects = completes.flatMap((event) => targets(event).map((one) => ({ event, one })));
        const ways =
          rule === 'mbarrier-with-destination'
            ? objects
                .filter(({ one }) => breaksPlaceRule(rule, access, target, one))
                .map(({ event, one }) => context.accesses(event.id, one))
            : breaksPlaceRule(rule, access, target, undefined)
              ? [context.executed(access.id)]
              : [];
        broken.set(rule, [
          ...(broken.get(rule) ?? []),
          {
            events: [access.id],
            formula: builder.and(context.accesses(access.id, target), builder.any(ways)),
          },
        ]);
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
function liveObjectViolations(
  context: EncodingContext,
  live: readonly ProgramEvent[],
  targets: (event: ProgramEvent) => readonly PossibleTarget[],
): readonly EncodedViolation[] {
  const { builder } = context;
  const invalidated = live.filter(({ mbarrier }) => mbarrier?.step === 'inval').flatMap(targets);
  const touched = live.filter(isAccess).flatMap((event) =>
    targets(event)
      .filter((target) => touchesLiveObject(target, invalidated))
      .map((target) => ({ events: [event.id], formula: context.accesses(event.id, target) })),
  );
  return [violationBy(builder, 'mbarrier-accessed', touched)];
}
