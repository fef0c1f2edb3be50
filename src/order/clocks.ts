/**
 * How many of those of a CTA stand together, and how many CTAs; what clocks have in common is shared in such parts.
 */
const CHUNK = 32;

type Parts<Part> = readonly (Part | undefined)[];

/** What happens before a point in one CTA: of each of its threads and objects the first so many steps, part by part. */
type Frontier = Parts<Uint32Array>;

/** The same of some CTAs, one behind the other. */
type Frontiers = Parts<Frontier>;

/**
 * What happens before a point of a run: of each thread the first so many steps. The threads of a CTA stand together,
 * since barriers make what they know equal, and so do CTAs, of which a point mostly knows many or one; equal parts are
 * shared.
 */
export interface Clock {
  readonly id: number;
  /** By chunk of CTAs. */
  readonly chunks: ReadonlyMap<number, Frontiers>;
}

const chunkOf = (of: number): number => Math.floor(of / CHUNK);

const frontierOf = ({ chunks }: Clock, cta: number): Frontier | undefined => chunks.get(chunkOf(cta))?.[cta % CHUNK];

/** How many steps a clock has of one of a CTA. */
export const countIn = (clock: Clock, cta: number, place: number): number =>
  frontierOf(clock, cta)?.[chunkOf(place)]?.[place % CHUNK] ?? 0;

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
      const chunks = new Map(a.chunks);
      for (const [at, theirs] of b.chunks) {
        const own = chunks.get(at);
        chunks.set(at, own === undefined ? theirs : later(own, theirs, laterFrontier));
      }
      return chunks;
    });
  }

  /** All that is before both of two points. */
  meet(a: Clock, b: Clock): Clock {
    if (a === b || b === this.none) return b;
    if (a === this.none) return a;
    return this.once(this.met, a, b, () => {
      const chunks = new Map<number, Frontiers>();
      for (const [at, own] of a.chunks) {
        const theirs = b.chunks.get(at);
        if (theirs !== undefined) chunks.set(at, earlier(own, theirs, earlierFrontier));
      }
      return chunks;
    });
  }

  /** What is made of two clocks: mostly it is one of them. */
  private once(made: Map<number, Clock>, a: Clock, b: Clock, make: () => Clock['chunks']): Clock {
    const key = Math.min(a.id, b.id) * MOST_CLOCKS + Math.max(a.id, b.id);
    const known = made.get(key);
    if (known !== undefined) return known;
    const chunks = make();
    const clock = isSame(chunks, a.chunks) ? a : isSame(chunks, b.chunks) ? b : this.add(chunks);
    made.set(key, clock);
    return clock;
  }

  /** A clock with the steps of some threads of a CTA besides. */
  with(clock: Clock, cta: number, steps: Iterable<readonly [place: number, count: number]>): Clock {
    const own = frontierOf(clock, cta);
    const frontier = [...(own ?? [])];
    for (const [place, count] of steps) {
      const at = chunkOf(place);
      if ((frontier[at]?.[place % CHUNK] ?? 0) >= count) continue;
      const chunk = frontier[at] ?? new Uint32Array(CHUNK);
      const changed = chunk === own?.[at] ? chunk.slice() : chunk;
      changed[place % CHUNK] = count;
      frontier[at] = changed;
    }
    const frontiers = [...(clock.chunks.get(chunkOf(cta)) ?? [])];
    frontiers[cta % CHUNK] = frontier;
    return this.add(new Map(clock.chunks).set(chunkOf(cta), frontiers));
  }

  private add(chunks: Clock['chunks']): Clock {
    return { id: this.count++, chunks };
  }
}

/** What is made of two parts: one of them, if that is the same. */
type OfBoth<Part> = (own: Part, theirs: Part) => Part;

const later = <Part>(a: Parts<Part>, b: Parts<Part>, of: OfBoth<Part>): Parts<Part> =>
  ofBoth(a, b, Math.max(a.length, b.length), (own, theirs) =>
    own === undefined || theirs === undefined ? (own ?? theirs) : of(own, theirs),
  );

const earlier = <Part>(a: Parts<Part>, b: Parts<Part>, of: OfBoth<Part>): Parts<Part> =>
  ofBoth(a, b, Math.min(a.length, b.length), (own, theirs) =>
    own === undefined || theirs === undefined ? undefined : of(own, theirs),
  );

const laterFrontier: OfBoth<Frontier> = (a, b) => later(a, b, (own, theirs) => chunkOfBoth(own, theirs, Math.max));
const earlierFrontier: OfBoth<Frontier> = (a, b) => earlier(a, b, (own, theirs) => chunkOfBoth(own, theirs, Math.min));

/** What is made of two, part by part. */
function ofBoth<Part>(a: Parts<Part>, b: Parts<Part>, length: number, make: OfBoth<Part | undefined>): Parts<Part> {
  if (a === b) return a;
  // It is made only once it is neither: up to there it is one of them.
  let both: (Part | undefined)[] | undefined;
  let [isFirst, isSecond] = [a.length === length, b.length === length];
  for (let i = 0; i < length; i++) {
    const part = a[i] === b[i] ? a[i] : make(a[i], b[i]);
    if (both !== undefined) {
      both.push(part);
      continue;
    }
    const own = isFirst ? a : b;
    isFirst &&= part === a[i];
    isSecond &&= part === b[i];
    if (!isFirst && !isSecond) both = [...own.slice(0, i), part];
  }
  return both ?? (isFirst ? a : b);
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

function isSame(a: Clock['chunks'], b: Clock['chunks']): boolean {
  if (a.size !== b.size) return false;
  for (const [at, own] of a) if (b.get(at) !== own) return false;
  return true;
}
