import type { CandidateExecution } from '../execution/candidate-execution.js';
import { shortestPath } from '../relation/cycle.js';
import type { EventSet } from '../relation/event-set.js';
import { Relation } from '../relation/relation.js';
import type { Check, Expression } from '../syntax/cat-ast.js';
import type { CatValue } from './algebra.js';
import { concreteAlgebra } from './concrete-algebra.js';
import { Evaluator, type Meaning, type Scope, withParameters } from './evaluate.js';
import type { Model } from './model.js';
import { concreteVocabulary } from './vocabulary.js';

/** One edge of an explanation, by a base relation or by a definition that says no more than its name. */
export interface Step {
  readonly from: number;
  readonly to: number;
  readonly relation: string;
}

/** Why two events are related: the way through base relations, and the definitions that it passes on the way. */
export interface Explanation {
  readonly steps: readonly Step[];
  readonly definitions: readonly Step[];
}

type Value = CatValue<EventSet, Relation>;
interface Defined {
  readonly expression: Expression;
  readonly scope: ConcreteScope;
}
type ConcreteScope = Scope<EventSet, Relation>;

/**
 * Explains a failing check of a model on an execution: each edge of its witness is taken apart along the definitions of
 * the model, so that the explanation uses what the axiom uses and nothing else.
 */
export function explainCheck(
  model: Model,
  execution: CandidateExecution,
  check: Check,
  witness: readonly number[],
): Explanation {
  const explainer = new Explainer(execution);
  const scope = explainer.scopeAt(model, check);
  const [first, second] = witness;
  if (first === undefined) return { steps: [], definitions: [] };
  if (check.test === 'acyclic')
    witness.forEach((from, i) =>
      explainer.explain(check.expression, from, witness[(i + 1) % witness.length] ?? first, scope),
    );
  else explainer.explain(check.expression, first, check.test === 'irreflexive' ? first : (second ?? first), scope);
  return explainer;
}

class Explainer implements Explanation {
  readonly steps: Step[] = [];
  readonly definitions: Step[] = [];
  private readonly evaluator: Evaluator<EventSet, Relation>;
  private readonly defined = new WeakMap<object, Defined>();
  private readonly details = new Map<Defined, number>();
  private readonly size: number;

  constructor(execution: CandidateExecution) {
    this.evaluator = new Evaluator(concreteAlgebra(execution.executed), concreteVocabulary(execution));
    this.size = execution.universe.events.length;
  }

  /** The definitions that a check sees, each remembered with its expression; a recursion is shown by its name. */
  scopeAt(model: Model, check: Check): ConcreteScope {
    for (const statement of model.statements) {
      if (statement === check) break;
      if (statement.kind !== 'let') continue;
      const before = new Map(this.evaluator.scope);
      this.evaluator.define(statement);
      if (statement.recursive) continue;
      for (const { name, parameters, body } of statement.bindings) {
        const meaning: Meaning<EventSet, Relation> | undefined = this.evaluator.scope.get(name);
        if (parameters === undefined && meaning !== undefined)
          this.defined.set(meaning, { expression: body, scope: before });
      }
    }
    return this.evaluator.scope;
  }

  private relation(expression: Expression, scope: ConcreteScope): Relation {
    const value: Value = this.evaluator.evaluate(expression, scope);
    return value.kind === 'relation' ? value.value : new Relation(this.size);
  }

  explain(expression: Expression, from: number, to: number, scope: ConcreteScope): void {
    switch (expression.kind) {
      case 'empty':
        return;
      case 'name': {
        const meaning = scope.get(expression.name);
        const definition = meaning === undefined ? undefined : this.defined.get(meaning);
        if (definition === undefined) {
          if (from !== to || expression.name !== 'id') this.steps.push({ from, to, relation: expression.name });
          return;
        }
        this.definitions.push({ from, to, relation: expression.name });
        this.explain(definition.expression, from, to, definition.scope);
        return;
      }
      case 'variant':
        throw new Error('a choice that was not resolved');
      case 'call': {
        const meaning = scope.get(expression.name);
        if (meaning?.kind !== 'function') {
          this.steps.push({ from, to, relation: expression.name });
          return;
        }
        const given = new Map<string, Value>();
        meaning.binding.parameters?.forEach((parameter, i) => {
          const argument = expression.arguments[i];
          if (argument === undefined) return;
          const value: Value = { ...this.evaluator.evaluate(argument, scope) };
          this.defined.set(value, { expression: argument, scope });
          given.set(parameter, value);
        });
        this.explain(meaning.binding.body, from, to, withParameters(meaning.scope, given));
        return;
      }
      case 'unary':
        return this.explainUnary(expression, from, to, scope);
      case 'binary':
        return this.explainBinary(expression, from, to, scope);
    }
  }

