import type { CatStatement, Expression } from '../syntax/cat-ast.js';
import { partsOf } from './expression-parts.js';
import type { Model } from './model.js';
import { ofModel } from './of-model.js';

/**
 * The model with only those of its axioms that mention a base relation and take no transitive closure but their own
 * test's: a few formulas say what they rule out. `undefined` if there is none.
 */
export function withLocalAxioms(model: Model, baseName: string): Model | undefined {
  /** By definition so far: whether it mentions the relation; undefined where it takes a closure or recurs. */
  const mentions = new Map<string, boolean | undefined>();
  const mentionsIt = (expression: Expression): boolean | undefined => {
    if (expression.kind === 'name')
      return mentions.has(expression.name) ? mentions.get(expression.name) : expression.name === baseName;
    if (expression.kind === 'unary' && (expression.operator === 'plus' || expression.operator === 'star'))
      return undefined;
    if (expression.kind === 'call' && mentions.has(expression.name) && mentions.get(expression.name) === undefined)
      return undefined;
    const parts = partsOf(expression).map(mentionsIt);
    return parts.includes(undefined) ? undefined : parts.includes(true);
  };
  const statements = model.statements.filter((statement) => {
    if (statement.kind === 'let') {
      const found = statement.bindings.map(({ name, body, parameters }): readonly [string, boolean | undefined] => [
        name,
        statement.recursive || parameters !== undefined ? undefined : mentionsIt(body),
      ]);
      for (const [name, mention] of found) mentions.set(name, mention);
      return true;
    }
    return (
      statement.kind === 'check' &&
      statement.role === 'axiom' &&
      !statement.negated &&
      mentionsIt(statement.expression) === true
    );
  });
  return withStatements(model, statements);
}

/**
 * The model with only its axioms `empty … \ co`, each without that end: what they demand to be in coherence.
 * `undefined` if there is none.
 */
export const withCoherenceAxioms = ofModel((model): Model | undefined => {
  const isDefined = model.statements.some(
    (statement) => statement.kind === 'let' && statement.bindings.some(({ name }) => name === 'co'),
  );
  if (isDefined) return undefined;
  const statements = model.statements.flatMap((statement): readonly CatStatement[] => {
    if (statement.kind !== 'check') return [statement];
    const { role, negated, test, expression } = statement;
    const isOne = role === 'axiom' && !negated && test === 'empty' && isDifference(expression);
    return isOne && expression.right.kind === 'name' && expression.right.name === 'co'
      ? [{ ...statement, expression: expression.left }]
      : [];
  });
  return withStatements(model, statements);
});

const isDifference = (expression: Expression): expression is Extract<Expression, { kind: 'binary' }> =>
  expression.kind === 'binary' && expression.operator === 'difference';

/** The checks among some statements of a model, with the definitions that these need; `undefined` if there are none. */
function withStatements(model: Model, statements: Model['statements']): Model | undefined {
  const checks = statements.flatMap((statement) => (statement.kind === 'check' ? [statement] : []));
  if (checks.length === 0) return undefined;
  const needed = definitionsNeeded(
    checks.map(({ expression }) => expression),
    statements,
  );
  return {
    ...model,
    checks,
    statements: statements.filter(
      (statement) => statement.kind !== 'let' || statement.bindings.some(({ name }) => needed.has(name)),
    ),
  };
}

/** The names that expressions are made of, through definitions. */
function definitionsNeeded(expressions: readonly Expression[], statements: Model['statements']): ReadonlySet<string> {
  const needed = new Set<string>();
  const need = (expression: Expression): void => {
    if (expression.kind === 'name' || expression.kind === 'call') needed.add(expression.name);
    for (const part of partsOf(expression)) need(part);
  };
  for (const expression of expressions) need(expression);
  for (const statement of [...statements].reverse())
    if (statement.kind === 'let' && statement.bindings.some(({ name }) => needed.has(name)))
      for (const { body } of statement.bindings) need(body);
  return needed;
}
