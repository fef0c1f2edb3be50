import type { Model } from '../cat/model.js';
import { type Include, readModel as resolve } from '../cat/resolve-model.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import { BASE_KINDS } from '../execution/base-relations.js';

/**
 * Reads a model that is written in cat, and checks it: all errors at once. It may use the vocabulary of docs/cat.md;
 * what it includes is asked of the caller.
 *
 * @example
 * ```ts
 * const mine = { path: 'mine.cat', text: '"mine"\nacyclic po | rf | co | fr as Total-Order\n' };
 * const { value: strict } = readModel('mine', mine);
 * ```
 *
 * @param name - What the model is called in results.
 * @param variants - Choices of the model that are made differently, as with `--variant`.
 */
export function readModel(
  name: string,
  source: Source,
  include: Include = () => undefined,
  variants: ReadonlySet<string> = new Set(),
): Diagnosed<Model> {
  return resolve(name, source, BASE_KINDS, include, variants);
}
