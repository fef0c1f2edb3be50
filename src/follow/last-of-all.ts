import { reachable } from '../flow/graph.js';
import { writtenBy } from '../flow/liveness.js';
import type { Code } from '../kernel/code.js';
import { computeArithmetic, truncate } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import { registersRead, registersWritten } from '../program/operands.js';
import { isComputation, type Operation } from '../program/operation.js';
import type { ComesLast } from './comes-last.js';
import { at } from './lane-value.js';
import { has, lanesIn } from './lanes.js';
import type { BlockOfLast } from './last-step.js';
import type { Recorder } from './recorder.js';
import { type FollowedThread, kindOf, type Trace, wordAt } from './trace.js';
import { NotFollowed, type Turn } from './turn.js';
import type { Derived, Warp } from './warp.js';

/** What a thread does that comes last: behind a branch on what its atomic has found, up to where all go on. */
interface Block extends BlockOfLast {
  readonly branch: number;
  /** What the others do beside it, which is to wait, and where that begins; where all go on, if that is nothing. */
  readonly beside: ReadonlySet<number>;
  readonly otherwise: number;
  readonly join: number;
  /** What the atomic has found. */
  readonly result: string;
  /** Registers that matter there, as they are at the atomic, and at the branch: but for what is made of the result. */
  readonly given: readonly string[];
  readonly used: readonly string[];
}

/** What is done behind a branch by whoever comes last, and by the others. */
interface Ways extends Pick<Block, 'beside' | 'otherwise'> {
  readonly done: ReadonlySet<number>;
}

/** Several atomics, one of which finds a value in each execution: what its thread does then any of them may do. */
interface Group {
  readonly finds: bigint;
  readonly size: number;
  readonly rows: number[];
  /** By statement: what the registers hold that matter to whoever comes last. */
  readonly held: Map<number, string>;
}

/** A lane between its atomic and where all go on. */
interface Member {
  readonly lane: number;
  readonly row: number;
  readonly group: Group;
  readonly block: Block;
  readonly isLast: boolean;
  /** The thread of a lane that does what the last one does, as a thread of its own. */
  thread: FollowedThread | undefined;
}

/**
 * Where one of several threads comes last, and does something that any of them would do likewise, that is done by a
 * thread of its own: it comes behind all of their atomics, and they go on as if each of them had come before.
 */
export class LastOfAll {
  private readonly groups = new Map<string, Group>();
  private readonly times = new Map<string, number>();
  private readonly byRow = new Map<number, Member>();
  /** Lanes that are between their atomics and where all go on. */
  private readonly inside = new Map<Warp, readonly Member[]>();

  constructor(
    private readonly recorder: Recorder,
    /** A CTA that has no threads of the launches, for whoever comes last of several CTAs. */
    private readonly newCta: () => Pick<FollowedThread, 'ctaId' | 'clusterId'>,
    groups: readonly (readonly ComesLast[])[] = [],
  ) {
    for (const all of groups) {
      const [first] = all;
      if (first === undefined) continue;
      const group: Group = { finds: first.finds, size: all.length, rows: [], held: new Map() };
      for (const { thread, statement, times } of all) this.groups.set(`${thread} ${statement} ${times}`, group);
    }
  }

  /** Lanes have made an atomic, the first of them by this access. */
  made(turn: Turn, first: number): void {
    if (this.groups.size === 0) return;
    const { warp } = turn;
    for (const [index, lane] of lanesIn(turn.lanes).entries()) {
      const key = `${warp.threads[lane]?.id} ${turn.at}`;
      const times = this.times.get(key) ?? 0;
      this.times.set(key, times + 1);
      const group = this.groups.get(`${key} ${times}`);
      if (group === undefined) continue;
      const block = blockOf(warp.code, turn.at);
      if (block === undefined || turn.isPossible || warp.elected !== undefined) throw turn.notFollowed(WHO);
      mustBeAlike(turn, lane, group, block.given);
      const row = first + index;
      group.rows.push(row);
      const isLast = group.rows.length === group.size;
      if (isLast) warp.set(warp.code.indexOf.get(block.result) ?? -1, (1 << lane) >>> 0, group.finds);
      const member = { lane, row, group, block, isLast, thread: undefined };
      this.byRow.set(row, member);
      this.inside.set(warp, [...(this.inside.get(warp) ?? []), member]);
    }
  }

