import { grown } from './grown.js';
import { remembered } from './remembered.js';

/**
 * A Boolean formula: twice the number of its node, plus 1 if negated. Equal formulas are equal numbers (hash-consing),
 * and what is constant folds away as it is built.
 */
export type Formula = number & { readonly brand: 'formula' };

export const FALSE = 0 as Formula;
export const TRUE = 1 as Formula;

export function not(formula: Formula): Formula {
  return (formula ^ 1) as Formula;
}

/** A conjunction of other formulas, or a variable. */
export type FormulaNode =
  | { readonly kind: 'variable'; readonly name: string; readonly bit?: number | undefined }
  | { readonly kind: 'and'; readonly operands: readonly Formula[] };

/** What formulas are made of, and what holds besides those that are asserted. */
export interface Formulas {
  node(formula: Formula): FormulaNode;
  allDefinitions(): readonly Formula[];
}

/** A formula that says a < b in a transitive order. */
interface Step {
  readonly a: number;
  readonly b: number;
  readonly at: (a: number, b: number) => Formula;
}

/** Of more formulas than that, clauses for each pair, or for each part of a list, cost more than new nodes. */
const MOST_AT_ONCE = 16;

/** Builds formulas. A new one for each test. */
export class FormulaBuilder implements Formulas {
  private readonly nodes: FormulaNode[] = [{ kind: 'and', operands: [] }];
  private readonly known = new Map<string, Formula>();
  /** Conjunctions of two, by both as one number: most are, and texts as keys cost more than the formulas. */
  private readonly knownPairs = new Map<number, Formula>();

  private readonly deferred: (() => void)[] = [];
  private readonly definitions: Formula[] = [];

  /** `budget` is called now and then while the formula grows, and throws `BudgetExceeded` to give up. */
  constructor(private readonly budget: (nodes: number) => void = () => undefined) {}

  /** For long loops that build nothing. */
  checkBudget(): void {
    this.budget(this.nodes.length);
  }

  private readonly steps = new Map<Formula, Step>();
  /**
   * Makes it known that formulas are steps of one transitive order: who has a < b and b < c has a < c, unless the pair
   * of a and c is left out.
   */
  declareOrder(pairs: Iterable<readonly [number, number]>, at: (a: number, b: number) => Formula): void {
    for (const [a, b] of pairs) this.steps.set(at(a, b), { a, b, at });
  }

  /** Whether a declared order says that two formulas together imply a third one. */
  isStepOver(first: Formula, second: Formula, whole: Formula): boolean {
    const [one, other] = [this.steps.get(first), this.steps.get(second)];
    if (one === undefined || one.at !== other?.at || one.b !== other.a || whole === FALSE) return false;
    // A pair that the order leaves out, as out of scope, is not related, though a way leads from one to the other.
    return one.at(one.a, other.b) === whole;
  }

  /** Asserts a formula in every query: what makes an auxiliary variable mean what it stands for. */
  define(formula: Formula): void {
    this.definitions.push(formula);
  }

  /** Has a definition built later, when no formula is half-way built. */
  defer(build: () => void): void {
    this.deferred.push(build);
  }

  /** All definitions so far, the deferred ones included. */
  allDefinitions(): readonly Formula[] {
    for (let build = this.deferred.pop(); build !== undefined; build = this.deferred.pop()) build();
    return this.definitions;
  }

  get size(): number {
    return this.nodes.length;
  }

  node(formula: Formula): FormulaNode {
    const node = this.nodes[formula >> 1];
    if (node === undefined) throw new Error(`no formula ${formula}`);
    return node;
  }

  /** The name is for `--emit-smt2`, with which bit of it this is; equal names make different variables. */
  variable(name: string, bit?: number): Formula {
    return this.add({ kind: 'variable', name, bit });
  }

  and(...operands: readonly Formula[]): Formula {
    return this.all(operands);
  }

  or(...operands: readonly Formula[]): Formula {
    return this.any(operands);
  }

  any(operands: readonly Formula[]): Formula {
    const [a, b] = operands;
    return a !== undefined && b !== undefined && operands.length === 2
      ? not(this.both(not(a), not(b)))
      : not(this.all(operands.map(not)));
  }

  all(operands: readonly Formula[]): Formula {
    const [a, b] = operands;
    if (a === undefined) return TRUE;
    if (b === undefined) return a;
    if (operands.length === 2) return this.both(a, b);
    const set = new Set<Formula>();
    for (const operand of operands) {
      if (operand === FALSE || set.has(not(operand))) return FALSE;
      if (operand !== TRUE) set.add(operand);
    }
    const sorted = [...set].sort((x, y) => x - y);
    if (sorted.length <= 2) return this.all(sorted);
    return remembered(this.known, sorted.join(','), () => this.add({ kind: 'and', operands: sorted }));
  }

