import type { AccessKind } from '../follow/trace.js';
import { COMMUTATIVE, computeArithmetic, truncate } from '../program/integer.js';

/** Values that are looked at, at most. */
const MOST_VALUES = 4096;

/** What an atomic makes of a value: alike ones come to the same in any order. */
export interface Change {
  readonly kind: AccessKind;
  /** What it takes. */
  readonly value: bigint | undefined;
  readonly bytes: number;
}

/** Whether several changes come to the same in any order. */
export function areAlike(changes: readonly Change[]): boolean {
  const nameOf = ({ kind: { change }, value }: Change): string =>
    typeof change === 'string' ? '' : `${change.name} ${change.signed} ${COMMUTATIVE.has(change.name) ? '' : value}`;
  const [first, ...others] = changes.map(nameOf);
  return first === undefined || (first !== '' && others.every((one) => one === first));
}

/** What a change makes of a value. */
export function changed(old: bigint, { kind: { change }, value, bytes }: Change): bigint | undefined {
  if (change === 'same') return old;
  if (value === undefined || change === 'unknown') return undefined;
  return truncate(change === 'set' ? value : computeArithmetic(change, [old, value]), 8 * bytes);
}

/**
 * What a value may come to if some of several changes that are alike have been made, in whatever order; undefined where
 * that is not known. `isProper`: not all of them have.
 */
export function reachableBy(base: bigint, changes: readonly Change[], isProper = false): Set<bigint> | undefined {
  const classes = new Map<string, Change[]>();
  for (const one of changes) {
    const own = classes.get(`${one.value}`) ?? [];
    classes.set(`${one.value}`, own);
    own.push(one);
  }
  const of = (counts: readonly (readonly [Change, number])[]): Set<bigint> | undefined => {
    let values = new Set([base]);
    for (const [change, count] of counts) {
      const next = new Set<bigint>();
      for (const value of values) {
        let reached: bigint | undefined = value;
        for (let made = 0; made <= count && reached !== undefined; made++) {
          next.add(reached);
          const after = changed(reached, change);
          if (after === undefined || next.size > MOST_VALUES) return undefined;
          reached = after;
        }
      }
      values = next;
    }
    return values;
  };
  const all = [...classes.values()].map((own) => [own[0] as Change, own.length] as const);
  if (!isProper) return of(all);
  const values = new Set<bigint>();
  for (const [short] of all) {
    const some = of(all.map(([change, count]) => [change, change === short ? count - 1 : count]));
    if (some === undefined || values.size > MOST_VALUES) return undefined;
    for (const value of some) values.add(value);
  }
  return values;
}

/** What all changes come to. */
export function changedByAll(base: bigint, changes: readonly Change[]): bigint | undefined {
  return changes.reduce<bigint | undefined>(
    (value, one) => (value === undefined ? undefined : changed(value, one)),
    base,
  );
}