  private explainUnary(
    { operator, operand, span }: Extract<Expression, { kind: 'unary' }>,
    from: number,
    to: number,
    scope: ConcreteScope,
  ): void {
    switch (operator) {
      case 'identity':
        return;
      case 'optional':
        return from === to && !this.relation(operand, scope).has(from, to)
          ? undefined
          : this.explain(operand, from, to, scope);
      case 'star':
      case 'plus': {
        if (operator === 'star' && from === to) return;
        const path = shortestPath(this.relation(operand, scope), from, to) ?? [from, to];
        path.slice(1).forEach((next, i) => this.explain(operand, path[i] ?? from, next, scope));
        return;
      }
      case 'inverse': {
        const start = this.steps.length;
        this.explain(operand, to, from, scope);
        const reversed = this.steps.splice(start).reverse();
        this.steps.push(
          ...reversed.map((step) => ({
            from: step.to,
            to: step.from,
            relation: step.relation.endsWith('^-1') ? step.relation.slice(0, -3) : `${step.relation}^-1`,
          })),
        );
        return;
      }
      case 'complement':
        this.steps.push({ from, to, relation: span.source.text.slice(span.start, span.end) });
    }
  }

  private explainBinary(
    { operator, left, right }: Extract<Expression, { kind: 'binary' }>,
    from: number,
    to: number,
    scope: ConcreteScope,
  ): void {
    switch (operator) {
      case 'union':
        return this.explain(this.relation(left, scope).has(from, to) ? left : right, from, to, scope);
      case 'sequence': {
        const [first, second] = [this.relation(left, scope), this.relation(right, scope)];
        for (const middle of first.successors(from)) {
          if (!second.has(middle, to)) continue;
          this.explain(left, from, middle, scope);
          this.explain(right, middle, to, scope);
          return;
        }
        return;
      }
      case 'intersection':
        // One side says how, the other only restricts: take the one that says more.
        return this.explain(this.detail(left, scope) >= this.detail(right, scope) ? left : right, from, to, scope);
      case 'difference':
        return this.explain(left, from, to, scope);
      case 'product':
        this.steps.push({ from, to, relation: 'by kind' });
    }
  }

  private detailOf(definition: Defined): number {
    const known = this.details.get(definition) ?? this.detail(definition.expression, definition.scope);
    this.details.set(definition, known);
    return known;
  }

  /** How much an expression tells of the way between two events; pure restrictions such as `loc` tell nothing. */
  private detail(expression: Expression, scope: ConcreteScope): number {
    switch (expression.kind) {
      case 'empty':
        return 0;
      case 'name': {
        const meaning = scope.get(expression.name);
        const definition = meaning === undefined ? undefined : this.defined.get(meaning);
        if (definition !== undefined) return this.detailOf(definition);
        return RESTRICTIONS.has(expression.name) ? 0 : CHOICES.has(expression.name) ? 10 : 1;
      }
      case 'variant':
        return 0;
      case 'call':
        return 2;
      case 'unary':
        return expression.operator === 'identity' || expression.operator === 'complement'
          ? 0
          : expression.operator === 'inverse'
            ? this.detail(expression.operand, scope)
            : 1 + this.detail(expression.operand, scope);
      case 'binary': {
        const parts = [this.detail(expression.left, scope), this.detail(expression.right, scope)] as const;
        if (expression.operator === 'product') return 0;
        if (expression.operator === 'difference') return parts[0];
        return expression.operator === 'sequence' ? 1 + parts[0] + parts[1] : Math.max(...parts);
      }
    }
  }
}

/** Relations that an execution chooses: what happened, where others say what was written. */
const CHOICES: ReadonlySet<string> = new Set([
  ...['rf', 'fr', 'co', 'rfe', 'rfi', 'fre', 'fri', 'coe', 'coi'],
  ...['sync_fence', 'syncbar', 'syncwarp', 'syncclu', 'mbphase', 'done', 'issue'],
]);

/** Relations that restrict without leading anywhere. */
const RESTRICTIONS: ReadonlySet<string> = new Set([
  ...['loc', 'vloc', 'partial', 'sr', 'scta', 'id', 'int', 'ext', 'rmw', 'po-loc', 'covers'],
]);
