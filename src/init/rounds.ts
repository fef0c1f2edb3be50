import { lanesIn } from '../follow/lanes.js';
import type { Turn } from '../follow/turn.js';
import type { Warp } from '../follow/warp.js';
import type { Code } from '../kernel/code.js';
import { type Loop, loopsIn } from './loops.js';

const LANES = 32;
/** Rounds by which a loop has shown what its rounds do to each other: each of what it uses in turn is used again. */
export const enoughOf = ({ turns }: Loop): number => turns + 1;

/** By lane of a warp: what is counted of one loop since the loop was entered. */
interface Count {
  readonly rounds: Uint32Array;
  /** Statements at its line since the loop around it began a round: where copies of it stand one behind the other. */
  readonly atLine: Uint32Array;
}

/** Counts, for each loop of a kernel, the most rounds that a thread goes in one go. */
export class Rounds {
  readonly loops: readonly Loop[];
  private readonly most: number[];
  /** How many have not gone round enough. */
  private left: number;
  private readonly outerFirst: readonly (number | undefined)[];
  /** By statement: which loops something is counted for there. */
  private readonly counting: readonly (readonly number[])[];
  private readonly lastAt = new Map<Warp, Int32Array>();
  private readonly counts = new Map<Warp, readonly Count[]>();

  constructor(code: Code) {
    this.loops = loopsIn(code);
    this.most = this.loops.map(() => 0);
    this.left = this.loops.length;
    const firsts = new Map(this.loops.map(({ header, first }) => [header, first]));
    this.counting = code.statements.map((_, at) =>
      this.loops.flatMap(({ first, atLine, outer }, loop) =>
        at === first || atLine.has(at) || (outer !== undefined && at === firsts.get(outer)) ? [loop] : [],
      ),
    );
    this.outerFirst = this.loops.map(({ outer }) => (outer === undefined ? undefined : firsts.get(outer)));
  }

  executes({ warp, at, lanes }: Turn): void {
    // Where all go round there is nothing left to count.
    if (this.left === 0) return;
    const last = this.lastAt.get(warp) ?? new Int32Array(LANES).fill(-1);
    this.lastAt.set(warp, last);
    const own = this.counting[at] ?? [];
    if (own.length > 0) {
      const counts = this.counts.get(warp) ?? this.loops.map(newCount);
      this.counts.set(warp, counts);
      for (const loop of own) if (this.isShort(loop)) this.count(loop, at, lanes, last, counts[loop] ?? newCount());
    }
    for (const lane of lanesIn(lanes)) last[lane] = at;
  }

  private count(index: number, at: number, lanes: number, last: Int32Array, { rounds, atLine }: Count): void {
    const loop = this.loops[index];
    if (loop === undefined) return;
    for (const lane of lanesIn(lanes)) {
      // Where lanes wait for others of their warp they come again.
      if (last[lane] === at) continue;
      if (at === this.outerFirst[index]) atLine[lane] = 0;
      if (at === loop.first) rounds[lane] = loop.body.has(last[lane] ?? -1) ? (rounds[lane] ?? 0) + 1 : 1;
      if (loop.atLine.has(at)) atLine[lane] = (atLine[lane] ?? 0) + 1;
      const gone = (rounds[lane] ?? 0) - (loop.asksFirst ? 1 : 0);
      const unrolled = Math.floor((atLine[lane] ?? 0) / Math.max(1, loop.perRound));
      this.most[index] = Math.max(this.most[index] ?? 0, gone, unrolled);
    }
    if (!this.isShort(index)) this.left -= 1;
  }

  private isShort(index: number): boolean {
    const loop = this.loops[index];
    return loop !== undefined && (this.most[index] ?? 0) < enoughOf(loop);
  }

  /** Loops that no thread goes round often enough in one go. */
  get short(): readonly Loop[] {
    return this.loops.filter((_, index) => this.isShort(index));
  }
}

const newCount = (): Count => ({ rounds: new Uint32Array(LANES), atLine: new Uint32Array(LANES) });
