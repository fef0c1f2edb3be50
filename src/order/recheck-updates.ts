import { kindOf, rowsTouching, stepOf, type Trace } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import { computeArithmetic } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import type { Chains } from './recheck-chains.js';
import type { OrderedWords } from './recheck-coherence.js';
import type { Claims } from './recheck-links.js';
import { reachEachOther } from './recheck-patterns.js';

type Update = PollStep & { readonly makes: NonNullable<PollStep['makes']> };

/** What a word holds when some of its writes have been made, and those of them that who reads it finds. */
interface Moment {
  readonly value: bigint;
  readonly made: ReadonlySet<number>;
  readonly found: ReadonlySet<number>;
}

const MOST_MOMENTS = 8192;

/** Updates that are made where a value is found, again: each order of the writes of their word is gone through. */
export class UpdatedWords {
  private readonly all = new Map<number, Update>();
  private readonly finders = new Map<number, PollStep[]>();

  constructor(
    private readonly trace: Trace,
    private readonly claims: Claims,
    private readonly ordered: OrderedWords,
  ) {
    for (const one of trace.synchronizations) {
      if (one.kind !== 'poll') continue;
      if (one.makes !== undefined) this.all.set(one.read, { ...one, makes: one.makes });
      const [only, ...others] = claims.polls.get(one.read) ?? [];
      for (const row of others.length === 0 ? (only ?? []) : [])
        this.finders.set(row, [...(this.finders.get(row) ?? []), one]);
    }
  }

  has(row: number): boolean {
    return this.all.has(row);
  }

  /** Whether an update is said to find a write, which then comes before it. */
  finds(row: number, write: number): boolean {
    return this.has(row) && this.claims.polls.get(row)?.flat().includes(write) === true;
  }

