import { grown } from '../formula/grown.js';
import { type ClauseStore, HEADER, PROOF } from './clause-store.js';
import type { ProofId, ProofLog } from './proof-log.js';
import { type Literal, NO_CLAUSE, type Trail } from './trail.js';

/** A clause that follows from others. */
export interface Learned {
  /** The one that it forces once the others are false comes first. */
  readonly literals: Literal[];
  readonly proof: ProofId;
}

/**
 * What follows from a conflict: the clause of the first unique implication point, without literals that follow from its
 * others (Sörensson and Biere 2009). With a log it says of each clause from which others it follows; what holds at
 * level 0 is left out of clauses, so that the unit clauses that say so are named there.
 */
export class ConflictAnalysis {
  private seen = new Int8Array(0);
  /** By variable that has a value at level 0: the number of the unit clause plus 1, once it has one. */
  private units = new Int32Array(0);
  private readonly visited: number[] = [];
  /** What the clause at hand follows from. */
  private readonly from: ProofId[] = [];

  constructor(
    private readonly trail: Trail,
    private readonly clauses: ClauseStore,
    private readonly log: ProofLog | undefined,
    /** Hears of each variable that took part in a conflict. */
    private readonly tookPart: (variable: number) => void,
  ) {}

  grow(variables: number): void {
    this.seen = grown(this.seen, variables);
    if (this.log !== undefined) this.units = grown(this.units, variables);
  }

  /** A literal is assigned at level 0 since a clause has no other. */
  isUnit(literal: Literal, proof: ProofId): void {
    if (this.log !== undefined) this.units[literal >> 1] = proof + 1;
  }

  /** Of a clause all literals of which are false at level 0. */
  refuted(clause: number): ProofId {
    if (this.log === undefined) return 0;
    return this.log.step([], [this.proofOf(clause), ...this.unitsOf(clause, -1)]);
  }

  /** Of a clause without some literals that are false at level 0. */
  stripped(kept: readonly Literal[], proof: ProofId, literals: readonly Literal[]): ProofId {
    if (this.log === undefined || kept.length === literals.length) return proof;
    const gone = literals.filter((literal) => !kept.includes(literal));
    return this.log.step(kept, [proof, ...gone.map((literal) => this.unitOf(literal >> 1))]);
  }

  /** The clause that a conflict above level 0 teaches. */
  learn(conflict: number): Learned {
    const { seen, clauses, trail, from } = this;
    const { levels, reasons, literals: assigned, level } = trail;
    const { arena } = clauses;
    const clause: Literal[] = [0];
    let open = 0;
    let at = assigned.length - 1;
    let cause = conflict;
    let implied = -1;
    from.length = 0;
    do {
      this.uses(cause);
      const start = cause + HEADER;
      const end = start + (arena[cause] as number);
      for (let i = start; i < end; i++) {
        const literal = arena[i] as number;
        const variable = literal >> 1;
        if (literal === implied || seen[variable] === 1) continue;
        if (levels[variable] === 0) {
          this.usesUnit(variable);
          continue;
        }
        seen[variable] = 1;
        this.tookPart(variable);
        if (levels[variable] === level) open++;
        else clause.push(literal);
      }
      while (seen[(assigned[at] as number) >> 1] !== 1) at--;
      implied = assigned[at] as number;
      cause = reasons[implied >> 1] as number;
      seen[implied >> 1] = 0;
      open--;
      at--;
    } while (open > 0);
    clause[0] = implied ^ 1;
    const before = clause.slice(1);
    const literals = [implied ^ 1, ...before.filter((literal) => !this.isRedundant(literal))];
    for (const literal of before) seen[literal >> 1] = 0;
    for (const variable of this.visited) seen[variable] = 0;
    this.visited.length = 0;
    return { literals, proof: this.log?.step(literals, from) ?? 0 };
  }

