import type { Expression } from '../syntax/cat-ast.js';

/**
 * The first use of one of the names under a complement or on the right of a difference; functions count as such a
 * place.
 */
export function firstNonMonotoneUse(
  expression: Expression,
  names: ReadonlySet<string>,
  negative = false,
): Extract<Expression, { kind: 'name' }> | undefined {
  switch (expression.kind) {
    case 'empty':
      return undefined;
    case 'name':
      return negative && names.has(expression.name) ? expression : undefined;
    case 'call':
      // The built-in functions are monotone; of others nothing is known.
      return firstOf(
        expression.arguments,
        names,
        negative || !['domain', 'range', 'fencerel', 'toid'].includes(expression.name),
      );
    case 'variant':
      return firstOf([expression.chosen, expression.otherwise], names, negative);
    case 'unary':
      // Twice under a complement is monotone again in theory; nobody writes it, so it is refused too.
      return firstNonMonotoneUse(expression.operand, names, negative || expression.operator === 'complement');
    case 'binary':
      return (
        firstNonMonotoneUse(expression.left, names, negative) ??
        firstNonMonotoneUse(expression.right, names, negative || expression.operator === 'difference')
      );
  }
}

function firstOf(
  expressions: readonly Expression[],
  names: ReadonlySet<string>,
  negative: boolean,
): Extract<Expression, { kind: 'name' }> | undefined {
  for (const expression of expressions) {
    const use = firstNonMonotoneUse(expression, names, negative);
    if (use !== undefined) return use;
  }
  return undefined;
}
