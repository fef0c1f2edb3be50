import type { Binding, Expression } from '../syntax/cat-ast.js';
import { partsOf } from './expression-parts.js';

/**
 * The closed form of the usual recursive definitions, which both evaluations do better without recursion:
 * `r = A | r;r` is `A+`; `r = A | r;B` is `A;B*`; `r = A | B;r` is `B*;A`; `r = A | r;B;r` is `A;(B;A)*`.
 * Undefined for any other shape.
 */
export function closedForm({ name, body }: Binding): Expression | undefined {
  const alternatives = operandsOf(body, 'union');
  const base = alternatives.filter((alternative) => !mentions(alternative, name));
  const steps = alternatives.filter((alternative) => mentions(alternative, name));
  const [step] = steps;
  if (step === undefined) return body;
  if (steps.length !== 1 || base.length === 0) return undefined;
  const factors = operandsOf(step, 'sequence');
  const recursiveFirst = isName(factors[0], name);
  const recursiveLast = factors.length > 1 && isName(factors[factors.length - 1], name);
  const middle = factors.slice(recursiveFirst ? 1 : 0, recursiveLast ? -1 : undefined);
  if ((!recursiveFirst && !recursiveLast) || middle.some((factor) => mentions(factor, name))) return undefined;
  const a = joined(base, 'union');
  if (recursiveFirst && recursiveLast)
    return middle.length === 0
      ? unary('plus', a)
      : binary('sequence', a, unary('star', binary('sequence', joined(middle, 'sequence'), a)));
  if (middle.length === 0) return a;
  const star = unary('star', joined(middle, 'sequence'));
  return recursiveFirst ? binary('sequence', a, star) : binary('sequence', star, a);
}

function operandsOf(expression: Expression, operator: 'union' | 'sequence'): readonly Expression[] {
  return expression.kind === 'binary' && expression.operator === operator
    ? [...operandsOf(expression.left, operator), ...operandsOf(expression.right, operator)]
    : [expression];
}

const mentions = (expression: Expression, name: string): boolean =>
  isName(expression, name) || partsOf(expression).some((part) => mentions(part, name));

const isName = (expression: Expression | undefined, name: string): boolean =>
  expression?.kind === 'name' && expression.name === name;

function joined(operands: readonly Expression[], operator: 'union' | 'sequence'): Expression {
  return operands.reduce((left, right) => binary(operator, left, right));
}

function binary(operator: 'union' | 'sequence', left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, span: left.span };
}

function unary(operator: 'plus' | 'star', operand: Expression): Expression {
  return { kind: 'unary', operator, operand, span: operand.span };
}
