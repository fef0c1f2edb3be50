import type { Binding, CatStatement, Check, Expression } from '../syntax/cat-ast.js';
import type { Algebra, CatValue } from './algebra.js';
import { closedForm } from './closed-form.js';
import type { Model } from './model.js';

/** A check of the model with the value of its expression. */
export interface EvaluatedCheck<S, R> {
  readonly check: Check;
  readonly value: CatValue<S, R>;
}

export interface Evaluation<S, R> {
  readonly checks: readonly EvaluatedCheck<S, R>[];
  /** What `show` asks for, by name. */
  readonly shown: ReadonlyMap<string, CatValue<S, R>>;
  /** Every set and relation that is defined at the end of the model, by name. */
  definitions(): ReadonlyMap<string, CatValue<S, R>>;
  /** Those of them that the value of some check depends on. */
  used(): ReadonlyMap<string, CatValue<S, R>>;
}

/** A definition that is evaluated when its value is asked for: most tests use few features of a model. */
interface Deferred<S, R> {
  readonly kind: 'deferred';
  readonly body: Expression;
  /** The definitions before it. */
  readonly scope: Scope<S, R>;
  value: CatValue<S, R> | undefined;
}

/** What a name stands for. Each definition has an object of its own, also where two are equal. */
export type Meaning<S, R> =
  | CatValue<S, R>
  | Deferred<S, R>
  | { readonly kind: 'function'; readonly binding: Binding; readonly scope: Scope<S, R> };
export type Scope<S, R> = Pick<ReadonlyMap<string, Meaning<S, R>>, 'get'>;

/** Where the parameters of a function stand for what it is given. */
export const withParameters = <S, R>(scope: Scope<S, R>, given: ReadonlyMap<string, Meaning<S, R>>): Scope<S, R> => ({
  get: (name) => given.get(name) ?? scope.get(name),
});

/** Evaluates a model in an algebra: the one meaning of the syntax tree, for one execution or for all. */
export function evaluateModel<S, R>(
  model: Model,
  algebra: Algebra<S, R>,
  base: (name: string) => CatValue<S, R> | undefined,
): Evaluation<S, R> {
  const evaluator = new Evaluator(algebra, base);
  return evaluator.run(model);
}

/** Evaluates statement by statement; for one who wants to see the values on the way. */
export class Evaluator<S, R> {
  private readonly checks: EvaluatedCheck<S, R>[] = [];
  private readonly shown = new Map<string, CatValue<S, R>>();
  private readonly baseValues = new Map<string, CatValue<S, R>>();
  /** What the statements so far have defined. */
  scope = new Map<string, Meaning<S, R>>();

  constructor(
    private readonly algebra: Algebra<S, R>,
    private readonly base: (name: string) => CatValue<S, R> | undefined,
  ) {}

  run(model: Model): Evaluation<S, R> {
    for (const statement of model.statements) {
      switch (statement.kind) {
        case 'let':
          this.define(statement);
          break;
        case 'check':
          this.checks.push({ check: statement, value: this.evaluate(statement.expression, this.scope) });
          break;
        case 'show':
          for (const { expression, name } of statement.shown)
            this.shown.set(name, this.evaluate(expression, this.scope));
          break;
        case 'unshow':
          for (const name of statement.names) this.shown.delete(name);
          break;
        case 'include':
          throw new Error('an include that was not resolved');
      }
    }
    const { scope } = this;
    const values = (wanted: (meaning: Meaning<S, R>) => boolean): ReadonlyMap<string, CatValue<S, R>> =>
      new Map(
        [...scope].flatMap(([name, meaning]) =>
          meaning.kind !== 'function' && wanted(meaning) ? [[name, this.valueOf(meaning)] as const] : [],
        ),
      );
    const isUsed = (meaning: Meaning<S, R>): boolean => meaning.kind !== 'deferred' || meaning.value !== undefined;
    return {
      checks: this.checks,
      shown: this.shown,
      definitions: () => values(() => true),
      used: () => values(isUsed),
    };
  }

  private valueOf(meaning: CatValue<S, R> | Deferred<S, R>): CatValue<S, R> {
    if (meaning.kind !== 'deferred') return meaning;
    meaning.value ??= this.evaluate(meaning.body, meaning.scope);
    return meaning.value;
  }

  define(statement: Extract<CatStatement, { kind: 'let' }>): void {
    if (statement.recursive) this.scope = this.recursive(statement.bindings);
    else this.plain(statement.bindings);
  }

  /** Adds to the scope in place, but where that would change what earlier definitions speak of. */
  private plain(bindings: readonly Binding[]): void {
    const { scope } = this;
    const made = bindings.map(
      (binding): Meaning<S, R> =>
        binding.parameters === undefined
          ? { kind: 'deferred', body: binding.body, scope, value: undefined }
          : { kind: 'function', binding, scope },
    );
    if (bindings.some(({ name }) => scope.has(name) || this.base(name) !== undefined)) this.scope = new Map(scope);
    bindings.forEach(({ name }, i) => {
      const meaning = made[i];
      if (meaning !== undefined) this.scope.set(name, meaning);
    });
  }

