/** What the operators of cat mean: on bit sets for one execution, on formulas for all of them. */
export interface Algebra<S, R> {
  readonly emptySet: S;
  readonly emptyRelation: R;
  /** All executed events, `_` in cat. */
  readonly universe: S;
  readonly set: SetOperators<S>;
  readonly relation: SetOperators<R>;
  /** Certainly nothing, in any execution. */
  isEmptySet(a: S): boolean;
  isEmptyRelation(a: R): boolean;
  compose(a: R, b: R): R;
  inverse(a: R): R;
  transitiveClosure(a: R): R;
  /** `[S]`. */
  identity(a: S): R;
  product(a: S, b: S): R;
  domain(a: R): S;
  range(a: R): S;
  /** The least solution of a system of monotone definitions. */
  leastFixpoint(
    kinds: readonly Kind[],
    step: (values: readonly CatValue<S, R>[]) => readonly CatValue<S, R>[],
  ): readonly CatValue<S, R>[];
}

/** The Boolean operators, which sets and relations have alike. The complement is within the executed events. */
export interface SetOperators<T> {
  union(a: T, b: T): T;
  intersection(a: T, b: T): T;
  difference(a: T, b: T): T;
  complement(a: T): T;
}

export type Kind = 'set' | 'relation';

export type CatValue<S, R> =
  | { readonly kind: 'set'; readonly value: S }
  | { readonly kind: 'relation'; readonly value: R };
