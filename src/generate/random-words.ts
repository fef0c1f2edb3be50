import { SCOPES, type Scope } from '../program/placement.js';
import { ACCESSES } from './accesses.js';
import { COPY_NAMES, type Copy, copyForm, type Direction, ENDS, isReader } from './copies.js';
import { at, type COMMUNICATIONS, type CycleEvent, type Edge, isExternal } from './cycle.js';
import type { ArriveOrder, ObjectScope } from './hand-overs.js';
import type { Places } from './places.js';
import type { Link, Profile } from './profiles.js';
import type { Random } from './random.js';
import { STEPS } from './steps.js';

const PROXY_FENCES = [...STEPS.keys()].filter((word) => /^fence\.(alias|async)/.test(word));
const RESTRICTED_FENCES = ['fence.rel.shared.cta', 'fence.acq.shared.cluster'];

/**
 * Draws the words of a cycle: how its events are performed and what stands between them. A good part of the tests is
 * drawn `sound`, with large scopes and enough order: most others are allowed, and a rule that a model lacks shows in
 * the forbidden.
 */
export class RandomWords {
  readonly #sound: boolean;
  /** Tests with proxy fences are either about aliases or about asynchronous accesses. */
  readonly #aliases: boolean;

  constructor(
    readonly random: Random,
    readonly profile: Profile,
    /** The scope that holds all threads. */
    readonly widest: Scope,
  ) {
    this.#sound = random.chance(45);
    this.#aliases = random.chance(50);
  }

  /** Mostly large enough; the others are the tests that fail. */
  scope(): Scope {
    return this.random.chance(this.#sound ? 97 : 65) ? this.widest : this.random.pick(SCOPES);
  }

  event(direction: Direction, flag: boolean): CycleEvent {
    return {
      direction,
      access: this.#access(direction, flag),
      alias: this.#aliases && this.random.chance(this.profile.aliases),
    };
  }

  /** Whether an access is followed by one more of its kind at its location. */
  repeats(): boolean {
    return this.random.chance(this.profile.chains / 2);
  }

  #access(direction: Direction, flag: boolean): string {
    const { random } = this;
    const copies = this.#aliases && this.profile.aliases > 0 ? 0 : this.profile.copies;
    if (!flag && random.chance(copies)) {
      const copy = this.#copy(COPY_NAMES, direction, false);
      const end = this.#end(copy, direction);
      return end === '' ? copy : `${copy}.${end}`;
    }
    if (flag && direction === 'W' && random.chance(this.profile.copies / 3))
      return `${random.pick(['st', 'red'])}.async.rel.${random.pick(['gpu', 'sys'])}`;
    const scope = this.scope();
    const strong = direction === 'R' ? 'acq' : 'rel';
    const atomics = direction === 'R' ? ['add'] : ['exch', 'add', 'cas', 'red'];
    const word = random.weightedWord({
      weak: this.#sound ? (flag ? 2 : 35) : flag ? 15 : 60,
      [`rlx.${scope}`]: this.#sound ? 40 : flag ? 25 : 20,
      [`${strong}.${scope}`]: flag ? (this.#sound ? 80 : 40) : 8,
      vol: 4,
      [`${random.pick(atomics)}.${random.pick(['rlx', 'acq', 'rel', 'acq_rel'])}.${scope}`]: flag ? 15 : 8,
    });
    // red has no acquire.
    return ACCESSES.has(word) ? word : `red.rel.${scope}`;
  }

  /** What only goes to another CTA goes to its own if that is none: undefined, so rarely. */
  #copy(copies: readonly Copy[], direction: Direction, remote: boolean): Copy {
    const possible = copies.filter((copy) => direction === 'W' || isReader(copy));
    return this.random.pick(
      remote || this.random.chance(5) ? possible : possible.filter((copy) => !ONLY_REMOTE.has(copy)),
    );
  }

