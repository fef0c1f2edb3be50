import { type Diagnosed, type Diagnostic, error, hasErrors, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Source } from '../diagnostics/source.js';
import type { Binding, CatStatement, Check, Expression } from '../syntax/cat-ast.js';
import { readCat } from '../syntax/read-cat.js';
import type { Kind } from './algebra.js';
import { BUILT_IN_FUNCTIONS } from './built-in-functions.js';
import { depthOf, expressionsOf, partsOf } from './expression-parts.js';
import type { Model } from './model.js';
import { firstNonMonotoneUse } from './monotone.js';
import { namesFor } from './names-of-model.js';
import { withPresentNames } from './renamed.js';
import { selectVariants } from './variants.js';

/**
 * Gives the text of an included file, or undefined if there is none; used at most once for each path in a chain of
 * includes.
 */
export type Include = (path: string, from: Source) => Source | undefined;

/** `unread`: defined where the text cannot be read, so that nothing is known of it. */
type Meaning =
  | { readonly kind: Kind | 'unread' }
  | { readonly kind: 'function'; readonly binding: Binding; readonly scope: Scope };
type Scope = ReadonlyMap<string, Meaning>;

/** A function of functions may come to any number of calls. */
const MOST_CALLS = 20_000;
/** Operators within one another: whoever follows an expression does so by recursion. */
const DEEPEST = 500;

/**
 * Reads a model and checks it: every name is defined before it is used, sets and relations stand where they belong, and
 * recursive definitions are monotone, so that they have a least fixpoint. All errors at once.
 */
export function readModel(
  name: string,
  source: Source,
  baseKinds: ReadonlyMap<string, Kind>,
  include: Include = () => undefined,
  variants: ReadonlySet<string> = new Set(),
): Diagnosed<Model> {
  try {
    return new Resolver(baseKinds, include, variants).read(name, source);
  } catch (thrown) {
    // What is nested deeper than the stack of the parser.
    if (!(thrown instanceof RangeError)) throw thrown;
    const whole = { source, start: 0, end: 1 };
    return {
      value: undefined,
      diagnostics: [error('L0309', whole, 'an expression of this model is nested too deeply')],
    };
  }
}

class Resolver {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly statements: CatStatement[] = [];
  private readonly baseNames = new Set<string>();
  private readonly choices = new Set<string>();
  private readonly inferred = new Map<string, { readonly reason: string; readonly kind: Kind }>();
  private calls = 0;
  /** The call at which there were too many. */
  private oneTooMany: Expression['span'] | undefined;
  private scope: Scope;

  constructor(
    private readonly baseKinds: ReadonlyMap<string, Kind>,
    private readonly include: Include,
    private readonly variants: ReadonlySet<string>,
  ) {
    this.scope = new Map([...baseKinds].map(([base, kind]) => [base, { kind }]));
  }

  private readonly sources: Source[] = [];

  read(name: string, source: Source): Diagnosed<Model> {
    const title = this.file(source, [source.path]);
    if (this.oneTooMany !== undefined)
      this.refuse('L0309', this.oneTooMany, `the functions of this model come to more than ${MOST_CALLS} calls`);
    if (hasErrors(this.diagnostics)) return { value: undefined, diagnostics: this.diagnostics };
    const checks = this.statements.filter((statement): statement is Check => statement.kind === 'check');
    if (!checks.some(({ role }) => role === 'axiom')) {
      this.refuse(
        'L0307',
        { source, start: 0, end: source.text.length },
        `${name} has no axiom, so that it would allow everything`,
        'write one: acyclic, irreflexive or empty, as in: acyclic po | rf | co | fr as sc',
      );
      return { value: undefined, diagnostics: this.diagnostics };
    }
    const { statements, sources, baseNames, choices, variants, inferred } = this;
    const value: Model = {
      name,
      names: namesFor(name, sources),
      title: title ?? name,
      source,
      sources,
      statements,
      checks,
      baseNames,
      choices,
      omitted: new Set(),
      variants,
      inferred,
    };
    return { value, diagnostics: this.diagnostics };
  }

  private file(source: Source, chain: readonly string[]): string | undefined {
    this.sources.push(source);
    const { value, diagnostics } = readCat(source);
    this.diagnostics.push(...diagnostics);
    this.scope = new Map([
      ...this.scope,
      ...[...(value?.unread ?? [])].map((name) => [name, { kind: 'unread' }] as const),
    ]);
    for (const statement of value?.statements ?? []) {
      if (statement.kind === 'include') {
        const included = this.include(statement.path, source);
        if (included === undefined)
          this.refuse(
            'L0305',
            statement.span,
            `cannot read the included file "${statement.path}"`,
            'it is looked for beside this file, among the built-in models, and in the folders given by --include',
          );
        else if (chain.includes(included.path))
          this.refuse('L0305', statement.span, `"${statement.path}" includes itself`);
        else this.file(included, [...chain, included.path]);
      } else {
        const deep = expressionsOf(statement).find((expression) => depthOf(expression) > DEEPEST);
        if (deep !== undefined) {
          this.refuse('L0309', deep.span, `this expression has more than ${DEEPEST} operators within one another`);
          continue;
        }
        const resolved = this.resolved(this.withPresentNames(statement));
        this.statements.push(selectVariants(resolved, this.variants, this.choices));
      }
    }
    return value?.title;
  }

