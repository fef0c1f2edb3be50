/** Sets of small numbers as the bits of a bigint: cheap to copy, to join and to compare. */
export type Bits = bigint;

export const NONE: Bits = 0n;

const SINGLE: Bits[] = [];

export function bit(index: number): Bits {
  let single = SINGLE[index];
  if (single === undefined) {
    single = 1n << BigInt(index);
    SINGLE[index] = single;
  }
  return single;
}

export function has(set: Bits, index: number): boolean {
  return (set & bit(index)) !== NONE;
}

const CHUNK = 32;
const CHUNK_BITS = 0xffff_ffffn;

/** The numbers in a set, from the smallest to the largest. */
export function membersOf(set: Bits): number[] {
  const members: number[] = [];
  for (let rest = set, base = 0; rest !== NONE; rest >>= 32n, base += CHUNK) {
    let chunk = Number(rest & CHUNK_BITS);
    while (chunk !== 0) {
      const lowest = CHUNK - 1 - Math.clz32(chunk & -chunk);
      members.push(base + lowest);
      chunk &= chunk - 1;
    }
  }
  return members;
}

export function bitsOf(members: Iterable<number>): Bits {
  let set = NONE;
  for (const member of members) set |= bit(member);
  return set;
}
