import type { CatStatement, Expression } from '../syntax/cat-ast.js';

/** A statement with another expression in the place of each of its expressions, from the outside in. */
export function mapExpressions(statement: CatStatement, map: (expression: Expression) => Expression): CatStatement {
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
        return { ...expression, chosen: visit(expression.chosen), otherwise: visit(expression.otherwise) };
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