  private withPresentNames(statement: CatStatement): CatStatement {
    return withPresentNames(
      statement,
      (name) => this.scope.has(name),
      (span, old, present) =>
        this.diagnostics.push(warning('L0308', span, `${old} is now called ${present}`, 'the old name will go')),
    );
  }

  private resolved(statement: CatStatement): CatStatement {
    switch (statement.kind) {
      case 'let':
        return this.definition(statement);
      case 'check': {
        const kind = this.kindOf(statement.expression, this.scope);
        if (kind === 'set' && statement.test !== 'empty')
          this.refuse('L0303', statement.expression.span, `${statement.test} speaks of a relation, but this is a set`);
        return statement;
      }
      case 'show':
        for (const { expression } of statement.shown) this.kindOf(expression, this.scope);
        return statement;
      case 'unshow':
      case 'include':
        return statement;
    }
  }

  private definition(statement: Extract<CatStatement, { kind: 'let' }>): CatStatement {
    const { recursive, bindings, inferred } = statement;
    if (recursive) this.recursive(bindings);
    else this.plain(bindings);
    const kindOf = (name: string): Kind => (this.scope.get(name)?.kind === 'set' ? 'set' : 'relation');
    if (inferred !== undefined)
      for (const { name } of bindings) this.inferred.set(name, { reason: inferred, kind: kindOf(name) });
    if (!recursive) return statement;
    return { ...statement, bindings: bindings.map((one) => ({ ...one, recursiveKind: kindOf(one.name) })) };
  }

  private plain(bindings: readonly Binding[]): void {
    const outer = this.scope;
    const made = new Map(outer);
    for (const binding of bindings) {
      if (binding.parameters !== undefined) {
        this.checkFunctionNames(binding, outer);
        made.set(binding.name, { kind: 'function', binding, scope: outer });
      } else {
        // After an error the name stands for a relation, so that one mistake makes one message.
        made.set(binding.name, { kind: this.kindOf(binding.body, outer) ?? 'relation' });
      }
    }
    this.scope = made;
  }

  private recursive(bindings: readonly Binding[]): void {
    const names = new Set<string>();
    for (const { name, parameters, span } of bindings) {
      if (parameters !== undefined)
        this.refuse('L0304', span, `${name} is a recursive function; only sets and relations can be recursive`);
      if (names.has(name)) this.refuse('L0306', span, `${name} is defined twice in one recursion`);
      names.add(name);
    }
    // Kinds of a recursion: relations unless the definitions only fit as sets.
    const kinds = new Map<string, Kind>(bindings.map(({ name }) => [name, 'relation']));
    const within = (): Scope =>
      new Map([...this.scope, ...[...kinds].map(([name, kind]) => [name, { kind }] as const)]);
    for (let round = 0; round < 2; round++) {
      const trial = within();
      for (const { name, body } of bindings) {
        const kind = this.quietKind(body, trial);
        if (kind !== undefined) kinds.set(name, kind);
        else if (round === 0 && this.quietKind(body, new Map([...trial, [name, { kind: 'set' }]])) === 'set')
          kinds.set(name, 'set');
      }
    }
    const inner = within();
    for (const { name, body, span } of bindings) {
      const kind = this.kindOf(body, inner);
      if (kind !== undefined && kind !== kinds.get(name))
        this.refuse('L0303', span, `${name} is used as a ${kinds.get(name)}, but defined as a ${kind}`);
      const use = firstNonMonotoneUse(body, names);
      if (use !== undefined)
        this.refuse(
          'L0304',
          use.span,
          `${use.name} is used here under a complement or on the right of \\, so that this recursion has no ` +
            'least fixpoint',
        );
    }
    this.scope = inner;
  }

  /** The names in a function's body are checked where it is defined; its kinds where it is called. */
  private checkFunctionNames(binding: Binding, scope: Scope): void {
    const visit = (expression: Expression): void => {
      if (expression.kind === 'name' || expression.kind === 'call')
        this.lookUp(
          expression,
          new Map([...scope, ...(binding.parameters ?? []).map((p) => [p, { kind: 'relation' as const }] as const)]),
        );
      for (const part of partsOf(expression)) visit(part);
    };
    visit(binding.body);
  }

  private quietKind(expression: Expression, scope: Scope): Kind | undefined {
    const before = this.diagnostics.length;
    const kind = this.kindOf(expression, scope);
    const failed = this.diagnostics.length > before;
    this.diagnostics.length = before;
    return failed ? undefined : kind;
  }

