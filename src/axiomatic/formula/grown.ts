type Numbers = Int8Array | Uint8Array | Int32Array | Float64Array;

/** The same numbers with room for more, which are 0. */
export function grown<T extends Numbers>(from: T, size: number): T {
  const to = new (from.constructor as new (length: number) => T)(size);
  to.set(from);
  return to;
}
