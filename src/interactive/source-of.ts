import type { Source } from '../diagnostics/source.js';
import type { Draft } from './questions.js';

/** A draft as the readers of tests take it. */
export function sourceOf({ path, text, modules }: Draft): Source {
  if (modules === undefined) return { path, text };
  const read = Object.entries(modules).map(([name, of]) => [name, { path: name, text: of }]);
  return { path, text, modules: Object.fromEntries(read) };
}
