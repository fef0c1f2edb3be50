import type { LitmusFile } from './litmus-ast.js';

/** The syntax tree of a test as JSON: integers as decimal strings, without places in the text. */
export function printSyntaxJson(file: LitmusFile): string {
  const { source, ...rest } = file;
  return JSON.stringify(
    { path: source.path, ...rest },
    (key, value: unknown) =>
      key === 'span' || key.endsWith('Span') ? undefined : typeof value === 'bigint' ? String(value) : value,
    2,
  );
}
