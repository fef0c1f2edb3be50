import type { Span } from '../diagnostics/source.js';
import type { CatStatement } from '../syntax/cat-ast.js';
import { mapExpressions } from './map-expressions.js';

/** Names that our models once defined, with what they are called now: a user's model may use them. */
const RENAMED: ReadonlyMap<string, string> = new Map([['lets-go', 'after-barrier']]);

/** The statement with the present names; `onOld` hears of each old one that has no other meaning. */
export function withPresentNames(
  statement: CatStatement,
  isDefined: (name: string) => boolean,
  onOld: (span: Span, old: string, present: string) => void,
): CatStatement {
  return mapExpressions(statement, (expression) => {
    if (expression.kind !== 'name' || isDefined(expression.name)) return expression;
    const name = RENAMED.get(expression.name);
    if (name === undefined || !isDefined(name)) return expression;
    onOld(expression.span, expression.name, name);
    return { ...expression, name };
  });
}
