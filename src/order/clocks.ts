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

/** The clocks of a run; of those that are joined again and again the result is kept. */
export class Clocks {
  private count = 0;
  private readonly joined = new Map<number, Clock>();
  readonly none: Clock;

  constructor() {
    this.none = this.add(new Map());
  }

  /** All that is before one of two points. */
  join(a: Clock, b: Clock): Clock {
    if (a === b || b === this.none) return a;
    if (a === this.none) return b;
    const key = Math.min(a.id, b.id) * MOST_CLOCKS + Math.max(a.id, b.id);
    const known = this.joined.get(key);
    if (known !== undefined) return known;
    const frontiers = new Map(a.frontiers);
    for (const [cta, theirs] of b.frontiers) {
      const own = frontiers.get(cta);
      frontiers.set(cta, own === undefined ? theirs : later(own, theirs));
    }
    const clock = isSame(frontiers, a.frontiers) ? a : isSame(frontiers, b.frontiers) ? b : this.add(frontiers);
    this.joined.set(key, clock);
    return clock;
  }

  /** All that is before both of two points. */
  meet(a: Clock, b: Clock): Clock {
    if (a === b || b === this.none) return b;
    if (a === this.none) return a;
    const frontiers = new Map<number, Frontier>();
    for (const [cta, own] of a.frontiers) {
      const theirs = b.frontiers.get(cta);
      if (theirs !== undefined)
        frontiers.set(
          cta,
          own.map((chunk, i) => earlier(chunk, theirs[i])),
        );
    }
    return this.add(frontiers);
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

function later(a: Frontier, b: Frontier): Frontier {
  if (a === b) return a;
  const both = Array.from({ length: Math.max(a.length, b.length) }, (_, i) => laterChunk(a[i], b[i]));
  const isAll = (one: Frontier): boolean => both.every((chunk, i) => chunk === one[i]);
  return isAll(a) ? a : isAll(b) ? b : both;
}

function laterChunk(a: Uint32Array | undefined, b: Uint32Array | undefined): Uint32Array | undefined {
  if (a === b || b === undefined) return a;
  if (a === undefined) return b;
  let [isFirst, isSecond] = [true, true];
  for (let i = 0; i < CHUNK; i++) {
    const [own = 0, theirs = 0] = [a[i], b[i]];
    isFirst &&= own >= theirs;
    isSecond &&= theirs >= own;
  }
  return isFirst ? a : isSecond ? b : a.map((count, i) => Math.max(count, b[i] ?? 0));
}

const earlier = (a: Uint32Array | undefined, b: Uint32Array | undefined): Uint32Array | undefined =>
  a === undefined || b === undefined ? undefined : a.map((count, i) => Math.min(count, b[i] ?? 0));

function isSame(a: ReadonlyMap<number, Frontier>, b: ReadonlyMap<number, Frontier>): boolean {
  if (a.size !== b.size) return false;
  for (const [cta, frontier] of a) if (b.get(cta) !== frontier) return false;
  return true;
}
