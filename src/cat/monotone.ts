import type { Expression } from '../syntax/cat-ast.js';
import { BUILT_IN_FUNCTIONS } from './built-in-functions.js';
import { partsOf } from './expression-parts.js';

/**
 * The first use of one of the names under a complement or on the right of a difference; a function of which nothing is
 * known counts as such a place.
 */
export function firstNonMonotoneUse(
  expression: Expression,
  names: ReadonlySet<string>,
  negative = false,
): Extract<Expression, { kind: 'name' }> | undefined {
  if (expression.kind === 'name') return negative && names.has(expression.name) ? expression : undefined;
  const isUnknown = expression.kind === 'call' && !BUILT_IN_FUNCTIONS.has(expression.name);
  // Twice under a complement is monotone again in theory; nobody writes it, so it is refused too.
  const isComplement = expression.kind === 'unary' && expression.operator === 'complement';
  const isDifference = expression.kind === 'binary' && expression.operator === 'difference';
  for (const [i, part] of partsOf(expression).entries()) {
    const use = firstNonMonotoneUse(part, names, negative || isUnknown || isComplement || (isDifference && i === 1));
    if (use !== undefined) return use;
  }
  return undefined;
}