  /** What an atomic finds that comes last, where a condition is asked of others: whoever that is does it apart. */
  exceptFor(row: number, statement: number): bigint | undefined {
    const { block, group } = this.byRow.get(row) ?? {};
    return block !== undefined && block.atomic < statement && statement < block.branch ? group?.finds : undefined;
  }

  /**
   * Lanes come to a statement: at the branch one begins to do what the last one does, up to where all go on. Then, as
   * itself, it may still have to wait with the others: whether that is so, and the lanes are put where they go on.
   */
  meet(turn: Turn): boolean {
    const { warp, at: here, lanes } = turn;
    const all = this.inside.get(warp);
    if (all === undefined) return false;
    let waiting = 0;
    const left = all.filter((one) => {
      const { lane, block, group, isLast } = one;
      if (!has(lanes, lane)) return true;
      if (here === block.branch) mustBeAlike(turn, lane, group, block.used);
      if (here === block.branch && isLast && one.thread === undefined) this.begin(turn, one);
      const isAstray = here > block.branch && (isLast ? block.beside : block.inside).has(here);
      if (isAstray || (here !== block.join && !isPlain(turn.statement.operation))) throw turn.notFollowed(WHO);
      if (here !== block.join) return true;
      if (isLast) this.end(warp, one);
      if (isLast && block.otherwise !== here) {
        warp.put(block.otherwise, (1 << lane) >>> 0);
        waiting = (waiting | (1 << lane)) >>> 0;
      }
      return false;
    });
    if (left.length === 0) this.inside.delete(warp);
    else this.inside.set(warp, left);
    if (waiting !== 0) warp.put(here, (lanes & ~waiting) >>> 0);
    return waiting !== 0;
  }

  private begin(turn: Turn, one: Member): void {
    const { lane, row, group, block } = one;
    const { warp } = turn;
    const thread = warp.threads[lane];
    if (thread === undefined) return;
    one.thread = thread;
    const { accesses, threads } = this.recorder;
    const all = group.rows.map((made) => threads[accesses.threads.at(made)]);
    const isOfOne = (what: 'ctaId' | 'clusterId'): boolean => all.every((other) => other?.[what] === thread[what]);
    if (all.some((other) => other?.launch !== thread.launch)) throw turn.notFollowed(WHO);
    // In the scope of a CTA nobody hands it anything, or is handed anything by it, whichever CTA it is of; so it is
    // with clusters.
    const { ctaId, clusterId } = isOfOne('ctaId') ? thread : this.newCta();
    const place = { ctaId, clusterId: isOfOne('clusterId') ? thread.clusterId : clusterId };
    const last = { ...thread, ...place, id: this.recorder.threads.length, isLastOfAll: true };
    this.recorder.add([last]);
    warp.threads[lane] = last;
    this.recorder.advance(turn.of((1 << lane) >>> 0));
    this.recorder.synchronizations.push({
      ...{ kind: 'last', row: this.recorder.accesses.count, thread: last.id, rows: [...group.rows], read: row },
      ...{ finds: group.finds, block, span: turn.statement.span },
    });
  }

  /** A lane goes on as itself: what its atomic has found may be something else. */
  private end(warp: Warp, { lane, thread, row, group, block }: Member): void {
    if (thread !== undefined) warp.threads[lane] = thread;
    const index = warp.code.indexOf.get(block.result) ?? -1;
    warp.set(index, (1 << lane) >>> 0, undefined);
    const derived: Derived[] = [];
    derived[lane] = { from: row, now: group.finds, of: (found) => found };
    warp.derived.add(index, derived);
  }
}