  private recursive(bindings: readonly Binding[]): Map<string, Meaning<S, R>> {
    const [only] = bindings;
    const closed = bindings.length === 1 && only !== undefined ? closedForm(only) : undefined;
    if (closed !== undefined && only !== undefined)
      return new Map([...this.scope, [only.name, this.evaluate(closed, this.scope)]]);
    const withValues = (values: readonly CatValue<S, R>[]): Map<string, Meaning<S, R>> => {
      const scope = new Map(this.scope);
      bindings.forEach(({ name }, i) => {
        const value = values[i];
        if (value !== undefined) scope.set(name, value);
      });
      return scope;
    };
    const step = (values: readonly CatValue<S, R>[]): readonly CatValue<S, R>[] =>
      bindings.map(({ body }) => this.evaluate(body, withValues(values)));
    return withValues(
      this.algebra.leastFixpoint(
        bindings.map(({ recursiveKind = 'relation' }) => recursiveKind),
        step,
      ),
    );
  }

  private lookUp(name: string, scope: Scope<S, R>): Meaning<S, R> {
    const local = scope.get(name) ?? this.baseValues.get(name);
    if (local !== undefined) return local;
    const value = this.base(name);
    if (value === undefined) throw new Error(`no base relation ${name}`);
    this.baseValues.set(name, value);
    return value;
  }

  private isEmpty(value: CatValue<S, R>): boolean {
    return value.kind === 'set' ? this.algebra.isEmptySet(value.value) : this.algebra.isEmptyRelation(value.value);
  }

  private set(expression: Expression, scope: Scope<S, R>): S {
    return setOf(this.evaluate(expression, scope));
  }

  private relation(expression: Expression, scope: Scope<S, R>): R {
    return relationOf(this.evaluate(expression, scope));
  }

  evaluate(expression: Expression, scope: Scope<S, R>): CatValue<S, R> {
    const { algebra } = this;
    const asRelation = (value: R): CatValue<S, R> => ({ kind: 'relation', value });
    switch (expression.kind) {
      case 'empty':
        return expression.of === 'set' ? { kind: 'set', value: algebra.emptySet } : asRelation(algebra.emptyRelation);
      case 'name': {
        const meaning = this.lookUp(expression.name, scope);
        if (meaning.kind === 'function') throw new Error(`${expression.name} is a function`);
        return this.valueOf(meaning);
      }
      case 'variant':
        throw new Error('a choice that was not resolved');
      case 'call':
        return this.call(expression, scope);
      case 'unary': {
        const { operator, operand } = expression;
        switch (operator) {
          case 'complement': {
            const value = this.evaluate(operand, scope);
            return value.kind === 'set'
              ? { kind: 'set', value: algebra.set.complement(value.value) }
              : asRelation(algebra.relation.complement(value.value));
          }
          case 'plus':
            return asRelation(algebra.transitiveClosure(this.relation(operand, scope)));
          case 'star':
            return asRelation(
              algebra.relation.union(
                algebra.transitiveClosure(this.relation(operand, scope)),
                algebra.identity(algebra.universe),
              ),
            );
          case 'optional':
            return asRelation(
              algebra.relation.union(this.relation(operand, scope), algebra.identity(algebra.universe)),
            );
          case 'inverse':
            return asRelation(algebra.inverse(this.relation(operand, scope)));
          case 'identity':
            return asRelation(algebra.identity(this.set(operand, scope)));
        }
        break;
      }
      case 'binary': {
        const { operator, left, right } = expression;
        const a = this.evaluate(left, scope);
        // Of nothing it does not matter with what it is put together: what that is need not be known.
        if (operator !== 'union' && this.isEmpty(a))
          return operator === 'sequence' || operator === 'product' ? asRelation(algebra.emptyRelation) : a;
        if (operator === 'sequence') return asRelation(algebra.compose(relationOf(a), this.relation(right, scope)));
        if (operator === 'product') return asRelation(algebra.product(setOf(a), this.set(right, scope)));
        const b = this.evaluate(right, scope);
        if (a.kind === 'set' && b.kind === 'set')
          return { kind: 'set', value: algebra.set[operator](a.value, b.value) };
        if (a.kind === 'relation' && b.kind === 'relation')
          return asRelation(algebra.relation[operator](a.value, b.value));
        throw new Error('a set and a relation in one operation');
      }
    }
    throw new Error('unreachable');
  }

  private call(expression: Extract<Expression, { kind: 'call' }>, scope: Scope<S, R>): CatValue<S, R> {
    const { algebra } = this;
    const [argument] = expression.arguments;
    const meaning = scope.get(expression.name);
    if (meaning?.kind === 'function') {
      const given = new Map<string, CatValue<S, R>>();
      meaning.binding.parameters?.forEach((parameter, i) => {
        const operand = expression.arguments[i];
        if (operand !== undefined) given.set(parameter, this.evaluate(operand, scope));
      });
      return this.evaluate(meaning.binding.body, withParameters(meaning.scope, given));
    }
    if (argument === undefined) throw new Error(`${expression.name} without an argument`);
    switch (expression.name) {
      case 'domain':
        return { kind: 'set', value: algebra.domain(this.relation(argument, scope)) };
      case 'range':
        return { kind: 'set', value: algebra.range(this.relation(argument, scope)) };
      case 'toid':
        return { kind: 'relation', value: algebra.identity(this.set(argument, scope)) };
      case 'fencerel': {
        const po = this.lookUp('po', new Map());
        if (po.kind !== 'relation') throw new Error('po is no relation');
        return {
          kind: 'relation',
          value: algebra.compose(po.value, algebra.compose(algebra.identity(this.set(argument, scope)), po.value)),
        };
      }
      default:
        throw new Error(`no function ${expression.name}`);
    }
  }
}

function setOf<S, R>(value: CatValue<S, R>): S {
  if (value.kind !== 'set') throw new Error('a relation where a set is needed');
  return value.value;
}

function relationOf<S, R>(value: CatValue<S, R>): R {
  if (value.kind !== 'relation') throw new Error('a set where a relation is needed');
  return value.value;
}
