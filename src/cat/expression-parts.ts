import type { CatStatement, Expression } from '../syntax/cat-ast.js';

/** The expressions of a statement, as they are written. */
export function expressionsOf(statement: CatStatement): readonly Expression[] {
  switch (statement.kind) {
    case 'let':
      return statement.bindings.map(({ body }) => body);
    case 'check':
      return [statement.expression];
    case 'show':
      return statement.shown.map(({ expression }) => expression);
    case 'include':
    case 'unshow':
      return [];
  }
}

/** How many operators stand within one another, found without recursion. */
export function depthOf(expression: Expression): number {
  let depth = 0;
  for (let level: readonly Expression[] = [expression]; level.length > 0; level = level.flatMap(partsOf)) depth += 1;
  return depth;
}

/** The expressions that one is made of. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'binary':
      return [expression.left, expression.right];
    case 'unary':
      return [expression.operand];
    case 'call':
      return expression.arguments;
    case 'variant':
      return [expression.chosen, expression.otherwise];
    default:
      return [];
  }
}
