import type { WaitingRegion } from '../flow/polls.js';
import type { Code } from '../kernel/code.js';
import type { Atomic, Load } from '../program/operation.js';
import { type Exit, type Held, type Looking, NOWHERE, RegionWalk, valueIn, type Word } from './region-walk.js';
import type { Step } from './trace.js';

/** What an atomic puts there that ends such a wait, and how its thread goes on: alike ones do so in one way. */
export interface Update {
  readonly given: bigint;
  readonly how: string;
}

/** An update of a word that a thread makes once it comes to find certain values. */
export interface GuardedUpdate {
  /** Where its thread looks first. */
  readonly from: Step;
  /** By value of those that may be found before: what is put there instead, and how the thread goes on, if it does. */
  readonly updates: (values: readonly bigint[]) => ReadonlyMap<bigint, Update> | undefined;
}

/** A look of a way through a wait, and the fences before it. */
export interface StepOfWait {
  readonly at: number;
  readonly fences: readonly number[];
}

/** The way through a wait where all looks find one value: the last of them is the atomic that ends it. */
export interface WayThrough {
  readonly steps: readonly StepOfWait[];
  /** What registers hold behind that. */
  readonly held: Held;
  readonly given: bigint;
  /** Whether what it leaves in registers matters where the wait is left; undefined: it goes on. */
  readonly isUsed: boolean | undefined;
}

type Next = Looking | Exit;

/** What follows a look that finds a value: another one, or the end. */
type After = { readonly kind: 'again'; readonly next: Looking } | ({ readonly kind: 'done' } & Update);

/** A look, and by value that it finds what follows: another state, or the end. */
interface State {
  readonly at: number;
  readonly after: ReadonlyMap<bigint, string | Update>;
}
type Explored = ReadonlyMap<string, State>;

/** How such a wait ends, in one way whatever is found before, if it does so; and the scopes of its looks. */
interface Ends {
  readonly updates: ReadonlyMap<bigint, Update> | undefined;
  readonly scopes: ReadonlySet<Load['scope']>;
}

const MOST_STATES = 1024;

/**
 * A wait that an atomic ends by what it puts there: whatever is found before, and however often, the thread makes this
 * one update of the word, when it has found one of certain values and nothing else has come between. All looks before
 * leave memory as it is, and only constrain: they may be left out.
 */
export class GuardedWait {
  private readonly walk: RegionWalk;
  private readonly start: Looking;
  private readonly word: Word | undefined;
  /** By the values that looks may find. */
  private readonly known = new Map<string, Ends | undefined>();

  constructor(
    private readonly code: Code,
    region: WaitingRegion,
    at: number,
    held: Held,
    private readonly wordOf: (access: Load | Atomic, held: Held) => Word | undefined,
  ) {
    this.walk = new RegionWalk(code, region, wordOf);
    this.start = { ...NOWHERE, kind: 'look', at, held };
    this.word = this.wordAt(this.start);
  }

  /** By value, of those that looks may find: the update where it is found last, if that ends the wait. */
  updates(values: readonly bigint[]): ReadonlyMap<bigint, Update> | undefined {
    const ends = this.endsAmong(values);
    // In another scope a look need not come to see what ends the wait.
    return ends === undefined || ends.scopes.size > 1 ? undefined : ends.updates;
  }

  /** The same, if all looks are in scopes of those of one way through it. */
  updatesBy({ steps }: WayThrough, values: readonly bigint[]): ReadonlyMap<bigint, Update> | undefined {
    const ends = this.endsAmong(values);
    const own = new Set(steps.map(({ at }) => this.accessAt(at)?.scope));
    return ends !== undefined && [...ends.scopes].every((scope) => own.has(scope)) ? ends.updates : undefined;
  }

  /**
   * Whether it takes a word, by the update that a value leads to, or goes on waiting where that leads to none;
   * undefined if it is no lock: found again, what the update leaves there ends a wait.
   */
  takes(value: bigint): boolean | undefined {
    const through = this.through(value);
    if (through === undefined) return this.endsAmong([value])?.updates?.size === 0 ? false : undefined;
    const updates = this.updatesBy(through, [value, through.given]);
    return through.isUsed !== undefined && updates?.size === 1 && updates.has(value) ? true : undefined;
  }

  private endsAmong(values: readonly bigint[]): Ends | undefined {
    const key = values.join();
    if (!this.known.has(key)) {
      const after = this.explored(values);
      const scopes = new Set([...(after?.values() ?? [])].map(({ at }) => this.accessAt(at)?.scope));
      this.known.set(key, after && { updates: endsIn(after, values), scopes });
    }
    return this.known.get(key);
  }

