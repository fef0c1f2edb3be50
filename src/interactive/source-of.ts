import type { Source } from '../diagnostics/source.js';
import type { Draft } from './questions.js';

/** A draft as the readers of tests take it. */
export function sourceOf({ path, text, modules, problems = {} }: Draft): Source {
  if (modules === undefined) return { path, text };
  const read = Object.entries(modules).map(([name, of]) => [name, { path: name.replace(/\.cu$/, '.ptx'), text: of }]);
  const failed = Object.entries(problems).map(([name, problem]) => [name, { problem }]);
  return { path, text, modules: Object.fromEntries([...read, ...failed]) };
}
