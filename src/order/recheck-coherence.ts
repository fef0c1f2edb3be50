import { kindOf, rowsTouching, stepOf, type Trace } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import { computeArithmetic } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import type { Chains } from './recheck-chains.js';
import type { Claims } from './recheck-links.js';
import { reachEachOther } from './recheck-patterns.js';
import type { UpdatedWords } from './recheck-updates.js';

/** Words whose coherence order is that of a case, again: what atomics find there, and what cases there are. */
export class OrderedWords {
  private readonly allOf = new Map<number, readonly number[]>();

  constructor(
    private readonly trace: Trace,
    private readonly claims: Claims,
  ) {
    for (const { word, rows } of trace.coherence)
      if (claims.coherence.has(word)) for (const row of rows) this.allOf.set(row, rows);
  }

  has(row: number): boolean {
    return this.allOf.has(row);
  }

  /** Whether the earlier of two is said to come before the later in coherence order. */
  areInOrder(a: number, b: number): boolean {
    return a < b && this.has(a) && this.allOf.get(a) === this.allOf.get(b);
  }

  /** Whether the later of two comes behind an update, in such an order, that finds the earlier. */
  isFoundBefore(a: number, b: number, updated: UpdatedWords): boolean {
    return this.allOf.get(b)?.some((row) => this.areInOrder(row, b) && updated.finds(row, a)) === true;
  }

  firstWrong(chains: Chains, updated: UpdatedWords): string | undefined {
    for (const { word, rows } of this.trace.coherence) {
      const choices = this.claims.coherence.get(word);
      const wrong = choices && (this.wrongOrder(rows, chains, updated) ?? this.missing(rows, choices, chains, updated));
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  /** What is not so of atomics that are to come one after the other. */
  private wrongOrder(rows: readonly number[], chains: Chains, updated: UpdatedWords): string | undefined {
    const { pieces, ranges, starts, sizes } = this.trace.accesses;
    const [first = 0] = rows;
    const isAtomic = (row: number): boolean => {
      const { tags, isPossible } = kindOf(this.trace, row);
      const isWhole = [pieces, ranges, starts, sizes].every((column) => column.at(row) === column.at(first));
      return tags.has('RMW') && !isPossible && isWhole;
    };
    if (!rows.every(isAtomic) || !reachEachOther(this.trace, rows)) return 'atomics that are in no one order';
    const writes = rowsTouching(this.trace, pieces.at(first), starts.at(first), sizes.at(first)).filter((row) => {
      const { writes: isWrite, change } = kindOf(this.trace, row);
      return isWrite && change !== 'same';
    });
    const comesBefore = (a: number, b: number): boolean =>
      this.areInOrder(a, b) || updated.finds(b, a) || this.isFoundBefore(a, b, updated) || this.isKnown(chains, a, b);
    // What updates find that end waits is for recheck-updates to see.
    const others = rows.filter((row) => !updated.has(row));
    for (const one of writes)
      for (const row of others)
        if (one !== row && !comesBefore(Math.min(one, row), Math.max(one, row)))
          return 'a write in no order with atomics that are';
    return this.wrongValue(rows, writes, updated);
  }

  /** An atomic that does not find what those before it have left, or is said to observe others. */
  private wrongValue(rows: readonly number[], writes: readonly number[], updated: UpdatedWords): string | undefined {
    const [first = 0] = rows;
    const { pieces, starts, sizes } = this.trace.accesses;
    const object = this.trace.pieces[pieces.at(first)]?.object;
    const [at, size] = [starts.at(first), sizes.at(first)];
    const polls = new Map(
      this.trace.synchronizations.flatMap((one) => (one.kind === 'poll' ? [[one.read, one] as const] : [])),
    );
    let value = object && initialValue(object, at, size);
    let observed: readonly number[] = [];
    for (const row of writes) {
      const isAsked = this.has(row) && !updated.has(row);
      if (isAsked && !isFound(polls.get(row), value)) return 'an atomic that finds another value';
      const claimed = this.claims.polls.get(row)?.flat() ?? [];
      if (isAsked && !claimed.every((one) => observed.includes(one))) return 'an atomic that observes others';
      const { change } = kindOf(this.trace, row);
      const own = this.trace.accesses.values.at(row);
      if (change === 'set') [value, observed] = [own, [row]];
      else {
        const isKnown = typeof change === 'object' && value !== undefined && own !== undefined;
        value = isKnown ? BigInt.asUintN(8 * size, computeArithmetic(change, [value as bigint, own])) : undefined;
        observed = [...observed, row];
      }
    }
    return undefined;
  }

  /** An atomic that may come earlier, in a case that is not looked at. */
  private missing(
    rows: readonly number[],
    choices: readonly (readonly number[])[],
    chains: Chains,
    updated: UpdatedWords,
  ): string | undefined {
    const { threads } = this.trace.accesses;
    for (const [at, row] of rows.entries())
      for (const [index, later] of rows.entries()) {
        if (index <= at || threads.at(later) === threads.at(row)) continue;
        const isBehind = rows.slice(at, index).some((other) => this.isKnown(chains, other, later));
        if (isBehind || choices[at]?.includes(threads.at(later)) === true) continue;
        if (updated.mayBeMade(later, rows.slice(at), chains)) return 'an order of atomics that nobody has looked at';
      }
    return undefined;
  }

  private isKnown(chains: Chains, a: number, b: number): boolean {
    const { thread, position } = stepOf(this.trace, a);
    return chains.leads({ kind: 'step', thread, position: position + 1 }, stepOf(this.trace, b));
  }
}

const isFound = (poll: PollStep | undefined, value: bigint | undefined): boolean =>
  poll !== undefined && value !== undefined && poll.ends(value, undefined) === true;
