/** Numbers that a seed decides (xorshift, 32 bits). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = (Math.imul(seed, 0x9e3779b1) ^ 0x6a09e667) | 0 || 1;
    for (let i = 0; i < 4; i++) this.next();
  }

  /** 32 bits, as a signed number. */
  next(): number {
    let now = this.state;
    now ^= now << 13;
    now ^= now >>> 17;
    now ^= now << 5;
    this.state = now;
    return now;
  }

  /** A number from 0 to less than `count`. */
  below(count: number): number {
    return count <= 1 ? 0 : (this.next() >>> 0) % count;
  }

  chance(probability: number): boolean {
    return (this.next() >>> 0) / 4294967296 < probability;
  }
}
