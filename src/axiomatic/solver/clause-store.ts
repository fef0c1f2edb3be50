import { grown } from '../formula/grown.js';

/** Before its literals a clause has its length, its mark, and by which number proofs know it. */
export const HEADER = 3;
export const [MARK, PROOF] = [1, 2];

/**
 * Clauses one behind the other in one array, each known by where it begins. The mark of a clause that was learned is
 * its LBD (the number of decision levels among its literals; Audemard and Simon 2009), of others 0.
 */
export class ClauseStore {
  /** Another array after each `add` and `remove`. */
  arena = new Int32Array(1 << 10);
  private end = 0;

  add(literals: readonly number[], mark: number, proof: number): number {
    const clause = this.end;
    const end = clause + HEADER + literals.length;
    if (end > this.arena.length) this.arena = grown(this.arena, Math.max(end, 2 * this.arena.length));
    this.arena[clause] = literals.length;
    this.arena[clause + MARK] = mark;
    this.arena[clause + PROOF] = proof;
    this.arena.set(literals, clause + HEADER);
    this.end = end;
    return clause;
  }

  /** Takes clauses out and moves the others together: by clause, where it is then. */
  remove(clauses: ReadonlySet<number>): Int32Array {
    const { arena } = this;
    const moved = new Int32Array(this.end);
    let end = 0;
    for (let clause = 0; clause < this.end; ) {
      const next = clause + HEADER + (arena[clause] as number);
      if (!clauses.has(clause)) {
        moved[clause] = end;
        arena.copyWithin(end, clause, next);
        end += next - clause;
      }
      clause = next;
    }
    this.end = end;
    return moved;
  }
}
