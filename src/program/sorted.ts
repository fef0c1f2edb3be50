/** Of a list in ascending order, the first place whose number is above another; behind the end if none is. */
export function firstAbove<T>(list: readonly T[], numberOf: (one: T) => number, bound: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = list[middle];
    if (one !== undefined && numberOf(one) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
