import type { CatStatement, Expression } from '../syntax/cat-ast.js';
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
