/**
 * What happens before a point of a run: of each thread the first so many steps. The threads of a CTA stand together,
 * since barriers make what they know equal; equal parts are shared.
 */
export interface Clock {
  readonly id: number;
  /** By CTA, and there by thread: how many steps. */
  readonly frontiers: ReadonlyMap<number, Uint32Array>;
}

/** The clocks of a run, each kept once. */
export class Clocks {
  private readonly all: Clock[] = [];
  private readonly joined = new Map<string, Clock>();
  readonly none: Clock;

  constructor() {
    this.none = this.add(new Map());
  }

  of(id: number): Clock {
    return this.all[id] ?? this.none;
  }

  get count(): number {
    return this.all.length;
  }

  /** All that is before one of two points. */
  join(a: Clock, b: Clock): Clock {
    if (a === b || b === this.none) return a;
    if (a === this.none) return b;
    const key = a.id < b.id ? `${a.id} ${b.id}` : `${b.id} ${a.id}`;
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
    const frontiers = new Map<number, Uint32Array>();
    for (const [cta, own] of a.frontiers) {
      const theirs = b.frontiers.get(cta);
      if (theirs !== undefined)
        frontiers.set(
          cta,
          own.map((count, i) => Math.min(count, theirs[i] ?? 0)),
        );
    }
    return this.add(frontiers);
  }

  /** A clock with the steps of some threads of a CTA besides. */
  with(clock: Clock, cta: number, size: number, steps: Iterable<readonly [thread: number, count: number]>): Clock {
    const frontier = new Uint32Array(size);
    const own = clock.frontiers.get(cta);
    if (own !== undefined) frontier.set(own);
    for (const [thread, count] of steps) frontier[thread] = Math.max(frontier[thread] ?? 0, count);
    return this.add(new Map([...clock.frontiers, [cta, frontier]]));
  }

  private add(frontiers: ReadonlyMap<number, Uint32Array>): Clock {
    const clock = { id: this.all.length, frontiers };
    this.all.push(clock);
    return clock;
  }
}

function later(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a === b) return a;
  const both = a.map((count, i) => Math.max(count, b[i] ?? 0));
  if (both.every((count, i) => count === a[i])) return a;
  return both.every((count, i) => count === b[i]) ? b : both;
}

function isSame(a: ReadonlyMap<number, Uint32Array>, b: ReadonlyMap<number, Uint32Array>): boolean {
  return a.size === b.size && [...a].every(([cta, frontier]) => b.get(cta) === frontier);
}
