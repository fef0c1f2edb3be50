import type { ProgramEvent } from '../../events/program-event.js';
import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import { atLeast } from '../../semantics/completion.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import { type FormulaRelation, PairFormulas } from '../relations/pair-formulas.js';
import { type EncodedViolation, type ViolationPart, violationBy } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import type { Meeting } from './meetings.js';

export interface ClusterBarrierEncoding
  extends Pick<ExecutionRelationsOf<FormulaRelation>, 'clusterSynchronization' | 'exitSynchronization'> {
  readonly meetings: readonly Meeting[];
  readonly released: Formula;
  readonly violations: readonly EncodedViolation[];
}

interface Member {
  readonly thread: number;
  readonly arrives: readonly ProgramEvent[];
  readonly waits: readonly ProgramEvent[];
  readonly exit: ProgramEvent | undefined;
}

/**
 * Encodes barrier.cluster (PTX ISA, barrier.cluster; 8.9.4): the n-th arrival of each thread of the cluster is in phase
 * n; a wait goes on when every thread that has not ended has arrived in the phase of the waiting thread's last arrival.
 */
export function encodeClusterBarriers(context: EncodingContext): ClusterBarrierEncoding {
  const { builder } = context;
  const size = context.universe.events.length;
  const [synchronization, exits] = [new PairFormulas(builder, size), new PairFormulas(builder, size)];
  const meetings: Meeting[] = [];
  const released: Formula[] = [];
  const twice: ViolationPart[] = [];
  const idle: ViolationPart[] = [];
  for (const members of clustersOf(context)) {
    const phases = Math.max(0, ...members.map(({ arrives }) => arrives.length));
    /** Exactly k of the events of a list that come before this one are executed. */
    const countBefore = (events: readonly ProgramEvent[], { node }: ProgramEvent, k: number): Formula => {
      const before = events.filter((event) => event.node < node).map(({ id }) => context.executed(id));
      return builder.and(atLeast(context.bits, before, k), not(atLeast(context.bits, before, k + 1)));
    };
    const isArrival = (member: Member, arrive: ProgramEvent, k: number): Formula =>
      builder.and(context.executed(arrive.id), countBefore(member.arrives, arrive, k));
    const waitsFor = (member: Member, wait: ProgramEvent, k: number): Formula =>
      builder.and(context.executed(wait.id), countBefore(member.arrives, wait, k + 1));
    const arrived = (member: Member, k: number): Formula =>
      builder.any(member.arrives.map((arrive) => isArrival(member, arrive, k)));
    const complete = Array.from({ length: phases }, (_, k) =>
      builder.all(members.map((member) => builder.or(arrived(member, k), context.endedOf(member.thread)))),
    );
    for (const member of members) {
      for (const wait of member.waits) {
        const goesOn = builder.any(complete.map((done, k) => builder.and(waitsFor(member, wait, k), done)));
        released.push(builder.implies(context.executed(wait.id), goesOn));
        const passes = context.passesAt(wait.id);
        if (passes !== TRUE) context.assert(builder.implies(context.executed(wait.id), builder.iff(passes, goesOn)));
        for (const other of members) {
          for (const arrive of other.arrives) {
            if (other === member) continue;
            const together = builder.any(
              complete.map((done, k) => builder.and(isArrival(other, arrive, k), waitsFor(member, wait, k), done)),
            );
            synchronization.add(arrive.id, wait.id, together);
          }
          if (other.exit === undefined || other === member) continue;
          const exit = other.exit;
          const left = builder.any(
            complete.map((done, k) =>
              builder.and(waitsFor(member, wait, k), done, not(arrived(other, k)), context.executed(exit.id)),
            ),
          );
          exits.add(exit.id, wait.id, left);
        }
        const more = moreWaits(context, member, wait).map(({ arrives, waits }) => builder.and(not(arrives), waits));
        idle.push({ events: [wait.id], formula: builder.and(context.executed(wait.id), builder.any(more)) });
      }
      for (const arrive of member.arrives) {
        const open = Array.from({ length: member.arrives.length }, (_, k) =>
          builder.and(
            not(countAtMost(context, member.arrives, arrive, k)),
            countAtMost(context, member.waits, arrive, k),
          ),
        );
        twice.push({ events: [arrive.id], formula: builder.and(context.executed(arrive.id), builder.any(open)) });
      }
    }
    complete.forEach((done, k) =>
      meetings.push({
        group: `barrier.cluster of ${members[0]?.thread}`,
        index: k,
        complete: done,
        contributors: new Map(
          members.flatMap((member) =>
            member.arrives.map((arrive) => [arrive.id, isArrival(member, arrive, k)] as const),
          ),
        ),
        released: new Map(
          members.flatMap((member) =>
            member.waits.map((wait) => [wait.id, builder.and(waitsFor(member, wait, k), done)] as const),
          ),
        ),
      }),
    );
  }
  return {
    clusterSynchronization: synchronization,
    exitSynchronization: exits,
    meetings,
    released: builder.all(released),
    violations: [
      violationBy(builder, 'cluster-arrival-twice', twice),
      violationBy(builder, 'cluster-wait-without-arrival', idle),
    ],
  };
}

/** Of those before this event at most k are executed. */
function countAtMost(
  context: EncodingContext,
  events: readonly ProgramEvent[],
  { node }: ProgramEvent,
  k: number,
): Formula {
  const before = events.filter((event) => event.node < node).map(({ id }) => context.executed(id));
  return not(atLeast(context.bits, before, k + 1));
}

/**
 * For each n: whether n arrivals and whether n waits come before a wait; where only the latter holds, nothing is waited
 * for.
 */
function moreWaits(
  context: EncodingContext,
  { arrives, waits }: Member,
  { node }: ProgramEvent,
): readonly { readonly arrives: Formula; readonly waits: Formula }[] {
  const before = (events: readonly ProgramEvent[]): readonly Formula[] =>
    events.filter((event) => event.node < node).map(({ id }) => context.executed(id));
  return Array.from({ length: waits.length + 1 }, (_, n) => ({
    arrives: atLeast(context.bits, before(arrives), n + 1),
    waits: atLeast(context.bits, before(waits), n),
  }));
}

function clustersOf(context: EncodingContext): readonly (readonly Member[])[] {
  const { structure } = context.universe;
  const clusters = new Map<string, Member[]>();
  for (const { index, placement } of structure.program.threads) {
    const own = structure.events.filter((event) => event.thread === index && context.executed(event.id) !== FALSE);
    const of = (action: 'arrive' | 'wait'): readonly ProgramEvent[] =>
      own.filter(({ barrier }) => barrier?.kind === 'cluster-barrier' && barrier.action === action);
    clusters.set(placement.cluster, [
      ...(clusters.get(placement.cluster) ?? []),
      { thread: index, arrives: of('arrive'), waits: of('wait'), exit: own.find(({ kind }) => kind === 'exit') },
    ]);
  }
  return [...clusters.values()].filter((members) =>
    members.some(({ arrives, waits }) => arrives.length + waits.length > 0),
  );
}
