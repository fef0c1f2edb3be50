import { at, each, type LaneValue } from './lane-value.js';
import { isKnownToAll } from './origins.js';

/** What is made of so many others, one after the other, is not made any more. */
const MOST_DEEP = 64;

/**
 * What the lanes of a warp hold in a register by which of them elect.sync takes, where it is more than two values: one
 * of that lane and one of each other. It is made where it is asked for.
 */
export class ByLeader {
  private known: readonly LaneValue[] | undefined;

  private constructor(
    private readonly size: number,
    private readonly made: (leader: number) => LaneValue,
    private readonly depth: number,
  ) {}

  static of(size: number, made: (leader: number) => LaneValue): ByLeader {
    return new ByLeader(size, made, 0);
  }

  /** What is made of others; nothing where these are too many. */
  static ofOthers(
    size: number,
    others: readonly ByLeader[],
    made: (leader: number) => LaneValue,
  ): ByLeader | undefined {
    const depth = 1 + Math.max(0, ...others.map((one) => one.depth));
    return depth > MOST_DEEP ? undefined : new ByLeader(size, made, depth);
  }

  /** What all lanes hold, if this one is elected. */
  if(leader: number): LaneValue {
    return this.all[leader];
  }

  /** What each lane holds whichever other one is elected; undefined where it differs with which. */
  get others(): LaneValue {
    const { all } = this;
    return each(this.size, (lane) => agreed(all.flatMap((one, leader) => (leader === lane ? [] : [at(one, lane)]))));
  }

  /** What the lane holds that is elected, if it is the same whichever that is. */
  get elected(): bigint | undefined {
    return agreed(this.all.map((one, leader) => at(one, leader)));
  }

  /** What each lane holds whichever is elected, that one too. */
  get alike(): LaneValue {
    const { all } = this;
    return each(this.size, (lane) => agreed(all.map((one) => at(one, lane))));
  }

  /** Something is open, whichever lane is elected. */
  get isOpen(): boolean {
    return !this.all.every(isKnownToAll);
  }

  private get all(): readonly LaneValue[] {
    this.known ??= Array.from({ length: this.size }, (_, leader) => this.made(leader));
    return this.known;
  }
}

function agreed(values: readonly (bigint | undefined)[]): bigint | undefined {
  const [first] = values;
  return values.every((one) => one === first) ? first : undefined;
}
