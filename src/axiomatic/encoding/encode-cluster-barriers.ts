import type { ProgramEvent } from '../../events/program-event.js';
import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import { groupBy } from '../../program/group-by.js';
import type { Thread } from '../../program/program.js';
import { atLeast } from '../../semantics/completion.js';
import { FALSE, type Formula, not } from '../formula/formula.js';
import type { FormulaRelation } from '../relations/pair-formulas.js';
import { exactly, executedBefore } from './counting.js';
import { type EncodedViolation, type ViolationPart, violationBy } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import { letsGo, type Meeting } from './meetings.js';

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
  const [clusterSynchronization, exitSynchronization] = [context.pairs(), context.pairs()];
  const meetings: Meeting[] = [];
  const released: Formula[] = [];
  const twice: ViolationPart[] = [];
  const idle: ViolationPart[] = [];
  const ifSome = ({ id }: ProgramEvent, ways: readonly Formula[]): ViolationPart => ({
    events: [id],
    formula: builder.and(context.executed(id), builder.any(ways)),
  });
  for (const members of clustersOf(context)) {
    const phases = new Phases(context, members);
    for (const member of members) {
      for (const wait of member.waits) {
        released.push(letsGo(context, wait.id, context.executed(wait.id), phases.goesOn(member, wait)));
        for (const other of members) {
          if (other === member) continue;
          for (const arrive of other.arrives)
            clusterSynchronization.add(arrive.id, wait.id, phases.meet(other, arrive, member, wait));
          if (other.exit !== undefined)
            exitSynchronization.add(other.exit.id, wait.id, phases.excuse(other, other.exit, member, wait));
        }
        idle.push(ifSome(wait, waitsMore(context, member, wait)));
      }
      for (const arrive of member.arrives) twice.push(ifSome(arrive, arrivesMore(context, member, arrive)));
    }
    meetings.push(...phases.meetings());
  }
  return {
    clusterSynchronization,
    exitSynchronization,
    meetings,
    released: builder.all(released),
    violations: [
      violationBy(builder, 'cluster-arrival-twice', twice),
      violationBy(builder, 'cluster-wait-without-arrival', idle),
    ],
  };
}

/** The phases of the barrier of one cluster, as far as its threads may come. */
class Phases {
  private readonly complete: readonly Formula[];

  constructor(
    private readonly context: EncodingContext,
    private readonly members: readonly Member[],
  ) {
    const { builder } = context;
    const most = Math.max(0, ...members.map(({ arrives }) => arrives.length));
    this.complete = Array.from({ length: most }, (_, k) =>
      builder.all(members.map((member) => builder.or(this.arrived(member, k), context.endedOf(member.thread)))),
    );
  }

  /** In some phase: it is complete, and all that is asked of it holds. */
  private some(asked: (k: number) => readonly Formula[]): Formula {
    const { builder } = this.context;
    return builder.any(this.complete.map((done, k) => builder.and(...asked(k), done)));
  }

  goesOn(member: Member, wait: ProgramEvent): Formula {
    return this.some((k) => [this.waitsFor(member, wait, k)]);
  }

  /** An arrival is in the phase that a wait of another thread waits for. */
  meet(other: Member, arrive: ProgramEvent, member: Member, wait: ProgramEvent): Formula {
    return this.some((k) => [this.isArrival(other, arrive, k), this.waitsFor(member, wait, k)]);
  }

  /** A wait is let go on without a thread, since that has ended. */
  excuse(other: Member, exit: ProgramEvent, member: Member, wait: ProgramEvent): Formula {
    return this.some((k) => [
      this.waitsFor(member, wait, k),
      not(this.arrived(other, k)),
      this.context.executed(exit.id),
    ]);
  }

  meetings(): readonly Meeting[] {
    const { builder } = this.context;
    return this.complete.map((complete, index) => ({
      group: `barrier.cluster of ${this.members[0]?.thread}`,
      index,
      complete,
      contributors: new Map(
        this.members.flatMap((member) =>
          member.arrives.map((arrive) => [arrive.id, this.isArrival(member, arrive, index)] as const),
        ),
      ),
      released: new Map(
        this.members.flatMap((member) =>
          member.waits.map((wait) => [wait.id, builder.and(this.waitsFor(member, wait, index), complete)] as const),
        ),
      ),
    }));
  }

  private isArrival(member: Member, arrive: ProgramEvent, k: number): Formula {
    return this.isAfter(member, arrive, k);
  }

  private waitsFor(member: Member, wait: ProgramEvent, k: number): Formula {
    return this.isAfter(member, wait, k + 1);
  }

  private arrived(member: Member, k: number): Formula {
    return this.context.builder.any(member.arrives.map((arrive) => this.isArrival(member, arrive, k)));
  }

  /** It is executed, and so are exactly so many arrivals of its thread before it. */
  private isAfter({ arrives }: Member, event: ProgramEvent, count: number): Formula {
    const { builder, executed } = this.context;
    const before = executedBefore(this.context, arrives, event);
    return builder.and(executed(event.id), builder.and(...exactly(this.context, before, count)));
  }
}

/** The ways in which a thread has arrived more often than it has waited. */
function arrivesMore(context: EncodingContext, { arrives, waits }: Member, event: ProgramEvent): readonly Formula[] {
  const { builder, bits } = context;
  const [arrived, waited] = [arrives, waits].map((events) => executedBefore(context, events, event));
  return arrives.map((_, k) =>
    builder.and(atLeast(bits, arrived ?? [], k + 1), not(atLeast(bits, waited ?? [], k + 1))),
  );
}

/** The ways in which it has waited as often as it has arrived: nothing is waited for. */
function waitsMore(context: EncodingContext, { arrives, waits }: Member, event: ProgramEvent): readonly Formula[] {
  const { builder, bits } = context;
  const [arrived, waited] = [arrives, waits].map((events) => executedBefore(context, events, event));
  const counts = Array.from(
    { length: waits.length + 1 },
    (_, n) => [atLeast(bits, arrived ?? [], n + 1), atLeast(bits, waited ?? [], n)] as const,
  );
  return counts.map(([more, enough]) => builder.and(not(more), enough));
}

function clustersOf(context: EncodingContext): readonly (readonly Member[])[] {
  const { structure } = context.universe;
  const memberOf = ({ index }: Thread): Member => {
    const own = structure.events.filter((event) => event.thread === index && context.executed(event.id) !== FALSE);
    const of = (action: 'arrive' | 'wait'): readonly ProgramEvent[] =>
      own.filter(({ barrier }) => barrier?.kind === 'cluster-barrier' && barrier.action === action);
    return { thread: index, arrives: of('arrive'), waits: of('wait'), exit: own.find(({ kind }) => kind === 'exit') };
  };
  return [...groupBy(structure.program.threads, ({ placement }) => placement.cluster).values()]
    .map((threads) => threads.map(memberOf))
    .filter((members) => members.some(({ arrives, waits }) => arrives.length + waits.length > 0));
}
