import type { CatStatement } from '../syntax/cat-ast.js';

/** The definitions that the specification does not state, with what is said of them. */
export function inferredDefinitions(statements: readonly CatStatement[]): ReadonlyMap<string, string> {
  return new Map(
    statements.flatMap((statement) => {
      const text = statement.kind === 'let' ? statement.inferred : undefined;
      return statement.kind === 'let' && text !== undefined
        ? statement.bindings.map((binding) => [binding.name, text] as const)
        : [];
    }),
  );
}