/** All that come there hold the same, as far as it matters to what the last one does. */
function mustBeAlike(
  { warp, at: here, statement: { span } }: Turn,
  lane: number,
  { held }: Group,
  names: readonly string[],
): void {
  const values = names.map((name) => at(warp.registers[warp.code.indexOf.get(name) ?? -1], lane));
  const own = values.join();
  if (values.includes(undefined) || (held.get(here) ?? own) !== own) throw new NotFollowed(span, WHO);
  held.set(here, own);
}

const WHO = 'what depends on which thread comes last';

const isPlain = (operation: Operation): boolean =>
  isComputation(operation) || ['load', 'store', 'atomic', 'fence', 'branch'].includes(operation.kind);

const BLOCKS = new WeakMap<Code, Map<number, Block | undefined>>();

/** What who comes last does behind an atomic, as far as that is one block that leaves nothing in registers. */
function blockOf(code: Code, atomic: number): Block | undefined {
  const known = BLOCKS.get(code) ?? new Map<number, Block | undefined>();
  BLOCKS.set(code, known);
  if (!known.has(atomic)) known.set(atomic, findBlock(code, atomic));
  return known.get(atomic);
}

function findBlock(code: Code, atomic: number): Block | undefined {
  const { statements, targets, joins } = code;
  const operation = statements[atomic]?.operation;
  if (operation?.kind !== 'atomic' || operation.target === undefined || operation.more !== undefined) return undefined;
  const made = new Set([operation.target]);
  const isMade = (names: readonly string[]): boolean => names.some((name) => made.has(name));
  let branch = atomic + 1;
  for (; ; branch++) {
    const { operation: own, guard } = statements[branch] ?? {};
    if (own === undefined || code.headers.has(branch)) return undefined;
    if (own.kind === 'branch' && guard !== undefined && made.has(guard.register)) break;
    if (guard !== undefined || !(isComputation(own) || own.kind === 'load' || own.kind === 'fence')) return undefined;
    const isOfResult = isMade(registersRead(own));
    if (isOfResult && !isComputation(own)) return undefined;
    for (const name of registersWritten(own))
      if (isOfResult) made.add(name);
      else made.delete(name);
    if (!made.has(operation.target)) return undefined;
  }
  const join = joins[branch] ?? statements.length;
  const ways = waysFrom(code, branch, join);
  if (ways === undefined || join <= branch || join >= statements.length) return undefined;
  const { otherwise, beside } = ways;
  const between = Array.from({ length: branch - atomic }, (_, i) => atomic + 1 + i);
  const stays = [...between, ...ways.done].every((one) => {
    const own = statements[one]?.operation;
    const to = targets[one];
    const isWait = code.polls.has(one) || code.guardedUpdates.has(one);
    return own !== undefined && isPlain(own) && !isWait && (to === undefined || to > one);
  });
  const live = (from: number): readonly string[] => code.liveAt(from).flatMap((index) => code.names[index] ?? []);
  // What whoever comes last has made of what it has found it does not have as itself.
  const done = [...writtenBy(code, ways.done), ...[...made].filter((name) => name !== operation.target)];
  const left = [...done, ...writtenBy(code, beside)];
  const isLeft = live(join).some((name) => left.includes(name)) || live(otherwise).some((name) => done.includes(name));
  if (ways.done.size === 0 || !stays || isLeft) return undefined;
  const inside = new Set([...between, ...ways.done]);
  const given = readIn(code, inside).filter((name) => live(atomic + 1).includes(name));
  const used = readIn(code, ways.done).filter((name) => live(branch).includes(name) && !made.has(name));
  const { target: result } = operation;
  return {
    atomic,
    branch,
    join,
    otherwise,
    inside,
    beside,
    waits: new Set([...beside].filter((one) => code.polls.has(one))),
    result,
    given: given.filter((name) => name !== result),
    used,
  };
}

