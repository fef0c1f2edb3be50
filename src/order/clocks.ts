/** How many of those of a CTA stand together; what clocks have in common is shared in such parts. */
const CHUNK = 32;

/** What happens before a point in one CTA: of each of its threads and objects the first so many steps, part by part. */
type Frontier = readonly (Uint32Array | undefined)[];

/**
 * What happens before a point of a run: of each thread the first so many steps. The threads of a CTA stand together,
 * since barriers make what they know equal; equal parts are shared.
 */
export interface Clock {
  readonly id: number;
  readonly frontiers: ReadonlyMap<number, Frontier>;
}

/** How many steps a clock has of one of a CTA. */
export const countIn = (clock: Clock, cta: number, place: number): number =>
  clock.frontiers.get(cta)?.[Math.floor(place / CHUNK)]?.[place % CHUNK] ?? 0;

/** More clocks than there will be. */
const MOST_CLOCKS = 2 ** 26;

/** The clocks of a run; what two of them come to is kept, since many threads ask for it. */
export class Clocks {
  private count = 0;
  private readonly joined = new Map<number, Clock>();
  private readonly met = new Map<number, Clock>();
  readonly none: Clock;

  constructor() {
    this.none = this.add(new Map());
  }

  /** All that is before one of two points. */
  join(a: Clock, b: Clock): Clock {
    if (a === b || b === this.none) return a;
    if (a === this.none) return b;
    return this.once(this.joined, a, b, () => {
      const frontiers = new Map(a.frontiers);
      for (const [cta, theirs] of b.frontiers) {
        const own = frontiers.get(cta);
        frontiers.set(cta, own === undefined ? theirs : later(own, theirs));
      }
      return frontiers;
    });
  }

  /** All that is before both of two points. */
  meet(a: Clock, b: Clock): Clock {
    if (a === b || b === this.none) return b;
    if (a === this.none) return a;
    return this.once(this.met, a, b, () => {
      const frontiers = new Map<number, Frontier>();
      for (const [cta, own] of a.frontiers) {
        const theirs = b.frontiers.get(cta);
        if (theirs !== undefined) frontiers.set(cta, earlier(own, theirs));
      }
      return frontiers;
    });
  }

  /** What is made of two clocks: mostly it is one of them. */
  private once(made: Map<number, Clock>, a: Clock, b: Clock, make: () => ReadonlyMap<number, Frontier>): Clock {
    const key = Math.min(a.id, b.id) * MOST_CLOCKS + Math.max(a.id, b.id);
    const known = made.get(key);
    if (known !== undefined) return known;
    const frontiers = make();
    const clock = isSame(frontiers, a.frontiers) ? a : isSame(frontiers, b.frontiers) ? b : this.add(frontiers);
    made.set(key, clock);
    return clock;
  }

  /** A clock with the steps of some threads of a CTA besides. */
  with(clock: Clock, cta: number, steps: Iterable<readonly [place: number, count: number]>): Clock {
    const own = clock.frontiers.get(cta);
    const frontier = [...(own ?? [])];
    for (const [place, count] of steps) {
      const at = Math.floor(place / CHUNK);
      if ((frontier[at]?.[place % CHUNK] ?? 0) >= count) continue;
      const chunk = frontier[at] ?? new Uint32Array(CHUNK);
      const changed = chunk === own?.[at] ? chunk.slice() : chunk;
      changed[place % CHUNK] = count;
      frontier[at] = changed;
    }
    return this.add(new Map([...clock.frontiers, [cta, frontier]]));
  }

  private add(frontiers: ReadonlyMap<number, Frontier>): Clock {
    return { id: this.count++, frontiers };
  }
}

const later = (a: Frontier, b: Frontier): Frontier =>
  ofBoth(a, b, Math.max(a.length, b.length), (own, theirs) =>
    own === undefined || theirs === undefined ? (own ?? theirs) : chunkOfBoth(own, theirs, Math.max),
  );

const earlier = (a: Frontier, b: Frontier): Frontier =>
  ofBoth(a, b, Math.min(a.length, b.length), (own, theirs) =>
    own === undefined || theirs === undefined ? undefined : chunkOfBoth(own, theirs, Math.min),
  );

/** What is made of two, part by part: one of them, if that is the same. */
function ofBoth(
  a: Frontier,
  b: Frontier,
  length: number,
  make: (own: Frontier[number], theirs: Frontier[number]) => Frontier[number],
): Frontier {
  if (a === b) return a;
  const both = Array.from({ length }, (_, i) => (a[i] === b[i] ? a[i] : make(a[i], b[i])));
  const isAll = (one: Frontier): boolean => one.length === length && both.every((chunk, i) => chunk === one[i]);
  return isAll(a) ? a : isAll(b) ? b : both;
}

function chunkOfBoth(a: Uint32Array, b: Uint32Array, of: (own: number, theirs: number) => number): Uint32Array {
  let [isFirst, isSecond] = [true, true];
  for (let i = 0; i < CHUNK; i++) {
    const [own = 0, theirs = 0] = [a[i], b[i]];
    const made = of(own, theirs);
    isFirst &&= made === own;
    isSecond &&= made === theirs;
  }
  return isFirst ? a : isSecond ? b : a.map((count, i) => of(count, b[i] ?? 0));
}

function isSame(a: ReadonlyMap<number, Frontier>, b: ReadonlyMap<number, Frontier>): boolean {
  if (a.size !== b.size) return false;
  for (const [cta, frontier] of a) if (b.get(cta) !== frontier) return false;
  return true;
}
