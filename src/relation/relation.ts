import { EventSet } from './event-set.js';
import { areEqual, differenceOf, intersectionOf, isZero, membersOf, unionOf } from './words.js';

/** A binary relation over events as a bit matrix, row `a` holding the successors of `a`. Immutable once built. */
export class Relation {
  readonly stride: number;
  readonly words: Uint32Array;

  constructor(
    readonly size: number,
    words?: Uint32Array,
  ) {
    this.stride = (size + 31) >>> 5;
    this.words = words ?? new Uint32Array(size * this.stride);
  }

  static from(size: number, contains: (a: number, b: number) => boolean): Relation {
    const relation = new Relation(size);
    for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) if (contains(a, b)) relation.add(a, b);
    return relation;
  }

  static ofPairs(size: number, pairs: Iterable<readonly [number, number]>): Relation {
    const relation = new Relation(size);
    for (const [a, b] of pairs) relation.add(a, b);
    return relation;
  }

  static identity(set: EventSet): Relation {
    const relation = new Relation(set.size);
    for (const e of set) relation.add(e, e);
    return relation;
  }

  static product(domain: EventSet, range: EventSet): Relation {
    const relation = new Relation(domain.size);
    for (const a of domain) relation.words.set(range.words, a * relation.stride);
    return relation;
  }

  /** Only for building; a relation that has been handed out is not changed. */
  add(a: number, b: number): void {
    const i = a * this.stride + (b >>> 5);
    this.words[i] = (this.words[i] ?? 0) | (1 << (b & 31));
  }

  has(a: number, b: number): boolean {
    return (((this.words[a * this.stride + (b >>> 5)] ?? 0) >>> (b & 31)) & 1) === 1;
  }

  union(other: Relation): Relation {
    return new Relation(this.size, unionOf(this.words, other.words));
  }

  intersection(other: Relation): Relation {
    return new Relation(this.size, intersectionOf(this.words, other.words));
  }

  difference(other: Relation): Relation {
    return new Relation(this.size, differenceOf(this.words, other.words));
  }

  /** The pairs of two members of a set. */
  among(set: EventSet): Relation {
    const result = new Relation(this.size);
    const { stride } = this;
    for (const a of set)
      for (let i = a * stride, k = 0; k < stride; i++, k++)
        result.words[i] = (this.words[i] ?? 0) & (set.words[k] ?? 0);
    return result;
  }

  inverse(): Relation {
    const result = new Relation(this.size);
    this.forEach((a, b) => result.add(b, a));
    return result;
  }

  /** Relational composition `this ; other`. */
  compose(other: Relation): Relation {
    const result = new Relation(this.size);
    this.forEach((a, b) => result.mergeRow(a, other, b));
    return result;
  }

  /** Every pair, without an iterator: the inner loop of the concrete evaluation. */
  forEach(visit: (a: number, b: number) => void): void {
    for (let i = 0; i < this.words.length; i++) {
      let word = this.words[i] ?? 0;
      if (word === 0) continue;
      const a = Math.floor(i / this.stride);
      const first = (i - a * this.stride) << 5;
      while (word !== 0) {
        const bit = 31 - Math.clz32(word & -word);
        visit(a, first + bit);
        word &= word - 1;
      }
    }
  }

  /** Composition by way of events that one of the two ends allows: `from` (a, b) or, for an end c, `to` (b, c). */
  composeGuarded(other: Relation, from: Relation, to: Relation): Relation {
    const result = new Relation(this.size);
    for (let a = 0; a < this.size; a++)
      for (const b of this.successors(a)) result.mergeRow(a, other, b, from.has(a, b) ? undefined : to);
    return result;
  }

  /**
   * The pairs that composeGuarded adds, over and over (Warshall; what an allowed way leads to is found, if not always
   * all).
   */
  closeGuarded(from: Relation, to: Relation): Relation {
    const result = new Relation(this.size, this.words.slice());
    for (let k = 0; k < this.size; k++) {
      for (let a = 0; a < this.size; a++)
        if (result.has(a, k)) result.mergeRow(a, result, k, from.has(a, k) ? undefined : to);
    }
    return result;
  }

  /** The least transitive relation that contains this one (Warshall). */
  transitiveClosure(): Relation {
    const result = new Relation(this.size, this.words.slice());
    for (let k = 0; k < this.size; k++) {
      for (let a = 0; a < this.size; a++) if (result.has(a, k)) result.mergeRow(a, result, k);
    }
    return result;
  }

  /** The pairs of an acyclic relation that do not follow from the others by transitivity. */
  transitiveReduction(): Relation {
    const closure = this.transitiveClosure();
    return this.difference(closure.compose(closure));
  }

  domain(): EventSet {
    const result = new EventSet(this.size);
    for (let i = 0; i < this.words.length; i++) {
      if (this.words[i] === 0) continue;
      const a = Math.floor(i / this.stride);
      result.words[a >>> 5] = (result.words[a >>> 5] ?? 0) | (1 << (a & 31));
    }
    return result;
  }

  range(): EventSet {
    const result = new EventSet(this.size);
    for (let a = 0; a < this.size; a++)
      for (let i = 0; i < this.stride; i++)
        result.words[i] = (result.words[i] ?? 0) | (this.words[a * this.stride + i] ?? 0);
    return result;
  }

  isEmpty(): boolean {
    return isZero(this.words);
  }

  isIrreflexive(): boolean {
    for (let a = 0; a < this.size; a++) if (this.has(a, a)) return false;
    return true;
  }

  equals(other: Relation): boolean {
    return areEqual(this.words, other.words);
  }

  successors(a: number): readonly number[] {
    return membersOf(this.words, a * this.stride, (a + 1) * this.stride);
  }

  [Symbol.iterator](): IterableIterator<readonly [number, number]> {
    const pairs: (readonly [number, number])[] = [];
    this.forEach((a, b) => pairs.push([a, b]));
    return pairs[Symbol.iterator]();
  }

  /** Whether `b` has a successor that `a` has not and that is no successor of `b` in `except`. */
  leadsFurther(a: number, b: number, except: Relation): boolean {
    for (let i = 0; i < this.stride; i++) {
      const [rowA, rowB] = [a * this.stride + i, b * this.stride + i];
      if (((this.words[rowB] ?? 0) & ~(this.words[rowA] ?? 0) & ~(except.words[rowB] ?? 0)) !== 0) return true;
    }
    return false;
  }

  /**
   * Adds the successors of `b` in `other` to those of `a`; with `mask` only those that are successors of `b` there too.
   */
  private mergeRow(a: number, other: Relation, b: number, mask?: Relation): void {
    for (let i = 0; i < this.stride; i++) {
      const at = a * this.stride + i;
      const row = b * this.stride + i;
      this.words[at] =
        (this.words[at] ?? 0) | ((other.words[row] ?? 0) & (mask === undefined ? -1 : (mask.words[row] ?? 0)));
    }
  }
}
