import { grown } from '../formula/grown.js';

/** A clause of a proof: twice the number of a given clause, or twice the number of a step plus 1. */
export type ProofId = number;

/** Numbers that the log of one context may have: 256 MiB. */
const MOST_NUMBERS = 1 << 26;

/** One step of a proof: a clause, and the clauses from which it follows by unit propagation. */
export interface ProofStep {
  readonly literals: readonly number[];
  readonly from: readonly ProofId[];
}

/**
 * Why each clause that a search has learned holds, in the order in which they were learned: as in the LRAT format of
 * proofs (Cruz-Filipe and others 2017), but that the clauses a step follows from come in any order.
 */
export class ProofLog {
  /** By step where it begins: its literals and its antecedents, each behind their number. */
  private readonly starts: number[] = [];
  private numbers = new Int32Array(1 << 8);
  private end = 0;

  /** The log was given up: what has no reason any more cannot be confirmed. */
  get isFull(): boolean {
    return this.end >= MOST_NUMBERS;
  }

  step(literals: readonly number[], from: readonly ProofId[]): ProofId {
    if (this.isFull) return 1;
    const start = this.end;
    const end = start + 2 + literals.length + from.length;
    if (end > this.numbers.length) this.numbers = grown(this.numbers, 2 * end);
    this.numbers[start] = literals.length;
    this.numbers.set(literals, start + 1);
    this.numbers[start + 1 + literals.length] = from.length;
    this.numbers.set(from, start + 2 + literals.length);
    this.end = end;
    this.starts.push(start);
    return 2 * (this.starts.length - 1) + 1;
  }

  /** @throws where there is no such step. */
  stepAt(id: ProofId): ProofStep {
    const { numbers } = this;
    const middle = this.middleOf(id);
    return {
      literals: [...numbers.subarray((this.starts[id >> 1] as number) + 1, middle)],
      from: [...numbers.subarray(middle + 1, middle + 1 + (numbers[middle] as number))],
    };
  }

  /** Where a step has the number of its antecedents, behind its literals. */
  private middleOf(id: ProofId): number {
    const start = this.starts[id >> 1];
    if (start === undefined || (id & 1) === 0) throw new Error(`no step ${id} in the proof`);
    return start + 1 + (this.numbers[start] as number);
  }

  /** What a clause rests on, itself included: the numbers of given clauses, and its steps in their order. */
  under(last: ProofId): { readonly given: readonly number[]; readonly steps: readonly ProofId[] } {
    const found = new Set<ProofId>([last]);
    const stack: ProofId[] = [last];
    const given: number[] = [];
    const steps: ProofId[] = [];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if ((id & 1) === 0) {
        given.push(id >> 1);
        continue;
      }
      steps.push(id);
      const middle = this.middleOf(id);
      const end = middle + 1 + (this.numbers[middle] as number);
      for (let i = middle + 1; i < end; i++) {
        const before = this.numbers[i] as number;
        if (found.has(before)) continue;
        found.add(before);
        stack.push(before);
      }
    }
    return { given: given.sort((a, b) => a - b), steps: steps.sort((a, b) => a - b) };
  }
}
