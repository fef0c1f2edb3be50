import type { Poll } from '../flow/polls.js';
import type { Code } from '../kernel/code.js';
import type { Atomic, Load } from '../program/operation.js';
import { type Exit, type Held, type Looking, leaveAlike, NOWHERE, RegionWalk, type Word } from './region-walk.js';

/** What may be in the words that a lane looks at; undefined where that is not known. */
export type Values = (word: Word) => readonly bigint[] | undefined;

const MOST_CHOICES = 256;
const LONGEST_ROUND = 256;
const MOST_LOOKS = 200_000;

type Ends = readonly ReadonlyMap<Word, bigint>[] | undefined;

/** What has been found out of a wait: many lanes come to the same one. */
interface Explored {
  /** By what the words may hold. */
  readonly ends: Map<string, Ends>;
  /** Of one word, by its value: where a wait ends that finds it, and whether one does that has begun at any look. */
  readonly ending: Map<bigint, number | 'again' | undefined>;
  readonly anywhere: Map<bigint, boolean | undefined>;
  /** Votes in which it relies on all others to be idle. */
  readonly relied: Set<number>;
}

const EXPLORED = new WeakMap<Code, Map<string, Explored>>();

/**
 * What a lane does in a region that waits. It waits for values if it leaves the region, always at one place with one
 * content of its registers, when and only when the last that it has found in each word is one of certain values: then
 * all looks before these may be left out.
 */
export class Waiting {
  readonly walk: RegionWalk;
  readonly start: Looking;
  private readonly region: Poll['region'];
  /** What it looks at; undefined among them: what cannot be told. */
  private readonly words: ReadonlySet<Word | undefined>;
  /** It looks at one word, and nothing of what it has found is kept from one look to the next. */
  private readonly isMemoryless: boolean;
  private readonly known: Explored;
  /** Looks of a round that goes on, of which it is taken down that they may come before what ends the wait. */
  private seen: ReadonlySet<number> = new Set();
  /** Whether the run, when it is over, has written to a word: what nobody writes may be looked at at any time. */
  isWritten: (word: Word) => boolean = () => true;

  constructor(
    code: Code,
    { region }: Poll,
    at: number,
    held: Held,
    /** The word of an access, or an element of it, with such registers. */
    wordOf: (access: Load | Atomic, held: Held, element: number) => Word | undefined,
  ) {
    this.walk = new RegionWalk(code, region, wordOf);
    this.region = region;
    this.start = { ...NOWHERE, kind: 'look', at, held };
    const looks = [...region.looks.keys()];
    this.words = new Set(looks.map((look) => this.walk.wordAt({ ...this.start, at: look })));
    this.isMemoryless = this.words.size === 1 && looks.every((look) => this.walk.keptAt(look).length === 0);
    this.known = this.knownOf(code);
    this.walk.relied = this.known.relied;
  }

  /** Votes of the CTA in which it is the only one that may end the wait: all others must be idle there. */
  get relied(): ReadonlySet<number> {
    return this.known.relied;
  }

  /** The foremost look of the region. */
  private get first(): Looking {
    return { ...this.start, at: Math.min(...this.region.looks.keys()) };
  }

  /** What is known of waits that begin as this one. */
  private knownOf(code: Code): Explored {
    const all = EXPLORED.get(code) ?? new Map<string, Explored>();
    EXPLORED.set(code, all);
    const { at, held } = this.start;
    const { read, written, looks } = this.region;
    const live = new Set(code.liveAt(at).flatMap((index) => code.names[index] ?? []));
    const own = read.flatMap((name) =>
      live.has(name) || !written.includes(name) ? [`${name} ${held.get(name)}`] : [],
    );
    const words = [...looks.keys()].map((look) => this.walk.wordAt({ ...this.start, at: look }));
    const key = [at, own.join(), words.join()].join(';');
    const known = all.get(key) ?? {
      ends: new Map(),
      ending: new Map(),
      anywhere: new Map(),
      relied: new Set<number>(),
    };
    all.set(key, known);
    return known;
  }