  private both(a: Formula, b: Formula): Formula {
    if (a === FALSE || b === FALSE || a === not(b)) return FALSE;
    if (a === TRUE || a === b) return b;
    if (b === TRUE) return a;
    if (a > b) return this.both(b, a);
    const key = a * 2 ** 26 + b;
    const known = this.knownPairs.get(key);
    if (known !== undefined) return known;
    const made = this.add({ kind: 'and', operands: [a, b] });
    this.knownPairs.set(key, made);
    return made;
  }

  implies(a: Formula, b: Formula): Formula {
    return this.or(not(a), b);
  }

  iff(a: Formula, b: Formula): Formula {
    return not(this.xor(a, b));
  }

  xor(a: Formula, b: Formula): Formula {
    if (a === FALSE) return b;
    if (b === FALSE) return a;
    if (a === TRUE) return not(b);
    if (b === TRUE) return not(a);
    if (a === b) return FALSE;
    if (a === not(b)) return TRUE;
    return this.or(this.and(a, not(b)), this.and(not(a), b));
  }

  choose(condition: Formula, whenTrue: Formula, whenFalse: Formula): Formula {
    if (condition === TRUE || whenTrue === whenFalse) return whenTrue;
    if (condition === FALSE) return whenFalse;
    return this.or(this.and(condition, whenTrue), this.and(not(condition), whenFalse));
  }

  /**
   * The same as `any`, of many formulas one by one from the front: lists that begin alike share what is made of their
   * beginnings.
   */
  anyInOrder(formulas: readonly Formula[]): Formula {
    if (formulas.length <= MOST_AT_ONCE) return this.any(formulas);
    return formulas.reduce<Formula>((some, one) => this.or(some, one), FALSE);
  }

  atMostOne(formulas: readonly Formula[]): Formula {
    if (formulas.length > MOST_AT_ONCE) {
      let before: Formula = FALSE;
      const alone = formulas.map((one) => {
        const first = not(this.and(before, one));
        before = this.or(before, one);
        return first;
      });
      return this.all(alone);
    }
    const pairs: Formula[] = [];
    for (let i = 0; i < formulas.length; i++)
      for (let j = i + 1; j < formulas.length; j++)
        pairs.push(this.or(not(formulas[i] ?? FALSE), not(formulas[j] ?? FALSE)));
    return this.all(pairs);
  }

  exactlyOne(formulas: readonly Formula[]): Formula {
    return this.and(this.anyInOrder(formulas), this.atMostOne(formulas));
  }

  private readonly conjunctSets = new Map<Formula, ReadonlySet<Formula>>();
  /** The parts of a conjunction, nested ones too; of any other formula itself. */
  conjuncts(formula: Formula): ReadonlySet<Formula> {
    return remembered(this.conjunctSets, formula, () => {
      const node = this.node(formula);
      return (formula & 1) === 0 && node.kind === 'and'
        ? new Set(node.operands.flatMap((operand) => [...this.conjuncts(operand)]))
        : new Set([formula]);
    });
  }

  private add(node: FormulaNode): Formula {
    if ((this.nodes.length & 1023) === 0) this.checkBudget();
    this.nodes.push(node);
    return ((this.nodes.length - 1) * 2) as Formula;
  }
}

/**
 * The nodes that a formula is made of and that are not done yet, each behind its operands; who takes one is to make it
 * done. Without recursion, since formulas can be deep.
 */
export function* nodesUnder(
  builder: Formulas,
  root: Formula,
  done: { has(node: number): boolean },
): Generator<readonly [number, FormulaNode]> {
  const stack = [root >> 1];
  for (let index = stack[stack.length - 1]; index !== undefined; index = stack[stack.length - 1]) {
    const node = builder.node((index * 2) as Formula);
    const missing =
      done.has(index) || node.kind === 'variable' ? [] : node.operands.filter((operand) => !done.has(operand >> 1));
    for (const operand of missing) stack.push(operand >> 1);
    if (missing.length > 0) continue;
    stack.pop();
    if (!done.has(index)) yield [index, node];
  }
}

/** Whether a formula holds, in some assignment. */
export type Truth = (formula: Formula) => boolean;

/** What formulas come to where their variables are assigned values. */
export function evaluator(builder: Formulas, variable: (node: number) => boolean): Truth {
  /** By node: 0 where it is not known, 1 for false, 2 for true. */
  let known = new Uint8Array(1 << 10);
  const visit = (at: Formula): boolean => {
    const index = at >> 1;
    if (index >= known.length) known = grown(known, 2 * index);
    let value = known[index] === 2;
    if (known[index] === 0) {
      const node = builder.node(at);
      // Node 0 is the constant false: the empty conjunction, taken negatively.
      value = index === 0 ? false : node.kind === 'variable' ? variable(index) : node.operands.every(visit);
      known[index] = value ? 2 : 1;
    }
    return value !== ((at & 1) === 1);
  };
  return visit;
}