  /**
   * Mostly the thread waits for the end of its copy, as it must before it reads what the copy brought. The first words
   * are those that do.
   */
  #end(copy: Copy, direction: Direction): string {
    const ends = Object.keys(ENDS[copyForm(copy).completion]);
    return this.random.chance(direction === 'R' ? 85 : 65)
      ? this.random.pick(ends.slice(1, direction === 'R' ? 2 : 3))
      : this.random.pick(ends);
  }

  #fence(): string {
    const { random } = this;
    const order = random.weightedWord({ sc: 35, acq_rel: 35, acquire: 15, release: 15 });
    return random.chance(3) ? random.pick(RESTRICTED_FENCES) : `fence.${order}.${this.scope()}`;
  }

  /** A fence of memory, and beside it one of the proxies that the test is about, mostly. */
  #fences(percent: number): readonly string[] {
    const { random, profile } = this;
    const matching = this.#aliases ? 'fence.alias' : 'fence.async';
    const proxy = random.chance(profile.proxyFences) ? [random.chance(70) ? matching : random.pick(PROXY_FENCES)] : [];
    const memory = random.chance(percent) ? [this.#fence()] : [];
    return random.chance(50) ? [...proxy, ...memory] : [...memory, ...proxy];
  }

  /** The edge between two accesses of a thread. */
  between(from: Direction, to: Direction): Edge {
    const { random, profile } = this;
    if (from === 'R' && to === 'W' && random.chance(profile.chains)) {
      return {
        kind: 'atomic',
        operation: random.pick(['exch', 'add', 'cas']),
        order: random.pick(['rlx', 'acq', 'rel', 'acq_rel']),
        scope: this.scope(),
      };
    }
    const same = random.chance(Math.max(profile.chains / 2, 5));
    if (random.chance(profile.barriers)) return { kind: 'program', same, steps: ['bar.sync'] };
    // A copy may not touch what is not known to be ready, so it mostly stands behind a branch on the flag.
    if (from === 'R' && random.chance(profile.copies * 1.7))
      return { kind: 'program', same, steps: ['branch', ...this.#fences(20)] };
    if (from === 'R' && random.chance(15))
      return { kind: 'program', same, steps: [random.pick(to === 'W' ? ['addr', 'data', 'ctrl'] : ['addr', 'ctrl'])] };
    // Nothing less than fence.sc orders a write before a read of another location.
    if (this.#sound && from === 'W' && to === 'R' && random.chance(85))
      return { kind: 'program', same, steps: [`fence.sc.${this.scope()}`, ...this.#fences(0)] };
    return { kind: 'program', same, steps: this.#fences(this.#sound ? 60 : 40) };
  }

  link(link: Link): Edge {
    const { random } = this;
    if (link === 'Rfe' || link === 'Fre' || link === 'Coe')
      return { kind: 'communication', name: link satisfies keyof typeof COMMUNICATIONS };
    const order = (): ArriveOrder => (random.chance(this.#sound ? 90 : 65) ? 'rel' : 'rlx');
    const scope = (): ObjectScope =>
      random.chance(this.#sound ? 95 : 75) === (this.widest === 'cta') ? 'cta' : 'cluster';
    const same = random.chance(60);
    const handOver = (
      before: readonly string[],
      give: string,
      { take, after }: { readonly take: string; readonly after: readonly string[] },
    ): Edge => ({ kind: 'handOver', same, before, give, take, after });
    switch (link) {
      case 'arrive': {
        const form = random.weightedWord({ arrive: 70, 'arrive.2': 8, 'arrive.expect_tx': 10, arrive_drop: 10, '': 2 });
        const give = form === '' ? 'forgotten' : `${form}.${order()}.${scope()}`;
        return handOver(this.#fences(20), give, this.#taking(scope(), 20));
      }
      case 'copy': {
        const give = random.weightedWord({
          tx: 50,
          'tx.late': 12,
          'tx.taker': 15,
          'tx.short': 3,
          'cp.async.arrive.noinc': 15,
          'cp.async.arrive': 10,
        });
        return handOver([], give, this.#taking(scope(), 15));
      }
      case 'bar': {
        const before = this.#fences(10);
        const give = random.chance(75) ? 'bar.sync' : 'bar.arrive';
        return handOver(before, give, { take: 'bar.sync', after: this.#fences(10) });
      }
      case 'cbar':
        return handOver(this.#fences(25), `cbar.${order()}`, { take: `cbar.${order()}`, after: this.#fences(10) });
    }
  }

  #taking(scope: ObjectScope, fences: number): { readonly take: string; readonly after: readonly string[] } {
    const take = this.#wait(scope);
    const branches = !take.startsWith('spin.') && this.random.chance(this.profile.copies === 0 ? 25 : 75);
    return { take, after: [...(branches ? ['branch'] : []), ...this.#fences(fences)] };
  }

  #wait(scope: ObjectScope): string {
    const { random } = this;
    const form = random.weightedWord({ 'spin.': 70, '': 18, 'spin.parity1.': 5, 'spin.token.': 9 });
    const wait = random.chance(70) ? 'try_wait' : 'test_wait';
    return `${form}${wait}.${random.chance(this.#sound ? 90 : 75) ? 'acq' : 'rlx'}.${scope}`;
  }

  /** A hand-over by the end of a copy needs one before it. */
  copiesForLinks(events: readonly CycleEvent[], edges: readonly Edge[], places: Places): readonly CycleEvent[] {
    let thread = 0;
    return events.map((event, i) => {
      const edge = at(edges, i);
      const remote = at(places, thread).cta !== at(places, thread + 1).cta;
      if (isExternal(edge)) thread++;
      if (edge.kind !== 'handOver' || !/^(tx|cp\.async)/.test(edge.give) || event.access === 'nop') return event;
      if (edge.give.startsWith('cp.async')) return { ...event, access: 'cp.async' };
      const telling = COPY_NAMES.filter((copy) => copyForm(copy).completion === 'mbarrier');
      return { ...event, access: this.#copy(telling, event.direction, remote) };
    });
  }
}

/** The copies whose destination must be in another CTA than the thread's own. */
const ONLY_REMOTE: ReadonlySet<Copy> = new Set(['s2s', 'reduce.s2s', 'st.async', 'red.async']);
