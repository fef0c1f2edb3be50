import type { CatStatement, Expression } from '../syntax/cat-ast.js';
import type { Model } from './model.js';

/**
 * Replaces each `if "choice=value" then a else b` by a, if that value is chosen, else by b. `seen` gets every choice
 * tested.
 */
export function selectVariants(statement: CatStatement, chosen: ReadonlySet<string>, seen: Set<string>): CatStatement {
  return mapExpressions(statement, (expression) => {
    if (expression.kind !== 'variant') return expression;
    seen.add(expression.choice);
    return chosen.has(expression.choice) ? expression.chosen : expression.otherwise;
  });
}

/** The model with some of its inferred definitions empty: nothing is ordered by them. */
export function withoutInferred(model: Model, names: ReadonlySet<string>): Model {
  const statements = model.statements.map((statement): CatStatement => {
    if (statement.kind !== 'let') return statement;
    const bindings = statement.bindings.map((binding) =>
      names.has(binding.name)
        ? {
            ...binding,
            body: {
              kind: 'empty',
              of: model.inferredKinds.get(binding.name) ?? 'relation',
              span: binding.span,
            } as const,
          }
        : binding,
    );
    return { ...statement, bindings };
  });
  return { ...model, statements };
}

function mapExpressions(statement: CatStatement, map: (expression: Expression) => Expression): CatStatement {
  const visit = (expression: Expression): Expression => mapped(map(expression));
  const mapped = (expression: Expression): Expression => {
    switch (expression.kind) {
      case 'binary':
        return { ...expression, left: visit(expression.left), right: visit(expression.right) };
      case 'unary':
        return { ...expression, operand: visit(expression.operand) };
      case 'call':
        return { ...expression, arguments: expression.arguments.map(visit) };
      case 'variant':
        return visit(expression);
      default:
        return expression;
    }
  };
  switch (statement.kind) {
    case 'let':
      return {
        ...statement,
        bindings: statement.bindings.map((binding) => ({ ...binding, body: visit(binding.body) })),
      };
    case 'check':
      return { ...statement, expression: visit(statement.expression) };
    case 'show':
      return { ...statement, shown: statement.shown.map((one) => ({ ...one, expression: visit(one.expression) })) };
    default:
      return statement;
  }
}
