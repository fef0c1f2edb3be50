import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula } from '../formula/formula.js';
import type { EncodingContext } from './encoding-context.js';

/** One lane at an elect.sync. */
interface Participation {
  readonly lane: number;
  /** It is executed, and all that it waits for have come. */
  readonly goesOn: Formula;
  readonly mask: Bits;
  readonly result: Bits;
  /** Lanes that may take part, with the condition under which they do. */
  readonly present: readonly { readonly lane: number; readonly present: Formula }[];
}

const WORD = 32;

/** The elections of one warp: each takes a lane that is there, and the same one as others with its mask (mayBoth). */
export class Elections {
  private readonly all: Participation[] = [];

  constructor(private readonly context: EncodingContext) {}

  add(one: Participation): void {
    const { builder, bits } = this.context;
    const taken = builder.any(one.present.map(({ lane, present }) => builder.and(present, this.takes(one, lane))));
    const [own] = one.result.slice(WORD);
    // What a lane gets that is not in its own mask is undefined.
    const isMember = one.mask[one.lane] ?? FALSE;
    this.context.assert(builder.implies(builder.and(one.goesOn, isMember), taken));
    if (own !== undefined)
      this.context.assert(builder.implies(one.goesOn, builder.iff(own, this.takes(one, one.lane))));
    for (const other of this.all) {
      const alike = builder.all([one.goesOn, other.goesOn, bits.equal(one.mask, other.mask)]);
      const could = builder.and(this.couldTake(one, other), this.couldTake(other, one));
      const same = bits.equal(one.result.slice(0, WORD), other.result.slice(0, WORD));
      this.context.assert(builder.implies(builder.and(alike, could), same));
    }
    this.all.push(one);
  }

  private takes({ result }: Participation, lane: number): Formula {
    const { bits } = this.context;
    return bits.equal(result.slice(0, WORD), bits.constant(BigInt(lane), WORD));
  }

  /** Whether the lane that one takes is there for the other. */
  private couldTake(one: Participation, other: Participation): Formula {
    const { builder } = this.context;
    return builder.any(other.present.map(({ lane, present }) => builder.and(present, this.takes(one, lane))));
  }
}
