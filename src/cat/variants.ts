import type { Binding, CatStatement, Expression } from '../syntax/cat-ast.js';
import { mapExpressions } from './map-expressions.js';
import type { Model } from './model.js';

/**
 * Replaces each `if "choice=value" then a else b` by a, if that value is chosen, else by b. `seen` gets every choice
 * tested.
 */
export function selectVariants(statement: CatStatement, chosen: ReadonlySet<string>, seen: Set<string>): CatStatement {
  const select = (expression: Expression): Expression => {
    if (expression.kind !== 'variant') return expression;
    seen.add(expression.choice);
    return select(chosen.has(expression.choice) ? expression.chosen : expression.otherwise);
  };
  return mapExpressions(statement, select);
}

/** The name of a base set or relation that is everything where an inferred definition is kept, and else empty. */
export const guardOf = (name: string): string => `kept ${name}`;

/** The model with some of its inferred definitions guarded: where the guard is empty, nothing is ordered by them. */
export function guardInferred(model: Model, names: ReadonlySet<string>): Model {
  const statements = model.statements.map((statement): CatStatement => {
    if (statement.kind !== 'let') return statement;
    const bindings = statement.bindings.map((binding): Binding => {
      const { name, body, span } = binding;
      if (!names.has(name)) return binding;
      const guard = { kind: 'name', name: guardOf(name), span } as const;
      return { ...binding, body: { kind: 'binary', operator: 'intersection', left: body, right: guard, span } };
    });
    return { ...statement, bindings };
  });
  return { ...model, statements };
}
