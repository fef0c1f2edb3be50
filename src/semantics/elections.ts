/**
 * elect.sync takes some lane of its mask, of those that execute it: which is open, but the same for the same mask each
 * time (PTX ISA 9.7.15.15). Where the lane that was taken before has exited, another one is.
 */
export interface Election {
  readonly mask: bigint;
  /** The lane that is taken. */
  readonly leader: number;
  /** The lanes that execute it. */
  readonly present: readonly number[];
}

const PREDICATE = 32n;

/** What a lane gets: the lane that is taken, and as bit 32 whether it is its own. */
export const electionResult = (leader: number, own: number): bigint =>
  BigInt(leader) | (leader === own ? 1n << PREDICATE : 0n);

/** The lane that a result names. */
export const leaderOf = (result: bigint): number => Number(result & ((1n << PREDICATE) - 1n));

/** Two elections of one warp, with one mask, take one lane, if each could have taken the lane of the other. */
export const mayBoth = (a: Election, b: Election): boolean =>
  a.mask !== b.mask || a.leader === b.leader || !a.present.includes(b.leader) || !b.present.includes(a.leader);
