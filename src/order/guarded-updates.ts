import type { Span } from '../diagnostics/source.js';
import type { GuardedUpdate } from '../follow/guarded-wait.js';
import type { Trace } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import type { AwaitedGroups } from './awaited-groups.js';
import type { Knowledge } from './knowledge.js';
import { areStrong, type Variable, type VariableWrites, type Write } from './variable-writes.js';
import { observedIn, statesOf, type WordState, type WordStates } from './word-states.js';

/** An update that is made once a value is found, and what it is said to find. */
interface Made {
  readonly poll: PollStep & { readonly makes: GuardedUpdate };
  readonly variable: Variable;
  readonly observed: readonly Write[];
}

/** What may be in a word where an update of it is made: states that it may find, and others before. */
interface Around {
  readonly states: WordStates;
  readonly found: readonly WordState[];
}

/**
 * Updates that end waits, such as those that take from a semaphore: what they find in any case follows from all orders
 * in which the writes of their word may come, of which each update is made only where it finds what ends its wait.
 */
export class GuardedUpdates {
  private readonly made: Made[] = [];
  private readonly polls = new Map<number, Made['poll']>();
  /** What is not so, and the word of the first such update. */
  unforced: { readonly span: Span; readonly what: string } | undefined;
  openWord: string | undefined;

  constructor(
    private readonly writes: VariableWrites,
    private readonly knowledge: Knowledge,
    trace: Trace,
  ) {
    for (const one of trace.synchronizations)
      if (one.kind === 'poll' && one.makes !== undefined) this.polls.set(one.read, { ...one, makes: one.makes });
  }

  /** A thread makes such an update: gives the writes that it finds in any case; undefined where that is not known. */
  find(poll: Made['poll'], variable: Variable, awaited: AwaitedGroups): readonly Write[] | undefined {
    const around = this.aroundOf(poll, variable);
    if (typeof around === 'string') {
      this.leaveOpen(poll, around);
      return undefined;
    }
    const observed = observedIn(around.states, around.found);
    this.made.push({ poll, variable, observed });
    // It may have to wait for all that has been made before.
    if (around.found.length < around.states.all.length)
      awaited.wait(poll.step, poll.span, [around.states.chains.flat()]);
    return observed;
  }

  /** Whether an atomic may be the next in a coherence order, before all others that come there in this case. */
  mayBeNext({ row }: Write, others: readonly Write[]): boolean {
    const poll = this.polls.get(row);
    const around = poll && this.aroundOf(poll, this.writes.of(row), others);
    return around === undefined || typeof around === 'string' || around.found.length > 0;
  }

  /** Whether an access may be made that finds a value. */
  mayFind(row: number, value: bigint): boolean | undefined {
    const poll = this.polls.get(row);
    return poll === undefined ? true : poll.ends(value, undefined);
  }

  /** Looks at all updates again when all writes are known. */
  finish(): void {
    for (const one of this.made) {
      const wrong = this.wrongOf(one);
      if (wrong !== undefined) this.leaveOpen(one.poll, wrong);
    }
  }

  private leaveOpen({ read, span }: PollStep, what: string): void {
    this.unforced ??= { span, what };
    this.openWord ??= this.writes.wordAt(read);
  }

  private wrongOf({ poll, variable, observed }: Made): string | undefined {
    const around = this.aroundOf(poll, variable);
    if (typeof around === 'string') return around;
    const { states, found } = around;
    const seen = new Set(observedIn(states, found));
    if (!observed.every((one) => seen.has(one))) return ORDER;
    // What is there when it is made stays, whatever comes besides.
    const least = states.chains.map((chain) => chain.filter(({ row }) => row < poll.read).length);
    const later = states.all.filter(({ made }) => least.every((count, i) => (made[i] ?? 0) >= count));
    if (later.length === 0 || later.some(({ value }) => poll.ends(value, undefined) !== true)) return AGAIN;
    return this.isOneUpdate(poll, variable, around) ? undefined : ORDER;
  }

  /** Whether the thread goes on in one way, with one change, whatever it finds. */
  private isOneUpdate({ read, makes }: Made['poll'], { size, writes }: Variable, { states, found }: Around): boolean {
    const updates = makes.updates([...new Set(states.all.map(({ value }) => value))]);
    const own = writes.find(({ row }) => row === read);
    if (updates === undefined || own?.value === undefined) return false;
    const { kind, value: puts } = own;
    const hows = new Set<string>();
    for (const { value } of found) {
      const update = updates.get(value);
      const change = kind.change === 'set' ? update?.given : update && BigInt.asUintN(8 * size, update.given - value);
      if (update === undefined || change !== puts) return false;
      hows.add(update.how);
    }
    return hows.size === 1;
  }

  /** All that may be in a word before an update, and others that come behind it; a text where that is not known. */
  private aroundOf(poll: Made['poll'], variable: Variable, behind?: readonly Write[]): Around | string {
    if (variable.isMixed) return IN_PARTS;
    const own = variable.writes.find(({ row }) => row === poll.read);
    const rest = behind ?? (own === undefined ? [] : [own]);
    const isBehind = (one: Write): boolean => rest.some((of) => of === one || this.writes.isBefore(of, one));
    const others = variable.writes.filter((one) => !isBehind(one));
    const { clock } = this.knowledge.at(poll.makes.from);
    const isKnown = (one: Write): boolean => one.row < poll.read && this.writes.comes(one, poll.makes.from, clock);
    const isBefore = (one: Write): boolean => isKnown(one) || this.writes.coherence.areInOrder(one.row, poll.read);
    const anchor = this.anchorOf(others, isKnown);
    const first = anchor === undefined ? this.writes.initialOf(variable) : anchor.value;
    if (first === undefined) return BEFORE;
    const left = others.filter((one) => one !== anchor && !(anchor && this.writes.isBefore(one, anchor)));
    if (!areStrong([...left, ...(own === undefined ? [] : [own])])) return WEAK;
    const states = statesOf(
      first,
      left,
      (a, b) => this.writes.isBefore(a, b),
      ({ row }, value) => this.mayFind(row, value),
    );
    if (states === undefined) return ORDER;
    const least = states.chains.map((chain) => chain.findLastIndex(isBefore) + 1);
    const all = states.all.filter(({ made }) => least.every((count, i) => (made[i] ?? 0) >= count));
    const ends = all.map(({ value }) => poll.ends(value, undefined));
    return ends.includes(undefined) ? ORDER : { states, found: all.filter((_, i) => ends[i] === true) };
  }

  /** The last store that comes before or behind all others, and before the update. */
  private anchorOf(writes: readonly Write[], isKnown: (one: Write) => boolean): Write | undefined {
    return writes.findLast(
      (one) =>
        one.kind.change === 'set' &&
        !this.polls.has(one.row) &&
        isKnown(one) &&
        writes.every((other) => other === one || this.writes.isBefore(other, one) || this.writes.isBefore(one, other)),
    );
  }
}

const IN_PARTS = 'it is waited here for bytes that others access in parts, or perhaps write';
const BEFORE = 'what is there before this wait';
const WEAK = 'it is waited here for what need not be seen';
const ORDER = 'what depends on the order of atomics';
const AGAIN = 'another thread may come first, and this one wait on';