  /** The way through it where all looks find this value, if that ends it. */
  through(value: bigint): WayThrough | undefined {
    const steps: StepOfWait[] = [];
    const seen = new Set<string>();
    for (let state = this.start; !seen.has(this.keyOf(state)); ) {
      seen.add(this.keyOf(state));
      steps.push(state);
      const after = this.after(state, value);
      if (after === undefined) return undefined;
      if (after.kind === 'done') {
        const next = this.walk.look(state, value);
        const isUsed = next?.kind === 'exit' ? this.walk.keptAt(next.at).length > 0 : undefined;
        return { steps, held: this.behind(state, value), given: after.given, isUsed };
      }
      state = after.next;
    }
    return undefined;
  }

  /** By state, and value that is found there, the next state or the end; undefined where more is done than to wait. */
  private explored(values: readonly bigint[]): Explored | undefined {
    const states = new Map([[this.keyOf(this.start), this.start]]);
    const all = new Map<string, State>();
    for (const [key, state] of states) {
      const own = new Map<bigint, string | Update>();
      all.set(key, { at: state.at, after: own });
      for (const value of values) {
        const after = this.after(state, value);
        if (after === undefined || states.size > MOST_STATES) return undefined;
        if (after.kind === 'done') own.set(value, after);
        else {
          const next = this.keyOf(after.next);
          own.set(value, next);
          if (!states.has(next)) states.set(next, after.next);
        }
      }
    }
    return all;
  }

  private after(state: Looking, value: bigint): After | undefined {
    const access = this.accessAt(state.at);
    if (access === undefined || this.word === undefined || this.wordAt(state) !== this.word) return undefined;
    const given = access.kind === 'atomic' ? putBy(access, state.held, value) : 'nothing';
    const next = given === undefined ? undefined : this.walk.look(state, value);
    if (given === undefined || next === undefined) return undefined;
    if (given !== 'nothing')
      return { kind: 'done', given, how: `${this.walk.kindOf(state.at)};${this.mannerOf(next)}` };
    return next.kind === 'look' ? { kind: 'again', next } : undefined;
  }

  /** A look at one word; those at vectors are others. */
  private accessAt(at: number): Load | Atomic | undefined {
    const access = this.code.statements[at]?.operation;
    if (access?.kind === 'load') return access.targets.length === 1 ? access : undefined;
    return access?.kind === 'atomic' ? access : undefined;
  }

  private wordAt({ at, held }: Looking): Word | undefined {
    const access = this.accessAt(at);
    return access && this.wordOf(access, held);
  }

  /** What registers hold behind a look that finds a value. */
  private behind(state: Looking, value: bigint): Held {
    const access = this.accessAt(state.at);
    return access === undefined ? state.held : this.walk.heldBehind(state, access, value);
  }

  private keyOf({ at, held }: Looking): string {
    return [at, ...this.walk.keptAt(at).map((name) => held.get(name))].join();
  }

  private mannerOf(next: Next): string {
    return next.kind === 'exit' ? next.manner : `${this.keyOf(next)};${this.walk.fencesOf(next.fences)}`;
  }
}

/** What an atomic puts there that finds a value; nothing where it leaves that; undefined where that is not known. */
function putBy({ operation, values, type }: Atomic, held: Held, found: bigint): bigint | 'nothing' | undefined {
  const [given, compared] = values
    .toReversed()
    .map((operand) => valueIn(held, operand))
    .map((value) => (value === undefined ? undefined : BigInt.asUintN(type.width, value)));
  if (operation === 'exch') return given === undefined ? undefined : given === found ? 'nothing' : given;
  if (operation !== 'cas' || compared === undefined) return undefined;
  if (compared !== found) return 'nothing';
  // One that puts there what it finds may come at any time, and is another wait.
  return given === found ? undefined : given;
}

/** By value of some: the update where it is found last, from whichever state; undefined if it is not one. */
function endsIn(after: Explored, values: readonly bigint[]): ReadonlyMap<bigint, Update> | undefined {
  const updates = new Map<bigint, Update>();
  for (const value of values) {
    const ends = [...after.keys()].map((key) => endOf(after, key, value));
    const [first] = ends;
    if (ends.some((end) => end?.how !== first?.how || end?.given !== first?.given)) return undefined;
    if (first !== undefined) updates.set(value, first);
  }
  return updates;
}

/** How a wait ends where all looks from a state on find one value. */
function endOf(after: Explored, from: string, value: bigint): Update | undefined {
  const seen = new Set<string>();
  for (let at = from; !seen.has(at); ) {
    seen.add(at);
    const next = after.get(at)?.after.get(value);
    if (typeof next !== 'string') return next;
    at = next;
  }
  return undefined;
}