/** The two ways from a branch, on the one of which it is only waited, or nothing done. */
function waysFrom(code: Code, branch: number, join: number): Ways | undefined {
  const [next, far] = [branch + 1, code.targets[branch] ?? join].map((start) => ({
    start,
    way: start === join ? new Set<number>() : reachable([start], join, code.successors),
  }));
  const isWaiting = (way: ReadonlySet<number>): boolean =>
    [...way].every((one) => {
      const own = code.statements[one]?.operation;
      return own !== undefined && (isComputation(own) || own.kind === 'branch' || code.polls.has(one));
    });
  if (next === undefined || far === undefined) return undefined;
  if (isWaiting(far.way)) return { done: next.way, beside: far.way, otherwise: far.start };
  return isWaiting(next.way) ? { done: far.way, beside: next.way, otherwise: next.start } : undefined;
}

/** The registers that some statements read. */
function readIn({ statements }: Code, some: Iterable<number>): readonly string[] {
  const names = [...some].flatMap((one) => {
    const { operation, guard } = statements[one] ?? {};
    return [
      ...(operation === undefined ? [] : registersRead(operation)),
      ...(guard === undefined ? [] : [guard.register]),
    ];
  });
  return [...new Set(names)];
}

/**
 * Atomics of a run that each add the same to a word, one behind the other, after which the thread of the last one does
 * something: if that is known to be so in every execution, whoever comes last.
 */
export function lastsIn(trace: Trace, codes: readonly (Code | undefined)[]): readonly (readonly ComesLast[])[] {
  const words = new Map<string, number[]>();
  for (let row = 0; row < trace.accesses.count; row++) {
    const { writes, change } = kindOf(trace, row);
    if (!writes || change === 'same') continue;
    const word = wordAt(trace, row);
    words.set(word, words.get(word) ?? []);
    words.get(word)?.push(row);
  }
  return [...words.values()].flatMap((rows) => groupsIn(trace, rows, codes));
}

function groupsIn(
  trace: Trace,
  rows: readonly number[],
  codes: readonly (Code | undefined)[],
): readonly (readonly ComesLast[])[] {
  const { threads, values, pieces, starts, sizes } = trace.accesses;
  const groups: ComesLast[][] = [];
  let group: number[] = [];
  const [first = 0] = rows;
  const object = trace.pieces[pieces.at(first)]?.object;
  let value = object && initialValue(object, starts.at(first), sizes.at(first));
  let finds: bigint | undefined;
  const end = (): void => {
    const found = finds;
    if (found !== undefined && group.length > 1)
      groups.push(
        group.map((row) => {
          const { statement } = kindOf(trace, row);
          return { thread: threads.at(row), statement, times: timesBefore(trace, row), finds: found };
        }),
      );
    group = [];
  };
  for (const row of rows) {
    const { change, statement, launch } = kindOf(trace, row);
    const code = codes[launch];
    const isCounted = typeof change === 'object' && code !== undefined && blockOf(code, statement) !== undefined;
    const isLike = group.every((one) => values.at(one) === values.at(row) && threads.at(one) !== threads.at(row));
    if (!isCounted || !isLike || group.some((one) => kindOf(trace, one).statement !== statement)) end();
    if (isCounted) {
      group.push(row);
      finds = value;
    }
    const own = values.at(row);
    if (change === 'set') value = own;
    else if (typeof change === 'object' && value !== undefined && own !== undefined)
      value = truncate(computeArithmetic(change, [value, own]), 8 * sizes.at(row));
    else value = undefined;
  }
  end();
  return groups;
}

/** How often a thread has executed the statement of an access before. */
function timesBefore(trace: Trace, row: number): number {
  const { threads } = trace.accesses;
  const { statement } = kindOf(trace, row);
  let times = 0;
  for (let one = 0; one < row; one++)
    if (threads.at(one) === threads.at(row) && kindOf(trace, one).statement === statement) times += 1;
  return times;
}
