import type { Formula } from '../formula/formula.js';
import { grown } from '../formula/grown.js';
import type { ProofId } from './proof-log.js';
import type { Given } from './refutation.js';

/** What each given clause of a search says in terms of formulas: two numbers for each. */
export class GivenClauses {
  private numbers = new Int32Array(1 << 8);
  private count = 0;

  constraint(formula: Formula, condition: Formula): ProofId {
    return this.add(formula, condition);
  }

  definition(node: number, operand: number): ProofId {
    // Conditions are not negative.
    return this.add(node, -2 - operand);
  }

  at(number: number): Given {
    const [first, second] = [this.numbers[2 * number] as number, this.numbers[2 * number + 1] as number];
    return second >= 0
      ? { kind: 'constraint', formula: first as Formula, condition: second as Formula }
      : { kind: 'definition', node: first, operand: -2 - second };
  }

  private add(first: number, second: number): ProofId {
    if (2 * this.count + 2 > this.numbers.length) this.numbers = grown(this.numbers, 4 * this.count + 4);
    this.numbers[2 * this.count] = first;
    this.numbers[2 * this.count + 1] = second;
    return 2 * this.count++;
  }
}
