/** Members by what they have in common, in the order in which each first comes. (node 20 has no `Map.groupBy`.) */
export function groupBy<T, Key>(members: Iterable<T>, keyOf: (member: T) => Key): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const member of members) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return groups;
}
