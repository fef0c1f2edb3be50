import { FALSE, type Formula, type FormulaNode, type Formulas, not, TRUE } from '../formula/formula.js';
import type { Given, Refutation } from './refutation.js';

/**
 * Formulas that are said not to hold together, as numbers, so that they go to another thread: how many conjunctions
 * there are, then each with its node, the number of its operands, and these; then the formulas. Any other node is a
 * variable.
 */
export type Query = Int32Array;

/**
 * Whether some refutation over the same formulas is wrong: all constraints that any of them uses, and that the
 * assumptions of one of them hold. The constraints are those from which clauses were made, and conjunctions are whole
 * again; but one whose definition no refutation uses is a variable, which asks for less.
 */
export function queryOf(refutations: readonly Refutation[]): Query {
  const [first] = refutations;
  if (first === undefined) throw new Error('nothing to ask');
  const { builder } = first;
  const nodes = new Map<number, readonly Formula[]>();
  let next = builder.size;
  const conjunction = (operands: readonly Formula[]): Formula => {
    const [only] = operands;
    if (operands.length === 1 && only !== undefined) return only;
    nodes.set(next, operands);
    return (2 * next++) as Formula;
  };
  const asserted = new Set<Formula>();
  const add = (given: Given): void => {
    if (given.kind === 'definition') {
      nodes.set(given.node, operandsOf(builder, given.node));
      return;
    }
    const { formula, condition } = given;
    if (formula === TRUE) return;
    const node = builder.node(formula);
    const isDisjunction = node.kind === 'and' && formula !== FALSE;
    if (isDisjunction && condition === TRUE) nodes.set(formula >> 1, node.operands);
    if (condition === TRUE) asserted.add(formula);
    else asserted.add(not(conjunction([condition, ...(isDisjunction ? node.operands : [not(formula)])])));
  };
  for (const refutation of refutations) for (const given of refutation.given.values()) add(given);
  const goals = refutations.map(({ assumptions }) => conjunctionOf(assumptions, conjunction));
  asserted.add(not(conjunctionOf(goals.map(not), conjunction)));
  return encoded(nodes, [...asserted]);
}

const conjunctionOf = (operands: readonly Formula[], make: (operands: readonly Formula[]) => Formula): Formula =>
  operands.includes(FALSE) ? FALSE : operands.length === 0 ? TRUE : make(operands);

function operandsOf(formulas: Formulas, node: number): readonly Formula[] {
  const found = formulas.node((2 * node) as Formula);
  return found.kind === 'and' ? found.operands : [];
}

function encoded(nodes: ReadonlyMap<number, readonly Formula[]>, asserted: readonly Formula[]): Query {
  const numbers: number[] = [nodes.size];
  for (const [node, operands] of nodes) numbers.push(node, operands.length, ...operands);
  numbers.push(...asserted);
  return Int32Array.from(numbers);
}

/** The formulas of a query. */
export class QueriedFormulas implements Formulas {
  private readonly nodes = new Map<number, FormulaNode>([[0, { kind: 'and', operands: [] }]]);
  readonly asserted: readonly Formula[];

  constructor(query: Query) {
    let at = 1;
    for (let node = 0; node < (query[0] as number); node++) {
      const end = at + 2 + (query[at + 1] as number);
      this.nodes.set(query[at] as number, { kind: 'and', operands: [...query.subarray(at + 2, end)] as Formula[] });
      at = end;
    }
    this.asserted = [...query.subarray(at)] as Formula[];
  }

  node(formula: Formula): FormulaNode {
    return this.nodes.get(formula >> 1) ?? { kind: 'variable', name: `v${formula >> 1}` };
  }

  allDefinitions(): readonly Formula[] {
    return [];
  }
}
