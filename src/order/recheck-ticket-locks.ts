import { kindOf, rowsTouching, type Trace } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import { computeArithmetic } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import { reachEachOther } from './recheck-patterns.js';

/** A wait for a ticket, the atomic that has drawn it, and the write that serves the next one. */
export interface Served {
  readonly draw: number;
  readonly take: number;
  readonly leave: number;
}

/**
 * A second look at a ticket lock: the word that some wait for is written by them alone, each once, in turns, and what
 * it is then says whose turn it is, whoever has drawn which ticket. Undefined where that is not so.
 */
export function servedIn(trace: Trace, polls: readonly PollStep[]): readonly Served[] | undefined {
  return new Serving(trace, polls).turns();
}

class Serving {
  /** Of the first wait: the atomic before it, and its read. */
  private readonly draw: number;
  private readonly read: number;

  constructor(
    private readonly trace: Trace,
    private readonly polls: readonly PollStep[],
  ) {
    const [{ after = -1, read } = { read: -1 }] = polls;
    [this.draw, this.read] = [after, read];
  }

  turns(): readonly Served[] | undefined {
    const { accesses } = this.trace;
    const tickets = this.draw < 0 ? undefined : this.tickets();
    const writing = this.touching(this.read).filter((row) => kindOf(this.trace, row).writes);
    if (tickets === undefined || !this.isWordOfAll(writing)) return undefined;
    const values = [this.startOf(this.read)];
    const served: Served[] = [];
    for (const poll of this.polls) {
      const { after = -1, read: take, step, isUsed } = poll;
      // Of the same thread: its next one.
      const own = writing.filter(
        (row) => accesses.threads.at(row) === step.thread && accesses.positions.at(row) > step.position,
      );
      const leave = own.reduce((a, b) => (accesses.positions.at(a) < accesses.positions.at(b) ? a : b), own[0] ?? -1);
      const isOwn = accesses.threads.at(after) === step.thread && accesses.positions.at(after) < step.position;
      if (leave < 0 || !isOwn || isUsed || served.some((one) => one.leave === leave)) return undefined;
      if (!this.isInTurns(poll, leave, tickets, values)) return undefined;
      served.push({ draw: after, take, leave });
    }
    return served;
  }

  /** What those find who draw, one after the other: nobody else does, and each for one wait. */
  private tickets(): readonly bigint[] | undefined {
    const { trace, draw } = this;
    const draws = new Set(this.polls.map(({ after }) => after));
    const drawing = this.touching(draw).filter((row) => kindOf(trace, row).writes);
    const isDraw = (row: number): boolean => {
      const { reads, isPossible, change } = kindOf(trace, row);
      const isAddition = typeof change === 'object' && change.name === 'add';
      const isSame = trace.accesses.values.at(row) === trace.accesses.values.at(draw);
      return draws.has(row) && reads && !isPossible && isAddition && isSame && this.wordOf(row) === this.wordOf(draw);
    };
    if (drawing.length !== this.polls.length || draws.size !== drawing.length || !drawing.every(isDraw))
      return undefined;
    if (this.wordOf(draw) === this.wordOf(this.read) || !reachEachOther(trace, drawing)) return undefined;
    const tickets: bigint[] = [];
    for (let ticket = this.startOf(draw); tickets.length < drawing.length; ticket = this.made(draw, ticket)) {
      if (ticket === undefined || tickets.includes(ticket)) return undefined;
      tickets.push(ticket);
    }
    return tickets;
  }

  /** Whether those who wait look at the whole word alone, and write it once each. */
  private isWordOfAll(writing: readonly number[]): boolean {
    const looks = this.touching(this.read).filter((row) => kindOf(this.trace, row).isPoll);
    const rows = [...looks, ...writing];
    const isOne = rows.every((row) => this.wordOf(row) === this.wordOf(this.read));
    const isMade = writing.every((row) => !kindOf(this.trace, row).isPossible);
    return isOne && isMade && writing.length === this.polls.length && reachEachOther(this.trace, rows);
  }

  /** Whatever the ticket: whether the wait ends with what is there then, not before, and the next one is served. */
  private isInTurns(
    { after, ends }: PollStep,
    leave: number,
    tickets: readonly bigint[],
    values: (bigint | undefined)[],
  ): boolean {
    const derived = this.trace.derived.get(leave);
    if (derived !== undefined && derived.from !== after) return false;
    return tickets.every((ticket, i) => {
      const now = values[i];
      if (now === undefined || ends(now, ticket) !== true) return false;
      if (values.slice(0, i).some((old) => old === undefined || ends(old, ticket) !== false)) return false;
      const next = derived === undefined ? this.made(leave, now) : derived.of(ticket);
      values[i + 1] ??= next;
      return next !== undefined && next === values[i + 1];
    });
  }

  /** What a write makes of a value. */
  private made(row: number, old: bigint | undefined): bigint | undefined {
    const { accesses } = this.trace;
    const [{ change }, value] = [kindOf(this.trace, row), accesses.values.at(row)];
    if (old === undefined || value === undefined || change === 'unknown' || change === 'same') return undefined;
    const bits = 8 * accesses.sizes.at(row);
    return BigInt.asUintN(bits, change === 'set' ? value : computeArithmetic(change, [old, value]));
  }

  private touching(row: number): readonly number[] {
    const { pieces, starts, sizes } = this.trace.accesses;
    return rowsTouching(this.trace, pieces.at(row), starts.at(row), sizes.at(row));
  }

  private startOf(row: number): bigint | undefined {
    const { pieces, starts, sizes } = this.trace.accesses;
    const object = this.trace.pieces[pieces.at(row)]?.object;
    return object && initialValue(object, starts.at(row), sizes.at(row));
  }

  private wordOf(row: number): string {
    const { pieces, starts, sizes, ranges } = this.trace.accesses;
    return [pieces, starts, sizes, ranges].map((column) => column.at(row)).join(' ');
  }
}
