import { inProgramOrder } from '../../events/events.js';
import { type LaunchingCta, launchingCtas, startsTogether } from '../../events/launching-ctas.js';
import type { ProgramEvent } from '../../events/program-event.js';
import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import { threadsOfGrids } from '../../program/grids.js';
import { type Formula, not, TRUE } from '../formula/formula.js';
import type { FormulaRelation, PairFormulas } from '../relations/pair-formulas.js';
import type { EncodingContext } from './encoding-context.js';

export interface GridEncoding extends Pick<ExecutionRelationsOf<FormulaRelation>, 'launches'> {
  readonly released: Formula;
  /** By trigger: it is the first of its CTA. */
  readonly firstTriggers: ReadonlyMap<number, Formula>;
}

/**
 * Where threads are kept: the start of a grid, and griddepcontrol.wait, let a thread go when all threads of the grids
 * before have ended; a dependent grid may start when each CTA of the other has triggered it, or has ended. It must
 * start only when the other is over (PTX ISA 9.7.15.14: nothing promises that it starts before).
 */
export function encodeGrids(context: EncodingContext): GridEncoding {
  const { builder, universe } = context;
  const { structure } = universe;
  const ctas = launchingCtas(structure);
  const firstTriggers = new Map(ctas.flatMap((cta) => encodeFirst(context, cta)));
  const launches = context.pairs();
  const released: Formula[] = [];
  const areOver = (grids: readonly number[]): Formula =>
    builder.all(threadsOfGrids(structure.program, grids).map(({ index }) => context.endedOf(index)));
  for (const { id, grid } of structure.events) {
    if (grid === undefined) continue;
    const launching = ctas.filter((one) => grid.launchedBy.includes(one.grid));
    const goesOn = builder.all([areOver(grid.complete), ...launching.map((cta) => mayLaunch(context, cta))]);
    const here = context.executed(id);
    released.push(builder.implies(here, goesOn));
    const passes = context.passesAt(id);
    if (passes !== TRUE) {
      const mustGo = areOver([...grid.complete, ...grid.launchedBy]);
      context.assert(
        builder.implies(here, builder.and(builder.implies(passes, goesOn), builder.implies(mustGo, passes))),
      );
    }
    for (const cta of launching) addLaunch(context, launches, cta, firstTriggers, id);
  }
  for (const [first, ...others] of startsTogether(structure))
    for (const other of others)
      if (first !== undefined) context.assert(builder.iff(context.passesAt(first.id), context.passesAt(other.id)));
  return { released: builder.all(released), launches, firstTriggers };
}

const hasTriggered = (context: EncodingContext, { triggers }: LaunchingCta): Formula =>
  context.builder.any(triggers.map(({ id }) => context.executed(id)));

const mayLaunch = (context: EncodingContext, cta: LaunchingCta): Formula =>
  context.builder.or(
    context.builder.all(cta.threads.map((thread) => context.endedOf(thread))),
    hasTriggered(context, cta),
  );

/**
 * The first trigger of a CTA is the first of its thread, and an execution chooses of which one; threads that another
 * one stands for are like one more.
 */
function encodeFirst(context: EncodingContext, cta: LaunchingCta): readonly (readonly [number, Formula])[] {
  const { builder } = context;
  const { triggers } = cta;
  const partyOf = ({ thread, tags }: ProgramEvent): string =>
    `${thread}${tags.has('REPRESENTED') ? ' and others' : ''}`;
  const parties = [...new Set(triggers.map(partyOf))];
  const chosen = new Map(
    parties.map((party) => [party, parties.length === 1 ? TRUE : builder.variable(`launches first(${party})`)]),
  );
  parties.forEach((party, i) => {
    for (const other of parties.slice(0, i))
      context.assert(not(builder.and(chosen.get(party) ?? TRUE, chosen.get(other) ?? TRUE)));
  });
  const first = triggers.map((trigger) => {
    const earlier = triggers
      .filter((other) => inProgramOrder(other, trigger))
      .map(({ id }) => not(context.executed(id)));
    return [
      trigger.id,
      builder.all([chosen.get(partyOf(trigger)) ?? TRUE, context.executed(trigger.id), ...earlier]),
    ] as const;
  });
  if (parties.length > 1)
    context.assert(builder.implies(hasTriggered(context, cta), builder.any(first.map(([, formula]) => formula))));
  return first;
}

/** The first trigger comes before the start; without any, all that the CTA does. */
function addLaunch(
  context: EncodingContext,
  launches: PairFormulas,
  cta: LaunchingCta,
  firstTriggers: ReadonlyMap<number, Formula>,
  start: number,
): void {
  const { builder, universe } = context;
  const starts = builder.and(context.executed(start), context.passesAt(start));
  for (const { id } of cta.triggers) {
    const first = firstTriggers.get(id);
    if (first !== undefined) launches.add(id, start, builder.and(first, starts));
  }
  const atEnd = builder.and(not(hasTriggered(context, cta)), starts);
  for (const { id, thread } of universe.structure.events)
    if (cta.threads.includes(thread)) launches.add(id, start, builder.and(context.executed(id), atEnd));
}