  /** The looks of a round in which each word is as it was at first. */
  firstRound(initial: (word: Word) => bigint | undefined): readonly Looking[] {
    const all = [this.start, this.first].flatMap((from) => this.pathOf(from, initial));
    const looks = [...new Map(all.map((look) => [look.at, look])).values()];
    this.seen = new Set(looks.map(({ at }) => at));
    return looks;
  }

  /** The looks from one on, each of which finds what there is, till one is made again. */
  private pathOf(from: Looking, current: (word: Word) => bigint | undefined): readonly Looking[] {
    const looks = new Map<string, Looking>();
    for (let next: Looking | Exit | undefined = from; next?.kind === 'look' && !looks.has(this.keyOf(next)); ) {
      looks.set(this.keyOf(next), next);
      const word = this.walk.wordAt(next);
      const value = word === undefined ? undefined : current(word);
      next = value === undefined || looks.size > LONGEST_ROUND ? undefined : this.walk.look(next, value);
    }
    return [...looks.values()];
  }

  /** Where it goes if memory stays as it is: out of the region, or round again; undefined where that is open. */
  ending(current: (word: Word) => bigint | undefined): number | 'again' | undefined {
    const [only, ...others] = this.words;
    const value = only === undefined || others.length > 0 ? undefined : current(only);
    const round = (): number | 'again' | undefined => {
      const end = this.goRound(this.start, current);
      return end === undefined || end === 'again' ? end : end.at;
    };
    return value === undefined ? round() : once(this.known.ending, value, round);
  }

  /** Whether a value in its own word may end the wait, where words have some of these values. */
  ends(value: bigint, values: Values): boolean | undefined {
    const own = this.walk.wordAt(this.start);
    if (own === undefined) return undefined;
    if (this.isMemoryless) return this.endsAnywhere(value);
    const ends = this.explored((word) => {
      const all = values(word);
      return word === own && all?.includes(value) === false ? [...all, value] : all;
    });
    return ends?.some((one) => one.get(own) === value);
  }

  /** Whether what it does with some values follows from the last that it has found. */
  isWait(values: Values): boolean {
    const own = this.walk.wordAt(this.start);
    const all = own === undefined ? undefined : values(own);
    return this.isMemoryless
      ? all?.every((value) => this.endsAnywhere(value) !== undefined) === true
      : this.explored(values) !== undefined;
  }

  /** Of one word: each look that finds the value ends in the same way, or none does. */
  private endsAnywhere(value: bigint): boolean | undefined {
    return once(this.known.anywhere, value, () => this.findAnywhere(value));
  }

  private findAnywhere(value: bigint): boolean | undefined {
    const ends = [...this.region.looks.keys()].map((at) => this.goRound({ ...this.start, at }, () => value));
    const [first] = ends;
    if (first === undefined) return undefined;
    const areAlike = ends.every((end) => {
      if (first === 'again' || end === 'again' || end === undefined) return end === first;
      return leaveAlike(first, end);
    });
    return areAlike ? first !== 'again' : undefined;
  }

  /** What words hold where that ends the wait, from its first look on; undefined where it does more than to wait. */
  private explored(values: Values): Ends {
    const words = [...this.words].flatMap((word) => word ?? []);
    const key = [[...this.seen], ...words.map((word) => [this.isWritten(word), values(word)])].join(';');
    return once(this.known.ends, key, () => this.explore(words, values));
  }

