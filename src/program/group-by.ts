/** Members by what they have in common, in the order in which each first comes. (node 20 has no `Map.groupBy`.) */
export function groupBy<T, Key>(members: Iterable<T>, keyOf: (member: T) => Key): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const member of members) append(groups, keyOf(member), member);
  return groups;
}

/** Takes one more into a group, which it may be the first of. */
export function append<T, Key>(groups: Map<Key, T[]>, key: Key, member: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [member]);
  else group.push(member);
}