  firstWrong(chains: Chains): string | undefined {
    for (const one of this.all.values()) {
      const wrong = this.wrongOf(one, chains);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  /** Whether an update may be made when those atomics of its word have been that come before a place in their order. */
  mayBeMade(row: number, behind: readonly number[], chains: Chains): boolean {
    const update = this.all.get(row);
    const moments = update && this.momentsBefore(update, behind, chains);
    return moments === undefined || moments.some(({ value }) => update?.ends(value, undefined) !== false);
  }

  private wrongOf(update: Update, chains: Chains): string | undefined {
    const { read, makes } = update;
    const moments = this.momentsBefore(update, [read], chains);
    if (moments === undefined) return 'an update of a word that may hold too much';
    const ending = moments.filter(({ value }) => update.ends(value, undefined) !== false);
    const claimed = this.claims.polls.get(read)?.flat() ?? [];
    if (!ending.every(({ found }) => claimed.every((row) => found.has(row))))
      return 'an update that may come before what it is said to find';
    const early = this.writesOf(read).filter((row) => row < read);
    const behind = moments.filter(({ made }) => early.every((row) => made.has(row) || !this.isOf(moments, row)));
    if (behind.length === 0 || behind.some(({ value }) => update.ends(value, undefined) !== true))
      return 'an update that another one may come before';
    return this.isOne(update, makes.updates([...new Set(moments.map(({ value }) => value))]), ending)
      ? undefined
      : 'an update that does different things';
  }

  /** Whether a write is made at any of these moments; others are behind the store at which they begin. */
  private isOf(moments: readonly Moment[], row: number): boolean {
    return moments.some(({ made }) => made.has(row));
  }

  private isOne({ read }: Update, updates: ReturnType<Update['makes']['updates']>, ending: readonly Moment[]): boolean {
    const own = this.trace.accesses.values.at(read);
    const bits = 8 * this.trace.accesses.sizes.at(read);
    const { change } = kindOf(this.trace, read);
    const ways = ending.map(({ value }) => updates?.get(value)?.how);
    const areSame = ending.every(({ value }) => {
      const given = updates?.get(value)?.given;
      if (given === undefined || own === undefined || change === 'same' || change === 'unknown') return false;
      return BigInt.asUintN(bits, change === 'set' ? own : computeArithmetic(change, [value, own])) === given;
    });
    return areSame && new Set(ways).size === 1;
  }

  /** All that may be in a word where an update of it comes, and before; some of its writes come behind that. */
  private momentsBefore(update: Update, behind: readonly number[], chains: Chains): readonly Moment[] | undefined {
    const { read, makes } = update;
    const rows = this.writesOf(read).filter(
      (row) => !behind.some((one) => one === row || this.isBefore(one, row, chains)),
    );
    const isKnown = (row: number): boolean => row < read && this.leads(row, makes.from, chains);
    const isEarly = (row: number): boolean => isKnown(row) || this.ordered.areInOrder(row, read);
    const bottom = rows.findLast(
      (row) =>
        kindOf(this.trace, row).change === 'set' &&
        !kindOf(this.trace, row).reads &&
        isKnown(row) &&
        rows.every((one) => one === row || this.isBefore(one, row, chains) || this.isBefore(row, one, chains)),
    );
    const left = rows.filter((row) => bottom === undefined || (row > bottom && this.isBefore(bottom, row, chains)));
    if (!reachEachOther(this.trace, [...left, read])) return undefined;
    const { pieces, starts, sizes } = this.trace.accesses;
    const object = this.trace.pieces[pieces.at(read)]?.object;
    const first =
      bottom === undefined ? object && initialValue(object, starts.at(read), sizes.at(read)) : this.valueOf(bottom);
    const moments = first === undefined ? undefined : this.momentsFrom(first, left, chains);
    const early = left.filter(isEarly);
    return moments?.filter(({ made }) => early.every((row) => made.has(row)));
  }

  private momentsFrom(first: bigint, rows: readonly number[], chains: Chains): readonly Moment[] | undefined {
    const before = new Map(rows.map((row) => [row, rows.filter((one) => this.isBefore(one, row, chains))]));
    const known = new Map<string, Moment>();
    const waiting: Moment[] = [{ value: first, made: new Set(), found: new Set() }];
    for (let moment = waiting.pop(); moment !== undefined; moment = waiting.pop()) {
      const { value, made, found } = moment;
      const sorted = (some: ReadonlySet<number>): string => [...some].sort((a, b) => a - b).join();
      const key = `${value};${sorted(made)};${sorted(found)}`;
      if (known.has(key)) continue;
      known.set(key, moment);
      if (known.size > MOST_MOMENTS) return undefined;
      for (const row of rows) {
        if (made.has(row) || before.get(row)?.every((one) => made.has(one)) !== true) continue;
        const update = this.all.get(row);
        const may = update === undefined ? true : update.ends(value, undefined);
        if (may === false) continue;
        const after = may === undefined ? undefined : this.after(value, row);
        if (after === undefined) return undefined;
        const isSet = kindOf(this.trace, row).change === 'set';
        waiting.push({
          ...{ value: after, made: new Set([...made, row]) },
          found: isSet ? new Set([row]) : new Set([...found, row]),
        });
      }
    }
    return [...known.values()];
  }

  /** All writes of the bytes of an access that make something else of them, in the order of the run. */
  private writesOf(row: number): readonly number[] {
    const { pieces, starts, sizes, ranges } = this.trace.accesses;
    return rowsTouching(this.trace, pieces.at(row), starts.at(row), sizes.at(row)).filter((one) => {
      const { writes, change } = kindOf(this.trace, one);
      const isWhole = [starts, sizes, ranges].every((column) => column.at(one) === column.at(row));
      // What writes a part of it makes nothing known of it.
      return writes && (change !== 'same' || !isWhole);
    });
  }

  private after(value: bigint, row: number): bigint | undefined {
    const { change, tags, isPossible } = kindOf(this.trace, row);
    const own = this.valueOf(row);
    const isKnown = tags.has('GEN') && !tags.has('ASY') && !isPossible && own !== undefined;
    if (!isKnown || change === 'unknown' || change === 'same') return undefined;
    const bits = 8 * this.trace.accesses.sizes.at(row);
    return BigInt.asUintN(bits, change === 'set' ? own : computeArithmetic(change, [value, own]));
  }

  private valueOf(row: number): bigint | undefined {
    const value = this.trace.accesses.values.at(row);
    return value === undefined ? undefined : BigInt.asUintN(8 * this.trace.accesses.sizes.at(row), value);
  }

  /** Whether a write comes before another one in any execution of the case. */
  private isBefore(a: number, b: number, chains: Chains): boolean {
    if (a >= b) return false;
    const { threads } = this.trace.accesses;
    if (threads.at(a) === threads.at(b) || this.ordered.areInOrder(a, b) || this.finds(b, a)) return true;
    return this.leads(a, stepOf(this.trace, b), chains);
  }

  private leads(row: number, to: PollStep['step'], chains: Chains): boolean {
    const { thread, position } = stepOf(this.trace, row);
    if (chains.leads({ kind: 'step', thread, position: position + 1 }, to)) return true;
    return (this.finders.get(row) ?? []).some(({ step }) =>
      chains.leads({ kind: 'step', thread: step.thread, position: step.position + 1 }, to),
    );
  }
}
