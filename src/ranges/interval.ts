/**
 * The integers t around 0 and 1 for which what has been kept is so; `undefined` where it is not so for these two.
 * Everything is exact: what is kept is linear in t.
 */
export class Interval {
  private low: bigint | undefined;
  private high: bigint | undefined;
  private isNone = false;

  /** From this t on, up to that; undefined: without an end. */
  get bounds(): { readonly low: bigint | undefined; readonly high: bigint | undefined } | undefined {
    return this.isNone ? undefined : { low: this.low, high: this.high };
  }

  /** Keeps the t for which `a + b*t` is not negative. */
  keep(a: bigint, b: bigint): void {
    if (a < 0n || a + b < 0n) this.isNone = true;
    else if (b < 0n) this.high = least(this.high, a / -b);
    else if (b > 0n) this.low = greatest(this.low, -(a / b));
  }

  /** Keeps those for which it is as it is for 0 and 1: negative, zero, or positive; else none. */
  keepSign(a: bigint, b: bigint): void {
    if (a < 0n) this.keep(-a - 1n, -b);
    else if (a > 0n) this.keep(a - 1n, b);
    else if (b !== 0n) this.none();
  }

  none(): void {
    this.isNone = true;
  }
}

const least = (a: bigint | undefined, b: bigint): bigint => (a === undefined || b < a ? b : a);
const greatest = (a: bigint | undefined, b: bigint): bigint => (a === undefined || b > a ? b : a);
