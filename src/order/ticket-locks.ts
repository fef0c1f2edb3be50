import { kindOf, rowsTouching, type Step, stepOf, type Trace, threadOf } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import { initialValue } from '../program/locations.js';
import { chainOf } from './atomic-chains.js';
import { changed } from './reachable-values.js';
import { holdEachOther } from './scopes.js';

/** Tickets of one lock at most: each wait is asked about all of them. */
const MOST_TICKETS = 128;

/** A wait for the ticket that the thread has drawn, up to where it serves the next one. */
export interface Turn {
  readonly thread: number;
  readonly drawn: number;
  readonly taken: number;
  readonly left: number;
}

/** The turns of a ticket lock, and the accesses to the word that serves. */
export interface TicketLock {
  readonly turns: readonly Turn[];
  readonly rows: ReadonlySet<number>;
}

/**
 * Reads what is done to a word as a ticket lock: each thread draws a ticket, by an atomic on another word that finds
 * something else for each; it waits until the word serves that ticket; then it alone writes, and that serves the next
 * one. Undefined if it is none.
 */
export function ticketLockAt(trace: Trace, polls: readonly PollStep[]): TicketLock | undefined {
  const [first] = polls;
  if (first?.after === undefined) return undefined;
  const { accesses } = trace;
  const sizeOf = (row: number): number => accesses.sizes.at(row);
  const chain = chainOf(trace, first.after);
  if (chain === undefined || chain.rows.includes(first.read) || chain.found.length > MOST_TICKETS) return undefined;
  const drawn = new Set(polls.map(({ after }) => after));
  if (drawn.size !== polls.length || !chain.rows.every((row) => drawn.has(row))) return undefined;
  const [piece, start] = [accesses.pieces.at(first.read), accesses.starts.at(first.read)];
  const object = trace.pieces[piece]?.object;
  const served: (bigint | undefined)[] = [object && initialValue(object, start, sizeOf(first.read))];
  const byRead = new Map(polls.map((one) => [one.read, one]));
  const [rows, turns] = [new Set<number>(), [] as Turn[]];
  let holder: PollStep | undefined;
  for (const row of rowsTouching(trace, piece, start, sizeOf(first.read))) {
    const { writes, isPoll } = kindOf(trace, row);
    const isWhole = sizeOf(row) === sizeOf(first.read) && accesses.starts.at(row) === start;
    if (!writes && !isPoll) continue;
    if (!isWhole || accesses.ranges.at(row) !== accesses.ranges.at(first.read)) return undefined;
    rows.add(row);
    const poll = byRead.get(row);
    if (poll !== undefined && holder !== undefined) return undefined;
    if (poll !== undefined) holder = poll;
    if (!writes) continue;
    const turn = holder && turnOf(trace, holder, row);
    if (turn === undefined || holder === undefined || !serves(trace, holder, row, chain.found, served))
      return undefined;
    turns.push(turn);
    holder = undefined;
  }
  const users = [...rows].map((row) => ({
    scope: kindOf(trace, row).tags.has('WEAK') ? undefined : kindOf(trace, row).scope,
    thread: threadOf(trace, row),
  }));
  const isRight = holder === undefined && turns.length === polls.length && holdEachOther(users);
  return isRight && polls.every((poll) => waitsForItsOwn(poll, chain.found, served)) ? { turns, rows } : undefined;
}

/** Where a thread draws its ticket, has its turn, and serves the next one. */
function turnOf(trace: Trace, { step, after, isUsed }: PollStep, row: number): Turn | undefined {
  const left: Step = stepOf(trace, row);
  const drawn = after === undefined ? undefined : stepOf(trace, after);
  const { isPossible } = kindOf(trace, row);
  if (isUsed || isPossible || drawn?.thread !== step.thread || left.thread !== step.thread) return undefined;
  const isInOrder = drawn.position < step.position && step.position < left.position;
  return isInOrder ? { ...step, drawn: drawn.position, taken: step.position, left: left.position } : undefined;
}

/** Takes down what a write serves behind each ticket; whether that is the same as what others serve. */
function serves(
  trace: Trace,
  { after }: PollStep,
  row: number,
  tickets: readonly bigint[],
  served: (bigint | undefined)[],
): boolean {
  const { accesses } = trace;
  const derived = trace.derived.get(row);
  if (derived !== undefined && derived.from !== after) return false;
  const change = { kind: kindOf(trace, row), value: accesses.values.at(row), bytes: accesses.sizes.at(row) };
  return tickets.every((ticket, i) => {
    const old = served[i];
    const next = derived !== undefined ? derived.of(ticket) : old === undefined ? undefined : changed(old, change);
    const known = served[i + 1] ?? next;
    served[i + 1] = known;
    return next !== undefined && next === known;
  });
}

/** Whether a wait ends with what serves its ticket, and with nothing that is served before. */
const waitsForItsOwn = (
  { ends }: PollStep,
  tickets: readonly bigint[],
  served: readonly (bigint | undefined)[],
): boolean =>
  tickets.every((ticket, i) =>
    served.slice(0, i + 1).every((value, j) => value !== undefined && ends(value, ticket) === (i === j)),
  );