  private explore(words: readonly Word[], values: Values): Ends {
    const { first } = this;
    const ends = new Map<string, { readonly of: ReadonlyMap<Word, bigint>; readonly exit: Exit }>();
    const keyOf = (of: ReadonlyMap<Word, bigint>): string => words.map((word) => of.get(word)).join();
    for (const of of choices(words, values) ?? [new Map<Word, bigint>()]) {
      if (of.size < words.length) return undefined;
      const end = this.goRound(first, (word) => of.get(word));
      if (end === undefined) return undefined;
      if (end !== 'again') ends.set(keyOf(of), { of, exit: end });
    }
    const isEnd = (word: Word, value: bigint): boolean => [...ends.values()].some(({ of }) => of.get(word) === value);
    for (const of of choices(words, values) ?? [])
      if (!ends.has(keyOf(of)) && !this.isSeen(first, of, isEnd)) return undefined;
    const states = new Map([[this.keyOf(first), first]]);
    const most = Math.max(...words.map((word) => values(word)?.length ?? 0));
    for (const state of states.values()) {
      if (states.size * most > MOST_LOOKS) return undefined;
      for (const { of, exit } of ends.values()) {
        const end = this.goRound(state, (word) => of.get(word));
        if (end === undefined || end === 'again' || !leaveAlike(exit, end)) return undefined;
      }
      for (const value of values(this.walk.wordAt(state) ?? '') ?? []) {
        const next = this.walk.look(state, value);
        if (next === undefined) return undefined;
        if (next.kind === 'look') {
          states.set(this.keyOf(next), next);
          continue;
        }
        // What it has not looked at may be anything.
        const last = new Map([...state.found].map(([word, found]) => [word, found.value] as const));
        last.set(this.walk.wordAt(state) ?? '', value);
        const fitting = [...ends.values()].filter(({ of }) => [...last].every(([word, one]) => of.get(word) === one));
        const missing = words.filter((word) => !last.has(word));
        const expected = missing.reduce((count, word) => count * (values(word)?.length ?? 0), 1);
        if (fitting.length < expected || fitting.some(({ exit }) => !leaveAlike(exit, next))) return undefined;
      }
    }
    return [...ends.values()].map(({ of }) => of);
  }

  /**
   * Whether what a round looks at that goes on is looked at in the first as well, or behind a look that has found what
   * ends the wait: then what is acquired by that is known.
   */
  private isSeen(from: Looking, of: ReadonlyMap<Word, bigint>, isEnd: (word: Word, value: bigint) => boolean): boolean {
    const own = this.walk.wordAt(this.start);
    return this.pathOf(from, (word) => of.get(word)).every((look) => {
      const isBehindEnd = [...look.found].some(([word, { value }]) => isEnd(word, value));
      const word = this.walk.wordAt(look) ?? '';
      return this.seen.has(look.at) || isBehindEnd || word === own || !this.isWritten(word);
    });
  }

  /** Goes on from look to look, each of which finds what there is. */
  private goRound(from: Looking, current: (word: Word) => bigint | undefined): Exit | 'again' | undefined {
    const seen = new Set<string>();
    for (let state = from; ; ) {
      const word = this.walk.wordAt(state);
      const value = word === undefined ? undefined : current(word);
      const next = value === undefined ? undefined : this.walk.look(state, value);
      if (next === undefined || next.kind === 'exit') return next;
      const key = this.keyOf(next);
      if (seen.has(key)) return 'again';
      if (seen.size > LONGEST_ROUND) return undefined;
      seen.add(key);
      state = next;
    }
  }

  private keyOf({ at, held, found, fences }: Looking): string {
    const kept = this.walk.keptAt(at).map((name) => held.get(name));
    // Of one word it is found at the last look what is left with.
    const last =
      this.words.size === 1 ? [] : [...found].map(([word, one]) => `${word} ${one.value} ${this.walk.kindOf(one.at)}`);
    return [at, kept.join(), last.sort().join(), fences.join()].join(';');
  }
}

/** Each choice of one value for each word; undefined where these are too many, or not known. */
function choices(words: readonly Word[], values: Values): readonly ReadonlyMap<Word, bigint>[] | undefined {
  let all: readonly ReadonlyMap<Word, bigint>[] = [new Map()];
  for (const word of words) {
    const own = values(word);
    if (own === undefined || all.length * own.length > MOST_CHOICES) return undefined;
    all = all.flatMap((one) => own.map((value) => new Map(one).set(word, value)));
  }
  return all;
}

/** What is found out once. */
function once<Key, Value>(known: Map<Key, Value>, key: Key, find: () => Value): Value {
  if (!known.has(key)) known.set(key, find());
  return known.get(key) as Value;
}