  /** Whether an expression is a set or a relation; undefined after an error, which has then been reported. */
  private kindOf(expression: Expression, scope: Scope): Kind | undefined {
    switch (expression.kind) {
      case 'empty':
        return expression.of;
      case 'name': {
        const meaning = this.lookUp(expression, scope);
        if (meaning?.kind === 'function')
          return this.refuse(
            'L0303',
            expression.span,
            `${expression.name} is a function: call it, as in ${expression.name}(…)`,
          );
        return meaning === undefined || meaning.kind === 'unread' ? undefined : meaning.kind;
      }
      case 'call':
        return this.callKind(expression, scope);
      case 'variant': {
        const kinds = [this.kindOf(expression.chosen, scope), this.kindOf(expression.otherwise, scope)] as const;
        if (kinds[0] === undefined || kinds[1] === undefined) return undefined;
        return kinds[0] === kinds[1]
          ? kinds[0]
          : this.refuse(
              'L0303',
              expression.otherwise.span,
              `after then stands a ${kinds[0]}, but this is a ${kinds[1]}`,
            );
      }
      case 'unary': {
        const kind = this.kindOf(expression.operand, scope);
        if (expression.operator === 'complement' || kind === undefined) return kind;
        if (expression.operator === 'identity')
          return kind === 'set'
            ? 'relation'
            : this.refuse('L0303', expression.operand.span, '[ ] takes a set, but this is a relation');
        const shown = { plus: '+', star: '*', optional: '?', inverse: '^-1' }[expression.operator];
        return kind === 'relation'
          ? 'relation'
          : this.refuse(
              'L0303',
              expression.operand.span,
              `${shown} takes a relation, but this is a set`,
              'write [S] for the identity on a set S',
            );
      }
      case 'binary': {
        const left = this.kindOf(expression.left, scope);
        const right = this.kindOf(expression.right, scope);
        if (left === undefined || right === undefined) return undefined;
        if (expression.operator === 'product' || expression.operator === 'sequence') {
          const wanted = expression.operator === 'product' ? 'set' : 'relation';
          const wrong = left !== wanted ? expression.left : right !== wanted ? expression.right : undefined;
          if (wrong === undefined) return 'relation';
          return wanted === 'set'
            ? this.refuse(
                'L0303',
                wrong.span,
                '* between two operands is the product of sets, but this is a relation',
                'to compose relations write ;',
              )
            : this.refuse(
                'L0303',
                wrong.span,
                '; composes relations, but this is a set',
                'write [S] for the identity on a set S',
              );
        }
        if (left === right) return left;
        return this.refuse('L0303', expression.right.span, `the left side is a ${left}, but this is a ${right}`);
      }
    }
  }

  private callKind(expression: Extract<Expression, { kind: 'call' }>, scope: Scope): Kind | undefined {
    this.calls += 1;
    if (this.calls > MOST_CALLS) {
      this.oneTooMany ??= expression.span;
      return undefined;
    }
    const kinds = expression.arguments.map((argument) => this.kindOf(argument, scope));
    const meaning = scope.get(expression.name);
    const signature = meaning === undefined ? BUILT_IN_FUNCTIONS.get(expression.name) : undefined;
    if (signature !== undefined) {
      const [parameter, result] = signature;
      const argument = expression.arguments[0];
      if (expression.arguments.length !== 1 || argument === undefined)
        return this.refuse('L0303', expression.span, `${expression.name} takes one argument`);
      if (kinds[0] !== undefined && kinds[0] !== parameter)
        return this.refuse(
          'L0303',
          argument.span,
          `${expression.name} takes a ${parameter}, but this is a ${kinds[0]}`,
        );
      return result;
    }
    if (meaning === undefined) {
      this.lookUp(expression, scope);
      return undefined;
    }
    if (meaning.kind === 'unread') return undefined;
    if (meaning.kind !== 'function')
      return this.refuse('L0303', expression.span, `${expression.name} is a ${meaning.kind}, not a function`);
    const parameters = meaning.binding.parameters ?? [];
    if (parameters.length !== kinds.length)
      return this.refuse(
        'L0303',
        expression.span,
        `${expression.name} takes ${parameters.length} argument${parameters.length === 1 ? '' : 's'}, found ` +
          `${kinds.length}`,
      );
    const inner = new Map(meaning.scope);
    parameters.forEach((parameter, i) => inner.set(parameter, { kind: kinds[i] ?? 'relation' }));
    return this.kindOf(meaning.binding.body, inner);
  }

  private lookUp(expression: Extract<Expression, { kind: 'name' | 'call' }>, scope: Scope): Meaning | undefined {
    const { name } = expression;
    const meaning = scope.get(name);
    if (meaning === undefined && !(expression.kind === 'call' && BUILT_IN_FUNCTIONS.has(name))) {
      return this.refuse(
        'L0302',
        expression.span,
        `unknown name ${name}`,
        didYouMean(name, [...scope.keys(), ...BUILT_IN_FUNCTIONS.keys()]),
      ) as undefined;
    }
    if (this.baseKinds.has(name)) this.baseNames.add(name);
    return meaning;
  }

  private refuse(
    code: 'L0302' | 'L0303' | 'L0304' | 'L0305' | 'L0306' | 'L0307' | 'L0309',
    span: Expression['span'],
    message: string,
    hint?: string,
  ): undefined {
    this.diagnostics.push(error(code, span, message, hint));
    return undefined;
  }
}
