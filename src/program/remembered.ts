/** What follows from an object alone: made once, and kept as long as the object is. */
export function remembered<Key extends object, T>(known: WeakMap<Key, T>, key: Key, make: (key: Key) => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make(key);
  known.set(key, made);
  return made;
}

/** What is made when it is asked for first. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What is done later, if at all: until then nothing is kept but what it takes, not the clocks of a run. */
export const later =
  <Arguments extends readonly unknown[], Result>(of: (...taken: Arguments) => Result, ...taken: Arguments) =>
  (): Result =>
    of(...taken);
