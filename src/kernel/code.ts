import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { type Body, backEdges, reachable, successorsIn, targetOf } from '../flow/graph.js';
import { guardedUpdatesIn } from '../flow/guarded-updates.js';
import { laterJoin, placing } from '../flow/later-joins.js';
import { statementsOfLeaders } from '../flow/leaders.js';
import { type Liveness, liveRegisters } from '../flow/liveness.js';
import { type Poll, pollsIn, type WaitingRegion } from '../flow/polls.js';
import { immediatePostdominators } from '../flow/postdominators.js';
import { type Retry, retriesIn } from '../flow/retries.js';
import { withoutTimeouts } from '../flow/timeouts.js';
import { type TriedWaits, triedWaitsIn } from '../flow/tried-waits.js';
import { registersWritten } from '../program/operands.js';
import { isComputation, type ProgramStatement } from '../program/operation.js';
import type { Register } from '../program/program.js';
import { lazily } from '../program/remembered.js';

/** The statements of a kernel, decoded, with what holds of them for every thread. */
export interface Code {
  readonly statements: readonly ProgramStatement[];
  /** Instructions that have no meaning here, by the statement that stands for them: a thread may not come there. */
  readonly refused: ReadonlyMap<number, Diagnostic>;
  /** Decoded for all lanes at once: statements that are not the same for all. They stand as lane 0 has them. */
  readonly perLane: ReadonlySet<number>;
  readonly registers: ReadonlyMap<string, Register>;
  /** The places of the registers in the states of a lockstep. */
  readonly indexOf: ReadonlyMap<string, number>;
  readonly names: readonly string[];
  /** By statement: where a branch goes. The number of statements is the end. */
  readonly targets: readonly (number | undefined)[];
  /** By statement: where control may go on. */
  readonly successors: readonly (readonly number[])[];
  /** By statement: where all ways from it come together again. */
  readonly joins: readonly number[];
  /** Where the ways of a branch come together, or later, where they differ no more in what they access. */
  readonly laterJoin: (branch: number, join: number) => number;
  /** Statements that an elected lane executes by itself. */
  readonly ofLeaders: ReadonlySet<number>;
  /** Statements that a branch goes back to. */
  readonly headers: ReadonlySet<number>;
  /** Loops that wait for what one load finds, by where it stands. */
  readonly polls: ReadonlyMap<number, Poll>;
  /** Looks that may be the first of a wait which an atomic ends by what it does. */
  readonly guardedUpdates: ReadonlyMap<number, WaitingRegion>;
  /** The same, and those of locks: loops that wait until an atomic takes what it finds. */
  readonly lockUpdates: () => ReadonlyMap<number, WaitingRegion>;
  /** Branches that make an update again which has failed. */
  readonly retries: ReadonlyMap<number, Retry>;
  readonly tries: TriedWaits;
  /** What decides that waits end in a trap when their time runs out, which it is taken not to do. */
  readonly timeouts: readonly ProgramStatement[];
  /** Branches between whose ways nothing is done that matters: such as how long a waiting loop sleeps. */
  readonly idleBranches: ReadonlySet<number>;
  /** The registers, by their places, whose values matter at a statement. */
  readonly liveAt: (statement: number) => readonly number[];
  /** The registers that are written between a header and the last branch back to it. */
  readonly writtenInLoop: (header: number) => ReadonlySet<number>;
}

export function analyzeCode(
  decoded: Body,
  registers: ReadonlyMap<string, Register>,
  refused: ReadonlyMap<number, Diagnostic>,
  /** Registers that are asked for at the end. */
  asked: ReadonlySet<string>,
): Omit<Code, 'perLane'> {
  const names = [...registers.keys()];
  const indexOf = new Map(names.map((name, index) => [name, index]));
  const { body, timeouts } = withoutTimeouts(decoded, refused);
  const { statements } = body;
  const last = new Map(backEdges(body).map(({ from, target }) => [target, from]));
  const successors = successorsIn(body);
  const joins = immediatePostdominators(successors);
  const { live, idle } = whatMatters(body, successors, joins, names, asked);
  const lists = new Map<number, readonly number[]>();
  const polls = pollsIn(body);
  const later = new Map<number, number>();
  let deciding: Liveness | undefined;
  return {
    statements,
    refused,
    registers,
    indexOf,
    names,
    targets: statements.map((_, at) => targetOf(body, at)),
    successors,
    joins,
    laterJoin: (branch, join) => {
      deciding ??= liveRegisters(body, names, { asked: [], isStrong: true, idle, uses: placing });
      const found = later.get(branch) ?? laterJoin(body, successors, joins, deciding, branch, join);
      later.set(branch, found);
      return found;
    },
    ofLeaders: statementsOfLeaders(body, successors, joins),
    polls,
    guardedUpdates: guardedUpdatesIn(body, polls),
    lockUpdates: lazily(() => guardedUpdatesIn(body, new Map())),
    retries: retriesIn(body),
    tries: triedWaitsIn(body, successors, joins, live),
    timeouts,
    idleBranches: idle,
    headers: new Set(last.keys()),
    liveAt: (statement) => {
      const known = lists.get(statement) ?? live.before(statement);
      lists.set(statement, known);
      return known;
    },
    writtenInLoop: (header) =>
      new Set(
        statements
          .slice(header, (last.get(header) ?? header) + 1)
          .flatMap(({ operation }) => registersWritten(operation))
          .flatMap((name) => indexOf.get(name) ?? []),
      ),
  };
}

/**
 * A branch matters if one of its ways does something, or writes a register that matters where they come together: and
 * then so does what it is taken by. Found by marking more and more branches.
 */
function whatMatters(
  body: Body,
  successors: readonly (readonly number[])[],
  joins: readonly number[],
  names: readonly string[],
  asked: ReadonlySet<string>,
): { readonly live: Liveness; readonly idle: ReadonlySet<number> } {
  const { statements } = body;
  const joinOf = (index: number): number => joins[index] ?? statements.length;
  const regions = new Map<number, readonly number[]>();
  statements.forEach(({ operation, guard }, index) => {
    if (operation.kind !== 'branch' || guard === undefined) return;
    const region = [...reachable(successors[index] ?? [], joinOf(index), successors)];
    const isQuiet = region.every((one) => {
      const kind = statements[one]?.operation;
      return one !== index && kind !== undefined && (isComputation(kind) || kind.kind === 'branch');
    });
    if (isQuiet && !hasLoop(successors, region)) regions.set(index, region);
  });
  const idle = new Set(regions.keys());
  for (;;) {
    const live = liveRegisters(body, names, { asked, isStrong: true, idle });
    const mattering = [...idle].filter((index) =>
      (regions.get(index) ?? []).some((one) => {
        const { operation } = statements[one] ?? {};
        return operation !== undefined && registersWritten(operation).some((name) => live.has(joinOf(index), name));
      }),
    );
    if (mattering.length === 0) return { live, idle };
    for (const index of mattering) idle.delete(index);
  }
}

/** Whether a way leads from a statement of a region back to it within the region. */
function hasLoop(successors: readonly (readonly number[])[], region: readonly number[]): boolean {
  const left = new Set(region);
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    // What leads nowhere within the rest is on no loop.
    for (const one of left) if (!(successors[one] ?? []).some((next) => left.has(next))) left.delete(one);
  }
  return left.size > 0;
}

/** Where a statement of a kernel stands; behind the end, where the last one does. */
export function spanAt({ statements }: Code, at: number): ProgramStatement['span'] {
  const span = (statements[at] ?? statements.at(-1))?.span;
  if (span === undefined) throw new Error('a kernel without instructions has no jumps');
  return span;
}