  /** Whether a literal of a learned clause follows from the others. */
  private isRedundant(literal: Literal): boolean {
    const { seen, visited, from } = this;
    const { reasons, levels } = this.trail;
    const { arena } = this.clauses;
    if ((reasons[literal >> 1] as number) === NO_CLAUSE) return false;
    const stack = [literal];
    const [visitedBefore, fromBefore] = [visited.length, from.length];
    for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
      const reason = reasons[one >> 1] as number;
      this.uses(reason);
      const start = reason + HEADER;
      const end = start + (arena[reason] as number);
      for (let i = start; i < end; i++) {
        const other = arena[i] as number;
        const variable = other >> 1;
        if (variable === one >> 1 || seen[variable] === 1) continue;
        if (levels[variable] === 0) {
          this.usesUnit(variable);
          continue;
        }
        if ((reasons[variable] as number) === NO_CLAUSE) {
          for (const undone of visited.splice(visitedBefore)) seen[undone] = 0;
          from.length = fromBefore;
          return false;
        }
        seen[variable] = 1;
        visited.push(variable);
        stack.push(other);
      }
    }
    return true;
  }

  /** The assumptions from which it follows that one more of them is false; and that not all of these hold. */
  blame(refused: Literal): { readonly assumptions: readonly Literal[]; readonly proof: ProofId } {
    const { seen, trail, from } = this;
    const { levels, reasons, literals: assigned, levelStarts } = trail;
    const { arena } = this.clauses;
    const assumptions = [refused];
    from.length = 0;
    if (levels[refused >> 1] === 0) this.usesUnit(refused >> 1);
    else {
      seen[refused >> 1] = 1;
      const first = levelStarts[0] ?? 0;
      for (let at = assigned.length - 1; at >= first; at--) {
        const literal = assigned[at] as number;
        if (seen[literal >> 1] !== 1) continue;
        seen[literal >> 1] = 0;
        const reason = reasons[literal >> 1] as number;
        if (reason === NO_CLAUSE) {
          assumptions.push(literal);
          continue;
        }
        this.uses(reason);
        for (let i = reason + HEADER; i < reason + HEADER + (arena[reason] as number); i++) {
          const variable = (arena[i] as number) >> 1;
          if (levels[variable] === 0) this.usesUnit(variable);
          else if (variable !== literal >> 1) seen[variable] = 1;
        }
      }
    }
    const excluded = assumptions.map((literal) => literal ^ 1);
    return { assumptions, proof: this.log?.step(excluded, from) ?? 0 };
  }

  private uses(clause: number): void {
    if (this.log !== undefined) this.from.push(this.proofOf(clause));
  }

  private usesUnit(variable: number): void {
    if (this.log !== undefined) this.from.push(this.unitOf(variable));
  }

  private proofOf(clause: number): ProofId {
    return this.clauses.arena[clause + PROOF] as number;
  }

  /** The unit clauses by which the literals of a clause are false, but for one variable. */
  private unitsOf(clause: number, but: number): readonly ProofId[] {
    const { arena } = this.clauses;
    const start = clause + HEADER;
    const others = [...arena.subarray(start, start + (arena[clause] as number))].map((literal) => literal >> 1);
    return others.flatMap((variable) => (variable === but ? [] : [this.unitOf(variable)]));
  }

  /** The unit clause of a variable that has its value at level 0: made when it is first used, after those before it. */
  private unitOf(variable: number): ProofId {
    const { units, log } = this;
    const { reasons, values } = this.trail;
    const { arena } = this.clauses;
    const stack = [variable];
    for (let one = stack[stack.length - 1]; one !== undefined; one = stack[stack.length - 1]) {
      if (units[one] !== 0) {
        stack.pop();
        continue;
      }
      const reason = reasons[one] as number;
      let waits = false;
      for (let i = reason + HEADER; i < reason + HEADER + (arena[reason] as number); i++) {
        const other = (arena[i] as number) >> 1;
        if (other === one || units[other] !== 0) continue;
        stack.push(other);
        waits = true;
      }
      if (waits) continue;
      const unit = values[2 * one] === 1 ? 2 * one : 2 * one + 1;
      units[one] = (log?.step([unit], [this.proofOf(reason), ...this.unitsOf(reason, one)]) ?? 0) + 1;
      stack.pop();
    }
    return (units[variable] as number) - 1;
  }
}
