import type { Expression } from '../syntax/cat-ast.js';
import { partsOf } from './expression-parts.js';
import type { Model } from './model.js';
import { ofModel } from './of-model.js';

/**
 * Whether an axiom of the model forbids values out of thin air: `acyclic` of a union with rf and all dependencies, or
 * with rf and program order, which contains those of a thread's own accesses, but not from the read of a copy to
 * its write (`copies`: the program makes some). Then every value goes back to an initial one.
 */
export const forbidsThinAir = (model: Model, copies: boolean): boolean =>
  copies ? withCopies(model) : withoutCopies(model);

const withCopies = ofModel((model) => forbids(model, true));
const withoutCopies = ofModel((model) => forbids(model, false));

function forbids(model: Model, copies: boolean): boolean {
  const definitions = new Map<string, Expression>();
  for (const statement of model.statements) {
    if (statement.kind === 'let') {
      for (const { name, parameters, body } of statement.bindings) {
        // A name of the vocabulary that is defined anew no longer means what it did.
        if (parameters === undefined && !statement.recursive) definitions.set(name, body);
        else definitions.delete(name);
      }
    } else if (
      statement.kind === 'check' &&
      statement.role === 'axiom' &&
      statement.test === 'acyclic' &&
      !statement.negated
    ) {
      const members = unionMembers(statement.expression, definitions, new Set());
      if (
        members.has('rf') &&
        ((members.has('po') && !copies) || ['addr', 'data', 'ctrl'].every((name) => members.has(name)))
      )
        return true;
    }
  }
  return false;
}

function unionMembers(
  expression: Expression,
  definitions: ReadonlyMap<string, Expression>,
  open: ReadonlySet<string>,
): ReadonlySet<string> {
  const isMadeOfParts =
    (expression.kind === 'binary' && expression.operator === 'union') ||
    (expression.kind === 'unary' && (expression.operator === 'plus' || expression.operator === 'star'));
  if (isMadeOfParts) return new Set(partsOf(expression).flatMap((part) => [...unionMembers(part, definitions, open)]));
  if (expression.kind !== 'name') return new Set();
  const body = open.has(expression.name) ? undefined : definitions.get(expression.name);
  return body === undefined
    ? new Set([expression.name])
    : unionMembers(body, definitions, new Set([...open, expression.name]));
}
