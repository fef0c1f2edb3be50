import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from '../formula/formula.js';
import { grown } from './grown.js';
import { type MayGoOn, Search, type SearchResult } from './search.js';

const POSITIVE = 1;
const NEGATIVE = 2;

/**
 * Formulas as clauses: a formula is a literal of the variable of its node, and a conjunction is defined by clauses in
 * the directions in which it is used (Plaisted and Greenbaum 1986).
 */
export class FormulaClauses {
  private readonly searcher = new Search();
  /** By node, the directions that are defined. */
  private defined = new Uint8Array(0);
  private definitionsAdded = 0;
  private steps = 0;
  /** Why a formula was left half-way: what is asked then would be asked of too little. */
  private leftHalfWay: unknown;

  constructor(private readonly builder: FormulaBuilder) {
    this.searcher.addVariable(0);
    this.searcher.addClause([TRUE]);
  }

  /** A formula that holds from now on. */
  add(formula: Formula): void {
    this.addIf(TRUE, formula);
  }

  /** A formula that holds from now on wherever a condition, a literal in use, does. */
  addIf(condition: Formula, formula: Formula): void {
    const unless = condition === TRUE ? [] : [not(condition)];
    const stack = [formula];
    for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
      if (one === TRUE) continue;
      const node = this.builder.node(one);
      const literals = node.kind === 'variable' || one === FALSE ? [one] : node.operands.map(not);
      if (node.kind === 'and' && one !== FALSE && (one & 1) === 0) {
        for (const operand of node.operands) stack.push(operand);
        continue;
      }
      for (const literal of literals) this.use(literal);
      this.searcher.addClause([...unless, ...literals]);
    }
  }

  /** The definitions of the builder that were made since. */
  addDefinitions(): void {
    const definitions = this.builder.allDefinitions();
    for (const definition of definitions.slice(this.definitionsAdded)) this.add(definition);
    this.definitionsAdded = definitions.length;
  }

  /** Makes a formula a literal that can be assumed. */
  use(formula: Formula): void {
    const { searcher: search, builder } = this;
    if (this.defined.length < builder.size) this.defined = grown(this.defined, 2 * builder.size);
    const stack: Formula[] = [formula];
    for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
      const index = one >> 1;
      const direction = (one & 1) === 0 ? POSITIVE : NEGATIVE;
      const before = this.defined[index] ?? 0;
      if ((before & direction) !== 0) continue;
      if ((++this.steps & 1023) === 0) this.checkBudget();
      this.defined[index] = before | direction;
      const node = builder.node(one);
      search.addVariable(index, node.kind === 'and');
      if (node.kind === 'variable' || index === 0) continue;
      for (const operand of node.operands) search.addVariable(operand >> 1, builder.node(operand).kind === 'and');
      if (direction === POSITIVE) {
        for (const operand of node.operands) search.addClause([not(one), operand]);
        stack.push(...node.operands);
      } else {
        const negated = node.operands.map(not);
        search.addClause([not(one), ...negated]);
        stack.push(...negated);
      }
    }
  }

  private checkBudget(): void {
    try {
      this.builder.checkBudget();
    } catch (thrown) {
      this.leftHalfWay = thrown;
      throw thrown;
    }
  }

  /** Searches an assignment under which all that was added, and every assumption, holds. */
  search(assumptions: readonly Formula[], mayGoOn: MayGoOn): SearchResult {
    if (this.leftHalfWay !== undefined) throw this.leftHalfWay;
    return this.searcher.run(assumptions, mayGoOn);
  }

  /** Of the assumptions of the last search that found nothing, some that are ruled out together. */
  core(): ReadonlySet<number> {
    return new Set(this.searcher.refuted);
  }

  /** What the last search found: whether the variable of a node is true. */
  assignment(): (node: number) => boolean {
    const values = this.searcher.assignment();
    return (node) => values[2 * node] === 1;
  }
}
