import type { AddressValue, Initial } from '../syntax/litmus-ast.js';

/** The addresses that a location begins with, by the element; of a single one for all, the first. */
export function addressesIn(
  initial: Initial | undefined,
): readonly { readonly at: number; readonly value: AddressValue }[] {
  if (initial?.kind === 'address') return [{ at: 0, value: initial }];
  if (initial?.kind !== 'array') return [];
  return initial.values.flatMap((value, at) => (typeof value === 'object' ? [{ at, value }] : []));
}
