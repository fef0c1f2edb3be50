import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from '../formula/formula.js';
import { grown } from '../formula/grown.js';
import { GivenClauses } from './given-clauses.js';
import { ProofLog } from './proof-log.js';
import type { Refutation } from './refutation.js';
import { type MayGoOn, Search, type SearchResult } from './search.js';

const POSITIVE = 1;
const NEGATIVE = 2;

/**
 * Formulas as clauses: a formula is a literal of the variable of its node, and a conjunction is defined by clauses in
 * the directions in which it is used (Plaisted and Greenbaum 1986).
 */
export class FormulaClauses {
  private readonly searcher: Search;
  private readonly log: ProofLog | undefined;
  private readonly given: GivenClauses | undefined;
  /** By node, the directions that are defined. */
  private defined = new Uint8Array(0);
  private definitionsAdded = 0;
  private steps = 0;
  /** Why a formula was left half-way: what is asked then would be asked of too little. */
  private leftHalfWay: unknown;

  /** `explained`: what is refuted can be told with its proof. */
  constructor(
    private readonly builder: FormulaBuilder,
    explained: boolean,
  ) {
    if (explained) {
      this.log = new ProofLog();
      this.given = new GivenClauses();
    }
    this.searcher = new Search(this.log);
    this.searcher.addVariable(0);
    this.searcher.addClause([TRUE], this.given?.constraint(TRUE, TRUE));
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
      this.searcher.addClause([...unless, ...literals], this.given?.constraint(one, condition));
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
        for (const [i, operand] of node.operands.entries())
          search.addClause([not(one), operand], this.given?.definition(index, i));
        stack.push(...node.operands);
      } else {
        const negated = node.operands.map(not);
        search.addClause([not(one), ...negated], this.given?.definition(index, -1));
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

  /** Why the last search found nothing; undefined where that was not written down, or took too much room. */
  refutation(): Refutation | undefined {
    const { builder, log, given } = this;
    if (log === undefined || given === undefined || log.isFull) return undefined;
    const last = this.searcher.refutation;
    const under = log.under(last);
    return {
      ...{ builder, log },
      assumptions: [...this.searcher.refuted] as Formula[],
      given: new Map(under.given.map((number) => [2 * number, given.at(number)])),
      steps: { ids: under.steps, at: (id) => log.stepAt(id) },
    };
  }

  /** Keeps that the assumptions in the core of the last search do not hold together. */
  keepRefutation(): void {
    this.searcher.keepRefutation();
  }

  /** What the last search found: whether the variable of a node is true. */
  assignment(): (node: number) => boolean {
    const values = this.searcher.assignment();
    return (node) => values[2 * node] === 1;
  }
}
