/** An answer with conditions under which it holds, besides those that it has. */
export function providedAlso<T extends { readonly provided?: string }>(answer: T, conditions: readonly string[]): T {
  if (conditions.length === 0) return answer;
  const own = answer.provided === undefined ? [] : [answer.provided];
  return { ...answer, provided: [...own, ...conditions].join('; and ') };
}
